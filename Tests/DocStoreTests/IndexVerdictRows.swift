/// What the service answered about queries and indexes: recorded in autumn 2026 on a Standard database in
/// us-central1, each twice. Source: docs/spec/production-differences.md section 3.

import DocModel
import DocStore
import Testing

/// One query, and the index that the service said is missing; nil when it served the query.
struct IndexVerdict: Sendable, CustomTestStringConvertible {
  let label: String
  let query: StructuredQuery
  let sums: [String]
  let missing: String?

  var testDescription: String { label }

  init(
    _ label: String, _ collection: String, group: Bool = false, _ filter: StructuredQuery.Filter? = nil,
    orderBy orders: [StructuredQuery.Order] = [], sum sums: [String] = [], nearest: VectorField? = nil,
    limit: Int? = nil, needs missing: String? = nil
  ) {
    self.label = label
    query = StructuredQuery(
      database: Self.database,
      from: [StructuredQuery.CollectionSelector(collection, includesDescendants: group)], where: filter,
      orderBy: orders, limit: limit,
      nearest: nearest.map { field in
        StructuredQuery.Nearest(
          field: field.path.text, vector: .success(Array(repeating: 1, count: field.dimension)),
          measure: .euclidean, limit: 3)
      })
    self.sums = sums
    self.missing = missing
  }

  static let database = DatabaseID(project: "demo-fs-query-index")

  func normalized() throws -> NormalizedQuery {
    if sums.isEmpty { return try QueryValidator.validate(query) }
    let sums = sums.map { Aggregation(.sum(field: $0)) }
    return try AggregationQuery.validate(sums) { (added) throws(InvalidArgument) in
      try QueryValidator.validate(query, adding: added)
    }.query
  }
}

enum IndexVerdicts {
  typealias Filter = StructuredQuery.Filter
  typealias Order = StructuredQuery.Order

  static func equal(_ path: String) -> Filter { .field(path, .equal, .integer(1)) }
  static func above(_ path: String) -> Filter { .field(path, .greaterThan, .integer(1)) }
  static func contains(_ path: String) -> Filter { .field(path, .arrayContains, .integer(1)) }
  static func isIn(_ path: String) -> Filter {
    .field(path, .in, .array([.integer(0), .integer(1)]))
  }
  static func up(_ path: String) -> Order { Order(path) }
  static func down(_ path: String) -> Order { Order(path, .descending) }
  static func name(above id: String, in collection: String) -> Filter {
    .field(
      "__name__", .greaterThan,
      .reference(IndexVerdict.database.documentsRoot + "/\(collection)/\(id)"))
  }

  /// The indexes that the recorded database had.
  static let indexes: DefinedIndexes = {
    func composite(_ id: String, _ fields: String, _ scope: IndexDefinition.Scope = .collection)
      -> CompositeIndex
    {
      CompositeIndex(
        IndexDefinition(collectionID: id, scope: scope, fields: fields.split(separator: ",").map(field)))
    }
    func field(_ text: Substring) -> IndexDefinition.Field {
      let parts = text.split(separator: " ")
      let mode: IndexDefinition.Mode =
        parts.count == 1 ? .ascending : parts[1] == "DESC" ? .descending : .contains
      return IndexDefinition.Field(FieldPath(segments: [String(parts[0])])!, mode)
    }
    func vector(_ id: String, _ fields: String) -> CompositeIndex {
      CompositeIndex(
        IndexDefinition(
          collectionID: id, scope: .collection, fields: fields.split(separator: ",").map(field)),
        vector: VectorField(.field("emb")!, dimension: 3))
    }
    func override(_ id: String, _ path: String?, _ indexes: [FieldOverride.Index]) -> FieldOverride {
      FieldOverride(collectionID: id, path: path.flatMap { FieldPath.field($0) }, indexes: indexes)
    }
    return DefinedIndexes(
      composites: [
        composite("ord", "__name__ DESC"),
        composite("qn", "g,n"), composite("qn", "g,n DESC"), composite("qn", "h,n"),
        composite("qn", "n,__name__ DESC"),
        composite("qx", "a,b"), composite("qx", "a,c"), composite("qx", "b,c"), composite("qx", "tags C,b"),
        composite("qa", "k,n"), composite("qcg", "a,b", .collectionGroup),
        vector("qvec", ""), vector("qvec", "color"),
        composite("mrg", "category,star_rating,__name__"), composite("mrg", "city,star_rating,__name__"),
      ],
      overrides: [
        override("items", "n", [FieldOverride.Index(.collectionGroup, .ascending)]),
        override("pk", nil, []), override("qx", "nx", []),
        override(
          "qg", "p",
          [
            FieldOverride.Index(.collection, .ascending), FieldOverride.Index(.collection, .descending),
            FieldOverride.Index(.collectionGroup, .ascending),
            FieldOverride.Index(.collectionGroup, .descending),
          ]),
      ])
  }()

