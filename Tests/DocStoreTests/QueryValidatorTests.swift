/// What is refused, in which words, and which of several faults is answered.
///
/// Source: docs/spec/protocol.md 5.1 to 5.5, docs/spec/production-differences.md L12, L13, Q3, Q6.

import DocModel
import DocStore
import Testing

@Suite struct QueryValidatorTests {
  typealias Filter = StructuredQuery.Filter
  typealias Order = StructuredQuery.Order
  typealias Cursor = StructuredQuery.Cursor

  static let root = QueryTestSource.database.documentsRoot
  static let name = Value.reference(root + "/c/a")
  static let other = Value.reference("projects/p/databases/other/documents/c/a")

  static func numbers(_ count: Int) -> Value { .array((0..<count).map { .integer(Int64($0)) }) }
  static func fields(_ count: Int, _ comparison: StructuredQuery.FieldOperator) -> [Filter] {
    (0..<count).map { .field("f\($0)", comparison, .integer(1)) }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let label: String
    let query: StructuredQuery
    let message: String?

    var testDescription: String { label }

    init(
      _ label: String, _ filter: Filter? = nil, from: String? = "c", group: Bool = false,
      below parent: String = "",
      orderBy orders: [Order] = [], start: Cursor? = nil, offset: Int = 0, limit: Int? = nil,
      select: [String]? = nil, _ message: String?
    ) {
      self.label = label
      self.message = message
      query = StructuredQuery(
        database: QueryTestSource.database, parent: ResourcePath(unchecked: parent),
        from: from.map { [StructuredQuery.CollectionSelector($0, includesDescendants: group)] } ?? [],
        where: filter, orderBy: orders, start: start, offset: offset, limit: limit, select: select)
    }
  }

  static func malformed(_ path: String) -> String {
    "Invalid property path \"\(path)\". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), "
      + "and quoted property paths must match regex (`(?:[^`\\\\]|(?:\\\\.))+`)"
  }

  static let keyValue = "__key__ filter value must be a Key"
  static let kindlessOrder = "kind is required for all orders except __key__ ascending"
  static let group = "collection group queries are only allowed at the root parent"
  static let negations =
    "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query."
  static let notIn = "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."
  static let arrays = "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."
  static let key =
    "Equality on key is not allowed if there are other inequality fields and key does not appear in inequalities."
  static let afterName = "order by clause cannot contain more fields after the key"

  static let places: [Case] = [
    Case("one collection", from: "c", nil),
    Case(
      "a reserved collection id", from: "__x__", "Collection id \"__x__\" is invalid because it is reserved."),
    Case(
      "a slash in a collection id", from: "a/b", "Collection id \"a/b\" is invalid because it contains \"/\"."
    ),
    Case("kindless", from: nil, nil),
    Case("kindless with an empty id", from: "", nil),
    Case("kindless, ordered by name", from: nil, orderBy: [Order("__name__")], nil),
    Case(
      "kindless, ordered by name backwards", from: nil, orderBy: [Order("__name__", .descending)],
      kindlessOrder),
    Case("kindless, ordered by a field", from: nil, orderBy: [Order("a")], kindlessOrder),
    Case(
      "kindless with a filter", .field("a.b", .equal, .null), from: nil, "kind is required for filter: a.b"),
    Case("kindless with a name range", .field("__name__", .greaterThan, name), from: nil, nil),
    Case("a group below a document", from: "c", group: true, below: "x/y", nil),
    Case(
      "a group below a document with a filter", .field("a", .equal, .null), group: true, below: "x/y", group),
    Case("a group below a document with an order", group: true, below: "x/y", orderBy: [Order("a")], group),
    Case(
      "a group below a document, ordered by name", group: true, below: "x/y", orderBy: [Order("__name__")],
      nil),
    Case(
      "a group below a document before a bad name", .field("__name__", .greaterThan, .integer(3)),
      group: true,
      below: "x/y", orderBy: [Order("a")], group),
  ]

