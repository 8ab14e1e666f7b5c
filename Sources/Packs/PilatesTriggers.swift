/// The triggers of Pilates Pro: progress, badges and activity from sessions, and what is left of a deleted account.
///
/// Everything is made from what is stored when a trigger runs, so doing it again, or in another order, changes nothing.
///
/// INVARIANT: who signs up again starts anew. Whatever was written before the profile was made is of the former account:
/// it counts for nothing, and `removeAccount` takes it away.
///
/// Source: apps/pilates.md, Triggers.

public import DocModel
public import DocStore
internal import Platform
public import Triggers

public struct PilatesTriggers<Engine: StorageEngine>: Sendable {
  /// LIMIT: sessions of one user that count, the latest ones. Rules cannot say how many may be handed in.
  private static var sessionsMax: Int { 10_000 }
  /// LIMIT: documents deleted in one commit.
  private static var deletionsMax: Int { 300 }

  private let store: DocumentStore<Engine>

  public init(_ store: DocumentStore<Engine>) { self.store = store }

  /// All triggers of the pack, for one runner. Throws only if a pattern here is wrong.
  public var all: [DocumentTrigger] {
    get throws(InvalidArgument) {
      let session = "users/{uid}/sessions/{session}"
      return [
        try onDocumentCreated(session, name: "keepProgress") { try await keepProgress($0) },
        try onDocumentCreated(session, name: "awardBadges") { try await awardBadges($0) },
        try onDocumentCreated(session, name: "publishActivity") { try await publishActivity($0) },
        try onDocumentDeleted("users/{uid}", name: "removeAccount") { try await removeAccount($0) },
      ]
    }
  }

  // MARK: sessions

