/// A studio in a store, and deliveries of what is changed there in every way that a runner may deliver it.

import DocModel
import DocStore
import EngineLMDB
import Packs
import TestSupport
import Testing

@testable import Triggers

/// How the events of one moment reach the triggers.
enum DeliveryOrder: CaseIterable, Sendable {
  case inOrder, reversed, twice, overlapping
}

/// A store whose clock stands, with the pack's triggers beside it.
struct YogaStudio {
  /// A document to begin with.
  struct Given: Sendable {
    let path: String
    var fields: Fields

    init(_ path: String, _ fields: Fields) {
      self.path = path
      self.fields = fields
    }
  }
  typealias Documents = [Given]

  static let now = time("2026-03-01T12:00:00Z")
  static let period = time("2026-02-15T00:00:00Z")

  let store: DocumentStore<LMDBEngine>
  let triggers: YogaStudioTriggers<LMDBEngine>

  init(_ documents: [Documents], at now: Timestamp = YogaStudio.now) async throws {
    let environment = Environment(
      now: { now.microseconds }, random: Environment.system.random, elapsed: Environment.system.now)
    store = try DocumentStore(engine: try LMDBEngine.ephemeral(), environment: environment)
    triggers = YogaStudioTriggers(store)
    try await put(documents)
  }

  func put(_ documents: [Documents]) async throws {
    for given in documents.joined() { try await store.set(given.path, given.fields) }
  }

  static func time(_ text: String) -> Timestamp {
    guard let time = Timestamp(rfc3339: text) else { fatalError("\(text) is no time") }
    return time
  }

  // MARK: documents as in the seed

  static func aClass(
    _ id: String = "yin", capacity: Int64 = 2, booked: [String] = [], waiting: [String] = [],
    isActive: Bool = true, start: String = "2026-03-05T19:00:00Z", period: Value = .null
  ) -> Documents {
    let fields: Fields = [
      "id": .string(id), "title": .string("Yin"), "description": .string(""),
      "instructorName": .string("Mei"),
      "category": .string("yin"), "startTime": .timestamp(time(start)), "duration": .integer(3_600),
      "capacity": .integer(capacity), "price": .double(18.5), "isActive": .boolean(isActive),
      "bookedCount": .integer(Int64(booked.count)), "waitlistCount": .integer(Int64(waiting.count)),
    ]
    let bookings = booked.flatMap { booking($0, id, period: period) }
    let entries = waiting.enumerated().map { number, uid in
      let joined = Timestamp(seconds: now.seconds - 1_000 + Int64(number), nanoseconds: 0)
      return Given(
        "classes/\(id)/waitlist/\(uid)", ["userId": .string(uid), "joinedAt": .timestamp(joined)])
    }
    return [Given("classes/\(id)", fields)] + bookings + entries
  }

  static func booking(
    _ uid: String, _ classID: String = "yin", status: String = "confirmed",
    paymentID: String? = nil,
    period: Value = .null
  ) -> Documents {
    let fields: Fields = [
      "id": .string(uid), "userId": .string(uid), "classId": .string(classID),
      "bookingDate": .timestamp(time("2026-02-20T10:00:00Z")), "status": .string(status),
      "paymentId": text(paymentID), "period": period,
    ]
    return [Given("classes/\(classID)/bookings/\(uid)", fields)]
  }

