/// What queries give, in which order, and by which plan.
///
/// Source: docs/spec/protocol.md 5.1, 5.4 to 5.7.

import DocModel
import DocStore
import Testing

@Suite struct QueryExecutorTests {
  typealias Filter = StructuredQuery.Filter
  typealias Order = StructuredQuery.Order
  typealias Cursor = StructuredQuery.Cursor

  static let store = QueryTestSource([
    "c/a": ["n": .integer(1), "m": .map(["x": .integer(1), "y": .integer(2)])],
    "c/b": ["n": .double(1), "t": .string("x")],
    "c/d": ["n": .null],
    "c/e": ["n": .string("s"), "t": .string("x")],
    "c/f": ["t": .string("y")],
    "c/__id7__": ["n": .integer(7)],
    "c/__id-3__": ["n": .double(.nan)],
    "c/a/s/x": ["n": .integer(3)],
    "c/a/s/y": [:],
    "c/q/s/x": ["n": .integer(2)],
    "c-b/x": ["n": .integer(9)],
    "s/x": ["n": .integer(4)],
    "ca/s": [:],
  ])

  static func query(
    _ from: String? = "c", group: Bool = false, below parent: String = "", where filter: Filter? = nil,
    orderBy orders: [Order] = [], start: Cursor? = nil, end: Cursor? = nil, offset: Int = 0,
    limit: Int? = nil,
    select: [String]? = nil
  ) -> StructuredQuery {
    StructuredQuery(
      database: QueryTestSource.database, parent: ResourcePath(unchecked: parent),
      from: from.map { [StructuredQuery.CollectionSelector($0, includesDescendants: group)] } ?? [],
      where: filter, orderBy: orders, start: start, end: end, offset: offset, limit: limit, select: select)
  }

  static func name(_ path: String) -> Value {
    .reference(QueryTestSource.database.documentsRoot + "/" + path)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let query: StructuredQuery
    let paths: String

    init(_ label: String, _ query: StructuredQuery, _ paths: String) {
      testDescription = label
      self.query = query
      self.paths = paths
    }
  }

  static let wholeCollection = "c/__id-3__ c/__id7__ c/a c/b c/d c/e c/f"

  static let scopes: [Case] = [
    Case("a collection, numeric ids first", query(), wholeCollection),
    Case("an unknown collection", query("none"), ""),
    Case("a collection below a document", query("s", below: "c/a"), "c/a/s/x c/a/s/y"),
    Case("a collection below a phantom", query("s", below: "c/q"), "c/q/s/x"),
    Case("a group in order of paths", query("s", group: true), "c/a/s/x c/a/s/y c/q/s/x s/x"),
    Case("a group below a document", query("s", group: true, below: "c/a"), "c/a/s/x c/a/s/y"),
    Case(
      "a group backwards", query("s", group: true, orderBy: [Order("__name__", .descending)]),
      "s/x c/q/s/x c/a/s/y c/a/s/x"),
    Case("kindless at the root", query(nil), wholeCollection + " c-b/x ca/s s/x"),
    Case("kindless below a document", query(nil, below: "c/a"), "c/a/s/x c/a/s/y"),
    Case(
      "everything below the root", query("", group: true),
      "c/__id-3__ c/__id7__ c/a c/a/s/x c/a/s/y c/b c/d c/e c/f c/q/s/x c-b/x ca/s s/x"),
    Case(
      "what a recursive delete asks for",
      query(
        "", group: true,
        where: .all([
          .field("__name__", .greaterThanOrEqual, name("c/__id-9223372036854775808__")),
          .field("__name__", .lessThan, name("c\0/__id-9223372036854775808__")),
        ]), limit: 5_000, select: ["__name__"]),
      "c/__id-3__ c/__id7__ c/a c/a/s/x c/a/s/y c/b c/d c/e c/f c/q/s/x"),
  ]

  static let orders: [Case] = [
    Case("by a field across kinds", query(orderBy: [Order("n")]), "c/d c/__id-3__ c/a c/b c/__id7__ c/e"),
    Case(
      "by a field backwards", query(orderBy: [Order("n", .descending)]),
      "c/e c/__id7__ c/b c/a c/__id-3__ c/d"),
    Case(
      "by a field, names against it", query(orderBy: [Order("n"), Order("__name__", .descending)]),
      "c/d c/__id-3__ c/b c/a c/__id7__ c/e"),
    Case("by two fields", query(orderBy: [Order("t", .descending), Order("n")]), "c/b c/e"),
    Case("by a nested field", query(orderBy: [Order("m.x")]), "c/a"),
    Case(
      "a branch without the ordered field drops out",
      query(where: .any([.field("t", .equal, .string("y")), .field("n", .lessThan, .integer(2))])), "c/a c/b"),
  ]