  /// Makes the weeks in `progress` equal to what the user's sessions add up to: a late one may close a gap in the streak
  /// of later weeks. Weeks that are right already are not written.
  public func keepProgress(_ event: DocumentEvent) async throws {
    let profile = event.path.parent.parent
    let progress = StructuredQuery(database: event.database, collection: profile.appending("progress"))
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard let sessions = try ownSessions(of: profile, event.database, reads) else { return [] }
      let weeks = sessions.weeks
      let stored = Dictionary(
        try reads.documents(progress).map { ($0.path.lastSegment, $0.fields) }, uniquingKeysWith: { $1 })
      let changed = weeks.filter { stored[$0.key] != $0.value }.map { id, fields in
        Write(progress.document(id), .update(fields: fields.encoded, mask: nil))
      }
      // A week without a session: the user has moved to another time zone, or it is the former account's.
      let gone = stored.keys.filter { weeks[$0] == nil }.map { Write(progress.document($0), .delete) }
      return changed + gone
    }
  }

  /// Awards what the user's sessions have earned; an earned badge stays as it is.
  public func awardBadges(_ event: DocumentEvent) async throws {
    let profile = event.path.parent.parent
    let core = StructuredQuery(
      database: event.database, from: [.init("workouts")],
      where: .field("tags", .arrayContains, .string("Core")))
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard let owner = try reads.document(profile),
        let sessions = try ownSessions(of: profile, event.database, reads)
      else { return [] }
      let coreWorkouts = Set(try reads.documents(core).map(\.path.lastSegment))
      var writes: [Write] = []
      for (id, time) in sessions.badges(coreWorkouts: coreWorkouts) {
        let badge = profile.appending("badges").appending(id)
        if let earned = try reads.document(badge), earned.updateTime >= owner.createTime { continue }
        let fields: Fields = ["awardedAt": .timestamp(time)]
        writes.append(Write(badge, .update(fields: fields.encoded, mask: nil)))
      }
      return writes
    }
  }

  /// Tells friends of a session, in one activity with the id `uid:session`, which is there or is not.
  public func publishActivity(_ event: DocumentEvent) async throws {
    let profile = event.path.parent.parent
    let uid = profile.lastSegment
    let id = uid + ":" + event.path.lastSegment
    guard id.isDocumentID else {
      throw PilatesFailure.notAnID(event.path)
    }
    let activity = ResourcePath(unchecked: "activity").appending(id)
    var hasTitle = true
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard let owner = try reads.document(profile), let session = try reads.document(event.path),
        session.createTime >= owner.createTime
      else { return [] }
      if let told = try reads.document(activity), told.updateTime >= owner.createTime { return [] }
      guard let workout = session.fields.documentID("workoutId"),
        let title = try reads.fields(ResourcePath(unchecked: "workouts").appending(workout))?.string("title")
      else {
        hasTitle = false
        return []
      }
      let time = session.fields.timestamp("createdAt") ?? Timestamp(microseconds: session.createTime)
      let fields: Fields = [
        "uid": .string(uid), "kind": .string("workout"), "workoutTitle": .string(title),
        "createdAt": .timestamp(time),
      ]
      return [Write(activity, .update(fields: fields.encoded, mask: nil))]
    }
    if !hasTitle { throw PilatesFailure.noWorkout(event.path) }
  }

  /// The sessions of the account that is there now; nil when there is none.
  private func ownSessions(
    of profile: ResourcePath, _ database: DatabaseID, _ reads: TransactionReads
  ) throws(StoreError) -> PilatesSessions? {
    guard let owner = try reads.document(profile) else { return nil }
    let zone = owner.fields.map("settings")?.string("timeZone").flatMap { try? TimeZoneRules(named: $0) }
    let query = StructuredQuery(
      database: database, parent: profile, from: [.init("sessions")],
      orderBy: [.init("startedAt", .descending)], limit: Self.sessionsMax)
    let own = try reads.documents(query).filter { $0.createTime >= owner.createTime }
    return PilatesSessions(own.compactMap { PilatesSession($0, in: zone ?? .utc) })
  }

  // MARK: accounts

  /// Removes what is left of a deleted account: everything below the profile, its activity with the high fives there, its
  /// high fives elsewhere, its requests, and its uid in other lists. What was written since stays: the user may have
  /// signed up again. Done again it finds nothing.
  public func removeAccount(_ event: DocumentEvent) async throws {
    let uid = Value.string(event.path.lastSegment)
    func named(by field: String, in collection: String, anywhere: Bool = false) -> StructuredQuery {
      StructuredQuery(
        database: event.database, from: [.init(collection, includesDescendants: anywhere)],
        where: .field(field, .equal, uid))
    }
    try await forgetFriend(event)
    let activity = named(by: "uid", in: "activity")
    for document in try store.documents(activity) where document.updateTime <= event.version {
      try await delete(everythingBelow(document.path, event.database), until: .max)
    }
    for query in [
      activity, named(by: "uid", in: "highFives", anywhere: true), named(by: "from", in: "friendRequests"),
      named(by: "to", in: "friendRequests"), everythingBelow(event.path, event.database),
    ] {
      try await delete(query, until: event.version)
    }
  }

  /// Takes the uid of a deleted profile out of each list that has it. A new profile of that uid which names the list's
  /// owner is a new friendship.
  private func forgetFriend(_ event: DocumentEvent) async throws(StoreError) {
    let uid = Value.string(event.path.lastSegment)
    let query = StructuredQuery(
      database: event.database, from: [.init("users")], where: .field("friends", .arrayContains, uid))
    for friend in try store.documents(query).map(\.path) {
      try await store.transaction(event.database) { (reads) throws(StoreError) in
        guard let friends = try reads.fields(friend)?.array("friends"), friends.contains(uid) else {
          return []
        }
        let back = try reads.fields(event.path)?.strings("friends") ?? []
        if back.contains(where: { $0.hasSameBytes(as: friend.lastSegment) }) { return [] }
        return [
          .merge(friend, ["friends": .array(friends.filter { $0 != uid })], precondition: .exists(true))
        ]
      }
    }
  }

  private func everythingBelow(_ path: ResourcePath, _ database: DatabaseID) -> StructuredQuery {
    StructuredQuery(database: database, parent: path, from: [.init("", includesDescendants: true)])
  }

  /// Deletes the documents of a query that nobody has written after `version`, in several commits.
  private func delete(_ query: StructuredQuery, until version: Int64) async throws(StoreError) {
    try await store.forEach(query, atOnce: Self.deletionsMax) { (document, _) throws(StoreError) in
      document.updateTime <= version ? [Write(document.path, .delete)] : []
    }
  }
}

extension StructuredQuery {
  /// A document of the collection that the query is about.
  fileprivate func document(_ id: String) -> ResourcePath {
    parent.appending(from[0].collectionID).appending(id)
  }
}

/// Why a trigger of the pack cannot do its work.
public enum PilatesFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A session of a workout that is not in the library, or has no title there.
  case noWorkout(ResourcePath)
  /// A session whose activity would have an id that no document can have.
  case notAnID(ResourcePath)

  public var description: String {
    switch self {
    case .noWorkout(let path):
      "\(path) names no workout with a title in 'workouts'; friends are not told of it"
    case .notAnID(let path):
      "\(path) has ids that are too long or reserved for an activity; friends are not told of it"
    }
  }
}
