/// Random queries over random documents against the plainest implementation imaginable.
///
/// The model decodes everything, compares owned values with code of its own, and knows no plans, keys or
/// heaps. `SEED=n` replays a run.

import DocModel
import DocStore
import TestSupport
import Testing

@Suite struct QueryModelTests {
  @Test("queries agree with the model, by the planner's plan and by a whole scan")
  func agreement() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = QueryRandom(seed: seed)
    var valid = 0
    var refused = 0
    var nonEmpty = 0
    for _ in 0..<40 {
      let documents = random.documents()
      var store = QueryTestSource()
      for (path, fields) in documents { store.set(path.text, fields) }
      for _ in 0..<50 {
        let query = random.query()
        guard let normalized = try? QueryValidator.validate(query) else {
          refused += 1
          continue
        }
        valid += 1
        let expected = QueryModel(query: query, normalized: normalized).paths(documents)
        if !expected.isEmpty { nonEmpty += 1 }
        let planned = try Self.run(normalized, QueryPlanner.plan(normalized), store)
        let scanned = try Self.run(normalized, .wholeScan(normalized), store)
        if planned != expected || scanned != expected {
          Issue.record("SEED=\(seed) \(query)\nmodel \(expected)\nplan \(planned)\nscan \(scanned)")
          return
        }
      }
    }
    // A generator that only makes refused or empty queries would prove nothing.
    #expect(
      valid > 1_000 && nonEmpty > 150, "valid \(valid), refused \(refused), with results \(nonEmpty)")
  }

  static func run(_ query: NormalizedQuery, _ plan: QueryPlan, _ store: QueryTestSource) throws
    -> [ResourcePath]
  {
    var paths: [ResourcePath] = []
    _ = try QueryExecutor.run(query, plan: plan, on: store) { row in
      paths.append(ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self)))
      return .more
    }
    return paths
  }
}

// MARK: - the model

/// The specification, read aloud.
struct QueryModel {
  let query: StructuredQuery
  /// Only its orders are used: they are checked by `QueryValidatorTests`.
  let normalized: NormalizedQuery

  typealias Document = (path: ResourcePath, fields: Fields)

  func paths(_ documents: [Document]) -> [ResourcePath] {
    var found = documents.filter { document in
      isInScope(document.path.text) && passes(query.filter, document)
        && normalized.orders.allSatisfy { value($0.path, document) != nil }
    }
    found.sort { isBefore($0, $1) }
    found = found.filter { document in
      if let start = query.start, let order = compare(start, document) {
        if start.isBefore ? order > 0 : order >= 0 { return false }
      }
      if let end = query.end, let order = compare(end, document) {
        if end.isBefore ? order <= 0 : order < 0 { return false }
      }
      return true
    }
    return found.dropFirst(query.offset).prefix(query.limit ?? .max).map(\.path)
  }

  private func isInScope(_ path: String) -> Bool {
    let segments = path.utf8.split(separator: UInt8(ascii: "/")).map(Array.init)
    let parent = query.parent.text.utf8.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard segments.starts(with: parent), segments.count > parent.count else { return false }
    let isDirect = segments.count == parent.count + 2
    guard let selector = query.from.first else { return isDirect }
    return (selector.includesDescendants || isDirect)
      && (selector.collectionID.isEmpty || segments[segments.count - 2] == Array(selector.collectionID.utf8))
  }

  private func value(_ path: FieldPath, _ document: Document) -> Value? {
    if path.isDocumentName {
      return .reference(QueryTestSource.database.documentsRoot + "/" + document.path.text)
    }
    var value = document.fields[path.segments[0]]
    for segment in path.segments.dropFirst() {
      guard case .map(let inner)? = value else { return nil }
      value = inner[segment]
    }
    return value
  }

  private func isBefore(_ left: Document, _ right: Document) -> Bool {
    for order in normalized.orders {
      guard let a = value(order.path, left), let b = value(order.path, right) else {
        continue
      }
      let result = ModelOrder.compare(a, b)
      if result != 0 { return (result < 0) == (order.direction == .ascending) }
    }
    return false
  }

  /// A cursor against a document, in the direction of the result.
  private func compare(_ cursor: StructuredQuery.Cursor, _ document: Document) -> Int? {
    for (operand, order) in zip(cursor.values, normalized.orders) {
      guard let position = decoded(operand), let own = value(order.path, document) else {
        return nil
      }
      let result = ModelOrder.compare(position, own)
      if result != 0 { return order.direction == .ascending ? result : -result }
    }
    return 0
  }

  private func decoded(_ operand: StructuredQuery.Operand) -> Value? {
    guard case .value(let bytes) = operand else { return nil }
    return bytes.withUnsafeBytes { Value(ValueView($0)) }
  }

  private func passes(_ filter: StructuredQuery.Filter?, _ document: Document) -> Bool {
    switch filter {
    case .none, .unset: return true
    case .composite(.and, let children): return children.allSatisfy { passes($0, document) }
    case .composite(_, let children):
      return children.isEmpty || children.contains { passes($0, document) }
    case .unary(let text, let test):
      guard let text, let fieldPath = try? FieldPath.parse(text), let value = value(fieldPath, document)
      else { return false }
      switch test {
      case .isNull: return isNull(value)
      case .isNotNull: return !isNull(value)
      case .isNaN: return isNaN(value)
      case .isNotNaN: return !isNull(value) && !isNaN(value)
      case .none: return false
      }
    case .field(let text, let comparison, let operand):
      guard let fieldPath = try? FieldPath.parse(text), let value = value(fieldPath, document),
        let operand = decoded(operand), let comparison
      else { return false }
      return passes(value, comparison, operand)
    }
  }