  static let numbersAndTree: [Case] = [
    Case("limit 0", limit: 0, nil),
    Case("limit below 0", limit: -1, "limit is negative"),
    Case("offset below 0", offset: -1, "offset is negative"),
    Case("limit before offset", offset: -1, limit: -1, "limit is negative"),
    Case("offset before filter", .unset, offset: -1, "offset is negative"),
    Case("filter unset", .unset, "Unknown Filter type."),
    Case("composite operator unset", .composite(nil, []), "Unsupported CompositeFilter operator."),
    Case("field operator unset", .field(path: "a", nil, .unset), "Unknown FieldFilter operator."),
    Case("unary operator unset", .unary(path: "a", nil), "Unknown UnaryFilter operator."),
    Case("unary operand unset", .unary(path: nil, .isNull), "Unknown UnaryFilter operator."),
    Case(
      "field operand unset", .field(path: "a", .equal, .unset),
      "Cannot convert firestore.v1.Value with type unset."),
    Case("empty path", .unary("", .isNull), "Invalid empty property path string."),
    Case("bad path before operand", .field(path: "a[0]", .in, .unset), malformed("a[0]")),
    Case("the first leaf's fault", .all([.unary("a[", .isNull), .unset]), malformed("a[")),
    Case("depth first", .any([.all([.unset]), .unary("a[", .isNull)]), "Unknown Filter type."),
    Case("composites without children", .all([.any([]), .all([])]), nil),
    Case(
      "long path", .unary(String(repeating: "a", count: 1_501), .isNull),
      "property path is longer than 1500 bytes."),
    Case("path as long as allowed", .unary(String(repeating: "a", count: 1_500), .isNull), nil),
  ]

  static let names: [Case] = [
    Case("reserved", .unary("a.__x__.b", .isNull), "invalid reserved name in field path a.`__x__`.b"),
    Case("reserved in an order", orderBy: [Order("__x__")], "invalid reserved name in field path `__x__`"),
    Case("reserved in a projection", select: ["`__x__`"], "invalid reserved name in field path `__x__`"),
    Case("nested name", .unary("a.__name__", .isNull), "the name __key__ is reserved"),
    Case("name with a child", orderBy: [Order("__name__.a")], "the name __key__ is reserved"),
    Case("type", .unary("__type__", .isNull), "the name __type__ is reserved"),
    Case("type inside", .unary("v.__type__", .isNull), nil),
    Case("type in the middle", .unary("v.__type__.x", .isNull), "the name __type__ is reserved"),
    Case("type inside, projected", select: ["v.__type__"], "the name __type__ is reserved"),
    Case("key", select: ["a.`__key__`"], "Invalid property path member name \"__key__\"."),
    Case("name equal to a number", .field("__name__", .equal, .integer(1)), keyValue),
    Case("name unary", .unary("__name__", .isNotNull), keyValue),
    Case("name in numbers", .field("__name__", .in, .array([name, .integer(1)])), keyValue),
    Case("name not in names", .field("__name__", .notIn, .array([name])), nil),
    Case("name contains", .field("__name__", .arrayContains, .integer(1)), "the name __key__ is reserved"),
    Case(
      "name contains any", .field("__name__", .arrayContainsAny, .array([name])),
      "the name __key__ is reserved"),
    Case(
      "name of a collection", .field("__name__", .equal, .reference(root + "/c")),
      "Document parent name \"\(root)/c\" lacks \"/\" at index \(root.utf8.count + 2)."),
    Case(
      "name of another database", .field("__name__", .equal, other),
      "mismatched databases within request: projects/p/databases/(default) vs. projects/p/databases/other"),
    Case("a reference field to another database", .field("r", .equal, other), nil),
  ]

  static let lists: [Case] = [
    Case("in without list", .field("a", .in, .integer(1)), "'IN' requires an ArrayValue."),
    Case("in a vector", .field("a", .in, .vector([1])), "'IN' requires an ArrayValue."),
    Case("not in nothing", .field("a", .notIn, .array([])), "'NOT_IN' requires an non-empty ArrayValue."),
    Case(
      "contains any of nothing", .field("a", .arrayContainsAny, .array([])),
      "'ARRAY_CONTAINS_ANY' requires an non-empty ArrayValue."),
    Case("in 30", .field("a", .in, numbers(30)), nil),
    Case("in 31", .field("a", .in, numbers(31)), "'IN' supports up to 30 comparison values."),
    Case(
      "contains any of 31", .field("a", .arrayContainsAny, numbers(31)),
      "'ARRAY_CONTAINS_ANY' supports up to 30 comparison values."),
    Case("not in 10", .field("a", .notIn, numbers(10)), nil),
    Case("not in 11", .field("a", .notIn, numbers(11)), "'NOT_IN' supports up to 10 comparison values."),
    Case(
      "a large operand", .field("a.b", .equal, .string(String(repeating: "x", count: 1_500))),
      "value for a.b is too large to be used in a query"),
    Case(
      "an operand that just fits", .field("a", .equal, .string(String(repeating: "x", count: 1_499))), nil),
    Case("bytes that just fit", .field("a", .equal, .bytes(Array(repeating: 1, count: 1_500))), nil),
    Case("an array that just fits", .field("a", .equal, numbers(187)), nil),
    Case(
      "a large array", .field("a", .equal, numbers(188)), "value for a is too large to be used in a query"),
    Case(
      "a large element", .field("a", .arrayContains, numbers(188)),
      "value for a[*] is too large to be used in a query"),
    Case(
      "a large vector", .field("a", .equal, .vector(Array(repeating: 1, count: 187))),
      "value for a is too large to be used in a query"),
  ]

