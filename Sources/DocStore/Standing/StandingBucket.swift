/// The standing queries of one place, found by what they demand of a document.

internal import DocModel

struct StandingBucket<Member: Identified> {
  typealias Query = StandingQuery<Member>

  private struct Table {
    var keys: [[UInt8]: MemberList<Query>] = [:]
    let ranges = IntervalTree<Query>()

    var isEmpty: Bool { keys.isEmpty && ranges.isEmpty }

    func forEachMatch(_ key: [UInt8], _ body: (Query) -> Void) {
      keys[key]?.all.forEach(body)
      ranges.forEach(containing: key, body)
    }
  }

  /// Queries with a disjunct that demands nothing that can be looked up.
  private var rest = MemberList<Query>()
  private var tables: [QueryDemand.Place: Table] = [:]

  var isEmpty: Bool { rest.isEmpty && tables.isEmpty }

  mutating func add(_ query: Query) {
    guard let demands = query.demands else { return rest.insert(query) }
    for demand in demands {
      switch demand.sought {
      case .key(let key): tables[demand.place, default: Table()].keys.insert(query, at: key)
      case .ranges(let ranges):
        if ranges.isEmpty { continue }
        let table = tables[demand.place] ?? Table()
        for range in ranges { table.ranges.insert(range, query) }
        tables[demand.place] = table
      }
    }
  }

  mutating func remove(_ query: Query) {
    guard let demands = query.demands else { return rest.remove(query.identity) }
    for demand in demands {
      switch demand.sought {
      case .key(let key): tables[demand.place]?.keys.remove(query.identity, at: key)
      case .ranges(let ranges):
        for range in ranges { tables[demand.place]?.ranges.remove(range, query) }
      }
      if tables[demand.place]?.isEmpty == true { tables[demand.place] = nil }
    }
  }

  /// The queries that one of a document's states may meet; one may be named twice.
  func forEachCandidate(
    _ path: ResourcePath, _ before: StoredDocument?, _ after: StoredDocument?, _ body: (Query) -> Void
  ) {
    rest.all.forEach(body)
    for (place, table) in tables {
      switch place {
      case .name:
        var text = path.text
        table.forEachMatch(text.withUTF8 { QueryDemand.nameKey(UnsafeRawBufferPointer($0)) }, body)
      case .value(let field):
        Self.forEachValue(field, before, after) { table.forEachMatch(QueryDemand.key(of: $0), body) }
      case .element(let field):
        Self.forEachValue(field, before, after) { value in
          guard value.kind == .array else { return }
          for element in value.array { table.forEachMatch(QueryDemand.key(of: element), body) }
        }
      }
    }
  }

  /// A field before and after; once when it was not changed, as most fields are not.
  private static func forEachValue(
    _ field: FieldPath, _ before: StoredDocument?, _ after: StoredDocument?, _ body: (ValueView) -> Void
  ) {
    let old = before?.fields.value(at: field)
    let new = after?.fields.value(at: field)
    if let old { body(old) }
    if let new, !(old.map { ValueOrder.areIdentical($0, new) } ?? false) { body(new) }
  }
}
