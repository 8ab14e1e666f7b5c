/// Random writes, index definitions, and queries that have use for them.

import DocModel
import DocStore
import TestSupport

struct IndexRandom: RandomNumberGenerator {
  private var random: SeededRandom
  private var documents: QueryRandom

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    documents = QueryRandom(seed: seed &+ 1)
  }

  mutating func next() -> UInt64 { random.next() }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  private mutating func isOne(in count: Int) -> Bool { below(count) == 0 }
  private mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }

  private static let paths = ["a", "b", "m.x", "l", "`x y`"]
  /// Texts around every bound of keys: folded in indexes of one part or of several, cut, alike up to there.
  private static let long: [String] = [
    String(repeating: "k", count: 90), String(repeating: "k", count: 90) + "a",
    String(repeating: "k", count: 110) + "\0", String(repeating: "k", count: 110) + "b",
    String(repeating: "k", count: 400), String(repeating: "k", count: 400) + "z",
    String(repeating: "k", count: 1_499), String(repeating: "k", count: 1_600),
    String(repeating: "k", count: 1_600) + "b",
  ]

  // MARK: writes

  private mutating func path() -> ResourcePath {
    let path = documents.path()
    // Ids that are folded in entries, and some in documents' keys as well.
    if isOne(in: 12) { return ResourcePath(unchecked: path + pick(Array(Self.long.dropLast(3)))) }
    return ResourcePath(unchecked: path)
  }

  mutating func value() -> Value {
    // Few values, so that filters hit.
    switch below(10) {
    case 0...3: return .integer(Int64(below(3)))
    case 4: return .string(pick(Self.long))
    case 5: return .array([.integer(Int64(below(3))), .integer(Int64(below(3))), .string(pick(["a", "b"]))])
    default: return documents.value(depth: 0)
    }
  }

  mutating func writes(_ count: Int) -> [Write] {
    var writes: [ResourcePath: Write] = [:]
    for _ in 0..<count {
      let path = path()
      if isOne(in: 5) {
        writes[path] = Write(path, .delete)
        continue
      }
      var fields = Fields()
      for name in ["a", "b", "l", "x y"] where !isOne(in: 4) { fields[name] = value() }
      if !isOne(in: 3) { fields["m"] = .map(["x": value()]) }
      writes[path] = Write(path, .update(fields: fields.encoded, mask: nil))
    }
    return Array(writes.values)
  }

  // MARK: indexes

  mutating func definitions() -> [IndexDefinition] {
    // Some single fields, so that there is something to join.
    let singles = Self.paths.shuffled(using: &self).prefix(3).map { path in
      IndexDefinition(
        collectionID: pick(["c", "d"]), scope: isOne(in: 3) ? .collectionGroup : .collection,
        fields: [.init(fieldPath(path), .ascending)])
    }
    return singles + (0..<(3 + below(6))).map { _ in definition() }
  }

  private mutating func definition() -> IndexDefinition {
    var fields: [IndexDefinition.Field] = []
    for path in Self.paths.shuffled(using: &self).prefix(pick([1, 1, 1, 2, 2, 3])) {
      let hasElements = fields.contains { $0.mode == .contains }
      let mode: IndexDefinition.Mode =
        !hasElements && isOne(in: 4) ? .contains : isOne(in: 2) ? .ascending : .descending
      fields.append(.init(fieldPath(path), mode))
    }
    if isOne(in: 5) { fields.append(.init(.documentName, isOne(in: 2) ? .ascending : .descending)) }
    return IndexDefinition(
      collectionID: pick(["c", "d"]), scope: isOne(in: 3) ? .collectionGroup : .collection, fields: fields)
  }

  // MARK: queries

  /// Half of them any query, half made for one of the definitions; nil when it is not valid.
  mutating func query(definitions: [IndexDefinition]) -> NormalizedQuery? {
    guard let definition = definitions.randomElement(using: &self), !isOne(in: 3) else {
      return try? QueryValidator.validate(documents.query())
    }
    return try? QueryValidator.validate(query(for: definition))
  }

  private mutating func query(for definition: IndexDefinition) -> StructuredQuery {
    var query = StructuredQuery(
      database: QueryTestSource.database,
      from: [.init(definition.collectionID, includesDescendants: definition.scope == .collectionGroup)])
    var filters: [StructuredQuery.Filter] = []
    let fixed = isOne(in: 2) ? definition.fields.count : below(definition.fields.count + 1)
    let isReversed = isOne(in: 2)
    for (position, field) in definition.fields.enumerated() where !field.path.isDocumentName {
      if field.mode == .contains {
        filters.append(
          isOne(in: 3)
            ? .field(field.path.text, .arrayContainsAny, .array([value(), .integer(1), .integer(2)]))
            : .field(field.path.text, .arrayContains, isOne(in: 3) ? value() : .integer(Int64(below(3)))))
      } else if position < fixed {
        filters.append(equality(field.path.text))
      } else {
        let isDescending = (field.mode == .descending) != isReversed
        query.orders.append(.init(field.path.text, isDescending ? .descending : .ascending))
        if isOne(in: 2) { filters.append(range(field.path.text)) }
      }
    }
    // Another equality, for joins.
    if isOne(in: 2) { filters.append(equality(pick(Self.paths))) }
    if isOne(in: 6) {
      filters.append(
        .field("__name__", pick([.lessThan, .greaterThanOrEqual, .equal, .notEqual]), reference()))
    }
    query.filter = filters.isEmpty ? nil : isOne(in: 8) ? .any(filters) : .all(filters)
    if isOne(in: 2) { query.limit = 1 + below(6) }
    if isOne(in: 4) { query.offset = below(4) }
    if isOne(in: 3) { query.start = cursor(query.orders) }
    if isOne(in: 3) { query.end = cursor(query.orders) }
    return query
  }

  private mutating func equality(_ path: String) -> StructuredQuery.Filter {
    switch below(6) {
    case 0: .field(path, .in, .array([value(), .integer(0), .integer(1)]))
    case 1: .unary(path, isOne(in: 2) ? .isNull : .isNaN)
    case 2: .field(path, .equal, value())
    default: .field(path, .equal, .integer(Int64(below(3))))
    }
  }

  private mutating func range(_ path: String) -> StructuredQuery.Filter {
    switch below(8) {
    case 0: .unary(path, isOne(in: 2) ? .isNotNull : .isNotNaN)
    case 1: .field(path, .notIn, .array([value(), .integer(1)]))
    case 2: .field(path, .notEqual, value())
    case 3, 4:
      .field(
        path, pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]),
        .string(pick(Array(Self.long.dropLast(2)))))
    default:
      .field(path, pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal]), value())
    }
  }

  private mutating func reference() -> Value {
    .reference(QueryTestSource.database.documentsRoot + "/" + path().text)
  }

  private mutating func cursor(_ orders: [StructuredQuery.Order]) -> StructuredQuery.Cursor {
    var values = orders.prefix(below(orders.count + 1)).map { _ in value() }
    // The name breaks ties.
    if values.count == orders.count, !values.isEmpty, isOne(in: 3) { values.append(reference()) }
    return StructuredQuery.Cursor(values, isBefore: isOne(in: 2))
  }
}
