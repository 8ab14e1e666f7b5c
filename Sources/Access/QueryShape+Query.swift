/// A validated query as rules see it.

internal import DocModel
public import DocStore
public import Rules

extension QueryShape {
  /// The shape of a query. Cursors and projections prove nothing and are left out.
  /// Source: docs/spec/list-query-authorization.md F10.
  public init(_ query: NormalizedQuery) {
    let (parent, collectionID, allDescendants) = Self.place(query.scope)
    self.init(
      parent: parent, collectionID: collectionID, allDescendants: allDescendants,
      disjuncts: query.disjuncts, limit: query.limit.map { Int64($0) }, offset: Int64(query.offset),
      orderBy: query.orders.prefix(query.explicitOrderCount).map {
        Order($0.path, isDescending: $0.direction == .descending)
      })
  }

  private static func place(_ scope: QueryScope) -> (ResourcePath, String?, Bool) {
    switch scope {
    case .collection(let collection): (collection.parent, collection.lastSegment, false)
    case .group(let collectionID, let parent): (parent, collectionID, true)
    case .children(let parent): (parent, nil, false)
    case .descendants(let parent): (parent, nil, true)
    }
  }
}
