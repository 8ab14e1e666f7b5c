/// The query targets of one scope, found by the values they demand.

internal import DocModel

/// What every document of one way of a query has: a value at a field, or an element in an array there.
struct TargetDemand: Hashable {
  let field: FieldPath
  let isElement: Bool
  /// The value in the order of keys, in which 1 and 1.0 are the same.
  let value: [UInt8]
}

struct TargetBucket {
  private struct Field: Hashable {
    let path: FieldPath
    let isElement: Bool
  }

  /// Targets with a way that demands nothing that can be looked up.
  private var rest: [TargetReference] = []
  private var demanding: [Field: [[UInt8]: [TargetReference]]] = [:]

  var isEmpty: Bool { rest.isEmpty && demanding.isEmpty }

  mutating func add(_ reference: TargetReference, _ query: NormalizedQuery) {
    guard let demands = Self.demands(of: query) else { return rest.append(reference) }
    for demand in demands {
      demanding[Field(path: demand.field, isElement: demand.isElement), default: [:]][
        demand.value, default: []
      ].append(reference)
    }
  }

  mutating func remove(_ target: LiveTarget, _ query: NormalizedQuery) {
    guard let demands = Self.demands(of: query) else { return rest.removeAll { $0.target === target } }
    for demand in demands {
      let field = Field(path: demand.field, isElement: demand.isElement)
      demanding[field]?[demand.value]?.removeAll { $0.target === target }
      if demanding[field]?[demand.value]?.isEmpty == true { demanding[field]?[demand.value] = nil }
      if demanding[field]?.isEmpty == true { demanding[field] = nil }
    }
  }

  /// One demand a way; nil when some way makes none.
  static func demands(of query: NormalizedQuery) -> Set<TargetDemand>? {
    var found: Set<TargetDemand> = []
    for way in query.ways {
      guard let demand = demand(of: way) else { return nil }
      found.insert(demand)
    }
    return found
  }

  /// Equality first: fewer documents have a value than an array that holds it.
  private static func demand(of way: QueryWay) -> TargetDemand? {
    let test =
      way.tests.first { $0.comparison == .equal && !$0.path.isDocumentName }
      ?? way.tests.first { $0.comparison == .arrayContains }
    guard let test, let operand = test.operands.first else { return nil }
    let value = operand.withUnsafeBytes { key(ValueView($0)) }
    return TargetDemand(field: test.path, isElement: test.comparison == .arrayContains, value: value)
  }

  private static func key(_ value: ValueView) -> [UInt8] {
    var writer = KeyWriter()
    writer.value(value, budget: Int.max / 4)
    return writer.bytes
  }

  // MARK: looking up

  /// The targets that a change may concern; one may be named twice.
  func forEachCandidate(_ change: DocumentChange, _ body: (TargetReference) -> Void) {
    rest.forEach(body)
    for (field, table) in demanding {
      change.before?.withDocument { Self.forEachMatch(field, table, $0.fields, body) }
      change.after?.withDocument { Self.forEachMatch(field, table, $0.fields, body) }
    }
  }

  private static func forEachMatch(
    _ field: Field, _ table: [[UInt8]: [TargetReference]], _ fields: FieldsView,
    _ body: (TargetReference) -> Void
  ) {
    guard let value = fields.value(at: field.path) else { return }
    guard field.isElement else {
      table[key(value)]?.forEach(body)
      return
    }
    guard value.kind == .array else { return }
    for element in value.array { table[key(element)]?.forEach(body) }
  }
}
