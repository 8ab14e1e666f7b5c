/// The pack's triggers, by themselves and behind a runner.

import DocModel
import DocStore
import TestSupport
import Testing

@testable import Packs
@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct PilatesTriggersTests {
  // MARK: documents, shaped as in the seed

  /// Seconds since the epoch of 2026-02-23T00:00:00Z, the Monday of week 9.
  private static let monday: Int64 = 1_771_804_800

  private func time(day: Int, hour: Int, minute: Int = 0) -> Timestamp {
    Timestamp(seconds: Self.monday + Int64(day * 86_400 + hour * 3_600 + minute * 60), nanoseconds: 0)
  }

  private func profile(zone: String = "Europe/London", friends: [String] = []) -> Fields {
    [
      "displayName": .string("Alex"), "avatarRing": .string("#4ADE80"), "plan": .string("Beginner Level 1"),
      "reminders": .map(["enabled": .boolean(true), "time": .string("19:00")]),
      "settings": .map([
        "highContrast": .boolean(false), "voiceDescriptions": .boolean(false), "darkMode": .boolean(false),
        "timeZone": .string(zone),
      ]),
      "friends": .array(friends.map { .string($0) }),
    ]
  }

  /// `day` is counted from the Monday of week 9; handed in at its end.
  private func session(day: Int, hour: Int = 16, minutes: Int64 = 10, of workout: String = "flow") -> Fields {
    [
      "workoutId": .string(workout), "startedAt": .timestamp(time(day: day, hour: hour)),
      "minutes": .integer(minutes), "createdAt": .timestamp(time(day: day, hour: hour, minute: Int(minutes))),
    ]
  }

  private func week(_ bars: [Int64], streak: Int64, total: Int64, score: String) -> Fields {
    [
      "bars": .array(bars.map { .integer($0) }), "streak": .integer(streak), "totalWorkouts": .integer(total),
      "postureScore": .string(score),
    ]
  }

  private func library(_ store: DocumentStore<some StorageEngine>) async throws {
    for (id, tag) in [("flow", "Posture"), ("blaster", "Core"), ("plank", "Core")] {
      try await store.set(
        "workouts/\(id)", ["title": .string("Title of \(id)"), "tags": .array([.string(tag)])])
    }
  }

  private func school() async throws -> DocumentStore<NaiveEngine> {
    let store = try naiveStore()
    try await library(store)
    try await store.set("users/alex", profile())
    return store
  }

  private func running<Engine: StorageEngine>(
    on store: DocumentStore<Engine>, deadLetters: [String] = [], _ body: () async throws -> Void
  ) async throws {
    let runner = try TriggerRunner(store, try PilatesTriggers(store).all, settings: .quick)
    try await runner.whileRunning {
      try await body()
      #expect(await runner.drain())
    }
    // Reasons are kept up to a length.
    #expect(runner.deadLetters.map(\.reason) == deadLetters.map { String($0.prefix(1_000)) })
  }

  /// All documents below a path, or of the whole store.
  private func everything(
    _ store: DocumentStore<some StorageEngine>, below parent: String = ""
  ) throws -> [String: Fields] {
    let all = StructuredQuery(
      database: database, parent: path(parent), from: [.init("", includesDescendants: true)])
    return Dictionary(uniqueKeysWithValues: try store.documents(all).map { ($0.path.text, $0.fields) })
  }

  // MARK: progress

  struct Case: Sendable {
    let name: String
    var zone = "Europe/London"
    /// Day, hour, minutes.
    let sessions: [(Int, Int, Int64)]
    let weeks: [String: ([Int64], Int64, Int64, String)]
  }

  static let cases: [Case] = [
    Case(
      name: "one session", sessions: [(5, 6, 15)], weeks: ["2026-W09": ([0, 0, 0, 0, 0, 15, 0], 1, 1, "B")]),
    Case(
      name: "two on one day are one day of the streak", sessions: [(1, 8, 15), (1, 9, 180)],
      weeks: ["2026-W09": ([0, 195, 0, 0, 0, 0, 0], 1, 2, "B")]),
    Case(
      name: "a streak goes on from Sunday to Monday", sessions: [(-2, 8, 5), (-1, 8, 6), (0, 8, 7)],
      weeks: [
        "2026-W08": ([0, 0, 0, 0, 0, 5, 6], 2, 2, "B"), "2026-W09": ([7, 0, 0, 0, 0, 0, 0], 3, 3, "A"),
      ]),
    Case(
      name: "a late session closes the gap of the week after", sessions: [(-2, 8, 5), (0, 8, 7), (-1, 8, 6)],
      weeks: [
        "2026-W08": ([0, 0, 0, 0, 0, 5, 6], 2, 2, "B"), "2026-W09": ([7, 0, 0, 0, 0, 0, 0], 3, 3, "A"),
      ]),
    Case(
      name: "a gap begins a new streak", sessions: [(0, 8, 5), (1, 8, 5), (3, 8, 5)],
      weeks: ["2026-W09": ([5, 5, 0, 5, 0, 0, 0], 1, 3, "B")]),
    Case(
      name: "seven days", sessions: (0..<7).map { ($0, 8, 30) },
      weeks: ["2026-W09": ([30, 30, 30, 30, 30, 30, 30], 7, 7, "A+")]),
    Case(
      name: "on Monday night in London it is Sunday in New York", zone: "America/New_York",
      sessions: [(0, 3, 9)],
      weeks: ["2026-W08": ([0, 0, 0, 0, 0, 0, 9], 1, 1, "B")]),
    Case(
      name: "a zone that is none counts as UTC", zone: "../etc/passwd", sessions: [(0, 0, 9)],
      weeks: ["2026-W09": ([9, 0, 0, 0, 0, 0, 0], 1, 1, "B")]),
    Case(
      name: "week 53, and the new year's first days in it",
      sessions: [(308, 8, 1), (312, 8, 2), (315, 8, 4)],
      weeks: [
        "2026-W53": ([1, 0, 0, 0, 2, 0, 0], 1, 2, "B"), "2027-W01": ([4, 0, 0, 0, 0, 0, 0], 1, 3, "B"),
      ]),
    Case(
      name: "the clock is set forward on Sunday: no day is lost",
      sessions: [(33, 23, 1), (34, 0, 1), (34, 23, 1)],
      weeks: [
        "2026-W13": ([0, 0, 0, 0, 0, 1, 1], 2, 2, "B"), "2026-W14": ([1, 0, 0, 0, 0, 0, 0], 3, 3, "A"),
      ]),
  ]

  @Test("weeks, streak and total follow the sessions, in whichever order their events come", arguments: cases)
  func progress(_ row: Case) async throws {
    for isReversed in [false, true] {
      let store = try naiveStore()
      try await store.set("users/alex", profile(zone: row.zone))
      let pack = PilatesTriggers(store)
      var events: [DocumentEvent] = []
      for (number, (day, hour, minutes)) in row.sessions.enumerated() {
        let fields = session(day: day, hour: hour, minutes: minutes)
        let version = try await store.set("users/alex/sessions/s\(number)", fields).commitTime
        let place = path("users/alex/sessions/s\(number)")
        events.append(DocumentEvent("e\(number)", place, before: nil, after: fields, version: version))
        // One at a time, as events usually come.
        if !isReversed { try await pack.keepProgress(events[number]) }
      }
      if isReversed { for event in events.reversed() { try await pack.keepProgress(event) } }
      let expected = row.weeks.map { id, week in
        ("users/alex/progress/\(id)", self.week(week.0, streak: week.1, total: week.2, score: week.3))
      }
      let found = try everything(store, below: "users/alex").filter { $0.key.contains("/progress/") }
      #expect(found == Dictionary(uniqueKeysWithValues: expected), "\(row.name)")
    }
  }

  @Test("who has moved to another zone has no session twice")
  func movedZone() async throws {
    let store = try await school()
    try await running(on: store) { try await store.set("users/alex/sessions/s1", session(day: 0, hour: 3)) }
    #expect(try store.fields("users/alex/progress/2026-W09") != nil)
    try await store.set("users/alex", profile(zone: "America/New_York"))
    try await running(on: store) { try await store.set("users/alex/sessions/s2", session(day: -1, hour: 16)) }
    #expect(try store.fields("users/alex/progress/2026-W09") == nil)
    #expect(
      try store.fields("users/alex/progress/2026-W08")
        == week([0, 0, 0, 0, 0, 0, 20], streak: 1, total: 2, score: "B"))
  }

  // MARK: badges

  @Test("early bird: the first session before eight on the user's clock", arguments: [(7, true), (8, false)])
  func earlyBird(_ hour: Int, _ isEarned: Bool) async throws {
    let store = try await school()
    try await running(on: store) {
      try await store.set("users/alex/sessions/s1", session(day: 1, hour: hour))
    }
    let expected: Fields? = isEarned ? ["awardedAt": .timestamp(time(day: 1, hour: hour, minute: 10))] : nil
    #expect(try store.fields("users/alex/badges/early_bird") == expected)
  }

  @Test("plank master: the tenth session of workouts with Core")
  func plankMaster() async throws {
    let store = try await school()
    try await running(on: store) {
      for day in 0..<9 {
        let workout = day % 2 == 0 ? "blaster" : "plank"
        try await store.set("users/alex/sessions/c\(day)", session(day: day, of: workout))
        try await store.set("users/alex/sessions/f\(day)", session(day: day, of: "flow"))
      }
    }
    #expect(try store.fields("users/alex/badges/plank_master") == nil)
    try await running(on: store) {
      try await store.set("users/alex/sessions/c9", session(day: 9, of: "plank"))
    }
    #expect(
      try store.fields("users/alex/badges/plank_master")
        == ["awardedAt": .timestamp(time(day: 9, hour: 16, minute: 10))])
  }

  @Test("an earned badge stays as it is")
  func earnedBadge() async throws {
    let store = try await school()
    let earned: Fields = ["awardedAt": .timestamp(time(day: -30, hour: 7))]
    try await store.set("users/alex/badges/early_bird", earned)
    try await running(on: store) { try await store.set("users/alex/sessions/s1", session(day: 1, hour: 6)) }
    #expect(try store.fields("users/alex/badges/early_bird") == earned)
  }

  // MARK: activity

  @Test("friends are told once, with the workout's title")
  func activity() async throws {
    let store = try await school()
    try await running(on: store) { try await store.set("users/alex/sessions/s1", session(day: 1)) }
    #expect(
      try store.fields("activity/alex:s1") == [
        "uid": .string("alex"), "kind": .string("workout"), "workoutTitle": .string("Title of flow"),
        "createdAt": .timestamp(time(day: 1, hour: 16, minute: 10)),
      ])
  }

  static let hostileWorkouts: [Value] = [
    .string("gone"), .string(""), .string("a/b"), .string(".."), .string("__x__"),
    .string(String(repeating: "x", count: 2_000)), .integer(7), .null,
  ]

  @Test("a session of no workout is reported, and counts for the rest", arguments: hostileWorkouts)
  func noWorkout(_ workout: Value) async throws {
    let store = try await school()
    let reason = PilatesFailure.noWorkout(path("users/alex/sessions/s1")).description
    try await running(on: store, deadLetters: [reason]) {
      var fields = session(day: 1)
      fields["workoutId"] = workout
      try await store.set("users/alex/sessions/s1", fields)
    }
    #expect(try store.fields("activity/alex:s1") == nil)
    #expect(try store.integer("users/alex/progress/2026-W09", "totalWorkouts") == 1)
  }

  @Test(
    "ids that are too long or reserved together are reported",
    arguments: [
      ("alex", String(repeating: "s", count: 1_498)), ("__a", "b__"),
    ])
  func noActivityID(_ uid: String, _ id: String) async throws {
    let store = try await school()
    try await store.set("users/\(uid)", profile())
    let place = "users/\(uid)/sessions/\(id)"
    try await running(on: store, deadLetters: [PilatesFailure.notAnID(path(place)).description]) {
      try await store.set(place, session(day: 1))
    }
    #expect(try store.integer("users/\(uid)/progress/2026-W09", "totalWorkouts") == 1)
  }

  // MARK: what the rules would refuse

  static let hostileFields: [(String, Value)] = [
    ("startedAt", .string("now")), ("startedAt", .null), ("minutes", .integer(.max)),
    ("minutes", .integer(.min)),
    ("minutes", .integer(0)), ("minutes", .integer(181)), ("minutes", .double(10)), ("minutes", .array([])),
  ]

  @Test("a session that the rules would refuse counts for nothing", arguments: hostileFields)
  func hostileSession(_ name: String, _ value: Value) async throws {
    let store = try await school()
    try await running(on: store) {
      var fields = session(day: 1, hour: 6)
      fields[name] = value
      try await store.set("users/alex/sessions/bad", fields)
      try await store.set("users/alex/sessions/good", session(day: 2))
    }
    #expect(
      try store.fields("users/alex/progress/2026-W09")
        == week([0, 0, 10, 0, 0, 0, 0], streak: 1, total: 1, score: "B"))
    #expect(try store.fields("users/alex/badges/early_bird") == nil)
  }

  @Test(
    "times at both ends of what a timestamp holds", arguments: [Timestamp.secondsMin, Timestamp.secondsMax])
  func extremeTimes(_ seconds: Int64) async throws {
    let store = try await school()
    try await store.set("users/alex", profile(zone: "Pacific/Kiritimati"))
    try await running(on: store) {
      var fields = session(day: 1)
      fields["startedAt"] = .timestamp(Timestamp(seconds: seconds, nanoseconds: 0))
      try await store.set("users/alex/sessions/s1", fields)
    }
    #expect(try everything(store, below: "users/alex").filter { $0.key.contains("/progress/") }.count == 1)
  }

  @Test("a profile of other kinds of fields", arguments: ["settings", "friends"])
  func hostileProfile(_ field: String) async throws {
    let store = try await school()
    var fields = profile()
    fields[field] = .array([.integer(7), .string("alex"), .null])
    try await store.set("users/alex", fields)
    try await running(on: store) {
      try await store.set("users/alex/sessions/s1", session(day: 1))
      try await store.set("users/zoe", profile())
      try await store.delete("users/zoe")
    }
    #expect(try store.integer("users/alex/progress/2026-W09", "totalWorkouts") == 1)
    #expect(try store.fields("users/alex") == fields)
  }

  @Test("without a profile nothing is counted")
  func noProfile() async throws {
    let store = try naiveStore()
    try await library(store)
    try await running(on: store) { try await store.set("users/alex/sessions/s1", session(day: 1, hour: 6)) }
    #expect(
      try everything(store).keys.sorted().filter { !$0.hasPrefix("workouts/") } == ["users/alex/sessions/s1"])
  }
}
