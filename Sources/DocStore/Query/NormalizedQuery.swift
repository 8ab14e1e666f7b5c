/// A query that has passed validation, with everything implied spelled out.

public import DocModel

/// What the planner, the executor, listeners and list authorisation work with.
///
/// INVARIANT: `orders` ends with the document name and names no field twice; cursors hold at most one
/// value an order; the disjunctive form of `filter` has at most `QueryLimits.disjunctionsMax` disjuncts, unless there is a
/// `lateError`; all operands are canonical encoded values, those of name tests references into `database`.
/// Made by `QueryValidator` only.
public struct NormalizedQuery: Sendable {
  public let database: DatabaseID
  public let scope: QueryScope
  /// Nil when nothing is filtered.
  public let filter: QueryFilter?
  /// Explicit orders, then implied ones, then the document name.
  public internal(set) var orders: [QueryOrder]
  /// How many of `orders` were written in the query.
  public let explicitOrderCount: Int
  public internal(set) var start: QueryCursor?
  public let end: QueryCursor?
  public internal(set) var offset: Int
  public internal(set) var limit: Int?
  /// Nil for whole documents.
  public let projection: FieldMask?
  /// Of the matching documents only the nearest, in the order of their distance, then in that of `orders`.
  public internal(set) var nearest: NearestQuery?
  /// Documents without one of these fields are no results: what an aggregation adds up must be there.
  public internal(set) var requiredFields: [FieldPath] = []
  /// Why the query is refused once the rules have granted it. A query with one is never run.
  public internal(set) var lateError: InvalidArgument?
  /// The order key of the last document of an earlier page or piece: the result goes on after it.
  public internal(set) var resumeKey: [UInt8]?

  init(
    database: DatabaseID, scope: QueryScope, filter: QueryFilter?, orders: [QueryOrder],
    explicitOrderCount: Int,
    start: QueryCursor?, end: QueryCursor?, offset: Int, limit: Int?, projection: FieldMask?
  ) {
    self.database = database
    self.scope = scope
    self.filter = filter
    self.orders = orders
    self.explicitOrderCount = explicitOrderCount
    self.start = start
    self.end = end
    self.offset = offset
    self.limit = limit
    self.projection = projection
    checkInvariants()
  }

  func checkInvariants() {
    assert(orders.last?.path.isDocumentName == true, "the name decides last")
    assert(Set(orders.map(\.path)).count == orders.count, "no field orders twice")
    assert(
      (start?.values.count ?? 0) <= orders.count && (end?.values.count ?? 0) <= orders.count,
      "cursors hold at most one value an order")
    assert(explicitOrderCount <= orders.count, "what was written is among the orders")
  }

  /// A vector without length under `cosine` shall refuse the query. Without effect on other queries.
  public mutating func refuseZeroVectors() { nearest?.refusesZeroVectors = true }

  /// Whether results come in the order of names, forward or backward.
  public var isOrderedByNameOnly: Bool { orders.count == 1 }

  /// Why rules cannot judge the query: it has too many disjuncts.
  public var disjunctError: InvalidArgument? { lateError == nil ? nil : QueryErrors.disjuncts(of: filter) }

  /// The disjunctive form of the filter: a document matches when it passes every test of some disjunct.
  /// Never empty; a query without filter has one disjunct without tests. Not to be asked of a query with
  /// `disjunctError`.
  public var disjuncts: [QueryDisjunct] { QueryDisjunct.disjuncts(of: filter) }
}

/// The documents a query considers.
public enum QueryScope: Hashable, Sendable {
  /// The documents of one collection.
  case collection(ResourcePath)
  /// The documents of all collections of that id below a document or the root.
  case group(collectionID: String, below: ResourcePath)
  /// The documents of every collection directly under a document or the root.
  case children(of: ResourcePath)
  /// Every document below a document or the root.
  case descendants(of: ResourcePath)

  /// Whether a document at `path` (relative, even segments) is considered.
  public func contains(_ path: ResourcePath) -> Bool {
    switch self {
    case .collection(let collection): path.parent == collection
    case .group(let collectionID, let ancestor):
      path.isBelow(ancestor) && path.parent.lastSegment.hasSameBytes(as: collectionID)
    case .children(let parent): path.parent.parent == parent && path.isBelow(parent)
    case .descendants(let ancestor): path.isBelow(ancestor)
    }
  }
}

public struct QueryOrder: Hashable, Sendable {
  public let path: FieldPath
  public let direction: StructuredQuery.Direction

  public init(_ path: FieldPath, _ direction: StructuredQuery.Direction) {
    self.path = path
    self.direction = direction
  }
}

/// A position among ordered documents: values for the first orders, each an encoded value; the value at
/// the document name's place is a reference.
public struct QueryCursor: Hashable, Sendable {
  public let values: [[UInt8]]
  /// Just before the documents that are equal in these values, or just after them.
  public let isBefore: Bool
}

extension FieldTest.Comparison {
  init(_ comparison: StructuredQuery.FieldOperator) {
    self =
      switch comparison {
      case .lessThan: .lessThan
      case .lessThanOrEqual: .lessThanOrEqual
      case .greaterThan: .greaterThan
      case .greaterThanOrEqual: .greaterThanOrEqual
      case .equal: .equal
      case .notEqual: .notEqual
      case .arrayContains: .arrayContains
      case .in: .in
      case .arrayContainsAny: .arrayContainsAny
      case .notIn: .notIn
      }
  }

  init(_ test: StructuredQuery.UnaryOperator) {
    self =
      switch test {
      case .isNaN: .isNaN
      case .isNull: .isNull
      case .isNotNaN: .isNotNaN
      case .isNotNull: .isNotNull
      }
  }
}