  private func isNull(_ value: Value) -> Bool { value == .null }
  private func isNaN(_ value: Value) -> Bool { value == .double(.nan) }
  /// Equality of filters: nothing equals a null or NaN that was asked for.
  private func equals(_ value: Value, _ operand: Value) -> Bool {
    !isNull(operand) && !isNaN(operand) && ModelOrder.compare(value, operand) == 0
  }

  private func passes(_ value: Value, _ comparison: StructuredQuery.FieldOperator, _ operand: Value) -> Bool {
    var list: [Value] = []
    if case .array(let elements) = operand { list = elements }
    var own: [Value] = []
    if case .array(let elements) = value { own = elements }
    func isInRange(_ holds: (Int) -> Bool) -> Bool {
      !isNull(operand) && !isNaN(operand) && !isNaN(value)
        && ModelOrder.rank(value) == ModelOrder.rank(operand) && holds(ModelOrder.compare(value, operand))
    }
    switch comparison {
    case .equal: return equals(value, operand)
    case .notEqual: return !isNull(value) && !isNull(operand) && !equals(value, operand)
    case .lessThan: return isInRange { $0 < 0 }
    case .lessThanOrEqual: return isInRange { $0 <= 0 }
    case .greaterThan: return isInRange { $0 > 0 }
    case .greaterThanOrEqual: return isInRange { $0 >= 0 }
    case .arrayContains: return own.contains { equals($0, operand) }
    case .arrayContainsAny: return own.contains { element in list.contains { equals(element, $0) } }
    case .in: return list.contains { equals(value, $0) }
    case .notIn:
      return !isNull(value) && !list.contains(where: isNull) && !list.contains { equals(value, $0) }
    }
  }
}

/// The order of values, written without looking at `ValueOrder`. Source: docs/spec/protocol.md 3.2, 3.3.
enum ModelOrder {
  static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .boolean: 1
    case .double(let number) where number.isNaN: 2
    case .integer, .double: 3
    case .timestamp: 4
    case .string: 5
    case .bytes: 6
    case .reference: 7
    case .geoPoint: 8
    case .array: 9
    case .vector: 10
    case .map: 11
    }
  }

  static func compare(_ a: Value, _ b: Value) -> Int {
    if rank(a) != rank(b) { return rank(a) - rank(b) }
    switch (a, b) {
    case (.boolean(let x), .boolean(let y)): return (x ? 1 : 0) - (y ? 1 : 0)
    case (.integer(let x), .integer(let y)): return sign(x, y)
    case (.double(let x), .double(let y)): return x.isNaN ? 0 : sign(x, y)
    // Float80 has 64 bits of mantissa and so holds every Int64 and every Double.
    case (.integer(let x), .double(let y)): return sign(Exact(x), Exact(y))
    case (.double(let x), .integer(let y)): return sign(Exact(x), Exact(y))
    case (.timestamp(let x), .timestamp(let y)): return sign(x, y)
    case (.string(let x), .string(let y)): return lists(Array(x.utf8), Array(y.utf8), sign)
    case (.bytes(let x), .bytes(let y)): return lists(x, y, sign)
    case (.reference(let x), .reference(let y)):
      return lists(x.split(separator: "/"), y.split(separator: "/"), segments)
    case (.geoPoint(let x), .geoPoint(let y)):
      return lists([x.latitude, x.longitude], [y.latitude, y.longitude], sign)
    case (.array(let x), .array(let y)): return lists(x, y, compare)
    case (.vector(let x), .vector(let y)):
      return x.count != y.count
        ? x.count - y.count : compare(.array(x.map(Value.double)), .array(y.map(Value.double)))
    case (.map(let x), .map(let y)):
      return lists(x.entries, y.entries) { left, right in
        let keys = lists(Array(left.name.utf8), Array(right.name.utf8), sign)
        return keys != 0 ? keys : compare(left.value, right.value)
      }
    default: return 0
    }
  }

  #if arch(x86_64)
    private typealias Exact = Float80
  #else
    private typealias Exact = Double
  #endif

  private static func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (b < a ? 1 : 0) }

  private static func lists<T>(_ a: [T], _ b: [T], _ order: (T, T) -> Int) -> Int {
    for (x, y) in zip(a, b) where order(x, y) != 0 { return order(x, y) }
    return a.count - b.count
  }

  private static func segments(_ a: Substring, _ b: Substring) -> Int {
    switch (number(a), number(b)) {
    case (.some(let x), .some(let y)): sign(x, y)
    case (.some, .none): -1
    case (.none, .some): 1
    case (.none, .none): lists(Array(a.utf8), Array(b.utf8), sign)
    }
  }

  private static func number(_ segment: Substring) -> Int64? {
    guard segment.hasPrefix("__id"), segment.hasSuffix("__") else { return nil }
    return Int64(segment.dropFirst(4).dropLast(2))
  }
}
