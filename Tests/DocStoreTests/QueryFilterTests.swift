/// Which values pass which tests: the table of docs/spec/protocol.md 5.3, row by row, null and NaN included.

import DocModel
import DocStore
import Testing

@Suite struct QueryFilterTests {
  /// One value of every kind and the ones that are special.
  static let values: [(name: String, value: Value)] = [
    ("null", .null), ("false", .boolean(false)), ("NaN", .double(.nan)), ("1", .integer(1)),
    ("1.0", .double(1)),
    ("2", .integer(2)), ("-0.0", .double(-0.0)), ("inf", .double(.infinity)),
    ("time", .timestamp(Timestamp(seconds: 1, nanoseconds: 0))), ("s", .string("s")), ("bytes", .bytes([1])),
    ("ref", .reference("projects/p/databases/(default)/documents/c/a")),
    ("geo", .geoPoint(GeoPoint(latitude: 1, longitude: 2))), ("[1]", .array([.integer(1)])),
    ("[null,NaN]", .array([.null, .double(.nan)])), ("vector", .vector([1])),
    ("map", .map(["a": .integer(1)])),
    ("{a:NaN}", .map(["a": .double(.nan)])),
  ]

  typealias Row = (comparison: FieldTest.Comparison, operands: [Value], passing: String)

  static let table: [Row] = [
    (.equal, [.integer(1)], "1 1.0"),
    (.equal, [.double(0)], "-0.0"),
    (.equal, [.null], ""),
    (.equal, [.double(.nan)], ""),
    (.equal, [.array([.double(1)])], "[1]"),
    (.equal, [.array([.null, .double(.nan)])], "[null,NaN]"),
    (.equal, [.map(["a": .double(.nan)])], "{a:NaN}"),
    (.equal, [.vector([1])], "vector"),
    (
      .notEqual, [.integer(1)],
      "false NaN 2 -0.0 inf time s bytes ref geo [1] [null,NaN] vector map {a:NaN}"
    ),
    (.notEqual, [.null], ""),
    (
      .notEqual, [.double(.nan)],
      "false NaN 1 1.0 2 -0.0 inf time s bytes ref geo [1] [null,NaN] vector map {a:NaN}"
    ),
    (.lessThan, [.integer(2)], "1 1.0 -0.0"),
    (.lessThanOrEqual, [.integer(1)], "1 1.0 -0.0"),
    (.greaterThan, [.integer(1)], "2 inf"),
    (.greaterThanOrEqual, [.double(1)], "1 1.0 2 inf"),
    (.greaterThanOrEqual, [.double(-.infinity)], "1 1.0 2 -0.0 inf"),
    (.lessThanOrEqual, [.null], ""),
    (.greaterThanOrEqual, [.double(.nan)], ""),
    (.lessThanOrEqual, [.double(.nan)], ""),
    (.greaterThanOrEqual, [.string("")], "s"),
    (.greaterThanOrEqual, [.array([])], "[1] [null,NaN]"),
    (.lessThan, [.array([.null, .integer(0)])], "[null,NaN]"),
    (.greaterThanOrEqual, [.map([:])], "map {a:NaN}"),
    (.greaterThanOrEqual, [.vector([])], "vector"),
    (.lessThan, [.boolean(true)], "false"),
    (.lessThanOrEqual, [.bytes([1])], "bytes"),
    (.greaterThanOrEqual, [.geoPoint(GeoPoint(latitude: 1, longitude: 2))], "geo"),
    (.greaterThan, [.timestamp(Timestamp(seconds: 0, nanoseconds: 0))], "time"),
    (.greaterThan, [.reference("projects/p/databases/(default)/documents/c/A")], "ref"),
    (.arrayContains, [.double(1)], "[1]"),
    (.arrayContains, [.null], ""),
    (.arrayContains, [.double(.nan)], ""),
    (.arrayContainsAny, [.null, .integer(1)], "[1]"),
    (.arrayContainsAny, [.null, .double(.nan)], ""),
    (.in, [.null, .double(.nan), .integer(1), .string("s")], "1 1.0 s"),
    (.in, [.null], ""),
    (.in, [.array([.null, .double(.nan)])], "[null,NaN]"),
    (
      .notIn, [.integer(1), .string("s")],
      "false NaN 2 -0.0 inf time bytes ref geo [1] [null,NaN] vector map {a:NaN}"
    ),
    (.notIn, [.integer(1), .null], ""),
    (
      .notIn, [.integer(1), .double(.nan)],
      "false NaN 2 -0.0 inf time s bytes ref geo [1] [null,NaN] vector map {a:NaN}"
    ),
    (.isNull, [], "null"),
    (
      .isNotNull, [],
      "false NaN 1 1.0 2 -0.0 inf time s bytes ref geo [1] [null,NaN] vector map {a:NaN}"
    ),
    (.isNaN, [], "NaN"),
    (.isNotNaN, [], "false 1 1.0 2 -0.0 inf time s bytes ref geo [1] [null,NaN] vector map {a:NaN}"),
  ]

  @Test("a value passes a test as the table says", arguments: table)
  func row(_ row: Row) throws {
    let path = try FieldPath.parse("f")
    let test = FieldTest(path, row.comparison, row.operands.map(\.encoded))
    let passing = Self.values.filter { candidate in
      candidate.value.encoded.withUnsafeBytes { FilterMatcher.passes(test, ValueView($0)) }
    }
    #expect(passing.map(\.name).joined(separator: " ") == row.passing)
  }

  @Test("a test never passes a document that lacks the field", arguments: table)
  func missing(_ row: Row) throws {
    let filter = QueryFilter.test(
      FieldTest(try FieldPath.parse("m.f"), row.comparison, row.operands.map(\.encoded)))
    let matcher = FilterMatcher(filter)
    for fields in [[:], ["m": .integer(1)], ["m": .map(["g": .integer(1)])], ["m": .vector([1])]] as [Fields]
    {
      let passes = fields.encoded.withUnsafeBytes { bytes in
        matcher.matches(path: bytes, fields: FieldsView(document: bytes))
      }
      #expect(!passes)
    }
  }

  @Test("composites combine; without children they let everything pass")
  func composites() throws {
    let a = QueryFilter.test(FieldTest(try FieldPath.parse("a"), .equal, [Value.integer(1).encoded]))
    let b = QueryFilter.test(FieldTest(try FieldPath.parse("b"), .equal, [Value.integer(1).encoded]))
    let one = Fields([("a", .integer(1))]).encoded
    let both = Fields([("a", .integer(1)), ("b", .integer(1))]).encoded
    func passes(_ filter: QueryFilter?, _ fields: [UInt8]) -> Bool {
      fields.withUnsafeBytes { FilterMatcher(filter).matches(path: $0, fields: FieldsView(document: $0)) }
    }
    #expect(!passes(.all([a, b]), one))
    #expect(passes(.all([a, b]), both))
    #expect(passes(.any([b, a]), one))
    #expect(!passes(.any([b, .all([b])]), one))
    #expect(passes(.all([]), []))
    #expect(passes(nil, []))
  }
}