  static let cursors: [Case] = [
    Case(
      "start at ties", query(orderBy: [Order("n")], start: Cursor([.integer(1)], isBefore: true)),
      "c/a c/b c/__id7__ c/e"),
    Case(
      "start after ties", query(orderBy: [Order("n")], start: Cursor([.integer(1)], isBefore: false)),
      "c/__id7__ c/e"),
    Case(
      "end before ties", query(orderBy: [Order("n")], end: Cursor([.double(1)], isBefore: true)),
      "c/d c/__id-3__"),
    Case(
      "end at ties", query(orderBy: [Order("n")], end: Cursor([.double(1)], isBefore: false)),
      "c/d c/__id-3__ c/a c/b"),
    Case(
      "a position between kinds",
      query(orderBy: [Order("n")], start: Cursor([.boolean(true)], isBefore: true)),
      "c/__id-3__ c/a c/b c/__id7__ c/e"),
    Case(
      "a name inside ties",
      query(orderBy: [Order("n")], start: Cursor([.integer(1), name("c/a")], isBefore: false)),
      "c/b c/__id7__ c/e"),
    Case(
      "backwards", query(orderBy: [Order("n", .descending)], start: Cursor([.integer(1)], isBefore: false)),
      "c/__id-3__ c/d"),
    Case(
      "names",
      query(
        orderBy: [Order("__name__")], start: Cursor([name("c/a")], isBefore: false),
        end: Cursor([name("c/e")], isBefore: true)), "c/b c/d"),
    Case(
      "names backwards",
      query(
        orderBy: [Order("__name__", .descending)], start: Cursor([name("c/d")], isBefore: true),
        end: Cursor([name("c/a")], isBefore: false)), "c/d c/b c/a"),
    Case(
      "a subdocument lies after its ancestor",
      query(orderBy: [Order("__name__")], start: Cursor([name("c/a/s/x")], isBefore: true)), "c/b c/d c/e c/f"
    ),
    Case(
      "an end below a document includes it",
      query(orderBy: [Order("__name__")], end: Cursor([name("c/a/s/x")], isBefore: true)),
      "c/__id-3__ c/__id7__ c/a"),
    Case(
      "a position beyond the collection",
      query(orderBy: [Order("__name__")], start: Cursor([name("d/a")], isBefore: true)), ""),
    Case(
      "a position before the collection",
      query(orderBy: [Order("__name__")], start: Cursor([name("b/a")], isBefore: true)), wholeCollection),
    Case(
      "an empty start", query(orderBy: [Order("n")], start: Cursor([] as [Value], isBefore: true), limit: 1),
      "c/d"),
    Case(
      "after an empty start", query(orderBy: [Order("n")], start: Cursor([] as [Value], isBefore: false)), ""),
    Case("before an empty end", query(end: Cursor([] as [Value], isBefore: true)), ""),
    Case("an empty end", query(end: Cursor([] as [Value], isBefore: false), limit: 1), "c/__id-3__"),
    Case("after an empty start, by name", query(start: Cursor([] as [Value], isBefore: false)), ""),
    Case(
      "a group from a path on",
      query(
        "s", group: true, orderBy: [Order("__name__")],
        start: Cursor([name("c/b")], isBefore: true)), "c/q/s/x s/x"),
  ]

  static let windows: [Case] = [
    Case("limit", query(limit: 2), "c/__id-3__ c/__id7__"),
    Case("limit 0", query(limit: 0), ""),
    Case("offset and limit", query(offset: 2, limit: 2), "c/a c/b"),
    Case("offset beyond the end", query(offset: 20), ""),
    Case("sorted, offset and limit", query(orderBy: [Order("n")], offset: 1, limit: 2), "c/__id-3__ c/a"),
    Case(
      "limit to last, as clients ask it", query(orderBy: [Order("n", .descending)], limit: 2), "c/e c/__id7__"
    ),
  ]

  static let names: [Case] = [
    Case("one name", query(where: .field("__name__", .equal, name("c/a"))), "c/a"),
    Case("a name of another collection", query(where: .field("__name__", .equal, name("s/x"))), ""),
    Case(
      "several names",
      query(where: .field("__name__", .in, .array([name("c/f"), name("c/a"), name("c/zz"), name("c/a")]))),
      "c/a c/f"),
    Case(
      "several names backwards",
      query(
        where: .field("__name__", .in, .array([name("c/f"), name("c/a")])),
        orderBy: [Order("__name__", .descending)]),
      "c/f c/a"),
    Case(
      "several names by a field",
      query(where: .field("__name__", .in, .array([name("c/__id7__"), name("c/a")])), orderBy: [Order("n")]),
      "c/a c/__id7__"),
    Case(
      "names in a group",
      query("s", group: true, where: .field("__name__", .in, .array([name("c/q/s/x"), name("c/a")]))),
      "c/q/s/x"),
    Case(
      "all but one", query(where: .field("__name__", .notEqual, name("c/a"))),
      "c/__id-3__ c/__id7__ c/b c/d c/e c/f"),
    Case(
      "all but some", query(where: .field("__name__", .notIn, .array([name("c/a"), name("c/b")]))),
      "c/__id-3__ c/__id7__ c/d c/e c/f"),
    Case(
      "a range of names",
      query(
        where: .all([
          .field("__name__", .greaterThan, name("c/a")), .field("__name__", .lessThanOrEqual, name("c/e")),
        ])),
      "c/b c/d c/e"),
    Case(
      "contradictory ranges",
      query(
        where: .all([
          .field("__name__", .greaterThan, name("c/e")), .field("__name__", .lessThan, name("c/a")),
        ])), ""),
    Case(
      "a range of names in a group",
      query("s", group: true, where: .field("__name__", .greaterThan, name("c/a/s/x"))), "c/a/s/y c/q/s/x s/x"
    ),
    Case(
      "a name and a field",
      query(where: .all([.field("__name__", .equal, name("c/a")), .field("n", .equal, .integer(2))])), ""),
    Case(
      "a name or a field",
      query(where: .any([.field("__name__", .equal, name("c/f")), .field("n", .equal, .integer(7))])),
      "c/__id7__ c/f"),
  ]

