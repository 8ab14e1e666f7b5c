/// The pack's triggers: each by itself, again, sixteen times at once, in other orders, and with documents of any shape.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Packs
@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct FitCoachTriggersTests {
  typealias Store = DocumentStore<NaiveEngine>

  private func store(now: String = "2026-03-10T12:00:00Z") throws -> Store {
    try DocumentStore(engine: NaiveEngine(), environment: Environment(now: { micros(now) }, random: { 7 }))
  }

  private let mina: Fields = ["timeZone": .string("Asia/Riyadh"), "coachId": .string("sara")]
  private let slot = "coaches/sara/slots/s1"

  private func booking(_ status: String) -> Fields {
    [
      "userId": .string("mina"), "coachId": .string("sara"), "status": .string(status),
      "startsAt": .timestamp(Timestamp(seconds: 4_076_128_800, nanoseconds: 0)),
    ]
  }

  private func usage(until end: String) -> Fields {
    ["chatUsed": .integer(3), "sessionsUsed": .integer(1), "resetsAt": time(end)]
  }

  // MARK: quotas

  @Test(
    "a new user gets the free plan and the month's counters, which end at midnight in the user's time zone",
    arguments: [
      ("Asia/Riyadh", "2026-03-31T20:59:59Z", "2026-03", "2026-03-31T21:00:00Z"),
      ("Asia/Riyadh", "2026-03-31T21:00:00Z", "2026-04", "2026-04-30T21:00:00Z"),
      ("Europe/Berlin", "2026-12-31T22:30:00Z", "2026-12", "2026-12-31T23:00:00Z"),
      ("Europe/Berlin", "2026-12-31T23:30:00Z", "2027-01", "2027-01-31T23:00:00Z"),
      ("UTC", "2028-02-29T23:59:00Z", "2028-02", "2028-03-01T00:00:00Z"),
      ("Nowhere/Land", "2026-03-10T12:00:00Z", "2026-03", "2026-04-01T00:00:00Z"),
      ("../../etc/passwd", "2026-03-10T12:00:00Z", "2026-03", "2026-04-01T00:00:00Z"),
    ])
  func setsUp(_ zone: String, _ now: String, _ month: String, _ end: String) async throws {
    let store = try store(now: now)
    try await running(on: store) { try await store.set("users/mina", ["timeZone": .string(zone)]) }
    #expect(try store.fields("subscriptions/mina") == ["planId": .string("freemium")])
    let expected: Fields = [
      "chatUsed": .integer(0), "sessionsUsed": .integer(0), "resetsAt": time(end), "lastMessageId": .null,
      "lastBookingId": .null,
    ]
    #expect(try store.fields("users/mina/usage/\(month)") == expected)
    #expect(try store.names(below: "users/mina") == ["users/mina/usage/\(month)"])
  }

  @Test(
    "what a user has is kept: a plan that was paid before, counters of a month that is not over",
    arguments: [
      ("2026-04-01T00:00:00Z", ["2026-03"]),  // not over
      ("2099-01-01T00:00:00Z", ["2026-03"]),
      ("2026-03-10T12:00:00Z", ["2026-03", "2026-04"]),  // over, as in the zone that the user was in before
    ])
  func keeps(_ end: String, _ months: [String]) async throws {
    let store = try store()
    try await store.set("subscriptions/mina", ["planId": .string("premium")])
    try await store.set("users/mina/usage/2026-03", usage(until: end))
    try await running(on: store) { try await store.set("users/mina", mina) }
    #expect(try store.fields("subscriptions/mina") == ["planId": .string("premium")])
    #expect(try store.fields("users/mina/usage/2026-03") == usage(until: end))
    #expect(try store.names(below: "users/mina") == months.map { "users/mina/usage/\($0)" })
  }

  @Test(
    "at the turn of the month each user gets new counters when the month is over where they are, and once")
  func rollsOver() async throws {
    let store = try store()
    let pack = FitCoachTriggers(store)
    let zones = [
      "a": "Pacific/Kiritimati", "b": "Asia/Riyadh", "c": "UTC", "d": "Pacific/Honolulu", "e": "\u{0}",
    ]
    for (uid, zone) in zones { try await store.set("users/\(uid)", ["timeZone": .string(zone)]) }
    try await store.set("users/f", ["timeZone": .array([])])
    // What a copy of an account counts is nobody's.
    try await store.set("accountExports/x/users/c/usage/2026-03", usage(until: "2099-01-01T00:00:00Z"))
    func months(_ now: String) async throws -> String {
      for _ in 0..<2 { try await pack.rollOverUsage(in: database, now: Timestamp(microseconds: micros(now))) }
      return try (zones.keys + ["f"]).sorted().map { uid in
        "\(uid):" + (try store.names(below: "users/\(uid)").map { $0.suffix(2) }.joined(separator: ","))
      }.joined(separator: " ")
    }
    #expect(try await months("2026-03-31T09:59:59Z") == "a:03 b:03 c:03 d:03 e:03 f:03")
    #expect(try await months("2026-03-31T10:00:00Z") == "a:03,04 b:03 c:03 d:03 e:03 f:03")
    #expect(try await months("2026-03-31T21:00:00Z") == "a:03,04 b:03,04 c:03 d:03 e:03 f:03")
    #expect(try await months("2026-04-01T00:00:00Z") == "a:03,04 b:03,04 c:03,04 d:03 e:03,04 f:03,04")
    #expect(try await months("2026-04-01T10:00:00Z") == "a:03,04 b:03,04 c:03,04 d:03,04 e:03,04 f:03,04")
    // At no time has anybody counters of two months.
    try await store.set("users/a", ["timeZone": .string("Pacific/Honolulu")])
    try await store.set("users/d", ["timeZone": .string("Pacific/Kiritimati")])
    #expect(try await months("2026-04-30T10:00:00Z") == "a:03,04,05 b:03,04 c:03,04 d:03,04 e:03,04 f:03,04")
    let open = StructuredQuery(
      database: database, parent: path("users/a"), from: [.init("usage")],
      where: .field("resetsAt", .greaterThan, time("2026-04-30T10:00:00Z")))
    #expect(try store.documents(open).map(\.path.lastSegment) == ["2026-05"])
  }

  // MARK: bookings

  @Test(
    "a slot is free while it has no booking, whatever its status; the order of events does not matter",
    arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2, 1, 0]])
  func slots(_ order: [Int]) async throws {
    let store = try store()
    let pack = FitCoachTriggers(store)
    try await store.set(slot, ["isAvailable": .boolean(true)])
    for final in ["pending", "canceled", nil] {
      let states: [(Fields?, Fields?)] = [
        (nil, booking("pending")), (booking("pending"), booking("approved")), (booking("approved"), nil),
      ]
      if let final {
        try await store.set("bookings/s1", booking(final))
      } else {
        try await store.delete("bookings/s1")
      }
      for index in order {
        let (before, after) = states[index]
        try await pack.markSlot(event("e\(index)", "bookings/s1", before, after))
      }
      #expect(try store.fields(slot) == ["isAvailable": .boolean(final == nil)])
    }
  }

  @Test("user and coach are told of each status once; who turned it off, or is gone, is not")
  func notices() async throws {
    let store = try store()
    try await store.set("coaches/sara", [:])
    try await store.set(slot, ["isAvailable": .boolean(true)])
    try await store.set("users/mina", mina)
    try await running(on: store, times: 2) {
      try await store.set("bookings/s1", booking("pending"))
      try await store.set("bookings/s1", booking("approved"))
      var moved = booking("approved")
      moved["note"] = .string("no other status")
      try await store.set("bookings/s1", moved)
    }
    for person in ["users/mina", "coaches/sara"] {
      let notices = StructuredQuery(database: database, collection: path(person + "/notifications"))
      let statuses = try store.documents(notices).map { $0.fields.string("status") }
      #expect(statuses == ["pending", "approved"], "\(person)")
    }
    #expect(try store.fields(slot) == ["isAvailable": .boolean(false)])
    try await store.set("users/mina", ["notifications": .map(["bookings": .boolean(false)])])
    try await store.delete("coaches/sara")
    let told = try store.names(below: "").count
    try await running(on: store) { try await store.set("bookings/s1", booking("canceled")) }
    // The marker alone.
    #expect(try store.names(below: "").count == told + 1)
  }

  // MARK: audit

  @Test(
    "what admins alone may do is logged with who did it; what others do is not",
    arguments: [
      ("plans/p", nil, ["name": .string("P")], .user("ada"), "plans.write"),
      ("users/mina/overrides/first", nil, ["unlocks": .array([])], .user("ada"), "overrides.write"),
      ("users/mina/overrides/first", ["unlocks": .array([])], nil, .user("ada"), "overrides.delete"),
      ("users/mina", ["coachId": .null], ["coachId": .string("sara")], .user("ada"), "users.assign"),
      ("users/mina", ["language": .string("ar")], ["language": .string("en")], .user("mina"), nil),
      ("coaches/sara", nil, ["experienceYears": .integer(1)], .user("ada"), "coaches.create"),
      ("coaches/sara", ["experienceYears": .integer(1)], [:], .user("ada"), "coaches.update"),
      ("coaches/sara", ["experienceYears": .integer(1)], [:], .user("sara"), nil),
      ("coaches/sara", ["experienceYears": .integer(1)], nil, .user("ada"), "coaches.delete"),
      ("products/whey", ["stock": .integer(1)], ["stock": .integer(2)], .user("ada"), "products.update"),
      (
        "products/whey", ["lastOrderId": .null, "stock": .integer(2)],
        ["lastOrderId": .string("o1"), "stock": .integer(1)], .user("mina"), nil
      ),
      (
        "orders/o1", ["status": .string("placed")], ["status": .string("paid")], .user("ada"), "orders.update"
      ),
      ("orders/o1", nil, ["status": .string("placed")], .user("mina"), nil),
      ("plans/p", nil, ["name": .string("P")], .administrator, nil),
      ("plans/p", nil, ["name": .string("P")], .system, nil),
    ] as [(String, Fields?, Fields?, CommitAuthor, String?)])
  func audits(
    _ name: String, _ before: Fields?, _ after: Fields?, _ author: CommitAuthor, _ what: String?
  ) async throws {
    let store = try store()
    if let before { try await store.set(name, before) }
    try await running(on: store, times: 2) {
      let write = after.map { Write(path(name), .update(fields: $0.encoded, mask: nil)) }
      _ = try await store.commit(database, [write ?? Write(path(name), .delete)], author: author)
    }
    let log = try store.documents(StructuredQuery(database: database, collection: path("auditLog")))
    #expect(log.map { $0.fields.string("what") } == (what.map { [$0] } ?? []))
    guard let entry = log.first else { return }
    #expect(entry.fields.string("who") == "ada" && entry.fields.string("target") == name)
    #expect(entry.fields.timestamp("when") != nil && entry.fields.count == 4)
  }

  @Test("a change by nobody who can be named is reported, and not logged")
  func nobody() async throws {
    let store = try store()
    await #expect(throws: FitCoachFailure.unknownAuthor(path("plans/p"))) {
      try await FitCoachTriggers(store).audit(
        event("e", "plans/p", nil, [:], author: .unknown), "plans.write")
    }
    #expect(try store.names(below: "") == [])
  }

  // MARK: deletion

  private func fillAccount(_ store: Store) async throws -> [String] {
    var names = ["users/mina", "subscriptions/mina", "bookings/s1", "orders/o1", "chats/mina_sara"]
    names +=
      (0..<20).map { "users/mina/workoutLogs/l\($0)" } + (0..<11).map { "chats/mina_sara/messages/m\($0)" }
    names += ["users/mina/plan/d/notes/n", "chats/mina_tom", "users/mina/usage/2026-03"]
    for name in names {
      let fields = Fields([
        ("userId", .string("mina")), ("name", .string(name)), ("resetsAt", time("2026-04-01T00:00:00Z")),
      ])
      try await store.set(name, fields)
    }
    for name in ["users/omar", "users/omar/workoutLogs/l1", "orders/o2", "chats/omar_sara/messages/m"] {
      try await store.set(name, ["userId": .string("omar")])
    }
    return names.sorted()
  }

  private let others = ["chats/omar_sara/messages/m", "orders/o2", "users/omar", "users/omar/workoutLogs/l1"]

  @Test("an account is exported and deleted; other accounts stay; a second request finds nothing")
  func deletes() async throws {
    let store = try store()
    let names = try await fillAccount(store)
    let request = event("e1", "deletionRequests/mina", nil, [:])
    let pack = FitCoachTriggers(store)
    // Without the request there is nothing to do.
    try await pack.deleteAccount(request)
    #expect(try store.fields("users/mina") != nil)
    try await store.set("deletionRequests/mina", ["requestedAt": time("2026-03-10T11:00:00Z")])
    try await pack.deleteAccount(request)
    #expect(try store.names(below: "accountExports/e1") == names.map { "accountExports/e1/\($0)" })
    for name in names { #expect(try store.fields("accountExports/e1/\(name)")?.string("name") == name) }
    #expect(
      try store.fields("accountExports/e1") == [
        "userId": .string("mina"), "requestedAt": time("2026-03-10T11:00:00Z"),
        "finishedAt": time("2026-03-10T12:00:00Z"),
      ])
    #expect(try store.names(below: "").filter { !$0.hasPrefix("accountExports/") } == others)
    let version = try store.presentVersion()
    try await pack.deleteAccount(request)
    #expect(try store.presentVersion() == version)
  }

  @Test(
    "sixteen deliveries at once delete and export an account once, and lose nothing that is written meanwhile"
  )
  func deletesOnce() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let pack = FitCoachTriggers(store)
    try await store.set("users/mina", mina)
    for number in 0..<40 { try await store.set("users/mina/workoutLogs/l\(number)", [:]) }
    try await store.set("deletionRequests/mina", ["requestedAt": .null])
    let request = event("e1", "deletionRequests/mina", nil, [:])
    try await withThrowingTaskGroup { group in
      for _ in 0..<16 { group.addTask { try await pack.deleteAccount(request) } }
      for number in 0..<20 {
        group.addTask { try await store.set("users/mina/workoutLogs/late\(number)", [:]) }
      }
      try await group.waitForAll()
    }
    let exported = try store.names(below: "accountExports/e1").map {
      $0.dropFirst("accountExports/e1/".count)
    }
    let left = try store.names(below: "users/mina")
    let logs = exported.filter { $0.hasPrefix("users/mina/workoutLogs/") }.map { String($0) }
    #expect(logs.count + left.count == 60 && Set(logs).isDisjoint(with: left))
    #expect(exported.contains("users/mina"))
    #expect(try store.fields("users/mina") == nil && store.fields("deletionRequests/mina") == nil)
    store.close()
  }

  @Test("a user who signs up again before the deletion has ended is set up when it has")
  func signsUpAgain() async throws {
    let store = try store()
    let pack = FitCoachTriggers(store)
    try await store.set("deletionRequests/mina", [:])
    try await store.set("users/mina", mina)
    try await pack.setUpAccount(event("e1", "users/mina", nil, mina))
    #expect(try store.fields("subscriptions/mina") == nil)
    // The deletion was done, and its last step was taken by a delivery that did not come to its end.
    try await store.delete("deletionRequests/mina")
    try await pack.deleteAccount(event("e2", "deletionRequests/mina", nil, [:]))
    #expect(try store.fields("subscriptions/mina") == ["planId": .string("freemium")])
    #expect(try store.names(below: "users/mina") == ["users/mina/usage/2026-03"])
  }

  // MARK: all

  @Test("sixteen deliveries of each event at once do what one does")
  func overlapping() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    try await store.set("coaches/sara", [:])
    try await store.set(slot, ["isAvailable": .boolean(true)])
    try await running(on: store, times: 16, atOnce: true) {
      try await store.set("users/mina", mina)
      try await store.set("bookings/s1", booking("pending"))
      let plan = Write(path("plans/p"), .update(fields: Fields().encoded, mask: nil))
      _ = try await store.commit(database, [plan], author: .user("ada"))
    }
    #expect(try store.names(below: "users/mina").count == 2)
    #expect(try store.names(below: "coaches/sara").count == 2)
    #expect(try store.documents(StructuredQuery(database: database, collection: path("auditLog"))).count == 1)
    #expect(try store.fields(slot) == ["isAvailable": .boolean(false)])
    store.close()
  }

  @Test("documents of any shape end in no failure and harm nobody", arguments: Hostile.values)
  func hostile(_ value: Value) async throws {
    let store = try store()
    try await store.set("coaches/sara", [:])
    try await store.set(slot, ["isAvailable": value])
    try await running(on: store) {
      try await store.set("users/mina", ["timeZone": value, "notifications": value, "coachId": value])
      try await store.set(
        "bookings/s1", ["userId": value, "coachId": value, "status": value, "startsAt": value])
      try await store.set(
        "bookings/s2", ["coachId": .string("sara"), "status": .string("pending"), "userId": value])
      try await store.set("users/omar/usage/2026-03", ["resetsAt": value])
      try await store.set("users/omar", mina)
      for name in ["users/mina", "bookings/s1"] { try await store.set(name, ["coachId": value, "x": value]) }
      try await store.set("deletionRequests/mina", ["requestedAt": value])
    }
    #expect(try store.fields(slot)?["isAvailable"] == value)
    #expect(try store.fields("users/mina") == nil)
    #expect(try store.fields("subscriptions/omar") != nil)
  }
}
