/// The school's triggers: practice.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Packs
@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct ShaolinPracticeTests {
  private static let start: Int64 = 1_772_000_000
  private static let day: Int64 = 86_400

  private func session(
    endDay: Int64?, _ items: [(String, Bool?)] = [], duration: Value = .double(1725.5)
  ) -> Fields {
    [
      "id": .string("s"), "userId": .string("eli"), "name": .string("Morning forms"), "notes": .null,
      "startTime": .timestamp(Timestamp(seconds: Self.start - 86_400, nanoseconds: 0)),
      "endTime": endDay.map { .timestamp(time($0)) } ?? .null, "duration": duration,
      "items": .array(items.map { .map(item($0.0, needsMore: $0.1)) }),
    ]
  }

  /// An item as in the seed; without a rating where `needsMore` is nil.
  private func item(_ content: String, needsMore: Bool?) -> Fields {
    [
      "id": .string("item"), "type": .string("technique"), "contentId": .string(content),
      "order": .integer(0),
      "estimatedDuration": .integer(300),
      "rating": needsMore.map {
        .map(["repetitions": .integer(10), "needsMorePractice": .boolean($0), "quality": .integer(3)])
      } ?? .null,
    ]
  }

  private func time(_ day: Int64) -> Timestamp {
    Timestamp(seconds: Self.start + day * Self.day, nanoseconds: 0)
  }

  /// The event of a session that ended, told a year later than all of them.
  private func ended(_ id: String, _ fields: Fields, before: Fields? = nil) -> DocumentEvent {
    DocumentEvent(
      "e_" + id, path("users/eli/practiceSessions/" + id), before: before, after: fields,
      version: time(365).microseconds)
  }

  private func reviews(_ store: DocumentStore<some StorageEngine>) throws -> [String] {
    try store.documents(StructuredQuery(database: database, collection: path("users/eli/achievements")))
      .compactMap { document in
        guard let due = document.fields.timestamp("dueAt"), let days = document.fields.integer("interval")
        else { return nil }
        let day = (due.seconds - Self.start) / Self.day
        return "\(document.path.lastSegment) every \(days) on \(day)"
      }
  }

  private func achievements(_ store: DocumentStore<some StorageEngine>) throws -> [String] {
    try store.documents(StructuredQuery(database: database, collection: path("users/eli/achievements")))
      .filter { $0.fields["earnedAt"] != nil }.map(\.path.lastSegment)
  }

  @Test("a session counts when it ends, once, whatever its owner does with it afterwards")
  func counts() async throws {
    let store = try naiveStore()
    let runner = try TriggerRunner(store, try ShaolinTriggers(store).all, settings: .quick)
    let name = "users/eli/practiceSessions/s"
    let items = [("horse_stance", false), ("tornado_kick", true), ("splits", nil)]
    try await runner.whileRunning {
      try await store.set(name, session(endDay: nil, items))
      #expect(await runner.drain())
      #expect(try store.fields("users/eli/achievements/statistics") == nil)
      try await store.set(name, session(endDay: 0, items))
      try await store.set(name, session(endDay: 0, items + [("bow_stance", true)]))
      try await store.delete(name)
      try await store.set(name, session(endDay: 3, items))
      #expect(await runner.drain())
    }
    #expect(runner.deadLetters.map(\.reason) == [])
    #expect(
      try store.fields("users/eli/achievements/statistics") == [
        "sessions": .integer(1), "seconds": .integer(1726), "repetitions": .integer(20),
        "lastSessionAt": .timestamp(time(0)),
      ])
    #expect(try achievements(store) == ["first_session"])
    #expect(try reviews(store) == ["review_tornado_kick every 2 on 2"])
  }

  @Test("statistics of the seed go on")
  func seeded() async throws {
    let store = try naiveStore()
    try await store.set("users/eli/achievements/statistics", ["sessions": .integer(9)])
    let earned: Fields = ["earnedAt": .timestamp(time(-9))]
    try await store.set("users/eli/achievements/first_session", earned)
    try await ShaolinTriggers(store).completeSession(ended("s", session(endDay: 1)))
    #expect(try store.integer("users/eli/achievements/statistics", "sessions") == 10)
    #expect(try achievements(store) == ["first_session", "sessions_10"])
    #expect(try store.fields("users/eli/achievements/first_session") == earned)
  }

  @Test(
    "a review comes later each time that nothing is left to practise, and starts again when there is",
    arguments: [
      ([true], "every 2 on 2"), ([true, true], "every 2 on 3"), ([true, false], "every 4 on 5"),
      ([true, false, false], "every 8 on 10"), ([true, false, true], "every 2 on 4"),
      ([false, true], "every 2 on 3"), ([false, false], nil), ([true, false, nil], "every 4 on 5"),
      ([true] + Array(repeating: false, count: 9), "every 64 on 73"),
    ] as [([Bool?], String?)])
  func reviewing(_ needs: [Bool?], _ expected: String?) async throws {
    let orders = [Array(needs.indices), needs.indices.reversed(), needs.indices.sorted { $0 % 2 < $1 % 2 }]
    for order in orders {
      let store = try naiveStore()
      let pack = ShaolinTriggers(store)
      for day in order {
        let event = ended("s\(day)", session(endDay: Int64(day), [("kick", needs[day])]))
        try await pack.completeSession(event)
        try await pack.completeSession(event)
      }
      let all = expected.map { ["review_kick " + $0] } ?? []
      #expect(try reviews(store) == all, "counted in the order \(order)")
      #expect(try store.integer("users/eli/achievements/statistics", "sessions") == Int64(needs.count))
    }
  }

  @Test("deliveries that overlap count each session once")
  func overlapping() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let pack = ShaolinTriggers(store)
    try await withThrowingTaskGroup { group in
      for number in 0..<12 {
        let event = ended("s\(number)", session(endDay: Int64(number), [("kick", number < 8)]))
        for _ in 0..<16 { group.addTask { try await pack.completeSession(event) } }
      }
      try await group.waitForAll()
    }
    #expect(
      try store.fields("users/eli/achievements/statistics") == [
        "sessions": .integer(12), "seconds": .integer(12 * 1726), "repetitions": .integer(120),
        "lastSessionAt": .timestamp(time(11)),
      ])
    #expect(try achievements(store) == ["first_session", "sessions_10"])
    #expect(try reviews(store) == ["review_kick every 32 on 43"])
    store.close()
  }

  @Test(
    "what no rule would let in does no harm",
    arguments: [
      ("duration", .double(.nan), 0), ("duration", .double(.infinity), 86_400), ("duration", .double(-1), 0),
      ("duration", .integer(.max), 86_400), ("duration", .string("long"), 0), ("duration", .null, 0),
      ("items", .integer(1), 1726),
      ("items", .array([.null, .map([:]), .map(["contentId": .string("a/b")])]), 1726),
      (
        "items",
        .array([.map(["contentId": .string(String(repeating: "x", count: 1_499)), "rating": .map([:])])]),
        1726
      ),
      ("items", .array([.map(["contentId": .string(""), "rating": .map([:])])]), 1726),
      ("endTime", .string("now"), nil), ("endTime", .integer(5), nil),
    ] as [(String, Value, Int64?)])
  func hostile(_ field: String, _ value: Value, _ seconds: Int64?) async throws {
    let store = try naiveStore()
    var fields = session(endDay: 0)
    fields[field] = value
    try await ShaolinTriggers(store).completeSession(ended("s", fields))
    #expect(try store.integer("users/eli/achievements/statistics", "seconds") == seconds)
    #expect(try reviews(store) == [])
  }

  @Test("totals stop at the greatest number, and what was no total starts again")
  func greatest() async throws {
    let store = try naiveStore()
    try await store.set(
      "users/eli/achievements/statistics",
      ["sessions": .integer(.max), "seconds": .integer(.min), "repetitions": .string("many")])
    var rated = item("kick", needsMore: false)
    rated["rating"] = .map(["repetitions": .integer(.max)])
    var fields = session(endDay: 0)
    fields["items"] = .array([.map(rated), .map(rated)])
    try await ShaolinTriggers(store).completeSession(ended("s", fields))
    #expect(
      try store.fields("users/eli/achievements/statistics") == [
        "sessions": .integer(.max), "seconds": .integer(1726), "repetitions": .integer(.max),
        "lastSessionAt": .timestamp(time(0)),
      ])
  }

  @Test("a session that ends in another century is taken to end when it was told")
  func future() async throws {
    let store = try naiveStore()
    var fields = session(endDay: 0, [("kick", true)])
    fields["endTime"] = .timestamp(Timestamp(seconds: Timestamp.secondsMax, nanoseconds: 0))
    try await ShaolinTriggers(store).completeSession(ended("s", fields))
    #expect(try reviews(store) == ["review_kick every 2 on 367"])
  }
}
