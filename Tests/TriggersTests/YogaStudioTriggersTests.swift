/// The triggers of the yoga studio: what each does, however its events come.

import DocModel
import DocStore
import EngineLMDB
import Testing

@testable import Packs
@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct YogaStudioTriggersTests {
  private typealias Studio = YogaStudio

  /// A studio, something that happens there, and what must be so afterwards.
  struct Story: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let documents: [YogaStudio.Documents]
    let happens: @Sendable (YogaStudio) async throws -> Void
    let check: @Sendable (YogaStudio) throws -> Void

    init(
      _ name: String, _ documents: [YogaStudio.Documents],
      _ happens: @escaping @Sendable (YogaStudio) async throws -> Void,
      then check: @escaping @Sendable (YogaStudio) throws -> Void
    ) {
      testDescription = name
      self.documents = documents
      self.happens = happens
      self.check = check
    }
  }

  @Test(
    "a story ends in one state, in whatever order and however often its events come",
    arguments: Self.promotions + Self.cancellations + Self.payments)
  func story(_ story: Story) async throws {
    var ends: [[String]] = []
    for delivery in DeliveryOrder.allCases {
      let studio = try await YogaStudio(story.documents)
      let errors = try await studio.settle(delivery) { try await story.happens(studio) }
      #expect(errors == [], "\(delivery)")
      try story.check(studio)
      ends.append(try studio.contents())
      studio.store.close()
    }
    #expect(ends.allSatisfy { $0 == ends[0] })
  }

  @Test("a drop-in that booked again before its payment went back keeps both")
  func bookedAgain() async throws {
    let documents = [
      Studio.aClass(capacity: 1, booked: ["dora"]),
      Studio.payment("p1", of: "dora", classID: "yin"),
      Studio.booking("dora", paymentID: "p1"),
    ]
    let studio = try await YogaStudio(documents)
    try await studio.settle {
      try await studio.cancel("dora")
      try await studio.change("classes/yin/bookings/dora", ["status": .string("confirmed")])
    }
    #expect(try studio.text("payments/p1", "status") == "completed")
    studio.store.close()
  }

  @Test(
    "a payment that tells too little becomes a failure that says what is missing",
    arguments: [
      ("", Value.integer(79), "has no userId"), ("a/b", .integer(79), "has no userId"),
      ("gus", .integer(1), "no plan has its price"),
      ("gus", .string("79"), "no plan has its price"),
    ] as [(String, Value, String)])
  func failures(_ uid: String, _ amount: Value, _ reason: String) async throws {
    let studio = try await YogaStudio([Studio.plans])
    let errors = try await studio.settle {
      try await studio.put([Studio.payment("p1", of: uid, "subscription", amount: amount)])
    }
    #expect(errors.count == 1)
    #expect(errors.allSatisfy { $0.hasPrefix("payments/p1 ") && $0.contains(reason) }, "\(errors)")
    studio.store.close()
  }

  @Test("whatever the fields hold, nothing crashes and the triggers come to rest")
  func hostileData() async throws {
    let values: [Value] = [
      .null, .boolean(true), .integer(.min), .integer(.max), .double(.nan), .double(-1e308),
      .string(""),
      .timestamp(Timestamp(seconds: Timestamp.secondsMin, nanoseconds: 0)),
      .timestamp(Timestamp(seconds: Timestamp.secondsMax, nanoseconds: 999_999_000)),
      .array([.null]),
      .map([:]),
      .bytes([0xFF]),
    ]
    let documents = [
      Studio.aClass(booked: ["mia"], waiting: ["wim"]),
      Studio.subscription("wim", "premium", limit: 8),
      Studio.payment("p1", of: "wim", classID: "yin"),
    ]
    for (path, fields) in documents.joined().map({ ($0.path, $0.fields) }) {
      for field in fields.entries.map(\.name) {
        for value in values {
          let studio = try await YogaStudio(documents, at: Studio.time("2026-03-20T00:00:00Z"))
          _ = try await studio.settle {
            try await studio.change(path, [field: value])
            try await studio.change("classes/yin/bookings/mia", ["status": .string("cancelled")])
            try await studio.triggers.renewSubscriptions(database)
            try await studio.triggers.countClasses(database)
            try await studio.store.delete("classes/yin")
          }
          studio.store.close()
        }
      }
    }
  }

  // MARK: by the clock

  @Test(
    "a period that has ended goes on or ends",
    arguments: [
      // plan, asked for, wants it, now, the plan then, its limit, its start, its end
      (
        "basic", nil, true, "2026-03-15T00:00:00Z", "basic", 4, "2026-03-15T00:00:00Z",
        "2026-04-15T00:00:00Z"
      ),
      (
        "basic", "premium", true, "2026-03-20T00:00:00Z", "premium", 8, "2026-03-15T00:00:00Z",
        "2026-04-15T00:00:00Z"
      ),
      (
        "premium", "unlimited", true, "2026-06-14T23:00:00Z", "unlimited", 0,
        "2026-05-15T00:00:00Z",
        "2026-06-15T00:00:00Z"
      ),
      ("premium", "dropIn", true, "2026-03-15T00:00:00Z", "dropIn", 0, "2026-03-15T00:00:00Z", nil),
      ("basic", "premium", false, "2026-03-15T00:00:00Z", nil, 4, nil, nil),
      ("gold", nil, true, "2026-03-15T00:00:00Z", nil, 4, nil, nil),
      ("basic", nil, true, "2026-03-14T23:59:59Z", "unchanged", 4, nil, nil),
    ] as [(String, String?, Bool, String, String?, Int64, String?, String?)])
  func renewal(
    _ plan: String, _ pending: String?, _ autoRenew: Bool, _ now: String, _ next: String?,
    _ limit: Int64,
    _ start: String?, _ end: String?
  ) async throws {
    let stored = Studio.subscription(
      "ben", plan, used: 3, limit: 4, autoRenew: autoRenew, pendingPlan: pending)
    let studio = try await YogaStudio([stored, Studio.plans], at: Studio.time(now))
    try await studio.settle(.twice) {
      try await withThrowingTaskGroup { group in
        for _ in 0..<16 { group.addTask { try await studio.triggers.renewSubscriptions(database) } }
        try await group.waitForAll()
      }
      try await studio.triggers.renewSubscriptions(database)
    }
    var expected = stored[0].fields
    if next == nil { expected["isActive"] = .boolean(false) }
    if let plan = next, plan != "unchanged" {
      expected["plan"] = .string(plan)
      expected["pendingPlan"] = .null
      expected["classesUsed"] = .integer(0)
      expected["classesLimit"] = .integer(limit)
      expected["startDate"] = start.map { Value.timestamp(Studio.time($0)) }
      expected["endDate"] = end.map { Value.timestamp(Studio.time($0)) } ?? .null
    }
    #expect(try studio.store.fields("users/ben/subscription/current") == expected)
    let charged = try studio.store.documents(
      StructuredQuery(database: database, collection: path("payments")))
    #expect(charged.count == (end == nil ? 0 : 1))
    #expect(try studio.messages("ben").count == (next == "unchanged" ? 0 : 1))
    if end != nil { #expect(try studio.store.fields("reports/\(start?.prefix(7) ?? "")") != nil) }
    studio.store.close()
  }

  @Test("the month of yesterday has the classes that were held, and their bookings")
  func figures() async throws {
    let documents = [
      Studio.aClass("a", capacity: 9, booked: ["1", "2", "3"], start: "2026-02-26T18:00:00Z"),
      Studio.aClass("b", booked: ["1"], start: "2026-02-28T23:59:59Z"),
      Studio.aClass("off", booked: ["1"], isActive: false, start: "2026-02-27T18:00:00Z"),
      Studio.aClass("next", booked: ["1"], start: "2026-03-01T00:00:00Z"),
      Studio.aClass("before", booked: ["1"], start: "2026-01-31T23:59:59Z"),
    ]
    let studio = try await YogaStudio(documents, at: Studio.time("2026-03-01T00:30:00Z"))
    for _ in 0..<2 {
      try await studio.triggers.countClasses(database)
      let reports = try studio.store.documents(
        StructuredQuery(database: database, collection: path("reports")))
      #expect(reports.map(\.path.lastSegment) == ["2026-02"])
      #expect(
        reports.first?.fields
          == [
            "month": .string("2026-02"), "revenue": .integer(0), "classes": .integer(2),
            "bookings": .integer(4),
          ])
    }
    studio.store.close()
  }

  @Test(
    "months are added as a calendar has them",
    arguments: [
      ("2026-01-31T10:00:00Z", 1, "2026-02-28T10:00:00Z"),
      ("2028-01-31T10:00:00Z", 1, "2028-02-29T10:00:00Z"),
      ("2026-12-15T00:00:00.5Z", 1, "2027-01-15T00:00:00.500Z"),
      ("2026-03-31T00:00:00Z", 12, "2027-03-31T00:00:00Z"),
      ("1969-12-31T23:59:59Z", 2, "1970-02-28T23:59:59Z"),
      ("9999-12-31T00:00:00Z", 1, "9999-12-31T23:59:59Z"),
    ])
  func months(_ from: String, _ count: Int, _ to: String) {
    #expect(Studio.time(from).adding(months: count).rfc3339 == to)
  }

  @Test("the pack is named as its files are, and its functions have names of their own")
  func names() async throws {
    let studio = try await YogaStudio([])
    let pack = try #require(Pack(rawValue: "yoga-studio"))
    let names =
      try pack.triggers(studio.store).map(\.name) + pack.schedules(studio.store).map(\.name)
    #expect(names.count == 9)
    #expect(Set(names).count == names.count)
    studio.store.close()
  }
}