  @Test("a query gives these documents in this order", arguments: scopes + orders + cursors + windows + names)
  func result(_ row: Case) throws {
    #expect(try Self.store.paths(row.query).joined(separator: " ") == row.paths)
  }

  @Test("skipped documents are counted, also beyond the end", arguments: [0, 3, 7, 20])
  func skipped(offset: Int) throws {
    for orders in [[], [Order("__name__", .descending)], [Order("n")]] {
      let query = try QueryValidator.validate(Self.query(orderBy: orders, offset: offset))
      let matching = orders.first?.path == "n" ? 6 : 7
      var skippedInRows: Set<Int> = []
      let run = try QueryExecutor.run(query, on: Self.store) { row in
        skippedInRows.insert(row.skipped)
        return .more
      }
      #expect(run.skipped == min(offset, matching))
      #expect(run.delivered == max(0, matching - offset))
      #expect(skippedInRows.isSubset(of: [run.skipped]))
    }
  }

  @Test("reading stops at the limit when the order allows it, and when the visitor says so")
  func earlyStop() throws {
    let limited = try QueryValidator.validate(Self.query(limit: 2))
    #expect(try QueryExecutor.run(limited, on: Self.store) { _ in .more }.documentsRead == 2)
    let all = try QueryValidator.validate(Self.query())
    #expect(try QueryExecutor.run(all, on: Self.store) { _ in .stop }.documentsRead == 1)
    let sorted = try QueryValidator.validate(Self.query(orderBy: [Order("n")]))
    #expect(try QueryExecutor.run(sorted, on: Self.store) { _ in .stop }.delivered == 1)
  }

  @Test("a projection prunes what is shown, not what is filtered and sorted")
  func projection() throws {
    let query = try QueryValidator.validate(
      Self.query(where: .field("n", .equal, .integer(1)), orderBy: [Order("n")], select: ["m.y", "__name__"]))
    var shown: [Fields] = []
    _ = try QueryExecutor.run(query, on: Self.store) { row in
      shown.append(Fields(FieldsView(document: row.fields)))
      return .more
    }
    #expect(shown == [["m": .map(["y": .integer(2)])], [:]])
  }

  // MARK: plans

  static let plans: [(query: StructuredQuery, plan: String)] = [
    (query(), "read c"),
    (query(limit: 0), "nothing"),
    (query(orderBy: [Order("__name__", .descending)]), "read c backward"),
    (query(where: .field("n", .equal, .null)), "read c"),
    (query(orderBy: [Order("n")]), "read c, sort"),
    (query("s", group: true), "scan group s below the root, sort"),
    (query(nil, below: "c/a"), "scan collections under c/a, sort"),
    (query("", group: true), "scan all below the root, sort"),
    (query(where: .field("__name__", .equal, name("c/a"))), "look up c/a"),
    (query(where: .field("__name__", .equal, name("d/a"))), "nothing"),
    (
      query(
        where: .any([.field("__name__", .equal, name("c/b")), .field("__name__", .in, .array([name("c/a")]))]
        ),
        orderBy: [Order("n")]), "look up c/a, c/b, sort"
    ),
    (query(where: .any([.field("__name__", .equal, name("c/b")), .field("n", .equal, .null)])), "read c"),
    (query(where: .field("__name__", .greaterThan, name("c/a"))), "read c from after c/a"),
    (
      query(
        where: .all([
          .field("__name__", .greaterThan, name("c/a")), .field("__name__", .lessThanOrEqual, name("c/e")),
        ]),
        orderBy: [Order("__name__")], start: Cursor([name("c/b")], isBefore: true),
        end: Cursor([name("c/e")], isBefore: true)), "read c from c/b to before c/e"
    ),
    (
      query(
        where: .all([
          .field("__name__", .greaterThan, name("c/e")), .field("__name__", .lessThan, name("c/a")),
        ])),
      "nothing"
    ),
    (
      query(orderBy: [Order("__name__", .descending)], start: Cursor([name("c/e")], isBefore: false)),
      "read c to before c/e backward"
    ),
    (
      query(orderBy: [Order("n")], start: Cursor([.integer(1), name("c/e")], isBefore: false)),
      "read c, sort"
    ),
  ]

  @Test("the planner chooses", arguments: plans)
  func plan(_ row: (query: StructuredQuery, plan: String)) throws {
    #expect(QueryPlanner.plan(try QueryValidator.validate(row.query)).description == row.plan)
  }
}
