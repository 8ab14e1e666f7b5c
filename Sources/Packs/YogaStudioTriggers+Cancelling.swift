/// Places that the studio takes away: classes that are called off or deleted, and single bookings.

public import DocModel
internal import DocStore
public import Triggers

/// LIMIT: members who lose their place in one commit.
private let cancelledAtOnceMax = 50

extension YogaStudioTriggers {
  /// Cancels every booking of a class that was switched off before it began, ends its waiting list, and tells everybody.
  /// Uses and payments go back. A commit takes up to 50 members, with the class's counters; done again it goes on with who
  /// is left.
  public func callOffClass(_ event: DocumentEvent) async throws {
    guard event.after?.boolean("isActive") == false else { return }
    var mayBeMore = true
    while mayBeMore {
      try await store.transaction(event.database) { (reads) throws(StoreError) in
        mayBeMore = false
        // Switched off afterwards it was held, and stays as it was.
        guard let fields = try reads.fields(event.path), fields.boolean("isActive") == false,
          let startTime = fields.timestamp("startTime"), event.time < startTime
        else { return [] }
        var query = StructuredQuery(database: event.database, collection: event.path.appending("waitlist"))
        query.limit = cancelledAtOnceMax
        let waiting = try reads.documents(query)
        query.from = [StructuredQuery.CollectionSelector("bookings")]
        query.filter = .field("status", .equal, .string("confirmed"))
        let booked = try reads.documents(query)
        guard !booked.isEmpty || !waiting.isEmpty else { return [] }
        mayBeMore = true
        var writes = [Write.merge(event.path, fields.freeing(booked: booked.count, waiting: waiting.count))]
        for booking in booked {
          writes.append(.merge(booking.path, ["status": .string("cancelled")]))
          writes += try givingBack(booking, reads)
        }
        for entry in waiting {
          writes.append(Write(entry.path, .delete))
          writes += try refunding(entry.path, database: event.database, reads)
        }
        return writes + (booked + waiting).map { message(.calledOff, to: StudioPlace($0), of: fields) }
      }
    }
  }

  /// Cancels one member's booking for the studio, also within the last 12 hours; the member is told. One that is not
  /// confirmed is left alone.
  public func cancelBooking(
    of member: String, in classID: String, _ database: DatabaseID
  ) async throws {
    guard let classPath = ResourcePath.document("classes", classID),
      ResourcePath.document("users", member) != nil
    else { return }
    let place = StudioPlace(classPath: classPath, member: member)
    try await store.transaction(database) { (reads) throws(StoreError) in
      guard let fields = try reads.fields(classPath), let booking = try reads.document(place.booking),
        booking.fields.holds("status", "confirmed")
      else { return [] }
      return [
        .merge(classPath, fields.freeing(booked: 1, waiting: 0)),
        .merge(booking.path, ["status": .string("cancelled")]),
        message(.bookingCancelled, to: place, of: fields),
      ] + (try givingBack(booking, reads))
    }
  }

  /// Deletes what lay below a class that is gone, and gives back what was paid for it if it had not begun. A class that was
  /// made anew with the same id keeps what has been written below it since.
  public func clearDeletedClass(_ event: DocumentEvent) async throws {
    let yogaClass = event.before ?? [:]
    let hadBegun = yogaClass.timestamp("startTime").map { $0 <= event.time } ?? true
    for collection in ["bookings", "waitlist"] {
      let query = StructuredQuery(database: event.database, collection: event.path.appending(collection))
      try await store.forEach(query, atOnce: cancelledAtOnceMax) { (document, reads) throws(StoreError) in
        guard document.updateTime <= event.version else { return [] }
        let isLost = collection == "waitlist" || document.fields.holds("status", "confirmed")
        guard isLost, !hadBegun else { return [Write(document.path, .delete)] }
        let place = StudioPlace(document)
        let back =
          collection == "waitlist"
          ? try refunding(document.path, database: event.database, reads)
          : try givingBack(document, reads)
            + refunding(document.fields.string("paymentId"), to: place, reads)
        return [Write(document.path, .delete), message(.calledOff, to: place, of: yogaClass)] + back
      }
    }
  }

  /// The write that gives a use back to the period it was taken from; none if that period is over, or nothing was
  /// counted. The payment of a `dropIn` goes back by `refundDropIn`.
  private func givingBack(_ booking: NamedFields, _ reads: TransactionReads) throws(StoreError) -> [Write] {
    let place = StudioPlace(booking)
    guard let period = booking.fields["period"], period != .null,
      let subscription = try reads.fields(place.subscription), subscription["startDate"] == period,
      let used = subscription.integer("classesUsed"), used > 0
    else { return [] }
    let usage: Fields = ["classesUsed": .integer(used - 1), "lastClassId": .string(place.classID ?? "")]
    return [.merge(place.subscription, usage, precondition: .exists(true))]
  }

  /// The write that marks the payment of somebody who waited with one.
  private func refunding(
    _ entry: ResourcePath, database: DatabaseID, _ reads: TransactionReads
  ) throws(StoreError) -> [Write] {
    let place = StudioPlace(classPath: entry.parent.parent, member: entry.lastSegment)
    return try refunding(try dropInPayment(for: place, database, reads), to: place, reads)
  }
}

extension Fields {
  /// The counters of a class without some who had places or waited. A counter that is no whole number stays as it is.
  fileprivate func freeing(booked: Int, waiting: Int) -> Fields {
    Fields(
      [("bookedCount", booked), ("waitlistCount", waiting)].compactMap { name, count in
        guard count > 0, let counter = integer(name) else { return nil }
        return (name, .integer(max(0, max(0, counter) - Int64(count))))
      })
  }
}
