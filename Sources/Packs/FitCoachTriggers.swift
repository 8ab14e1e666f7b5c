/// The triggers of the fitness coaching app.
///
/// Each decides from what is stored when it runs, in one transaction, so doing it again changes nothing. What must be
/// done once, as sending a notification, is done together with an `EventMarker`.
///
/// Source: apps/fitcoach.md, Triggers; docs/packs/fitcoach.md, What triggers do.

public import DocModel
public import DocStore
internal import Platform
public import Triggers

public struct FitCoachTriggers<Engine: StorageEngine>: Sendable {
  let store: DocumentStore<Engine>

  public init(_ store: DocumentStore<Engine>) { self.store = store }

  /// All triggers of the pack, for one runner. Throws only if a pattern here is wrong.
  public var all: [DocumentTrigger] {
    get throws(InvalidArgument) {
      [
        try onDocumentCreated("users/{uid}", name: "setUpAccount") { try await setUpAccount($0) },
        try onDocumentWritten("bookings/{slot}", name: "markSlot") { try await markSlot($0) },
        try onDocumentWritten("bookings/{slot}", name: "notifyOfBooking") { try await notifyOfBooking($0) },
        try onDocumentCreated("deletionRequests/{uid}", name: "deleteAccount") {
          try await deleteAccount($0)
        },
      ] + (try audits)
    }
  }

  /// What runs at certain times. Midnights of time zones lie at full quarters of an hour.
  public var schedules: [ScheduledFunction] {
    get throws(InvalidArgument) {
      [
        try onSchedule("*/15 * * * *", name: "rollOverUsage") {
          try await rollOverUsage(in: $0.database, now: now)
        }
      ]
    }
  }

  // MARK: quotas

  /// Gives a new user the free plan and this month's counters. Both stay as they are if they are there.
  public func setUpAccount(_ event: DocumentEvent) async throws {
    try await setUp(event.path.lastSegment, in: event.database, now: now)
  }

