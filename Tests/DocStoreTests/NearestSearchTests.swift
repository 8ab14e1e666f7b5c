import DocModel
import Testing

@testable import DocStore

@Suite("vector search")
struct NearestSearchTests {
  static let source = QueryTestSource([
    "c/a": ["v": .vector([1, 0]), "n": .integer(1)],
    "c/b": ["v": .vector([0, 1]), "n": .integer(2), "x": .string("s")],
    "c/far": ["v": .vector([.infinity, 1])],
    "c/other": ["v": .vector([1, 2, 3])],
    "c/same": ["v": .vector([1, 0]), "n": .double(2.5), "dist": .string("old")],
    "c/text": ["v": .string("no vector")],
    "c/without": ["n": .integer(9)],
    "c/zero": ["v": .vector([0, 0]), "n": .integer(3)],
    "c/inside": ["m": .map(["v": .vector([5, 5])])],
  ])

  static func nearest(
    _ measure: DistanceMeasure? = .euclidean, field: String = "v",
    vector: Result<[Double], InvalidArgument> = .success([1, 0]), limit: Int? = 10, resultField: String = "",
    threshold: Double? = nil
  ) -> StructuredQuery.Nearest {
    .init(
      field: field, vector: vector, measure: measure, limit: limit, resultField: resultField,
      threshold: threshold)
  }

  static func query(
    _ nearest: StructuredQuery.Nearest, where filter: StructuredQuery.Filter? = nil,
    orderBy orders: [StructuredQuery.Order] = [], select projection: [String]? = nil
  ) -> StructuredQuery {
    StructuredQuery(
      database: QueryTestSource.database, from: [.init("c")], where: filter, orderBy: orders,
      select: projection, nearest: nearest)
  }

  private func ids(_ query: StructuredQuery) throws -> [String] {
    try Self.source.paths(query).map { String($0.dropFirst(2)) }
  }

  @Test(
    "each measure puts the nearest first, what has no distance last, ties in the order of the query",
    arguments: [
      (.euclidean, ["a", "same", "zero", "b", "far"]),
      (.cosine, ["a", "same", "b", "far", "zero"]),
      (.dotProduct, ["far", "a", "same", "b", "zero"]),
    ] as [(DistanceMeasure, [String])])
  func measures(measure: DistanceMeasure, expected: [String]) throws {
    #expect(try ids(Self.query(Self.nearest(measure))) == expected)
    let byNumber = [StructuredQuery.Order("n", .descending)]
    let ordered = try ids(Self.query(Self.nearest(measure), orderBy: byNumber))
    #expect(Set(ordered) == ["a", "same", "zero", "b"])
    #expect(ordered.firstIndex(of: "same")! < ordered.firstIndex(of: "a")!)
  }

  @Test(
    "a threshold is inclusive, and keeps what has no distance out",
    arguments: [
      (.euclidean, 1, ["a", "same", "zero"]), (.euclidean, 0, ["a", "same"]), (.euclidean, -1, []),
      (.cosine, 1, ["a", "same", "b"]), (.cosine, 0.5, ["a", "same"]),
      (.dotProduct, 1, ["far", "a", "same"]), (.dotProduct, 0, ["far", "a", "same", "b", "zero"]),
    ] as [(DistanceMeasure, Double, [String])])
  func thresholds(measure: DistanceMeasure, threshold: Double, expected: [String]) throws {
    #expect(try ids(Self.query(Self.nearest(measure, threshold: threshold))) == expected)
  }

  @Test("filters and limits narrow, paths lead into maps, unknown fields find nothing")
  func scope() throws {
    #expect(try ids(Self.query(Self.nearest(limit: 1))) == ["a"])
    let filter = StructuredQuery.Filter.field("n", .lessThan, .integer(3))
    #expect(try ids(Self.query(Self.nearest(), where: filter)) == ["a", "same", "b"])
    #expect(try ids(Self.query(Self.nearest(field: "m.v"))) == ["inside"])
    #expect(try ids(Self.query(Self.nearest(field: "__name__"))) == [])
    #expect(try ids(Self.query(Self.nearest(vector: .success([.nan, 0])))).count == 5)
  }