  static let automatic: [IndexVerdict] = [
    IndexVerdict("one equality", "qx", equal("a")),
    IndexVerdict("a range and its order backwards", "qx", above("c"), orderBy: [down("c")]),
    IndexVerdict("one order backwards", "qx", orderBy: [down("c")]),
    IndexVerdict("an element", "qx", contains("tags")),
    IndexVerdict("two equalities", "qx", .all([equal("a"), equal("b")])),
    IndexVerdict("three equalities", "qx", .all([equal("a"), equal("b"), equal("s")])),
    IndexVerdict("equality and element", "qx", .all([equal("a"), contains("tags")])),
    IndexVerdict("equality and names backwards", "qx", equal("a"), orderBy: [down("__name__")]),
    IndexVerdict("equality and names", "qx", equal("a"), orderBy: [up("__name__")]),
    IndexVerdict("names backwards", "qx", orderBy: [down("__name__")], needs: "qx (__name__ DESC)"),
    IndexVerdict("names backwards, defined", "ord", orderBy: [down("__name__")]),
    IndexVerdict(
      "a range of names backwards", "qx", name(above: "x1", in: "qx"), orderBy: [down("__name__")],
      needs: "qx (__name__ DESC)"),
    IndexVerdict("in and equality", "qx", .all([isIn("a"), equal("b")])),
    IndexVerdict("range", "qn", above("n")),
    IndexVerdict("equality and order on one field", "qn", equal("n"), orderBy: [up("n")]),
    IndexVerdict("in and order on one field", "qn", isIn("n"), orderBy: [down("n")]),
    IndexVerdict("not equal", "qn", .field("n", .notEqual, .integer(3))),
    IndexVerdict("not in", "qn", .field("n", .notIn, .array([.integer(3), .integer(4)]))),
    IndexVerdict("not null", "qn", .unary("opt", .isNotNull)),
    IndexVerdict("a range of names", "qn", name(above: "d4", in: "qn")),
    IndexVerdict("a contradiction", "qn", .all([equal("n"), .field("n", .equal, .integer(2))])),
    IndexVerdict("elements of several disjuncts", "qn", .any([contains("tags"), contains("h")])),
    IndexVerdict(
      "a range above and one below", "qn", .any([above("n"), .field("n", .lessThan, .integer(5))])),
    IndexVerdict("an order on a map", "qn", orderBy: [up("nested")]),
    IndexVerdict("a hundred equalities", "q", .all((0..<100).map { equal("f\($0)") })),
  ]

