/// A query as the rules see it: where it looks, what every result satisfies, and its bounds.

public import DocModel

/// The shape of one query, aggregation, listener target or ListDocuments call.
public struct QueryShape: Sendable {
  /// An explicit order.
  public struct Order: Sendable {
    public let field: FieldPath
    public let isDescending: Bool

    public init(_ field: FieldPath, isDescending: Bool = false) {
      self.field = field
      self.isDescending = isDescending
    }
  }

  /// The document the collection lies under; the root for a root collection.
  public let parent: ResourcePath
  /// Nil asks for every collection below the parent.
  public let collectionID: String?
  /// Whether this is a collection group: the collection at any depth below the parent.
  public let allDescendants: Bool
  /// The filter in disjunctive form: each disjunct is a conjunction, and each must be granted.
  /// `in` and `array-contains-any` need not be taken apart; that happens here. No filter: one disjunct without tests.
  public let disjuncts: [QueryDisjunct]
  public let limit: Int64?
  public let offset: Int64
  /// Explicit orders only.
  public let orderBy: [Order]

  public init(
    parent: ResourcePath, collectionID: String?, allDescendants: Bool = false,
    disjuncts: [QueryDisjunct] = [],
    limit: Int64? = nil, offset: Int64 = 0, orderBy: [Order] = []
  ) {
    self.parent = parent
    self.collectionID = collectionID
    self.allDescendants = allDescendants
    self.disjuncts = disjuncts.isEmpty ? [[]] : disjuncts
    self.limit = limit
    self.offset = offset
    self.orderBy = orderBy
  }

  /// What `request.path` is below the database's root.
  public var requestPath: ResourcePath {
    guard let collectionID else { return parent }
    return parent.appending(collectionID)
  }
}
