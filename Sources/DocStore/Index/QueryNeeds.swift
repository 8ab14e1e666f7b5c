/// What a query asks of indexes: the normal form in which the service looks for them.
///
/// Source: docs/spec/production-differences.md 3.3, 3.6, 3.7. Values, cursors, limits, offsets and projections
/// have no part in it, so queries of one shape have equal needs.

public import DocModel

/// The order and the fields that an index must give.
public struct QueryNeeds: Hashable, Sendable {
  /// One disjunct of the filter.
  public struct Disjunct: Hashable, Sendable {
    /// Fields with one value, by the bytes of their paths.
    public let equalities: [FieldPath]
    /// The field that must contain an element.
    public let contains: FieldPath?

    public init(equalities: [FieldPath], contains: FieldPath? = nil) {
      self.equalities = equalities
      self.contains = contains
    }
  }

  public let collectionID: String
  public let scope: IndexDefinition.Scope
  /// Ordered fields, without the document's name; the same for all disjuncts.
  public let orders: [IndexDefinition.Field]
  public let nameDirection: StructuredQuery.Direction
  /// Each once. Disjuncts that name a document are left out: they need no index.
  public let disjuncts: [Disjunct]
  public let vector: VectorField?
  /// Whether ranges and negations stand on more than one field.
  public let hasManyInequalities: Bool

  public init(
    collectionID: String, scope: IndexDefinition.Scope, orders: [IndexDefinition.Field],
    nameDirection: StructuredQuery.Direction, disjuncts: [Disjunct], vector: VectorField? = nil,
    hasManyInequalities: Bool = false
  ) {
    self.collectionID = collectionID
    self.scope = scope
    self.orders = orders
    self.nameDirection = nameDirection
    self.disjuncts = disjuncts
    self.vector = vector
    self.hasManyInequalities = hasManyInequalities
  }

  /// Nil for queries over collections of every name, which follow the order of names.
  public init?(_ query: NormalizedQuery) {
    switch query.scope {
    case .collection(let path):
      collectionID = path.lastSegment
      scope = .collection
    case .group(let id, _):
      collectionID = id
      scope = .collectionGroup
    case .children, .descendants: return nil
    }
    disjuncts = Self.disjuncts(of: query)
    orders = Self.orders(of: query, disjuncts)
    nameDirection = query.orders.last?.direction ?? .ascending
    vector = query.nearest.map { VectorField($0.field, dimension: $0.dimension) }
    hasManyInequalities = Self.hasManyInequalities(query.filter)
  }

  public static func == (left: QueryNeeds, right: QueryNeeds) -> Bool {
    left.collectionID.hasSameBytes(as: right.collectionID) && left.scope == right.scope
      && left.orders == right.orders && left.nameDirection == right.nameDirection
      && left.disjuncts == right.disjuncts
      && left.vector == right.vector && left.hasManyInequalities == right.hasManyInequalities
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: collectionID)
    hasher.combine(scope)
    hasher.combine(orders)
    hasher.combine(nameDirection)
    hasher.combine(disjuncts)
    hasher.combine(vector)
  }

  private static func disjuncts(of query: NormalizedQuery) -> [Disjunct] {
    var found: [Disjunct] = []
    for disjunct in query.disjuncts {
      guard let needs = Self.disjunct(disjunct), !found.contains(needs) else { continue }
      found.append(needs)
    }
    return found
  }

  /// Nil for a disjunct that names its document.
  private static func disjunct(_ disjunct: QueryDisjunct) -> Disjunct? {
    var equalities: Set<FieldPath> = []
    var contains: FieldPath?
    for test in disjunct.tests {
      switch test.comparison {
      case .equal, .in, .isNull, .isNaN:
        if test.path.isDocumentName { return nil }
        equalities.insert(test.path)
      case .arrayContains, .arrayContainsAny: contains = test.path
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn, .isNotNull,
        .isNotNaN:
        break
      }
    }
    return Disjunct(
      equalities: equalities.sorted { $0.text.precedesInBytes($1.text) }, contains: contains)
  }

  /// The query's orders, and what an aggregation adds up that neither these nor the filter give.
  /// Assumed: a field counts as given by the filter when every disjunct gives it.
  private static func orders(of query: NormalizedQuery, _ disjuncts: [Disjunct]) -> [IndexDefinition.Field] {
    var orders = query.orders.filter { !$0.path.isDocumentName }.map { order in
      IndexDefinition.Field(order.path, order.direction == .ascending ? .ascending : .descending)
    }
    let missing = Set(query.requiredFields).filter { field in
      !orders.contains { $0.path == field }
        && (disjuncts.isEmpty || !disjuncts.allSatisfy { $0.equalities.contains(field) })
    }
    for field in missing.sorted(by: { $0.text.precedesInBytes($1.text) }) {
      orders.append(IndexDefinition.Field(field, .ascending))
    }
    return orders
  }

  /// Assumed: the document's name counts as a field here, as it does in the limit of inequality fields.
  private static func hasManyInequalities(_ filter: QueryFilter?) -> Bool {
    var first: FieldPath?
    for test in filter?.tests ?? [] where test.comparison.impliesOrder {
      if let first, first != test.path { return true }
      first = test.path
    }
    return false
  }
}

extension QueryNeeds.Disjunct {
  /// What must stand before the orders: the field with the element, then those with one value that are not
  /// ordered by anyway. This is the sequence in which the service suggests them.
  /// Source: links that the service gave for queries with both.
  package func wanted(_ orders: [IndexDefinition.Field]) -> [IndexDefinition.Field] {
    let equal = equalities.filter { path in !orders.contains { $0.path == path } }
    return (contains.map { [IndexDefinition.Field($0, .contains)] } ?? [])
      + equal.map { IndexDefinition.Field($0, .ascending) }
  }
}
