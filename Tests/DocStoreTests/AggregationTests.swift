import DocModel
import Testing

@testable import DocStore

@Suite("Aggregations")
struct AggregationTests {
  private static let database = DatabaseID(project: "p", database: "(default)")

  private static func validate(_ aggregations: [Aggregation], collection: String = "c")
    throws(InvalidArgument)
    -> AggregationQuery
  {
    try AggregationQuery.validate(aggregations) { (added) throws(InvalidArgument) in
      try QueryValidator.validate(
        StructuredQuery(database: database, parent: .root, from: [.init(collection)]), adding: added)
    }
  }

  @Test(
    "what may not be asked is refused with the service's words",
    arguments: [
      ([], "Aggregations can not be empty."),
      (
        Array(repeating: Aggregation(.count(upTo: nil)), count: 6),
        "The maximum number of aggregations allowed in an aggregation query is 5. Received: 6"
      ),
      ([Aggregation(.unset)], "Operator field in Aggregation is not set."),
      (
        [Aggregation(alias: "a", .count(upTo: nil)), Aggregation(alias: "a", .sum(field: "x"))],
        "Aggregation aliases contain duplicate alias: a."
      ),
      (
        [Aggregation(.count(upTo: nil)), Aggregation(alias: "field_1", .count(upTo: nil))],
        "Aggregation aliases contain duplicate alias: field_1."
      ),
      ([Aggregation(alias: "__x__", .count(upTo: nil))], "The property.name \"__x__\" is reserved."),
      (
        [Aggregation(.count(upTo: -1))],
        "The `up_to` value in a COUNT aggregation must be greater than or equal to zero."
      ),
      ([Aggregation(.sum(field: ""))], "Invalid empty property path string."),
      (
        [Aggregation(.average(field: "__name__"))],
        "Aggregations are not supported for the property: __key__"
      ),
    ] as [([Aggregation], String)])
  func refusals(aggregations: [Aggregation], text: String) {
    #expect(throws: InvalidArgument(text)) { try Self.validate(aggregations) }
  }

