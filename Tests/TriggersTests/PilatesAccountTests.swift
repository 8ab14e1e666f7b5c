/// What is left of a deleted account, and deliveries that come again or overlap.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Packs
@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct PilatesAccountTests {
  private func profile(friends: [String] = []) -> Fields {
    ["displayName": .string("A"), "friends": .array(friends.map { .string($0) })]
  }

  private func session(hour: Int64) -> Fields {
    let start = 1_771_804_800 + hour * 3_600
    return [
      "workoutId": .string("flow"), "startedAt": .timestamp(Timestamp(seconds: start, nanoseconds: 0)),
      "minutes": .integer(10), "createdAt": .timestamp(Timestamp(seconds: start + 600, nanoseconds: 0)),
    ]
  }

  private func by(_ uid: String) -> Fields { ["uid": .string(uid)] }

  private func request(_ from: String, _ to: String) -> Fields { ["from": .string(from), "to": .string(to)] }

  private func everything(_ store: DocumentStore<some StorageEngine>) throws -> [String: Fields] {
    let all = StructuredQuery(database: database, from: [.init("", includesDescendants: true)])
    return Dictionary(uniqueKeysWithValues: try store.documents(all).map { ($0.path.text, $0.fields) })
  }

  /// Zoe, her friend Alex, and traces of both.
  private func school<Engine: StorageEngine>(_ store: DocumentStore<Engine>) async throws {
    let documents: [(String, Fields)] = [
      ("workouts/flow", ["title": .string("Flow")]), ("users/zoe", profile(friends: ["alex"])),
      ("users/alex", profile(friends: ["ben", "zoe", "sarah"])), ("users/zoe/sessions/s1", session(hour: 6)),
      ("users/zoe/progress/2026-W09", ["streak": .integer(1)]), ("users/zoe/badges/early_bird", [:]),
      ("users/zoe/deep/a/er/b", [:]), ("activity/zoe:s1", by("zoe")),
      ("activity/zoe:s1/highFives/alex", by("alex")),
      ("activity/alex:s1", by("alex")), ("activity/alex:s1/highFives/zoe", by("zoe")),
      ("activity/alex:s1/highFives/ben", by("ben")), ("friendRequests/zoe_liam", request("zoe", "liam")),
      ("friendRequests/maya_zoe", request("maya", "zoe")),
      ("friendRequests/maya_alex", request("maya", "alex")),
    ]
    for (path, fields) in documents { try await store.set(path, fields) }
  }

  /// What is there when Zoe is gone.
  private var withoutZoe: [String: Fields] {
    [
      "workouts/flow": ["title": .string("Flow")], "users/alex": profile(friends: ["ben", "sarah"]),
      "activity/alex:s1": by("alex"), "activity/alex:s1/highFives/ben": by("ben"),
      "friendRequests/maya_alex": request("maya", "alex"),
    ]
  }

  private func deletion(_ store: DocumentStore<some StorageEngine>) async throws -> DocumentEvent {
    let before = try store.fields("users/zoe")
    let version = try await store.delete("users/zoe").commitTime
    return DocumentEvent("d", path("users/zoe"), before: before, after: nil, version: version)
  }

  @Test("nothing of a deleted account is left, and nobody else's documents are touched")
  func removes() async throws {
    let store = try naiveStore()
    try await school(store)
    let runner = try TriggerRunner(store, try PilatesTriggers(store).all, settings: .quick)
    try await runner.whileRunning {
      try await store.delete("users/zoe")
      #expect(await runner.drain())
    }
    #expect(runner.deadLetters.map(\.reason) == [])
    #expect(try everything(store) == withoutZoe)
  }

  @Test("more documents than one commit deletes")
  func many() async throws {
    let store = try naiveStore()
    try await school(store)
    for number in 0..<700 { try await store.set("users/zoe/sessions/m\(number)", session(hour: 16)) }
    try await PilatesTriggers(store).removeAccount(try await deletion(store))
    #expect(try everything(store) == withoutZoe)
  }

  @Test(
    "who signs up again before the trigger has run starts anew, whichever event comes first",
    arguments: [true, false])
  func signsUpAgain(_ isDeletionFirst: Bool) async throws {
    let store = try naiveStore()
    try await school(store)
    let pack = PilatesTriggers(store)
    let event = try await deletion(store)
    try await store.set("users/zoe", profile())
    try await store.set("friendRequests/zoe_ben", request("zoe", "ben"))
    let version = try await store.set("users/zoe/sessions/s2", session(hour: 31)).commitTime
    let handedInEvent = DocumentEvent(
      "s", path("users/zoe/sessions/s2"), before: nil, after: session(hour: 31), version: version)
    if isDeletionFirst { try await pack.removeAccount(event) }
    try await pack.keepProgress(handedInEvent)
    try await pack.awardBadges(handedInEvent)
    try await pack.publishActivity(handedInEvent)
    if !isDeletionFirst { try await pack.removeAccount(event) }
    var expected = withoutZoe
    let handedIn = Timestamp(seconds: 1_771_804_800 + 31 * 3_600 + 600, nanoseconds: 0)
    expected["users/zoe"] = profile()
    expected["friendRequests/zoe_ben"] = request("zoe", "ben")
    expected["users/zoe/sessions/s2"] = session(hour: 31)
    expected["users/zoe/badges/early_bird"] = ["awardedAt": .timestamp(handedIn)]
    expected["users/zoe/progress/2026-W09"] = [
      "bars": .array([0, 10, 0, 0, 0, 0, 0].map { .integer($0) }), "streak": .integer(1),
      "totalWorkouts": .integer(1), "postureScore": .string("B"),
    ]
    expected["activity/zoe:s2"] = [
      "uid": .string("zoe"), "kind": .string("workout"), "workoutTitle": .string("Flow"),
      "createdAt": .timestamp(handedIn),
    ]
    #expect(try everything(store) == expected)
  }

  @Test("a late event of the former account's session tells nobody of it")
  func lateSession() async throws {
    let store = try naiveStore()
    try await school(store)
    try await store.delete("activity/zoe:s1")
    let pack = PilatesTriggers(store)
    _ = try await deletion(store)
    try await store.set("users/zoe", profile())
    let event = DocumentEvent(
      "s", path("users/zoe/sessions/s1"), before: nil, after: session(hour: 6), version: 9)
    try await pack.publishActivity(event)
    try await pack.keepProgress(event)
    #expect(try store.fields("activity/zoe:s1") == nil)
    #expect(try store.fields("users/zoe/progress/2026-W09") == nil)
  }

  @Test("a friendship of the new account stays")
  func newFriendship() async throws {
    let store = try naiveStore()
    try await school(store)
    let event = try await deletion(store)
    try await store.set("users/alex", profile(friends: []))
    try await store.set("users/zoe", profile(friends: ["alex"]))
    try await store.set("users/alex", profile(friends: ["zoe"]))
    try await PilatesTriggers(store).removeAccount(event)
    #expect(try store.fields("users/alex") == profile(friends: ["zoe"]))
  }

  // MARK: redelivery

  @Test("deliveries of all events that overlap, sixteen of each, do their work once")
  func overlapping() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    try await store.set("workouts/flow", ["title": .string("Flow")])
    try await store.set("users/alex", profile())
    let pack = try PilatesTriggers(store).all.filter { $0.event == .created }
    var events: [DocumentEvent] = []
    for number in 0..<5 {
      let fields = session(hour: Int64(number * 24 + 6))
      let place = "users/alex/sessions/s\(number)"
      let version = try await store.set(place, fields).commitTime
      events.append(DocumentEvent("e\(number)", path(place), before: nil, after: fields, version: version))
    }
    try await withThrowingTaskGroup { group in
      for event in events {
        for trigger in pack { for _ in 0..<16 { group.addTask { try await trigger.action(event) } } }
      }
      try await group.waitForAll()
    }
    #expect(
      try store.fields("users/alex/progress/2026-W09") == [
        "bars": .array([10, 10, 10, 10, 10, 0, 0].map { .integer($0) }), "streak": .integer(5),
        "totalWorkouts": .integer(5), "postureScore": .string("A"),
      ])
    let told = try everything(store).keys.filter { $0.hasPrefix("activity/") }
    #expect(told.sorted() == (0..<5).map { "activity/alex:s\($0)" })
    // Again, when all is done: nothing is written.
    let version = try store.presentVersion()
    for event in events { for trigger in pack { try await trigger.action(event) } }
    #expect(try changed(store, after: version) == [])
    store.close()
  }

  @Test("deletions that overlap")
  func overlappingDeletions() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    try await school(store)
    let pack = PilatesTriggers(store)
    let event = try await deletion(store)
    try await withThrowingTaskGroup { group in
      for _ in 0..<16 { group.addTask { try await pack.removeAccount(event) } }
      try await group.waitForAll()
    }
    #expect(try everything(store) == withoutZoe)
    let version = try store.presentVersion()
    try await pack.removeAccount(event)
    #expect(try changed(store, after: version) == [])
    store.close()
  }

  private func changed(
    _ store: DocumentStore<some StorageEngine>, after version: Int64
  ) throws -> [ResourcePath] {
    let changed = Journal<ResourcePath>()
    try store.changes(database, after: version) { _, path, _ in
      changed.note(path)
      return .more
    }
    return changed.entries
  }
}