  private static func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }

  static func subscription(
    _ uid: String, _ plan: String, used: Int64 = 0, limit: Int64 = 0,
    end: String = "2026-03-15T00:00:00Z",
    autoRenew: Bool = true, pendingPlan: String? = nil
  ) -> Documents {
    let fields: Fields = [
      "id": .string("sub_\(uid)"), "userId": .string(uid), "plan": .string(plan),
      "startDate": .timestamp(period), "endDate": plan == "dropIn" ? .null : .timestamp(time(end)),
      "isActive": .boolean(true), "classesUsed": .integer(used), "classesLimit": .integer(limit),
      "lastClassId": .null, "autoRenew": .boolean(autoRenew),
      "pendingPlan": text(pendingPlan),
    ]
    return [Given("users/\(uid)/subscription/current", fields)]
  }

  static func payment(
    _ id: String, of uid: String, _ type: String = "dropIn", classID: String? = nil,
    amount: Value = .double(18.5),
    status: String = "completed", created: String = "2026-02-20T09:58:00Z"
  ) -> Documents {
    let fields: Fields = [
      "id": .string(id), "userId": .string(uid), "classId": text(classID),
      "amount": amount, "currency": .string("GBP"), "type": .string(type),
      "status": .string(status),
      "createdAt": .timestamp(time(created)), "description": .string("x"),
    ]
    return [Given("payments/\(id)", fields)]
  }

  static var plans: Documents {
    let rows: [(String, Int64, Int64)] = [
      ("basic", 49, 4), ("premium", 79, 8), ("unlimited", 119, 0), ("dropIn", 0, 0),
    ]
    return rows.map { name, price, classes in
      let fields: Fields = [
        "plan": .string(name), "name": .string(name), "price": .integer(price),
        "classesPerMonth": .integer(classes),
      ]
      return Given("plans/\(name)", fields)
    }
  }

  // MARK: changes

  /// Sets fields of a document that is there.
  func change(_ path: String, _ fields: Fields) async throws {
    _ = try await store.commit(
      database, [.merge(TriggersTests.path(path), fields, precondition: .exists(true))])
  }

  /// As a member cancels: the three writes.
  func cancel(_ uid: String, _ classID: String = "yin") async throws {
    let yogaClass = path("classes/\(classID)")
    _ = try await store.commit(
      database,
      [
        .merge(yogaClass.appending("bookings").appending(uid), ["status": .string("cancelled")]),
        .count(yogaClass, ["bookedCount"], by: -1),
      ])
  }

  /// Has the triggers handle what `changes` commits, and what follows from that, until nothing follows. Returns what they
  /// threw, each once.
  @discardableResult
  func settle(_ delivery: DeliveryOrder = .inOrder, _ changes: () async throws -> Void) async throws
    -> Set<String>
  {
    let noted = Journal<(trigger: DocumentTrigger, event: DocumentEvent)>()
    let errors = Journal<String>()
    let noting = try triggers.all.map { trigger throws(InvalidArgument) in
      try DocumentTrigger(trigger.name, on: trigger.event, trigger.pattern.text) {
        noted.note((trigger, $0))
      }
    }
    let runner = try TriggerRunner(store, noting, settings: .quick)
    try await runner.whileRunning {
      try await changes()
      var handled = 0
      while await runner.drain(), noted.entries.count > handled {
        let fresh = Array(noted.entries[handled...])
        handled += fresh.count
        try #require(handled < 5_000, "the triggers never come to rest")
        for round in delivery.rounds(fresh) {
          await withTaskGroup { group in
            for (trigger, event) in round {
              group.addTask {
                do { try await trigger.action(event) } catch { errors.note("\(error)") }
              }
            }
          }
        }
      }
    }
    return Set(errors.entries)
  }

  // MARK: what is there

  /// Every document but the markers, without what is drawn or told by a clock.
  func contents() throws -> [String] {
    let all = StructuredQuery(database: database, from: [.init("", includesDescendants: true)])
    return try store.documents(all).compactMap { (document) -> String? in
      var fields = document.fields
      var name = document.path.text
      if name.hasPrefix("triggerEvents/") { return nil }
      if name.contains("/notifications/") || name.hasPrefix("payments/renewal_") {
        name = document.path.parent.text + "/?"
        for drawn in ["id", "createdAt"] { fields[drawn] = nil }
      }
      if name.contains("/bookings/") { fields["bookingDate"] = nil }
      return "\(name) \(fields.entries.map { "\($0.name): \($0.value)" })"
    }.sorted()
  }

  /// `type` of all notifications of a member.
  func messages(_ uid: String) throws -> [String] {
    let query = StructuredQuery(database: database, collection: path("users/\(uid)/notifications"))
    return try store.documents(query).compactMap { (document) -> String? in
      guard case .string(let type) = document.fields["type"] else { return nil }
      return type
    }.sorted()
  }

  func text(_ path: String, _ field: String) throws -> String? {
    guard case .string(let text) = try store.fields(path)?[field] else { return nil }
    return text
  }

  func waiting(_ classID: String = "yin") throws -> [String] {
    let query = StructuredQuery(database: database, collection: path("classes/\(classID)/waitlist"))
    return try store.documents(query).map(\.path.lastSegment)
  }

  /// What the rules promise of a class: its counters are the numbers of its places and of those who wait.
  func expectExactCounters(_ classID: String = "yin", _ location: SourceLocation = #_sourceLocation)
    throws
  {
    let bookings = try store.documents(
      StructuredQuery(database: database, collection: path("classes/\(classID)/bookings")))
    let taken = bookings.filter { $0.fields["status"] != .string("cancelled") }.count
    let booked = try store.integer("classes/\(classID)", "bookedCount")
    #expect(booked == Int64(taken), sourceLocation: location)
    #expect(
      try store.integer("classes/\(classID)", "waitlistCount") == Int64(waiting(classID).count),
      sourceLocation: location)
    let capacity = try #require(try store.integer("classes/\(classID)", "capacity"))
    #expect(taken <= capacity, sourceLocation: location)
  }
}

extension DeliveryOrder {
  /// The events in the groups in which they are handled at the same time.
  func rounds<Entry>(_ events: [Entry]) -> [[Entry]] {
    switch self {
    case .inOrder: events.map { [$0] }
    case .reversed: events.reversed().map { [$0] }
    case .twice: (events + events).map { [$0] }
    case .overlapping: [(0..<16).flatMap { _ in events }]
    }
  }
}

extension Array where Element == YogaStudio.Given {
  /// The first document with another value in a field.
  func with(_ name: String, _ value: Value) -> Self {
    var all = self
    all[0].fields[name] = value
    return all
  }
}

extension Fields {
  func with(_ name: String, _ value: Value) -> Fields {
    var fields = self
    fields[name] = value
    return fields
  }

  /// With the date of another booking.
  func settingDate(_ other: Fields) -> Fields {
    with("bookingDate", other["bookingDate"] ?? .null)
  }
}