  @Test("faults of aggregations are told before those of the query")
  func order() {
    #expect(throws: InvalidArgument("Operator field in Aggregation is not set.")) {
      try Self.validate([Aggregation(.unset)], collection: "__bad__")
    }
    #expect(throws: InvalidArgument("Collection id \"__bad__\" is invalid because it is reserved.")) {
      try Self.validate([Aggregation(.count(upTo: nil))], collection: "__bad__")
    }
  }

  @Test("missing aliases are numbered over the unnamed ones only")
  func aliases() throws {
    let query = try Self.validate([
      Aggregation(.count(upTo: nil)), Aggregation(alias: "x.y z", .count(upTo: nil)),
      Aggregation(.sum(field: "n")),
    ])
    #expect(query.functions.map(\.alias) == ["field_1", "x.y z", "field_2"])
    #expect(query.query.requiredFields.map(\.text) == ["n"])
  }

  @Test(
    "sums stay integers while they can, and averages are doubles",
    arguments: [
      ([], .integer(0), .null), ([.string("x"), .null], .integer(0), .null),
      ([.integer(1), .integer(2)], .integer(3), .double(1.5)),
      ([.integer(.max), .integer(1), .integer(-1)], .integer(.max), .double(Double(Int64.max) / 3)),
      ([.integer(.max), .integer(1)], .double(9.223372036854775807e18), .double(4.611686018427387904e18)),
      ([.integer(1), .double(0.5), .boolean(true)], .double(1.5), .double(0.75)),
      ([.double(2), .integer(1)], .double(3), .double(1.5)),
      ([.double(.infinity), .integer(1)], .double(.infinity), .double(.infinity)),
    ] as [([Value], Value, Value)])
  func numbers(values: [Value], sum: Value, average: Value) {
    let found = Self.summed(values)
    #expect(found.sum == sum)
    #expect(found.average == average)
  }

  @Test(
    "not-a-number and both infinities have no sum",
    arguments: [[.double(.nan), .integer(1)], [.double(.infinity), .double(-.infinity)]] as [[Value]])
  func nan(values: [Value]) {
    guard case .double(let number) = Self.summed(values).sum else {
      Issue.record("no double")
      return
    }
    #expect(number.isNaN)
  }

  private static func summed(_ values: [Value]) -> NumberSum {
    var sum = NumberSum()
    for value in values { value.encoded.withUnsafeBytes { sum.add(ValueView($0)) } }
    return sum
  }

  @Test("documents without a summed field count for nothing, before offset and limit")
  func requiredFields() throws {
    let fields: [Fields] = [["n": .integer(1)], ["m": .integer(9)], ["n": .null], ["n": .integer(5)]]
    var totals = AggregationTotals(
      try Self.validate([
        Aggregation(alias: "count", .count(upTo: nil)), Aggregation(alias: "sum", .sum(field: "n")),
      ]))
    let matcher = FilterMatcher(nil, requiring: try [FieldPath.parse("n")])
    for document in fields {
      document.encoded.withUnsafeBytes { bytes in
        let view = FieldsView(document: bytes)
        if matcher.matches(path: WireCursor.empty, fields: view) { totals.add(view) }
      }
    }
    #expect(totals.results.map(\.value) == [.integer(3), .integer(6)])
  }

  static func afterName(_ fields: String) -> String {
    "This query requires an index that has fields [\(fields)] after __name__ and Firestore does not currently support such "
      + "an index. Please try the query again with additional ordering on those fields."
  }
  static let name = StructuredQuery.Filter.field(
    "__name__", .greaterThan, .reference("projects/p/databases/(default)/documents/c/x"))

  /// Source: the official emulator.
  @Test(
    "what is added up must be ordered by, where the name is",
    arguments: [
      (nil, [], nil), (nil, ["m"], nil), (nil, ["__name__"], "n"), (nil, ["n", "__name__"], nil),
      (nil, ["m", "__name__"], "n"),
      (nil, ["__name__", "n"], "order by clause cannot contain more fields after the key"),
      (nil, ["__name__", "m"], "n"), (name, [], "n"), (name, ["n"], nil), (name, ["m"], "n"),
      (name, ["`n`"], nil),
      (.all([name, .field("n", .equal, .integer(1))]), [], "n"),
      (.any([name, .field("n", .equal, .integer(1))]), [], "n"),
      (.all([name, .field("n", .lessThan, .integer(1))]), [], nil),
      (.all([name, .unary("n", .isNotNull)]), [], nil),
      (.all([name, .field("m", .lessThan, .integer(1))]), [], "n"),
      (.field("m", .lessThan, .integer(1)), [], nil),
      (.all([name, .any((0..<31).map { .field("f\($0)", .equal, .null) })]), [], "n"),
    ] as [(StructuredQuery.Filter?, [String], String?)])
  func addedBehindName(filter: StructuredQuery.Filter?, orders: [String], missing: String?) {
    var query = StructuredQuery(database: Self.database, parent: .root, from: [.init("c")])
    query.filter = filter
    query.orders = orders.map { .init($0) }
    var complaint: String?
    do throws(InvalidArgument) {
      _ = try AggregationQuery.validate([Aggregation(.sum(field: "n")), Aggregation(.count(upTo: nil))]) {
        (added) throws(InvalidArgument) in try QueryValidator.validate(query, adding: added)
      }
    } catch { complaint = error.message }
    #expect(complaint == missing.map { $0.count == 1 ? Self.afterName($0) : $0 })
  }

  @Test("the fields that are missing are told in order")
  func missingFields() {
    var query = StructuredQuery(database: Self.database, parent: .root, from: [.init("c")])
    query.filter = Self.name
    let fields = ["zeta", "alpha", "m.k", "`a b`", "alpha"]
    #expect(throws: InvalidArgument(Self.afterName("a b, alpha, m.k, zeta"))) {
      try AggregationQuery.validate(fields.map { Aggregation(.average(field: $0)) }) {
        (added) throws(InvalidArgument) in
        try QueryValidator.validate(query, adding: added)
      }
    }
  }

  @Test("with a limit, what is added up comes in the order of its fields")
  func orders() throws {
    func orders(_ query: StructuredQuery) throws -> [String] {
      let aggregation = try AggregationQuery.validate([
        Aggregation(.sum(field: "n")), Aggregation(.average(field: "a")), Aggregation(.sum(field: "n")),
      ]) { (added) throws(InvalidArgument) in try QueryValidator.validate(query, adding: added) }
      return aggregation.query.orders.map(\.path.text)
    }
    var query = StructuredQuery(database: Self.database, parent: .root, from: [.init("c")])
    #expect(try orders(query) == ["__name__"])
    query.limit = 2
    #expect(try orders(query) == ["a", "n", "__name__"])
    query.orders = [.init("n")]
    #expect(try orders(query) == ["n", "a", "__name__"])
    query.orders = [.init("n"), .init("a"), .init("__name__")]
    #expect(try orders(query) == ["n", "a", "__name__"])
  }

  @Test("bounded counts end early; a sum beside them reads on")
  func early() throws {
    var bounded = AggregationTotals(try Self.validate([Aggregation(.count(upTo: 1))]))
    #expect(!bounded.isComplete)
    bounded.add(FieldsView(document: WireCursor.empty))
    #expect(bounded.isComplete)
    let mixed = AggregationTotals(
      try Self.validate([Aggregation(.count(upTo: 0)), Aggregation(.sum(field: "n"))]))
    #expect(!mixed.isComplete)
  }
}
