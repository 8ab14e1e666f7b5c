/// Payments, the periods that they pay for, and the figures of the months.

public import DocModel
internal import DocStore
public import Triggers

/// LIMIT: what a payment may bring or cost.
private let amountMax = 1e9

extension YogaStudioTriggers {
  // MARK: places

  /// How a member pays for a place now, by the same conditions as `isPaid` of the rules; nil if nothing pays.
  func payment(
    for place: StudioPlace, _ database: DatabaseID, _ reads: TransactionReads
  ) throws(StoreError) -> StudioPayment? {
    guard let subscription = try reads.fields(place.subscription), subscription.boolean("isActive") == true,
      let plan = StudioPlan(subscription, "plan")
    else { return nil }
    let isRunning = subscription.timestamp("endDate").map { now < $0 } ?? false
    switch plan {
    case .dropIn:
      guard let id = try dropInPayment(for: place, database, reads) else { return nil }
      return StudioPayment(paymentID: .string(id))
    case .unlimited:
      return isRunning ? StudioPayment() : nil
    case .basic, .premium:
      guard isRunning, let used = subscription.integer("classesUsed"),
        let limit = subscription.integer("classesLimit"), used < limit,
        let period = subscription.timestamp("startDate"), let classID = place.classID
      else { return nil }
      let usage: Fields = ["classesUsed": .integer(used + 1), "lastClassId": .string(classID)]
      return StudioPayment(period: .timestamp(period), writes: [.merge(place.subscription, usage)])
    }
  }

  /// The id of a completed payment of a member for one class.
  func dropInPayment(
    for place: StudioPlace, _ database: DatabaseID, _ reads: TransactionReads
  ) throws(StoreError) -> String? {
    guard let classID = place.classID else { return nil }
    var query = StructuredQuery(database: database, collection: ResourcePath(unchecked: "payments"))
    let wanted = [
      ("userId", place.member), ("classId", classID), ("type", "dropIn"), ("status", "completed"),
    ]
    query.filter = .all(wanted.map { .field($0, .equal, .string($1)) })
    query.limit = 1
    return try reads.documents(query).first?.path.lastSegment
  }

  /// Marks the payment of a booking that was cancelled as refunded, in a transaction that reads the booking as cancelled:
  /// who has booked again with it meanwhile keeps the place. Done again, the payment is no longer `completed`.
  public func refundDropIn(_ event: DocumentEvent) async throws {
    guard event.after?.holds("status", "cancelled") == true else { return }
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard let booking = try reads.document(event.path), booking.fields.holds("status", "cancelled") else {
        return []
      }
      return try refunding(booking.fields.string("paymentId"), to: StudioPlace(booking), reads)
    }
  }

  /// The write that marks a member's payment for a class as refunded; none for what is no such payment.
  func refunding(
    _ paymentID: String?, to place: StudioPlace, _ reads: TransactionReads
  ) throws(StoreError) -> [Write] {
    guard let path = ResourcePath.document("payments", paymentID), let payment = try reads.fields(path),
      payment.holds("userId", place.member), payment.holds("classId", place.classID ?? ""),
      payment.holds("type", "dropIn"), payment.holds("status", "completed")
    else { return [] }
    return [.merge(path, ["status": .string("refunded")], precondition: .exists(true))]
  }

  // MARK: reports

  /// Adds what a payment brought to the report of its month, and takes back what was refunded: the difference that the
  /// event made, once, by its marker.
  public func countRevenue(_ event: DocumentEvent) async throws {
    guard let after = event.after else { return }
    let earned = [(event.before, -1.0), (after, 1.0)].map { (fields, sign) in
      (month: (fields?.timestamp("createdAt") ?? event.time).month, amount: sign * Self.revenue(fields))
    }
    let isOneMonth = earned[0].month.hasSameBytes(as: earned[1].month)
    let steps =
      isOneMonth ? [(month: earned[0].month, amount: earned[0].amount + earned[1].amount)] : earned
    guard steps.contains(where: { $0.amount != 0 }) else { return }
    let marker = EventMarker(event)
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard try !marker.isSet(reads) else { return [] }
      var writes = [marker.setting]
      for step in steps {
        writes += try changingReport(of: step.month, reads) { report in
          // Whole hundredths, so that sums of fractions stay what they are on paper.
          let sum = (report.number("revenue") ?? 0) + step.amount
          report["revenue"] = .double((sum * 100).rounded() / 100)
        }
      }
      return writes
    }
  }

  /// What the studio has of a payment; nothing of an amount that nobody can mean, which would spoil every sum.
  private static func revenue(_ payment: Fields?) -> Double {
    guard let payment, payment.holds("status", "completed"), let amount = payment.number("amount"),
      abs(amount) <= amountMax
    else { return 0 }
    return payment.holds("type", "refund") ? -abs(amount) : amount
  }

  /// Counts the classes that have been held, and their bookings, in the month that yesterday was in. It counts them all
  /// each time, so doing it again changes nothing.
  public func countClasses(_ database: DatabaseID) async throws {
    let now = now
    let month = Timestamp(seconds: now.seconds - 86_400, nanoseconds: 0).monthStart
    var query = StructuredQuery(database: database, collection: ResourcePath(unchecked: "classes"))
    query.filter = .all([
      .field("startTime", .greaterThanOrEqual, .timestamp(month)),
      .field("startTime", .lessThan, .timestamp(month.adding(months: 1))),
    ])
    try await store.transaction(database) { (reads) throws(StoreError) in
      let held = try reads.documents(query).map(\.fields).filter { fields in
        guard let start = fields.timestamp("startTime") else { return false }
        return start <= now && fields.boolean("isActive") == true
      }
      guard !held.isEmpty else { return [] }
      return try changingReport(of: month.month, reads) { report in
        report["classes"] = .integer(Int64(held.count))
        report["bookings"] = .integer(held.reduce(0) { $0 &+ ($1.integer("bookedCount") ?? 0) })
      }
    }
  }

  /// The write that changes the report of a month, which may not be there yet; none if nothing differs.
  private func changingReport(
    of month: String, _ reads: TransactionReads, _ change: (inout Fields) -> Void
  ) throws(StoreError) -> [Write] {
    let path = ResourcePath(unchecked: "reports").appending(month)
    let stored = try reads.fields(path)
    var report =
      stored
      ?? ["month": .string(month), "revenue": .integer(0), "classes": .integer(0), "bookings": .integer(0)]
    change(&report)
    return report == stored ? [] : [.set(path, report)]
  }
}