  static let wholes: [Case] = [
    Case("two negations", .all([.field("a", .notEqual, .null), .unary("b", .isNotNull)]), negations),
    Case("negations in two branches", .any([.unary("a", .isNotNaN), .unary("b", .isNotNull)]), negations),
    Case("not in with in", .all([.field("a", .notIn, numbers(1)), .field("b", .in, numbers(1))]), notIn),
    Case(
      "not in with or",
      .all([.field("a", .notIn, numbers(1)), .any([.unary("b", .isNull), .unary("c", .isNull)])]),
      notIn),
    Case(
      "not in with an or of one", .all([.field("a", .notIn, numbers(1)), .any([.unary("b", .isNull)])]), notIn
    ),
    Case("not in with an or of none", .all([.field("a", .notIn, numbers(1)), .any([])]), notIn),
    Case("not in as all of an or", .any([.field("a", .notIn, numbers(1))]), notIn),
    Case(
      "two contains", .all([.field("a", .arrayContains, .null), .field("b", .arrayContainsAny, numbers(1))]),
      arrays),
    Case(
      "a contains in each branch",
      .any([.field("a", .arrayContains, .null), .field("b", .arrayContainsAny, numbers(1))]), nil),
    Case(
      "a key beside an inequality", .all([.field("__name__", .equal, name), .field("a", .lessThan, .null)]),
      key),
    Case(
      "a key beside a negation", .all([.field("__name__", .in, .array([name])), .unary("a", .isNotNull)]), key
    ),
    Case(
      "a key in another branch than the inequality",
      .any([
        .field("__name__", .equal, name), .all([.field("a", .lessThan, .null), .field("b", .equal, .null)]),
      ]), key
    ),
    Case(
      "a key beside inequalities, of keys too",
      .all([
        .field("__name__", .equal, name), .field("a", .lessThan, .null),
        .field("__name__", .greaterThan, name),
      ]), nil),
    Case(
      "a key beside an order", .field("__name__", .equal, name), orderBy: [Order("b")], nil),
    Case(
      "a key, inequalities and disjuncts",
      .all([.field("__name__", .equal, name), .any(fields(31, .lessThan))]),
      "The query contains 31 distinct inequality fields: [\((0..<31).map { "f\($0)" }.sorted().joined(separator: ", "))]. A "
        + "query may not have more than 10 distinct inequality fields."),
    Case(
      "a key and disjuncts",
      .all([.field("__name__", .equal, name), .field("a", .lessThan, .null), .any(fields(31, .equal))]), key),
    Case(
      "a large operand and disjuncts", .all([.field("a", .equal, numbers(188)), .any(fields(31, .equal))]),
      "value for a is too large to be used in a query"),
    Case("30 disjuncts", .any(fields(30, .equal)), nil),
    Case(
      "31 disjuncts", .any(fields(31, .equal)),
      "Too many disjunctions after normalization. Result had 31 disjunctions which is more than the maximum of 30"
    ),
    Case(
      "products", .all([.field("a", .in, numbers(8)), .any(fields(4, .equal))]),
      "Too many disjunctions after normalization. Result had 32 disjunctions which is more than the maximum of 30"
    ),
    Case(
      "duplicates count",
      .all([.field("a", .in, .array(Array(repeating: .null, count: 16))), .any(fields(2, .equal))]),
      "Too many disjunctions after normalization. Result had 32 disjunctions which is more than the maximum of 30"
    ),
    Case("100 filters", .all(fields(100, .equal)), nil),
    Case(
      "101 filters", .all(fields(101, .equal)),
      "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 101 "
        + "filters, 0 sort orders, and no ancestor filter."),
    Case(
      "orders and parent count", .all(fields(99, .equal)), below: "x/y", orderBy: [Order("f1")],
      "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 99 "
        + "filters, 1 sort orders, and one ancestor filter."),
    Case(
      "list operands count", .all([.field("a", .in, numbers(30))] + fields(71, .equal)),
      "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 101 "
        + "filters, 0 sort orders, and no ancestor filter."),
    Case("10 inequality fields", .all(fields(10, .lessThan)), nil),
    Case(
      "11 inequality fields", .all(fields(10, .lessThan) + [.field("__name__", .greaterThan, name)]),
      "The query contains 11 distinct inequality fields: [__key__, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9]. A query "
        + "may not have more than 10 distinct inequality fields."),
    Case(
      "size before disjuncts", .all((0..<51).map { .field("f\($0)", .in, numbers(2)) }),
      "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 102 "
        + "filters, 0 sort orders, and no ancestor filter."),
    Case(
      "kindless before negations", .all([.field("a", .notEqual, .null), .unary("b", .isNotNull)]), from: nil,
      "kind is required for filter: a"),
    Case(
      "negations before orders", .any([.unary("a", .isNotNaN), .unary("b", .isNotNull)]),
      orderBy: [Order("a[")],
      negations),
  ]

