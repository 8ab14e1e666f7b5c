/// Which standing queries a changed document may concern, without asking every one of them.
///
/// They are found by the collection, the collection id or the ancestor of their scope, and there, if each disjunct of their
/// filter demands a value, or one in a range, of a field, an array or the name, by the document's value. Queries that
/// include the same documents are one, whoever follows them. What is found is then asked about the document.
///
/// Cost of a change: a few look-ups, and the queries that share its place and a value or range of it.
/// Source: docs/design/storage-and-scale.md 9.

internal import DocModel

struct StandingIndex<Member: Identified> {
  typealias Query = StandingQuery<Member>

  private var queries: [StandingIdentity: Query] = [:]
  private var buckets: [StandingPlace: StandingBucket<Member>] = [:]
  /// How many queries look at everything below a document.
  private var descendantsCount = 0
  private var stamp: UInt64 = 0

  var isEmpty: Bool { queries.isEmpty }

  /// That a query is found where it should be is what `StandingIndexTests` try.
  func checkInvariants() {
    assert(queries.values.allSatisfy { !$0.members.isEmpty }, "a query without followers is gone")
    let places = Set(queries.keys.map(\.place))
    assert(buckets.keys.allSatisfy(places.contains), "a bucket is of a place where somebody looks")
    let below = queries.keys.count { if case .descendants = $0.place { true } else { false } }
    assert(descendantsCount == below, "`descendantsCount` counts the queries below a document")
  }

  mutating func add(_ member: Member, _ membership: QueryMembership) {
    let identity = StandingIdentity(membership)
    if let known = queries[identity] { return known.members.insert(member) }
    let query = Query(membership)
    query.members.insert(member)
    queries[identity] = query
    if case .descendants = identity.place { descendantsCount += 1 }
    buckets[identity.place, default: StandingBucket()].add(query)
    if Invariants.areDue(at: queries.count) { checkInvariants() }
  }

  mutating func remove(_ member: Member, _ membership: QueryMembership) {
    let identity = StandingIdentity(membership)
    guard let query = queries[identity] else { return }
    query.members.remove(member.identity)
    guard query.members.isEmpty else { return }
    queries[identity] = nil
    if case .descendants = identity.place { descendantsCount -= 1 }
    buckets[identity.place]?.remove(query)
    if buckets[identity.place]?.isEmpty == true { buckets[identity.place] = nil }
    if Invariants.areDue(at: queries.count) { checkInvariants() }
  }

  /// The queries that a change may concern, each once.
  mutating func candidates(
    _ path: ResourcePath, _ before: StoredDocument?, _ after: StoredDocument?
  ) -> [Query] {
    if isEmpty { return [] }
    var found: [Query] = []
    stamp += 1
    let stamp = stamp
    func look(_ place: StandingPlace) {
      buckets[place]?.forEachCandidate(path, before, after) { query in
        guard query.stamp != stamp else { return }
        query.stamp = stamp
        found.append(query)
      }
    }
    let collection = path.parent
    look(.collection(collection))
    look(.group(ResourcePath(unchecked: collection.lastSegment)))
    look(.children(collection.parent))
    guard descendantsCount > 0 else { return found }
    var ancestor = path
    while !ancestor.isRoot {
      ancestor = ancestor.parent
      look(.descendants(ancestor))
    }
    return found
  }
}