  @Test("the distance is shown under a literal name, in place of a field of that name, where it is selected")
  func resultField() throws {
    func fields(_ name: String, select: [String]? = nil) throws -> [String: Fields] {
      var found: [String: Fields] = [:]
      let query = try QueryValidator.validate(
        Self.query(Self.nearest(limit: 3, resultField: name), select: select))
      _ = try QueryExecutor.run(query, on: Self.source) { row in
        found[String(decoding: row.path, as: UTF8.self)] = Fields(FieldsView(document: row.fields))
        return .more
      }
      return found
    }
    #expect(
      try fields("dist")["c/same"] == ["dist": .double(0), "n": .double(2.5), "v": .vector([1, 0])])
    #expect(try fields("a.b")["c/zero"] == ["a.b": .double(1), "n": .integer(3), "v": .vector([0, 0])])
    #expect(try fields("dist", select: ["n"])["c/zero"] == ["n": .integer(3)])
    #expect(try fields("dist", select: ["dist"])["c/zero"] == ["dist": .double(1)])
  }

  @Test(
    "what may not be asked is refused with the service's words",
    arguments: [
      (
        nearest(vector: .failure(QueryErrors.valueUnset)),
        "Cannot convert firestore.v1.Value with type unset."
      ),
      (nearest(limit: nil), "FindNearest.limit must be a positive integer of no more than 1000"),
      (nearest(limit: 0), "FindNearest.limit must be a positive integer of no more than 1000"),
      (nearest(limit: 1_001), "FindNearest.limit must be a positive integer of no more than 1000"),
      (nearest(nil), "Unknown Distance Measure."),
      (nearest(field: ""), "Invalid empty property path string."),
      (nearest(field: "a.__x__"), "Invalid reserved name in field path __x__"),
      (nearest(resultField: "__x__"), "The distanceResultField.property.name \"__x__\" is reserved."),
      (
        nearest(resultField: String(repeating: "x", count: 1_501)),
        "The distanceResultField.property.name is longer than 1500 bytes."
      ),
      (nearest(threshold: .nan), "distanceThreshold must be a finite number."),
    ])
  func refusals(nearest: StructuredQuery.Nearest, text: String) {
    #expect(throws: InvalidArgument(text)) { try QueryValidator.validate(Self.query(nearest)) }
  }

  @Test("limits, offsets and cursors belong to other queries")
  func besides() {
    var query = Self.query(Self.nearest())
    query.start = StructuredQuery.Cursor([StructuredQuery.Operand](), isBefore: true)
    #expect(throws: NearestErrors.cursor) { try QueryValidator.validate(query) }
    query.offset = 1
    #expect(throws: InvalidArgument("A query offset cannot be used with FindNearest")) {
      try QueryValidator.validate(query)
    }
    query.limit = 5
    #expect(throws: InvalidArgument("A query limit cannot be used with FindNearest")) {
      try QueryValidator.validate(query)
    }
  }

  @Test("where the service refuses cosine of zero, one zero vector refuses the query")
  func zeroVectors() throws {
    for vector in [[1.0, 0], [0, 0]] {
      var query = try QueryValidator.validate(
        Self.query(Self.nearest(.cosine, vector: .success(vector), limit: 1)))
      query.refuseZeroVectors()
      #expect(throws: StoreError.failedPrecondition(.zeroVector)) {
        try QueryExecutor.run(query, on: Self.source) { _ in .more }
      }
    }
  }

  @Test("pieces of a result are together the whole", arguments: DistanceMeasure.allCases)
  func pieces(measure: DistanceMeasure) throws {
    let query = try QueryValidator.validate(Self.query(Self.nearest(measure, limit: 4, resultField: "d")))
    try QueryRestTests.expectPieces(query, on: Self.source, "\(measure)")
  }

  @Test("long vectors are measured as short ones are")
  func lanes() throws {
    for count in [1, 3, 4, 15, 16, 17, 2_048] {
      let ones = [Double](repeating: 1, count: count)
      var source = QueryTestSource()
      source.set("c/d", ["v": .vector([Double](repeating: 3, count: count))])
      for (measure, expected) in [
        (DistanceMeasure.euclidean, (4 * Double(count)).squareRoot()), (.dotProduct, 3 * Double(count)),
        (.cosine, 0),
      ] {
        let query = try QueryValidator.validate(
          Self.query(Self.nearest(measure, vector: .success(ones), resultField: "d")))
        var distance: Double?
        _ = try QueryExecutor.run(query, on: source) { row in
          distance = FieldsView(document: row.fields).value(named: "d")?.double
          return .more
        }
        #expect(distance == expected, "\(measure) of \(count)")
      }
    }
  }
}
