/// Random documents and queries, small and alike enough that much collides.

import DocModel
import DocStore
import TestSupport

struct QueryRandom: RandomNumberGenerator {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func next() -> UInt64 { random.next() }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  private mutating func isOne(in count: Int) -> Bool { below(count) == 0 }
  private mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }

  private static let ids = [
    "a", "b", "aa", "a-b", "é", "e\u{301}", "__id7__", "__id-9__", "z", "a b", "\u{FF5E}", "\u{10000}",
  ]
  private static let collections = ["c", "d", "c-b", "c\0"]
  private static let paths = ["a", "b", "m", "m.x", "m.y", "l", "`x y`"]

  mutating func path() -> String {
    var path = pick(Self.collections) + "/" + pick(Self.ids)
    while isOne(in: 3) { path += "/" + pick(Self.collections) + "/" + pick(Self.ids) }
    return path
  }

  /// Paths differ in bytes; Swift may still call two of them equal.
  mutating func documents() -> [(path: ResourcePath, fields: Fields)] {
    var documents: [ResourcePath: Fields] = [:]
    for _ in 0..<(10 + below(40)) {
      let fields = fields()
      documents[ResourcePath(unchecked: path())] = fields
    }
    return documents.map { (path: $0.key, fields: $0.value) }
  }

  mutating func fields() -> Fields {
    var fields = Fields()
    for name in ["a", "b", "l", "x y"] where !isOne(in: 4) { fields[name] = value(depth: 0) }
    if !isOne(in: 3) { fields["m"] = isOne(in: 4) ? value(depth: 0) : map(depth: 0) }
    return fields
  }

  private mutating func map(depth: Int) -> Value {
    var fields = Fields()
    for name in ["x", "y"] where !isOne(in: 3) { fields[name] = value(depth: depth + 1) }
    return .map(fields)
  }

  mutating func value(depth: Int) -> Value {
    switch below(depth > 1 ? 9 : 13) {
    case 0: return .null
    case 1: return .boolean(isOne(in: 2))
    case 2: return .integer(pick([-1, 0, 1, 2, 1 << 53, 1 << 53 + 1, .max, .min]))
    case 3: return .double(pick([.nan, -0.0, 0, 1, 1.5, 9_007_199_254_740_992, 0x1p63, -0x1p63, .infinity]))
    case 4: return .timestamp(Timestamp(microseconds: pick([-1, 0, 1, 1_000_000])))
    case 5: return .string(pick(["", "a", "a\0", "ab", "b", "é", "e\u{301}", "\u{FF5E}", "\u{10000}"]))
    case 6: return .bytes(pick([[], [0], [0, 255], [1]]))
    case 7: return reference()
    case 8: return .geoPoint(GeoPoint(latitude: pick([-1, -0.0, 0, 1]), longitude: pick([0, 1])))
    // Ingest refuses vectors with NaN.
    case 9: return .vector(pick([[1], [2], [1, 2], [-.infinity]]))
    case 10: return map(depth: depth)
    default:
      var elements: [Value] = []
      for _ in 0..<below(4) { elements.append(value(depth: 2)) }
      return .array(elements)
    }
  }

  private mutating func reference() -> Value {
    .reference(QueryTestSource.database.documentsRoot + "/" + path())
  }

  // MARK: queries

  mutating func query() -> StructuredQuery {
    var query = StructuredQuery(database: QueryTestSource.database, from: [])
    if isOne(in: 4) { query.parent = ResourcePath(unchecked: "c/" + pick(Self.ids)) }
    let isKindless = isOne(in: 8)
    query.from = [.init(isKindless ? "" : pick(Self.collections), includesDescendants: isOne(in: 2))]
    if !isOne(in: 5) { query.filter = isKindless ? nameFilter() : filter(depth: 0) }
    if !isKindless { query.orders = orders() }
    if isOne(in: 2) { query.limit = below(6) }
    if isOne(in: 3) { query.offset = below(4) }
    if isOne(in: 3) { query.start = cursor(query.orders) }
    if isOne(in: 3) { query.end = cursor(query.orders) }
    return query
  }

  private mutating func orders() -> [StructuredQuery.Order] {
    var orders: [StructuredQuery.Order] = []
    while isOne(in: 2) { orders.append(.init(pick(Self.paths), isOne(in: 2) ? .descending : .ascending)) }
    if isOne(in: 3) { orders.append(.init("__name__", isOne(in: 2) ? .descending : .ascending)) }
    return orders
  }

  private mutating func cursor(_ orders: [StructuredQuery.Order]) -> StructuredQuery.Cursor {
    var values: [Value] = []
    for order in orders.prefix(below(orders.count + 1)) {
      values.append(order.path == "__name__" ? reference() : value(depth: 0))
    }
    return StructuredQuery.Cursor(values, isBefore: isOne(in: 2))
  }

  private mutating func filter(depth: Int) -> StructuredQuery.Filter {
    if depth < 3, isOne(in: 3) {
      var children: [StructuredQuery.Filter] = []
      for _ in 0..<below(4) { children.append(filter(depth: depth + 1)) }
      return isOne(in: 2) ? .all(children) : .any(children)
    }
    if isOne(in: 6) { return nameFilter() }
    let path = pick(Self.paths)
    if isOne(in: 8) { return .unary(path, pick(StructuredQuery.UnaryOperator.allCases)) }
    let comparison = pick(StructuredQuery.FieldOperator.allCases)
    return .field(path, comparison, comparison.takesList ? list { $0.value(depth: 0) } : value(depth: 0))
  }

  private mutating func nameFilter() -> StructuredQuery.Filter {
    let comparison = pick(StructuredQuery.FieldOperator.allCases)
    return .field("__name__", comparison, comparison.takesList ? list { $0.reference() } : reference())
  }

  private mutating func list(_ element: (inout QueryRandom) -> Value) -> Value {
    var elements: [Value] = []
    for _ in 0...below(3) { elements.append(element(&self)) }
    return .array(elements)
  }
}