  /// Gives everybody whose month is over the counters of the next one. Looks at all users, so who was missed is found the
  /// next time.
  public func rollOverUsage(in database: DatabaseID, now: Timestamp) async throws {
    let users = StructuredQuery(database: database, collection: ResourcePath(unchecked: "users"))
    let counting = try usersWhoCount(in: database, at: now)
    var failure: (any Error)?
    for user in try store.documents(users) where !counting.contains(user.path) {
      // Who cannot be helped must not be in the way of the others.
      do { try await setUp(user.path.lastSegment, in: database, now: now) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Those who have counters that are not over.
  private func usersWhoCount(in database: DatabaseID, at now: Timestamp) throws -> Set<ResourcePath> {
    let open = StructuredQuery(
      database: database, from: [.init("usage", includesDescendants: true)],
      where: .field("resetsAt", .greaterThan, .timestamp(now)))
    return Set(try store.documents(open).map(\.path.parent.parent))
  }

  /// A user who has no plan yet gets the free one; who has no counters now, this month's: never before the last ones are
  /// over, or two months could be spent at once. A user who asked for deletion gets nothing.
  private func setUp(_ uid: String, in database: DatabaseID, now: Timestamp) async throws {
    let user = Self.user(uid)
    let subscription = ResourcePath(unchecked: "subscriptions").appending(uid)
    let months = StructuredQuery(database: database, collection: user.appending("usage"))
    guard let known = try store.fields(user, in: database) else { return }
    let zone = try UsageMonth.zone(of: known)
    try await store.transaction(database) { (reads) throws(StoreError) in
      guard try isActive(uid, reads) else { return [] }
      var writes: [Write] = []
      if try reads.fields(subscription) == nil {
        writes.append(.create(subscription, ["planId": .string("freemium")]))
      }
      let usage = try reads.documents(months)
      if !usage.contains(where: { $0.fields.timestamp("resetsAt").map { $0 > now } ?? false }) {
        // The month is there and over only if the user has moved to the west.
        var month = UsageMonth(at: now, in: zone)
        while usage.contains(where: { $0.path.lastSegment == month.id }) { month = month.next }
        writes.append(.create(user.appending("usage").appending(month.id), Self.counters(of: month)))
      }
      return writes
    }
  }

  private static func counters(of month: UsageMonth) -> Fields {
    [
      "chatUsed": .integer(0), "sessionsUsed": .integer(0), "resetsAt": .timestamp(month.end),
      "lastMessageId": .null, "lastBookingId": .null,
    ]
  }

  // MARK: bookings

  /// Keeps `isAvailable` of a slot the opposite of "it has a booking".
  public func markSlot(_ event: DocumentEvent) async throws {
    let coaches = [event.before, event.after].compactMap { $0?.documentID("coachId").map(Self.coach) }
    for coach in Set(coaches) {
      let slot = coach.appending("slots").appending(event.path.lastSegment)
      try await store.transaction(event.database) { (reads) throws(StoreError) in
        guard let fields = try reads.fields(slot) else { return [] }
        let isAvailable = try reads.fields(event.path)?.documentID("coachId").map(Self.coach) != coach
        guard fields.boolean("isAvailable") != isAvailable else { return [] }
        return [.merge(slot, ["isAvailable": .boolean(isAvailable)], precondition: .exists(true))]
      }
    }
  }

  /// Tells user and coach about each new status of a booking, once. A user who turned `notifications.bookings` off,
  /// and whoever is gone, is not told.
  public func notifyOfBooking(_ event: DocumentEvent) async throws {
    guard let booking = event.after, let status = booking.string("status"),
      event.before?.string("status") != status
    else { return }
    let marker = EventMarker(event)
    var notice: Fields = [
      "kind": .string("booking"), "bookingId": .string(event.path.lastSegment), "status": .string(status),
      "at": .timestamp(event.time),
    ]
    notice["startsAt"] = booking.timestamp("startsAt").map { .timestamp($0) }
    let content = notice
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard try !marker.isSet(reads) else { return [] }
      var people: [ResourcePath] = []
      if let uid = booking.documentID("userId"), try isActive(uid, reads),
        try reads.fields(Self.user(uid))?.map("notifications")?.boolean("bookings") ?? true
      {
        people.append(Self.user(uid))
      }
      if let uid = booking.documentID("coachId"), try reads.fields(Self.coach(uid)) != nil {
        people.append(Self.coach(uid))
      }
      return people.map { .create($0.appending("notifications").appending(event.id), content) }
        + [marker.setting]
    }
  }

  // MARK: deletion

  /// LIMIT: documents moved in one commit. Each may have a mebibyte, and a commit ten.
  private static var movedMax: Int { 8 }

  /// Moves everything of a user below `accountExports/{event id}`, under its own path, then notes the export and removes
  /// the request.
  ///
  /// Each document is copied in the commit that deletes it: none is lost that is written meanwhile, and another delivery
  /// goes on with what is left.
  public func deleteAccount(_ event: DocumentEvent) async throws {
    let uid = event.path.lastSegment
    let export = ResourcePath(unchecked: "accountExports").appending(event.id)
    var isDone = false
    while !isDone {
      try await store.transaction(event.database) { (reads) throws(StoreError) in
        isDone = true
        guard let request = try reads.fields(event.path) else { return [] }
        let left = try remains(of: uid, in: event.database, reads)
        if left.isEmpty {
          let note: Fields = [
            "userId": .string(uid), "requestedAt": request["requestedAt"] ?? .null,
            "finishedAt": .timestamp(now),
          ]
          return [.create(export, note), Write(event.path, .delete)]
        }
        isDone = false
        return left.flatMap { document in
          let copy = export.appending(document.path.text)
          return [
            Write(copy, .update(fields: document.fields.encoded, mask: nil)), Write(document.path, .delete),
          ]
        }
      }
    }
    // Who has signed up again in the meantime was not set up because of the request.
    try await setUp(uid, in: event.database, now: now)
  }

  /// The next documents to be moved: what lies below a document before the document.
  private func remains(
    of uid: String, in database: DatabaseID, _ reads: TransactionReads
  ) throws(StoreError) -> [NamedFields] {
    var left: [NamedFields] = []
    for collection in ["bookings", "orders", "chats"] {
      let theirs = StructuredQuery(
        database: database, from: [.init(collection)], where: .field("userId", .equal, .string(uid)),
        limit: Self.movedMax)
      for document in try reads.documents(theirs) where left.count < Self.movedMax {
        left += try whole(document.path, in: database, reads)
      }
    }
    for path in [Self.user(uid), ResourcePath(unchecked: "subscriptions").appending(uid)]
    where left.count < Self.movedMax {
      left += try whole(path, in: database, reads)
    }
    return Array(left.prefix(Self.movedMax))
  }

  /// A document behind what lies below it; only the first of those if there are many.
  private func whole(
    _ path: ResourcePath, in database: DatabaseID, _ reads: TransactionReads
  ) throws(StoreError) -> [NamedFields] {
    let below = StructuredQuery(
      database: database, parent: path, from: [.init("", includesDescendants: true)], limit: Self.movedMax)
    return try reads.documents(below) + [try reads.document(path)].compactMap(\.self)
  }

  // MARK: reading

  private var now: Timestamp { Timestamp(microseconds: store.environment.now()) }

  /// Whether somebody has a profile and has not asked for its deletion.
  private func isActive(_ uid: String, _ reads: TransactionReads) throws(StoreError) -> Bool {
    let request = ResourcePath(unchecked: "deletionRequests").appending(uid)
    guard try reads.fields(Self.user(uid)) != nil else { return false }
    return try reads.fields(request) == nil
  }

  private static func user(_ uid: String) -> ResourcePath { ResourcePath(unchecked: "users").appending(uid) }
  private static func coach(_ uid: String) -> ResourcePath {
    ResourcePath(unchecked: "coaches").appending(uid)
  }
}
