/// The triggers of the booking app of a yoga studio: who is promoted from a waiting list, and who is told of what.
///
/// Everything is decided from what is stored when a trigger runs, in a transaction, and what is done is visible there
/// afterwards: a member who was promoted waits no longer, a booking that was cancelled is not confirmed. So an event that
/// comes again, late or beside another one finds nothing left to do. Where nothing would show it (messages, revenue), an
/// `EventMarker` does.
///
/// Source: apps/yoga-studio.md, Triggers.

internal import DocModel
public import DocStore
public import Triggers

public struct YogaStudioTriggers<Engine: StorageEngine>: Sendable {
  let store: DocumentStore<Engine>

  public init(_ store: DocumentStore<Engine>) { self.store = store }

  /// All triggers of the pack, for one runner. Throws only if a pattern here is wrong.
  public var all: [DocumentTrigger] {
    get throws(InvalidArgument) {
      [
        try onDocumentWritten("classes/{class}", name: "promoteFromWaitlist") {
          try await promoteFromWaitlist($0)
        },
        try onDocumentUpdated("classes/{class}", name: "tellOfNewTime") { try await tellOfNewTime($0) },
        try onDocumentWritten("classes/{class}", name: "callOffClass") { try await callOffClass($0) },
        try onDocumentDeleted("classes/{class}", name: "clearDeletedClass") {
          try await clearDeletedClass($0)
        },
        try onDocumentWritten("classes/{class}/bookings/{member}", name: "refundDropIn") {
          try await refundDropIn($0)
        },
        try onDocumentWritten("payments/{payment}", name: "countRevenue") { try await countRevenue($0) },
        try onDocumentWritten("payments/{payment}", name: "startPeriod") { try await startPeriod($0) },
      ]
    }
  }

  /// The functions that run at certain times. Throws only if a schedule here is wrong.
  public var scheduled: [ScheduledFunction] {
    get throws(InvalidArgument) {
      [
        try onSchedule("every 1 hours", name: "renewSubscriptions") {
          try await renewSubscriptions($0.database)
        },
        try onSchedule("every day 00:30", name: "countClasses") { try await countClasses($0.database) },
      ]
    }
  }

  var now: Timestamp { Timestamp(microseconds: store.environment.now()) }

  // MARK: waiting lists

  /// Gives the free places of a class to those who wait, in the order in which they came, one commit each: as their own
  /// booking would, with a message. Who cannot pay leaves the list, and is told. Done again, it finds no free place or
  /// nobody who waits.
  public func promoteFromWaitlist(_ event: DocumentEvent) async throws {
    // Most changes of a class leave nothing to do; this tells them without a lock.
    guard try store.fields(event.path, in: event.database).map(hasPlaceToGive) == true else { return }
    var mayBeMore = true
    while mayBeMore {
      try await store.transaction(event.database) { (reads) throws(StoreError) in
        mayBeMore = false
        guard let fields = try reads.fields(event.path), hasPlaceToGive(fields) else { return [] }
        let waiting = fields.integer("waitlistCount") ?? 0
        guard let first = try firstWaiting(for: event.path, event.database, reads) else {
          // A count without anybody who waits would keep everybody from booking.
          return [.merge(event.path, ["waitlistCount": .integer(0)])]
        }
        mayBeMore = true
        var counters: Fields = ["waitlistCount": .integer(waiting - 1)]
        var writes = [Write(first.path, .delete)]
        let place = StudioPlace(classPath: event.path, member: first.path.lastSegment)
        if try !place.isBooked(reads) {
          if let payment = try payment(for: place, event.database, reads) {
            counters["bookedCount"] = .integer((fields.integer("bookedCount") ?? 0) + 1)
            writes += [.set(place.booking, place.confirmed(payment, at: now))] + payment.writes
            writes.append(message(.promoted, to: place, of: fields))
          } else {
            writes.append(message(.passedOver, to: place, of: fields))
          }
        }
        return writes + [.merge(event.path, counters, precondition: .exists(true))]
      }
    }
  }

  /// Whether members may book a class that has a free place, and somebody waits for it.
  private func hasPlaceToGive(_ fields: Fields) -> Bool {
    guard fields.boolean("isActive") == true, let startTime = fields.timestamp("startTime"),
      let capacity = fields.integer("capacity"), let booked = fields.integer("bookedCount"),
      let waiting = fields.integer("waitlistCount")
    else { return false }
    return waiting > 0 && booked < capacity && now < startTime
  }

  /// Who came first; after them, in the order of their names, those of whom nothing tells when they came.
  private func firstWaiting(
    for classPath: ResourcePath, _ database: DatabaseID, _ reads: TransactionReads
  ) throws(StoreError) -> NamedFields? {
    var query = StructuredQuery(database: database, collection: classPath.appending("waitlist"))
    query.limit = 1
    var inOrder = query
    inOrder.orders = [StructuredQuery.Order("joinedAt")]
    if let first = try reads.documents(inOrder).first { return first }
    return try reads.documents(query).first
  }

  // MARK: classes that move

  /// Tells everybody who is booked that a class begins at another time: all in one commit with the event's marker, so
  /// nobody is told twice. If the class has moved on since, the event of that tells them.
  public func tellOfNewTime(_ event: DocumentEvent) async throws {
    guard let after = event.after?.timestamp("startTime"), event.before?.timestamp("startTime") != after
    else {
      return
    }
    let marker = EventMarker(event)
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard let fields = try reads.fields(event.path), fields.timestamp("startTime") == after,
        try !marker.isSet(reads)
      else { return [] }
      let bookings = try reads.documents(
        StructuredQuery(database: event.database, collection: event.path.appending("bookings")))
      let messages = bookings.filter { !$0.fields.holds("status", "cancelled") }
        .map { message(.moved, to: StudioPlace($0), of: fields) }
      return messages.isEmpty ? [] : messages + [marker.setting]
    }
  }

  // MARK: messages

  /// The write of a notification. It is part of a commit that happens once, so its id may be drawn.
  func message(_ kind: StudioMessage, to place: StudioPlace, of yogaClass: Fields) -> Write {
    let id = store.environment.documentID()
    let title = yogaClass.string("title") ?? "A class"
    let fields: Fields = [
      "id": .string(id), "type": .string(kind.rawValue), "title": .string(kind.title(title)),
      "message": .string(kind.text(title, at: yogaClass.timestamp("startTime"))),
      "classId": place.classID.map { .string($0) } ?? .null, "read": .boolean(false),
      "createdAt": .timestamp(now),
    ]
    return .set(place.profile.appending("notifications").appending(id), fields)
  }
}
