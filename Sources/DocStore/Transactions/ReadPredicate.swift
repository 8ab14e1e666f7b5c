/// What a query in a transaction has read: not the documents it found but the condition they met.
///
/// A change concerns the query when the document before or after it is one of the result; so what would
/// enter the result (a phantom) counts as much as what is in it, and what can never match counts for nothing.
///
/// State and its owner: the transaction table's monitor.
/// Source: docs/spec/streams.md 4.3 item 2; docs/spec/production-differences.md T4.

internal import DocModel

final class ReadPredicate {
  /// The transaction that has read.
  let owner: UInt64
  let scope: QueryScope
  /// Nil for everything in the scope.
  let query: NormalizedQuery?
  private let matcher: FilterMatcher?
  private let keys: OrderKeyMaker?
  private var writer = KeyWriter()
  /// The place of the last document of a full page: what lies behind it is not in the result.
  var bound: [UInt8]?

  init(_ scope: QueryScope, owner: UInt64) {
    self.owner = owner
    self.scope = scope
    query = nil
    matcher = nil
    keys = nil
  }

  init(_ query: NormalizedQuery, owner: UInt64) {
    self.owner = owner
    scope = query.scope
    self.query = query
    matcher = FilterMatcher(query.filter, requiring: query.requiredFields)
    // The nearest documents are ordered by their distance; every one that could be measured counts.
    keys = query.nearest == nil ? OrderKeyMaker(query, checksCursors: true) : nil
  }

  /// Whether a change may have altered the answer.
  func isConcerned(by change: some ChangeStates) -> Bool {
    guard scope.contains(change.path) else { return false }
    guard matcher != nil, change.hasStates else { return true }
    return change.withStates { before, after in
      includes(change.path, before) || includes(change.path, after)
    }
  }

  private func includes(_ path: ResourcePath, _ document: StoredDocument?) -> Bool {
    guard let document, let matcher else { return false }
    var text = path.text
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      guard matcher.matches(path: bytes, fields: document.fields) else { return false }
      guard let keys else { return true }
      guard keys.write(bytes, document.fields, to: &writer) else { return false }
      guard let bound else { return true }
      return !bound.lexicographicallyPrecedes(writer.bytes)
    }
  }
}

/// A document's change, wherever its two states lie.
protocol ChangeStates {
  var path: ResourcePath { get }
  /// False when the states were not kept.
  var hasStates: Bool { get }
  func withStates(_ body: (StoredDocument?, StoredDocument?) -> Bool) -> Bool
}

extension CommitPlanner.Touched: ChangeStates {
  var hasStates: Bool { true }

  func withStates(_ body: (StoredDocument?, StoredDocument?) -> Bool) -> Bool {
    body(before?.document, now?.document)
  }
}

/// Predicates by where they look and, if each way of their filter demands a value, by that value: a change
/// is tested with the few that it may concern.
struct PredicateIndex {
  private var collections: [ResourcePath: PredicateBucket] = [:]
  /// By collection id, which is a path of one segment here.
  private var groups: [ResourcePath: PredicateBucket] = [:]
  private var children: [ResourcePath: PredicateBucket] = [:]
  private var descendants: [ResourcePath: PredicateBucket] = [:]

  var isEmpty: Bool { collections.isEmpty && groups.isEmpty && children.isEmpty && descendants.isEmpty }

  mutating func add(_ predicate: ReadPredicate) { change(predicate.scope) { $0.add(predicate) } }

  mutating func remove(_ predicate: ReadPredicate) { change(predicate.scope) { $0.remove(predicate) } }

  private mutating func change(_ scope: QueryScope, _ body: (inout PredicateBucket) -> Void) {
    switch scope {
    case .collection(let path): Self.change(&collections, path, body)
    case .group(let id, _): Self.change(&groups, ResourcePath(unchecked: id), body)
    case .children(let parent): Self.change(&children, parent, body)
    case .descendants(let ancestor): Self.change(&descendants, ancestor, body)
    }
  }

  private static func change(
    _ table: inout [ResourcePath: PredicateBucket], _ path: ResourcePath,
    _ body: (inout PredicateBucket) -> Void
  ) {
    body(&table[path, default: PredicateBucket()])
    if table[path]?.isEmpty == true { table[path] = nil }
  }

  /// The predicates that a change concerns; one may be named twice.
  func forEachConcerned(by change: some ChangeStates, _ body: (ReadPredicate) -> Void) {
    if isEmpty { return }
    func ask(_ predicate: ReadPredicate) {
      if predicate.isConcerned(by: change) { body(predicate) }
    }
    let collection = change.path.parent
    collections[collection]?.forEachCandidate(change, ask)
    if !groups.isEmpty {
      groups[ResourcePath(unchecked: collection.lastSegment)]?.forEachCandidate(change, ask)
    }
    if !children.isEmpty { children[collection.parent]?.forEachCandidate(change, ask) }
    guard !descendants.isEmpty else { return }
    var ancestor = change.path
    while !ancestor.isRoot {
      ancestor = ancestor.parent
      descendants[ancestor]?.forEachCandidate(change, ask)
    }
  }
}

private struct PredicateBucket {
  private struct Field: Hashable {
    let path: FieldPath
    let isElement: Bool
  }

  private var rest: [ReadPredicate] = []
  private var demanding: [Field: [[UInt8]: [ReadPredicate]]] = [:]

  var isEmpty: Bool { rest.isEmpty && demanding.isEmpty }

  mutating func add(_ predicate: ReadPredicate) {
    guard let demands = predicate.query.flatMap({ TargetBucket.demands(of: $0) }) else {
      return rest.append(predicate)
    }
    for demand in demands {
      demanding[Field(path: demand.field, isElement: demand.isElement), default: [:]][
        demand.value, default: []
      ].append(predicate)
    }
  }

  mutating func remove(_ predicate: ReadPredicate) {
    guard let demands = predicate.query.flatMap({ TargetBucket.demands(of: $0) }) else {
      return rest.removeAll { $0 === predicate }
    }
    for demand in demands {
      let field = Field(path: demand.field, isElement: demand.isElement)
      demanding[field]?[demand.value]?.removeAll { $0 === predicate }
      if demanding[field]?[demand.value]?.isEmpty == true { demanding[field]?[demand.value] = nil }
      if demanding[field]?.isEmpty == true { demanding[field] = nil }
    }
  }

  func forEachCandidate(_ change: some ChangeStates, _ body: (ReadPredicate) -> Void) {
    rest.forEach(body)
    if demanding.isEmpty { return }
    guard change.hasStates else {
      for table in demanding.values { for predicates in table.values { predicates.forEach(body) } }
      return
    }
    _ = change.withStates { before, after in
      for (field, table) in demanding {
        if let before { Self.forEachMatch(field, table, before.fields, body) }
        if let after { Self.forEachMatch(field, table, after.fields, body) }
      }
      return true
    }
  }

  private static func forEachMatch(
    _ field: Field, _ table: [[UInt8]: [ReadPredicate]], _ fields: FieldsView, _ body: (ReadPredicate) -> Void
  ) {
    guard let value = fields.value(at: field.path) else { return }
    guard field.isElement else {
      table[key(value)]?.forEach(body)
      return
    }
    guard value.kind == .array else { return }
    for element in value.array { table[key(element)]?.forEach(body) }
  }

  private static func key(_ value: ValueView) -> [UInt8] {
    var writer = KeyWriter()
    writer.value(value, budget: Int.max / 4)
    return writer.bytes
  }
}
