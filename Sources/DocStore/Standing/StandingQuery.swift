/// A query that somebody follows: a listener, or a transaction that has read it.

internal import DocModel

/// All who follow the same query, asked as one.
///
/// State and its owner: the index that holds it.
final class StandingQuery<Member: Identified>: Identified {
  let membership: QueryMembership
  /// Nil when its documents have nothing in common that can be looked up.
  let demands: Set<QueryDemand>?
  var members = MemberList<Member>()
  /// The last change for which it was found: an index may find it by several demands.
  var stamp: UInt64 = 0

  var identity: ObjectIdentifier { ObjectIdentifier(self) }

  init(_ membership: QueryMembership) {
    self.membership = membership
    demands = membership.query.flatMap { QueryDemand.demands(of: $0) }
  }
}

/// Where a query's documents lie, so far as one look-up a change can tell.
enum StandingPlace: Hashable {
  case collection(ResourcePath)
  /// A collection id, which is a path of one segment here: it is compared by its bytes.
  case group(ResourcePath)
  case children(ResourcePath)
  case descendants(ResourcePath)

  init(_ scope: QueryScope) {
    switch scope {
    case .collection(let path): self = .collection(path)
    case .group(let id, _): self = .group(ResourcePath(unchecked: id))
    case .children(let parent): self = .children(parent)
    case .descendants(let ancestor): self = .descendants(ancestor)
    }
  }
}

/// What makes two queries include the same documents. Limit, offset and projection are each follower's own.
struct StandingIdentity: Hashable {
  let place: StandingPlace
  private let ancestor: ResourcePath?
  private let hasQuery: Bool
  private let filter: QueryFilter?
  private let orders: [QueryOrder]
  private let start: QueryCursor?
  private let end: QueryCursor?
  private let required: [FieldPath]
  private let isNearest: Bool
  private let resumeKey: [UInt8]?

  init(_ membership: QueryMembership) {
    let query = membership.query
    place = StandingPlace(membership.scope)
    if case .group(_, let below) = membership.scope { ancestor = below } else { ancestor = nil }
    hasQuery = query != nil
    filter = query?.filter
    orders = query?.orders ?? []
    start = query?.start
    end = query?.end
    required = query?.requiredFields ?? []
    isNearest = query?.nearest != nil
    resumeKey = query?.resumeKey
  }
}