  static let composites: [IndexVerdict] = [
    IndexVerdict(
      "equalities merged below an order", "qx", .all([equal("a"), equal("b")]), orderBy: [up("c")]),
    IndexVerdict("a way each with and without a range", "qx", .any([equal("a"), above("c")])),
    IndexVerdict("equality, order", "qx", equal("a"), orderBy: [up("b")]),
    IndexVerdict(
      "equality, order backwards", "qx", equal("a"), orderBy: [down("b")],
      needs: "qx (a ASC, b DESC, __name__ DESC)"),
    IndexVerdict("two ranges", "qx", .all([above("a"), above("b")])),
    IndexVerdict(
      "two ranges, ordered otherwise", "qx", .all([above("a"), above("b")]), orderBy: [up("b")],
      needs: "qx (b ASC, a ASC, __name__ ASC)"),
    IndexVerdict("two orders", "qx", orderBy: [up("a"), up("b")]),
    IndexVerdict(
      "two orders in another sequence", "qx", orderBy: [up("b"), up("a")],
      needs: "qx (b ASC, a ASC, __name__ ASC)"),
    IndexVerdict("element and order", "qx", contains("tags"), orderBy: [up("b")]),
    IndexVerdict(
      "element and another order", "qx", contains("tags"), orderBy: [up("c")],
      needs: "qx (tags CONTAINS, c ASC, __name__ ASC)"),
    IndexVerdict(
      "equalities below an order, one without index", "qx", .all([equal("a"), equal("d")]),
      orderBy: [up("c")], needs: "qx (a ASC, d ASC, c ASC, __name__ ASC)"),
    IndexVerdict(
      "equality and range", "qx", .all([equal("s"), above("c")]), needs: "qx (s ASC, c ASC, __name__ ASC)"),
    IndexVerdict("equality and a range of names", "qx", .all([equal("a"), name(above: "x1", in: "qx")])),
    IndexVerdict(
      "range, names backwards", "qx", above("c"), orderBy: [up("c"), down("__name__")],
      needs: "qx (c ASC, __name__ DESC)"),
    IndexVerdict("disjuncts below one order", "qx", .any([.all([equal("a"), above("c")]), equal("b")])),
    IndexVerdict("order and names backwards, defined", "qn", orderBy: [up("n"), down("__name__")]),
    IndexVerdict(
      "order backwards and names", "qn", orderBy: [down("n"), up("__name__")],
      needs: "qn (n DESC, __name__ ASC)"),
    IndexVerdict("orders both ways", "qn", orderBy: [up("g"), down("n")]),
    IndexVerdict("range below another order", "qn", above("n"), orderBy: [up("h")]),
    IndexVerdict(
      "range before another order", "qn", above("n"), orderBy: [up("n"), up("h")],
      needs: "qn (n ASC, h ASC, __name__ ASC)"),
    IndexVerdict("range after another order", "qn", above("n"), orderBy: [up("h"), up("n")]),
    IndexVerdict("two ranges in the order of paths", "qn", .all([above("n"), above("h")])),
    IndexVerdict(
      "two ranges backwards", "qn", .all([above("n"), above("h")]), orderBy: [down("h")],
      needs: "qn (h DESC, n DESC, __name__ DESC)"),
    IndexVerdict("equality, another order backwards", "qn", equal("g"), orderBy: [down("n")]),
    IndexVerdict("disjuncts below an order", "qn", .any([equal("g"), equal("h")]), orderBy: [up("n")]),
    IndexVerdict(
      "a quoted path", "qv", orderBy: [up("`a.b`"), up("n")], needs: "qv (`a.b` ASC, n ASC, __name__ ASC)"),
    IndexVerdict(
      "equalities merged below a range", "mrg",
      .all([equal("category"), equal("city"), above("star_rating")])),
  ]

  static let scopes: [IndexVerdict] = [
    IndexVerdict("an exempted field", "qx", equal("nx"), needs: "COLLECTION_ASC qx nx"),
    IndexVerdict("the order of an exempted field", "qx", orderBy: [up("nx")], needs: "COLLECTION_ASC qx nx"),
    IndexVerdict("a collection exempted", "pk", equal("a"), needs: "COLLECTION_ASC pk a"),
    IndexVerdict("a group", "qg", group: true),
    IndexVerdict("a group, equality", "qg", group: true, equal("n"), needs: "COLLECTION_GROUP_ASC qg n"),
    IndexVerdict("a group, order", "qg", group: true, orderBy: [up("n")], needs: "COLLECTION_GROUP_ASC qg n"),
    IndexVerdict(
      "a group, order backwards", "qg", group: true, orderBy: [down("n")], needs: "COLLECTION_GROUP_DESC qg n"
    ),
    IndexVerdict(
      "a group, element", "qg", group: true, contains("tags"), needs: "COLLECTION_GROUP_CONTAINS qg tags"),
    IndexVerdict("a group with its override", "qg", group: true, equal("p")),
    IndexVerdict("a group with its override, backwards", "qg", group: true, orderBy: [down("p")]),
    IndexVerdict("a group composite for a group", "qcg", group: true, equal("a"), orderBy: [up("b")]),
    IndexVerdict("a group composite for a collection", "qcg", equal("a"), orderBy: [up("b")]),
    IndexVerdict(
      "a collection composite for a group", "qx", group: true, equal("a"), orderBy: [up("b")],
      needs: "group qx (a ASC, b ASC, __name__ ASC)"),
    IndexVerdict("a group's override for a group", "items", group: true, equal("n")),
    IndexVerdict("a group's override for its order", "items", group: true, orderBy: [up("n")]),
    IndexVerdict("a group's override for a collection", "items", equal("n"), needs: "COLLECTION_ASC items n"),
  ]