  static let ordersAndCursors: [Case] = [
    Case(
      "a field twice", orderBy: [Order("a"), Order("b"), Order("a", .descending)],
      "order by clause cannot contain duplicate fields a"),
    Case("name twice", orderBy: [Order("__name__"), Order("__name__")], afterName),
    Case("a field after the name", orderBy: [Order("__name__"), Order("a")], afterName),
    Case(
      "an implied field after the name", .field("a", .lessThan, .null), orderBy: [Order("__name__")],
      afterName),
    Case("an equality needs no order", .field("a", .equal, .null), orderBy: [Order("__name__")], nil),
    Case("name backwards", orderBy: [Order("__name__", .descending)], nil),
    Case(
      "cursors before orders that no index has", orderBy: [Order("a"), Order("a")],
      start: Cursor([name, name, name], isBefore: true), "Cursor has too many values."),
    Case(
      "projection before orders that no index has", orderBy: [Order("a"), Order("a")], select: ["a["],
      malformed("a[")),
    Case(
      "cursors before a key beside inequalities",
      .all([.field("a", .lessThan, .null), .field("__name__", .equal, name)]),
      start: Cursor([name], isBefore: true), "Cursor has too many values."),
    Case(
      "disjuncts before orders", .all([.field("a", .in, numbers(8)), .any(fields(4, .equal))]),
      orderBy: [Order("a"), Order("a")],
      "Too many disjunctions after normalization. Result had 32 disjunctions which is more than the maximum of 30"
    ),
    Case("a long cursor", start: Cursor([.integer(1)], isBefore: true), "Cursor has too many values."),
    Case(
      "implied orders take no values", .field("a", .lessThan, .null),
      start: Cursor([.integer(1)], isBefore: true),
      "Cursor has too many values."),
    Case(
      "a name breaks ties", orderBy: [Order("a")], start: Cursor([.integer(1), name], isBefore: true), nil),
    Case(
      "only a name breaks ties", orderBy: [Order("a")],
      start: Cursor([.integer(1), .integer(2)], isBefore: true),
      "Cursor has too many values."),
    Case(
      "a name does not stand for an implied field", .field("b", .lessThan, .null), orderBy: [Order("a")],
      start: Cursor([.integer(1), name], isBefore: true), "Cursor has too many values."),
    Case(
      "a cursor without name", orderBy: [Order("__name__")], start: Cursor([.integer(1)], isBefore: true),
      "Cursor __key__ value is not a document reference."),
    Case(
      "a cursor of another database", orderBy: [Order("__name__")], start: Cursor([other], isBefore: true),
      "the cursor key is in a different partition than the query"),
    Case(
      "cursors before projection", start: Cursor([name], isBefore: true), select: ["a["],
      "Cursor has too many values."),
    Case("a bad projection", select: ["a["], malformed("a[")),
    Case("the name projected", select: ["__name__", "a"], nil),
  ]

