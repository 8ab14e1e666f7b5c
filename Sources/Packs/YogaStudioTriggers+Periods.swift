/// The periods of subscriptions: how they begin after a payment, go on and end.

public import DocModel
internal import DocStore
public import Triggers

extension YogaStudioTriggers {
  /// Assumed: the studio takes one currency, that of its plans.
  private static var currency: String { "GBP" }

  // MARK: after a payment

  /// Starts the period that a completed payment of the types `subscription` and `upgrade` pays for, at the time of the
  /// payment; a first payment of the type `dropIn` makes a subscription to single classes. Of several payments the latest
  /// counts, in whatever order they come. Its marker keeps an event from doing it twice.
  public func startPeriod(_ event: DocumentEvent) async throws {
    guard let payment = event.after, payment.holds("status", "completed"),
      event.before?.holds("status", "completed") != true, let type = payment.string("type"),
      ["subscription", "upgrade", "dropIn"].contains(type)
    else { return }
    guard let profile = ResourcePath.document("users", payment.string("userId")) else {
      throw YogaStudioFailure.nobodyPaid(event.path)
    }
    let place = StudioPlace(classPath: nil, member: profile.lastSegment)
    let start = payment.timestamp("createdAt") ?? event.time
    let marker = EventMarker(event)
    var isOfUnknownPlan = false
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      isOfUnknownPlan = false
      guard try reads.fields(event.path)?.holds("status", "completed") == true, try !marker.isSet(reads)
      else {
        return []
      }
      let current = try reads.fields(place.subscription)
      let terms: Fields
      if type == "dropIn" {
        guard current?.boolean("isActive") != true else { return [] }
        terms = Self.terms(of: .dropIn, from: start)
      } else {
        let started = current?.timestamp("startDate")
        guard StudioPlan(current, "plan") == .dropIn || started.map({ $0 < start }) ?? true else { return [] }
        guard
          let plan = try plan(paidBy: payment, event.database, reads) ?? StudioPlan(current, "pendingPlan")
        else {
          isOfUnknownPlan = true
          return []
        }
        terms = Self.terms(of: plan, from: start)
      }
      return [marker.setting, .merge(place.subscription, Self.base(current, place, terms))]
    }
    if isOfUnknownPlan { throw YogaStudioFailure.noSuchPlan(event.path) }
  }

  /// The plan that a payment names, else the one that costs what was paid.
  private func plan(
    paidBy payment: Fields, _ database: DatabaseID, _ reads: TransactionReads
  ) throws(StoreError) -> StudioPlan? {
    if let plan = StudioPlan(payment, "plan") { return plan }
    guard let amount = payment.number("amount"), amount > 0 else { return nil }
    let plans = try reads.documents(
      StructuredQuery(database: database, collection: ResourcePath(unchecked: "plans")))
    return plans.first { $0.fields.number("price") == amount }.flatMap {
      StudioPlan(rawValue: $0.path.lastSegment)
    }
  }

  /// The terms, and all other fields for a subscription that is not there yet, or was for single classes.
  private static func base(_ current: Fields?, _ place: StudioPlace, _ terms: Fields) -> Fields {
    guard current == nil || StudioPlan(current, "plan") == .dropIn else { return terms }
    var all = terms
    all["id"] = .string("sub_" + place.member)
    all["userId"] = .string(place.member)
    all["lastClassId"] = .null
    all["autoRenew"] = .boolean(terms["endDate"] != .null)
    return all
  }

  /// What changes in one write when a period begins. A new `startDate` always comes with it, because uses are given back
  /// to the period that they were taken from.
  private static func terms(of plan: StudioPlan, from start: Timestamp) -> Fields {
    [
      "plan": .string(plan.rawValue), "startDate": .timestamp(start),
      "endDate": plan == .dropIn ? .null : .timestamp(start.adding(months: 1)), "isActive": .boolean(true),
      "classesUsed": .integer(0), "classesLimit": .integer(plan.classesLimit), "pendingPlan": .null,
    ]
  }

  // MARK: by the clock

  /// Goes through the subscriptions whose period has ended. Each is renewed or ended in a commit of its own, and then no
  /// longer found.
  public func renewSubscriptions(_ database: DatabaseID) async throws {
    let query = StructuredQuery(
      database: database, from: [.init("subscription", includesDescendants: true)],
      where: .all([
        .field("isActive", .equal, .boolean(true)), .field("endDate", .lessThanOrEqual, .timestamp(now)),
      ]),
      orderBy: [.init("endDate")])
    for due in try store.documents(query) {
      let path = due.path
      guard path.segmentCount == 4, path.isBelow(ResourcePath(unchecked: "users")),
        path.lastSegment.hasSameBytes(as: "current")
      else { continue }
      try await renew(StudioPlace(classPath: nil, member: path.parent.parent.lastSegment), database)
    }
  }

  /// Charges for the next period and begins it, with the plan that was asked for; ends the subscription where nobody wants
  /// it to go on, or nothing says what to charge. After a long pause only the period that now lies in is charged.
  ///
  /// There is no bank here: to charge is to write a payment that is completed.
  private func renew(_ place: StudioPlace, _ database: DatabaseID) async throws(StoreError) {
    let now = now
    try await store.transaction(database) { (reads) throws(StoreError) in
      guard let current = try reads.fields(place.subscription), current.boolean("isActive") == true,
        let end = current.timestamp("endDate"), end <= now
      else { return [] }
      let plan = StudioPlan(current, "pendingPlan") ?? StudioPlan(current, "plan")
      let details = try plan.map { (plan) throws(StoreError) in
        try reads.fields(ResourcePath(unchecked: "plans").appending(plan.rawValue))
      }
      guard current.boolean("autoRenew") == true, let plan, let price = details??.number("price") else {
        return [
          .merge(place.subscription, ["isActive": .boolean(false)]),
          message(.ended, to: place, of: ["title": .string(details??.string("name") ?? "Your plan")]),
        ]
      }
      let start = end.adding(months: end.wholeMonths(until: now))
      let terms = Self.terms(of: plan, from: start)
      var subject: Fields = ["title": .string(details??.string("name") ?? plan.rawValue)]
      subject["startTime"] = terms["endDate"]
      var writes = [Write.merge(place.subscription, terms), message(.renewed, to: place, of: subject)]
      if plan != .dropIn { writes.append(charge(price, of: plan, to: place, from: start, subject)) }
      return writes
    }
  }

  private func charge(
    _ price: Double, of plan: StudioPlan, to place: StudioPlace, from start: Timestamp, _ subject: Fields
  ) -> Write {
    let id = "renewal_" + store.environment.documentID()
    return .create(
      ResourcePath(unchecked: "payments").appending(id),
      [
        "id": .string(id), "userId": .string(place.member), "classId": .null, "amount": .double(price),
        "currency": .string(Self.currency), "type": .string("subscription"), "status": .string("completed"),
        "createdAt": .timestamp(start), "description": subject["title"] ?? .null,
        "plan": .string(plan.rawValue),
      ])
  }
}

/// Why a trigger of the pack cannot do its work.
public enum YogaStudioFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A payment without a member.
  case nobodyPaid(ResourcePath)
  /// A payment that names no plan and costs what no plan costs.
  case noSuchPlan(ResourcePath)

  public var description: String {
    switch self {
    case .nobodyPaid(let path): "\(path) has no userId that can be a member's: write the payer's uid there"
    case .noSuchPlan(let path):
      "\(path) pays for a plan, but names none and no plan has its price: write the plan's name in its field plan"
    }
  }
}
