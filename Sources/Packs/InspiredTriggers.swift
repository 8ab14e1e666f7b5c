/// The triggers of the reference application.
///
/// Usernames and the copies of memberships are made from what is stored when the trigger runs, so doing it
/// again changes nothing. Counters follow each event's own difference, together with an `EventMarker` in the same
/// commit. That is right also for documents that were seeded without triggers, whose counters the seed gives.
///
/// Source: apps/inspired.md, Triggers.

public import DocModel
public import DocStore
public import Triggers

public struct InspiredTriggers<Engine: StorageEngine>: Sendable {
  private let store: DocumentStore<Engine>

  public init(_ store: DocumentStore<Engine>) { self.store = store }

  /// All triggers of the pack, for one runner. Throws only if a pattern here is wrong.
  public var all: [DocumentTrigger] {
    get throws(InvalidArgument) {
      [
        try onDocumentCreated("users/{uid}", name: "generateUsername") { try await generateUsername($0) },
        try onDocumentWritten("users/{uid}", name: "keepMemberships") { try await keepMemberships($0) },
        try onDocumentCreated("posts/{post}/comments/{comment}", name: "countComment") {
          try await countComment($0, by: 1)
        },
        try onDocumentDeleted("posts/{post}/comments/{comment}", name: "uncountComment") {
          try await countComment($0, by: -1)
        },
      ]
    }
  }

  // MARK: usernames

  /// Gives a new profile its username and enters it in `usernames`; a profile that has one, or is gone, is
  /// left alone.
  public func generateUsername(_ event: DocumentEvent) async throws {
    let profile = event.path
    let uid = profile.lastSegment
    var isNameless = false
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard let fields = try reads.fields(profile), fields["username"] == nil else { return [] }
      guard case .string(let displayName) = fields["displayName"] else {
        isNameless = true
        return []
      }
      let username = try Username.draw(for: displayName, random: store.environment.random) {
        (candidate) throws(StoreError) in
        try reads.fields(Self.registryEntry(candidate)) == nil
      }
      return [
        .merge(profile, ["username": .string(username)], precondition: .exists(true)),
        .create(Self.registryEntry(username), ["uid": .string(uid)]),
      ]
    }
    if isNameless { throw InspiredFailure.noDisplayName(profile) }
  }

  private static func registryEntry(_ username: String) -> ResourcePath {
    ResourcePath(unchecked: "usernames").appending(username)
  }

  // MARK: memberships

  /// Keeps `public/memberships` equal to `joinedCommunities`, and counts who came to and left communities.
  public func keepMemberships(_ event: DocumentEvent) async throws {
    let copy = event.path.appending("public").appending("memberships")
    let steps = Self.steps(from: event.before, to: event.after)
    let marker = EventMarker(event)
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      var writes: [Write] = []
      let profile = try reads.fields(event.path)
      let wanted = profile.map { Fields([("communities", $0["joinedCommunities"] ?? .array([]))]) }
      if try reads.fields(copy) != wanted {
        writes.append(
          wanted.map { Write(copy, .update(fields: $0.encoded, mask: nil)) } ?? Write(copy, .delete))
      }
      guard !steps.isEmpty, try !marker.isSet(reads) else { return writes }
      for (id, step) in steps {
        let community = ResourcePath(unchecked: "communities").appending(id)
        // A community that is not there has no members to count.
        guard try reads.existsForNow(community) else { continue }
        writes.append(.count(community, ["memberCount"], by: step))
      }
      writes.append(marker.setting)
      return writes
    }
  }

  /// +1 for each community joined, -1 for each left.
  private static func steps(from before: Fields?, to after: Fields?) -> [(id: String, step: Int64)] {
    let left = communities(before)
    let joined = communities(after)
    return joined.filter { !left.contains($0) }.map { ($0.text, 1) }
      + left.filter { !joined.contains($0) }.map { ($0.text, -1) }
  }

  /// The ids that may name a community, each once. As paths, because those compare by their bytes.
  private static func communities(_ profile: Fields?) -> [ResourcePath] {
    guard case .array(let values) = profile?["joinedCommunities"] else { return [] }
    var seen: Set<ResourcePath> = []
    var ids: [ResourcePath] = []
    for value in values {
      // What cannot be a document's id names no community.
      guard case .string(let id) = value, id.isDocumentID else { continue }
      if seen.insert(ResourcePath(unchecked: id)).inserted { ids.append(ResourcePath(unchecked: id)) }
    }
    return ids
  }

  // MARK: comments

  /// Counts a comment of a post in or out, once an event. A post that is gone counts nothing.
  public func countComment(_ event: DocumentEvent, by step: Int64) async throws {
    let post = event.path.parent.parent
    let marker = EventMarker(event)
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard try !marker.isSet(reads), try reads.existsForNow(post) else { return [] }
      return [.count(post, ["stats", "commentCount"], by: step), marker.setting]
    }
  }
}

/// Why a trigger of the pack cannot do its work.
public enum InspiredFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A profile without the text that usernames are made of.
  case noDisplayName(ResourcePath)

  public var description: String {
    switch self {
    case .noDisplayName(let path): "\(path) has no displayName to make a username of"
    }
  }
}