  @Test(
    "a query is refused in the service's words",
    arguments: places + numbersAndTree + names + lists + wholes + ordersAndCursors)
  func refusal(_ row: Case) {
    var message: String?
    do {
      _ = try QueryValidator.validate(row.query)
    } catch {
      message = error.message
    }
    #expect(message == row.message)
  }

  @Test("two selectors are refused before anything else")
  func selectors() {
    let query = StructuredQuery(
      database: QueryTestSource.database, from: [.init("a/b"), .init("c")], limit: -1)
    #expect(throws: InvalidArgument("StructuredQuery.from cannot have more than one collection selector.")) {
      try QueryValidator.validate(query)
    }
  }

  @Test("filters nested without end are refused, not followed")
  func depth() {
    var filter = Filter.unary("a", .isNull)
    for _ in 0..<10_000 { filter = .all([filter, .unary("b", .isNull)]) }
    var query = StructuredQuery(database: QueryTestSource.database, collection: ResourcePath(unchecked: "c"))
    query.filter = filter
    #expect(throws: InvalidArgument("filters are nested too deeply")) { try QueryValidator.validate(query) }
  }

  // MARK: what is implied

  static let implied: [(filter: Filter?, orders: [Order], expected: String)] = [
    (nil, [], "__name__ ascending"),
    (nil, [Order("a", .descending)], "a descending, __name__ descending"),
    (nil, [Order("a", .descending), Order("b")], "a descending, b ascending, __name__ ascending"),
    (.field("b", .lessThan, .null), [], "b ascending, __name__ ascending"),
    (
      .all([.field("b", .lessThan, .null), .field("a", .greaterThan, .null)]), [],
      "a ascending, b ascending, __name__ ascending"
    ),
    (
      .any([.field("b", .lessThan, .null), .field("a", .equal, .null)]), [Order("c", .descending)],
      "c descending, b descending, __name__ descending"
    ),
    (.unary("b", .isNotNull), [], "b ascending, __name__ ascending"),
    (.unary("b", .isNotNaN), [], "b ascending, __name__ ascending"),
    (.unary("b", .isNull), [], "__name__ ascending"),
    (.field("b", .notIn, .array([.null])), [], "b ascending, __name__ ascending"),
    (.field("b", .notEqual, .null), [Order("b", .descending)], "b descending, __name__ descending"),
    (.field("b", .in, .array([.null])), [], "__name__ ascending"),
    (.field("b", .arrayContains, .null), [], "__name__ ascending"),
    (.field("__name__", .lessThan, name), [], "__name__ ascending"),
    (
      .all([.field("a.b", .lessThan, .null), .field("a", .lessThan, .null), .field("`a!`", .lessThan, .null)]
      ), [],
      "a ascending, a.b ascending, `a!` ascending, __name__ ascending"
    ),
  ]

  @Test("orders are completed", arguments: implied)
  func completedOrders(_ row: (filter: Filter?, orders: [Order], expected: String)) throws {
    var query = StructuredQuery(database: QueryTestSource.database, collection: ResourcePath(unchecked: "c"))
    query.filter = row.filter
    query.orders = row.orders
    let orders = try QueryValidator.validate(query).orders
    #expect(orders.map { "\($0.path.text) \($0.direction)" }.joined(separator: ", ") == row.expected)
  }

  @Test("the disjuncts of a filter take lists apart and multiply")
  func disjuncts() throws {
    var query = StructuredQuery(database: QueryTestSource.database, collection: ResourcePath(unchecked: "c"))
    query.filter = .all([
      .field("a", .in, .array([.integer(1), .integer(2)])),
      .any([.field("b", .arrayContainsAny, .array([.integer(3), .integer(4)])), .unary("c", .isNull)]),
    ])
    let disjuncts = try QueryValidator.validate(query).disjuncts
    #expect(disjuncts.count == 6)
    let one = FieldPath.field("a").map { FieldTest($0, .equal, [Value.integer(1).encoded]) }
    #expect(disjuncts[0].tests.first == one)
    #expect(
      disjuncts.map { $0.paths.map(\.text) } == [
        ["a", "b"], ["a", "b"], ["a", "c"], ["a", "b"], ["a", "b"], ["a", "c"],
      ])
    #expect(disjuncts.allSatisfy { $0.tests.allSatisfy { $0.operands.count <= 1 } })
  }
}