  static let sums: [IndexVerdict] = [
    IndexVerdict("a sum", "qa", sum: ["n"]),
    IndexVerdict("a sum twice", "qa", sum: ["n", "n"]),
    IndexVerdict("sums of two fields", "qa", sum: ["n", "d"], needs: "qa (d ASC, n ASC, __name__ ASC)"),
    IndexVerdict(
      "sums of two fields by their paths", "qa", sum: ["neg", "d"], needs: "qa (d ASC, neg ASC, __name__ ASC)"
    ),
    IndexVerdict("a sum beside an equality, defined", "qa", equal("k"), sum: ["n"]),
    IndexVerdict(
      "a sum beside an equality", "qx", equal("a"), sum: ["d"], needs: "qx (a ASC, d ASC, __name__ ASC)"),
    IndexVerdict("a sum with a limit", "qn", sum: ["n"], limit: 3),
    IndexVerdict("a sum along its order", "qn", orderBy: [down("n")], sum: ["n"], limit: 3),
    IndexVerdict(
      "a sum along another order", "qn", orderBy: [up("opt")], sum: ["n"],
      needs: "qn (opt ASC, n ASC, __name__ ASC)"),
    IndexVerdict(
      "a sum below a range", "qn", above("d"), sum: ["n"], needs: "qn (d ASC, n ASC, __name__ ASC)"),
  ]

  static func near(_ path: String = "emb", _ dimension: Int = 3) -> VectorField {
    VectorField(.field(path) ?? .documentName, dimension: dimension)
  }

  static let vectors: [IndexVerdict] = [
    IndexVerdict("a vector", "qvec", nearest: near()),
    IndexVerdict("a vector of two", "qvec", nearest: near("emb", 2), needs: "vector qvec ()"),
    IndexVerdict("another vector", "qvec", nearest: near("emb2"), needs: "vector qvec ()"),
    IndexVerdict("a vector beside an equality, defined", "qvec", equal("color"), nearest: near()),
    IndexVerdict("a vector beside a range", "qvec", above("color"), nearest: near()),
    IndexVerdict("a vector beside in", "qvec", isIn("color"), nearest: near()),
    IndexVerdict(
      "a vector beside an equality", "qvec", equal("n"), nearest: near(), needs: "vector qvec (n ASC)"),
    IndexVerdict(
      "a vector beside an order", "qvec", orderBy: [up("n")], nearest: near(), needs: "vector qvec (n ASC)"),
    IndexVerdict("a vector summed", "qvec", sum: ["n"], nearest: near(), needs: "vector qvec (n ASC)"),
    IndexVerdict("a vector in a group", "qvec", group: true, nearest: near(), needs: "vector group qvec ()"),
  ]

  /// Not recorded: what docs/spec/production-differences.md 3.4 and 3.8 conclude.
  static let concluded: [IndexVerdict] = [
    IndexVerdict(
      "equalities and an order on one of them", "c", .all([equal("f"), equal("g")]), orderBy: [up("g")],
      needs: "c (f ASC, g ASC, __name__ ASC)"),
    IndexVerdict(
      "a way without the implied order", "c", .any([equal("f"), above("g")]),
      needs: "c (f ASC, g ASC, __name__ ASC)"),
    IndexVerdict(
      "elements come first", "c", .all([contains("tags"), equal("a")]), orderBy: [down("z")],
      needs: "c (tags CONTAINS, a ASC, z DESC, __name__ DESC)"),
    IndexVerdict(
      "an element and an order on one field", "c", contains("tags"), orderBy: [down("tags")],
      needs: "c (tags CONTAINS, tags DESC, __name__ DESC)"),
    IndexVerdict("the field of a map", "c", equal("m.x"), orderBy: [up("m.x")]),
    IndexVerdict(
      "by name", "pk", .field("__name__", .equal, .reference(IndexVerdict.database.documentsRoot + "/pk/a"))),
    IndexVerdict(
      "a group, two equalities", "c", group: true, .all([equal("b"), equal("a")]),
      needs: "group c (a ASC, b ASC, __name__ ASC)"),
    IndexVerdict(
      "limits change nothing", "c", equal("f"), orderBy: [up("g")], limit: 1,
      needs: "c (f ASC, g ASC, __name__ ASC)"),
  ]
}
