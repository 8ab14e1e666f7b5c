/// The pack's triggers, by themselves and behind a runner.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Packs
@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct InspiredTriggersTests {
  /// Runs the pack's triggers while `body` commits, then until all is quiet.
  private func running<Engine: StorageEngine>(
    on store: DocumentStore<Engine>, _ body: () async throws -> Void
  ) async throws {
    let runner = try TriggerRunner(store, try InspiredTriggers(store).all, settings: .quick)
    try await runner.whileRunning {
      try await body()
      #expect(await runner.drain())
    }
    #expect(runner.deadLetters.map(\.reason) == [])
  }

  private func username(_ store: DocumentStore<some StorageEngine>, _ uid: String) throws -> String? {
    guard case .string(let name) = try store.fields("users/\(uid)")?["username"] else { return nil }
    return name
  }

  private func profile(_ name: String, in communities: [String] = []) -> Fields {
    ["displayName": .string(name), "joinedCommunities": .array(communities.map { .string($0) })]
  }

  // MARK: usernames

  @Test(
    "the stem is the display name in lower case with spaces as underscores",
    arguments: [
      ("Bob", "bob"), ("Ann Marie B", "ann_marie_b"), ("ÉLAN Ü", "élan_ü"), ("a/b", "a_b"), ("", ""),
    ])
  func stems(_ displayName: String, _ stem: String) {
    #expect(Username.stem(displayName) == stem)
  }

  @Test("twenty draws have four digits, the next has five")
  func widening() throws {
    let drawn = Journal<String>()
    let isFree = { (candidate: String) throws(StoreError) in drawn.note(candidate) > 20 }
    let name = try Username.draw(for: "Bob", random: { 12_345 }, isFree: isFree)
    #expect(drawn.entries == Array(repeating: "bob#5432", count: 20) + ["bob#54321"])
    #expect(name == "bob#54321")
  }

  @Test("drawing ends when nothing is free")
  func exhausted() {
    #expect(throws: StoreError.self) {
      try Username.draw(for: "Bob", random: { 1 }, isFree: { (_) throws(StoreError) in false })
    }
  }

  @Test("a new profile gets its username and the registry its entry; nothing else of it changes")
  func generates() async throws {
    let store = try naiveStore()
    try await running(on: store) { try await store.set("users/u1", profile("Ann Marie")) }
    let name = try #require(try username(store, "u1"))
    #expect(name.hasPrefix("ann_marie#") && name.utf8.count == "ann_marie#0000".utf8.count)
    #expect(name.utf8.suffix(4).allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    #expect(try store.fields("usernames/\(name)") == ["uid": .string("u1")])
    var expected = profile("Ann Marie")
    expected["username"] = .string(name)
    #expect(try store.fields("users/u1") == expected)
  }

  @Test("a taken username is not drawn twice")
  func collision() async throws {
    // Every draw of four digits is taken.
    let random: @Sendable () -> UInt64 = { 71_234 }
    let environment = Environment(now: Environment.system.now, random: random)
    let store = try DocumentStore(engine: NaiveEngine(), environment: environment)
    try await store.set("usernames/bob#4321", ["uid": .string("other")])
    try await running(on: store) { try await store.set("users/u1", profile("Bob")) }
    #expect(try username(store, "u1") == "bob#43217")
    #expect(try store.fields("usernames/bob#4321") == ["uid": .string("other")])
  }

  @Test("deliveries of one event that overlap write one username and one registry entry")
  func overlappingDeliveries() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let pack = InspiredTriggers(store)
    for number in 0..<100 {
      let fields = profile("Bob")
      let result = try await store.set("users/u\(number)", fields)
      let event = DocumentEvent(
        "e\(number)", path("users/u\(number)"), before: nil, after: fields, version: result.commitTime)
      try await withThrowingTaskGroup { group in
        for _ in 0..<16 { group.addTask { try await pack.generateUsername(event) } }
        try await group.waitForAll()
      }
    }
    let entries = Journal<Void>()
    try store.read(database) { (view) throws(StoreError) in
      try view.scanCollection(path("usernames"), .forward) { _, _ in
        entries.note(())
        return .more
      }
    }
    #expect(entries.entries.count == 100)
    store.close()
  }

  @Test("a profile that has a username is not touched")
  func keepsUsername() async throws {
    let store = try naiveStore()
    var fields = profile("Bob")
    fields["username"] = .string("bob#0001")
    try await running(on: store) { try await store.set("users/u1", fields) }
    #expect(try store.fields("users/u1") == fields)
    #expect(try store.fields("usernames/bob#0001") == nil)
  }

  @Test("a profile without a display name becomes a dead letter that says so")
  func nameless() async throws {
    let store = try naiveStore()
    let runner = try TriggerRunner(store, try InspiredTriggers(store).all, settings: .quick)
    try await store.set("users/u1", ["bio": .string("x")])
    try await runner.whileRunning { #expect(await runner.drain()) }
    #expect(runner.deadLetters.map(\.reason) == ["users/u1 has no displayName to make a username of"])
  }

  @Test("500 concurrent sign-ups of one display name get 500 usernames")
  func concurrentSignUps() async throws {
    // 350 numbers only, so that collisions and five digits must happen.
    let environment = Environment(now: Environment.system.now, random: { UInt64.random(in: 0..<350) })
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral(), environment: environment)
    try await running(on: store) {
      try await withThrowingTaskGroup { group in
        for number in 0..<500 {
          group.addTask { try await store.set("users/u\(number)", profile("Same Name")) }
        }
        try await group.waitForAll()
      }
    }
    var owners: [String: String] = [:]
    for number in 0..<500 {
      let name = try #require(try username(store, "u\(number)"))
      #expect(owners.updateValue("u\(number)", forKey: name) == nil, "\(name) was given twice")
      #expect(try store.fields("usernames/\(name)") == ["uid": .string("u\(number)")])
    }
    store.close()
  }

  // MARK: memberships

  private func members(_ store: DocumentStore<some StorageEngine>) throws -> [Int64?] {
    try ["chess", "tea"].map { try store.integer("communities/\($0)", "memberCount") }
  }

  private func membershipCopy(_ store: DocumentStore<some StorageEngine>) throws -> Value? {
    try store.fields("users/u1/public/memberships")?["communities"]
  }

  @Test("the copy and the counts follow joins, leaves and deletion")
  func memberships() async throws {
    let store = try naiveStore()
    for id in ["chess", "tea"] { try await store.set("communities/\(id)", ["memberCount": .integer(10)]) }
    try await running(on: store) {
      try await store.set("users/u1", profile("A", in: ["chess", "gone", "chess"]))
    }
    #expect(try members(store) == [11, 10])
    #expect(try membershipCopy(store) == .array(["chess", "gone", "chess"].map { .string($0) }))
    #expect(try store.fields("communities/gone") == nil)
    try await running(on: store) { try await store.set("users/u1", profile("A", in: ["tea"])) }
    #expect(try members(store) == [10, 11])
    #expect(try membershipCopy(store) == .array([.string("tea")]))
    try await running(on: store) { try await store.delete("users/u1") }
    #expect(try members(store) == [10, 10])
    #expect(try membershipCopy(store) == nil)
  }

  @Test("concurrent joins of one community are all counted")
  func concurrentJoins() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    try await store.set("communities/chess", ["memberCount": .integer(0)])
    try await running(on: store) {
      for number in 0..<60 { try await store.set("users/u\(number)", profile("A", in: ["chess"])) }
      for number in 0..<20 { try await store.set("users/u\(number)", profile("A")) }
    }
    #expect(try store.integer("communities/chess", "memberCount") == 40)
    store.close()
  }

  // MARK: comments

  @Test("comments are counted in and out; other statistics stay")
  func comments() async throws {
    let store = try naiveStore()
    try await store.set(
      "posts/p", ["stats": .map(["commentCount": .integer(5), "likeCount": .integer(7)])])
    try await running(on: store) {
      for number in 0..<6 { try await store.set("posts/p/comments/c\(number)", [:]) }
      try await store.delete("posts/p/comments/c0")
      // Of a post that is not there.
      try await store.set("posts/q/comments/c", [:])
    }
    #expect(
      try store.fields("posts/p")?["stats"] == .map(["commentCount": .integer(10), "likeCount": .integer(7)]))
    #expect(try store.fields("posts/q") == nil)
  }

  // MARK: redelivery

  @Test("every trigger of the pack changes nothing when an event comes again")
  func redelivery() async throws {
    let store = try naiveStore()
    let events = Journal<(DocumentTrigger, DocumentEvent)>()
    let pack = try InspiredTriggers(store).all
    let twice = try pack.map { trigger throws(InvalidArgument) in
      try DocumentTrigger(trigger.name, on: trigger.event, trigger.pattern.text) { event in
        try await trigger.action(event)
        try await trigger.action(event)
        events.note((trigger, event))
      }
    }
    let runner = try TriggerRunner(store, twice, settings: .quick)
    try await store.set("communities/chess", ["memberCount": .integer(0)])
    try await store.set("posts/p", ["stats": .map(["commentCount": .integer(0)])])
    try await runner.whileRunning {
      try await store.set("users/u1", profile("Ann", in: ["chess"]))
      try await store.set("posts/p/comments/c1", [:])
      try await store.set("posts/p/comments/c2", [:])
      try await store.delete("posts/p/comments/c1")
      #expect(await runner.drain())
    }
    #expect(runner.deadLetters.map(\.reason) == [])
    let watched = ["users/u1", "users/u1/public/memberships", "communities/chess", "posts/p"]
    let settled = try watched.map { try store.fields($0) }
    #expect(try store.integer("communities/chess", "memberCount") == 1)
    #expect(try store.fields("posts/p")?["stats"] == .map(["commentCount": .integer(1)]))
    let version = try store.presentVersion()
    for (trigger, event) in events.entries { try await trigger.action(event) }
    #expect(Set(events.entries.map(\.0.name)).count == 4)
    #expect(try watched.map { try store.fields($0) } == settled)
    let changed = Journal<ResourcePath>()
    try store.changes(database, after: version) { _, path, _ in
      changed.note(path)
      return .more
    }
    #expect(changed.entries == [])
  }
}
