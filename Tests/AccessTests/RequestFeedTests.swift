/// The requests that are kept: which, how many, and that they can be judged once more.

import Access
import DocModel
import DocStore
import Rules
import Synchronization
import TestSupport
import Testing

@Suite("the feed of requests")
struct RequestFeedTests {
  static func store(_ feed: RequestFeed, rules: String = testRules) throws -> GuardedStore<NaiveEngine> {
    let registry = RulesetRegistry()
    registry.setStandard(try ruleset(rules))
    return GuardedStore(
      try DocumentStore(engine: NaiveEngine(), environment: .system), rulesets: registry, detail: .terse,
      feed: feed)
  }

  static func ruleset(_ text: String) throws -> Ruleset {
    try #require(Ruleset.compile(source: text, name: "test.rules").ruleset)
  }

  /// `get users/bob denied`
  static func words(_ entry: FeedEntry) -> String {
    switch entry.kind {
    case .judged(let request, let decision, _):
      "\(request.method.name) \(request.path.text) \(decision.isAllowed ? "allowed" : "denied")"
    case .passed(let call): "\(call.method) \(call.target) \(call.status)"
    case .wrote(let write): "\(write.change.rawValue) \(write.path.text)"
    }
  }

  static func pass(_ feed: RequestFeed, _ number: Int, bytes: Int = 0) {
    feed.add(
      testDatabase, Int64(number),
      .passed(
        AdministratorCall(
          method: "\(number)", target: String(repeating: "x", count: bytes), status: "OK", microseconds: 1)))
  }

  @Test("refusals are kept at once, everything from when somebody asks")
  func begins() throws {
    let feed = RequestFeed()
    let store = try Self.store(feed)
    _ = try store.fields("posts/a", as: user("ann"))
    _ = denial { _ = try store.fields("users/bob", as: user("ann")) }
    #expect(feed.entries().entries.map(Self.words) == ["get users/bob denied"])
    #expect(feed.begin())
    #expect(!feed.begin())
    _ = try store.fields("posts/a", as: user("ann"))
    _ = try store.fields("users/bob", as: .admin)
    _ = try? store.paths(LeakWatchTests.query("users"), as: user("ann"))
    #expect(
      feed.entries(after: 1).entries.map(Self.words) == ["get posts/a allowed", "list users denied"])
  }

  @Test(
    "entries and their bytes are bounded, and what is lost is counted",
    arguments: [
      // added, bytes of each, kept
      (10, 0, 10), (1_000, 0, 1_000), (1_500, 0, 1_000), (40, 1 << 20, 15), (2, 32 << 20, 1),
    ])
  func bounds(added: Int, bytes: Int, kept: Int) {
    let feed = RequestFeed()
    for number in 1...added { Self.pass(feed, number, bytes: bytes) }
    let page = feed.entries()
    #expect(page.entries.map(\.number) == Array((added - kept + 1)...added))
    #expect(page.next == added)
    #expect(feed.entries(after: 1).lost == max(0, added - kept - 1))
    #expect(feed.entry(FeedEntry.id(added))?.number == added)
    #expect((feed.entry(FeedEntry.id(1)) == nil) == (added > kept))
    #expect(feed.entry("zz") == nil && feed.entry(FeedEntry.id(added + 1)) == nil)
  }

  @Test("pages follow one another; a number of another server begins anew")
  func pages() {
    let feed = RequestFeed()
    for number in 1...5 { Self.pass(feed, number) }
    #expect(feed.entries(after: 2, atMost: 2).entries.map(\.number) == [3, 4])
    #expect(feed.entries(after: 2, atMost: 2).next == 4)
    #expect(feed.entries(after: 5).entries.isEmpty && feed.entries(after: 5).next == 5)
    #expect(feed.entries(after: 99).entries.count == 5)
    #expect(feed.entries { $0.number % 2 == 0 }.entries.map(\.number) == [2, 4])
  }

  @Test("watchers are called for each entry until they go, and are not more than so many")
  func watchers() throws {
    let feed = RequestFeed()
    let calls = Mutex(0)
    let watcher = try #require(feed.watch { calls.withLock { $0 += 1 } })
    Self.pass(feed, 1)
    Self.pass(feed, 2)
    feed.unwatch(watcher)
    Self.pass(feed, 3)
    #expect(calls.withLock { $0 } == 2)
    let most = (0..<RequestFeed.watchersMax).compactMap { _ in feed.watch {} }
    #expect(most.count == RequestFeed.watchersMax)
    #expect(feed.watch {} == nil)
  }

  @Test("a read is judged again on the documents of its time")
  func replayedRead() throws {
    let feed = RequestFeed(isFull: true)
    let store = try Self.store(feed)
    try store.commitAndWait(
      testDatabase,
      [
        set("users/ann", ["groups": .array([.string("a")])]),
        set("users/bob", ["groups": .array([.string("a")])]),
      ], as: .admin)
    _ = try store.fields("users/bob", as: user("ann"))
    // Neither the document nor the one that the rules look up are what they were.
    try store.commitAndWait(
      testDatabase, [set("users/ann", ["groups": .array([])]), set("users/bob", ["groups": .array([])])],
      as: .admin)
    _ = denial { _ = try store.fields("users/bob", as: user("ann")) }
    let rules = try Self.ruleset(testRules)
    let verdicts = try feed.entries().entries.map { entry in
      try store.replay(entry) { "\($0.state) \($0.explain(by: rules).isAllowed)" }
    }
    #expect(verdicts == ["ofThatTime true", "ofThatTime false"])
  }

  @Test("a commit is judged again as a whole, before it happened, whether it happened or not")
  func replayedCommit() throws {
    let feed = RequestFeed(isFull: true)
    let store = try Self.store(feed)
    try store.commitAndWait(testDatabase, [set("posts/p", ["likes": .integer(1)])], as: .admin)
    let like = set(
      "posts/p/likes/ann", [:], transforms: [FieldTransform(try FieldPath.parse("at"), .serverTime)])
    try store.commitAndWait(
      testDatabase, [set("posts/p", ["likes": .integer(2)]), like], as: user("ann"))
    // Without the like the post may not be changed.
    _ = denial {
      try store.commitAndWait(testDatabase, [set("posts/p", ["likes": .integer(3)])], as: user("bob"))
    }
    let rules = try Self.ruleset(testRules)
    let strict = try Self.ruleset(
      testRules.replacing("allow create: if request.auth.uid == uid", with: "allow create: if 'x' == uid"))
    let verdicts = try feed.entries().entries.map { entry in
      try store.replay(entry) { replay in
        Self.words(entry)
          + " \(replay.explain(by: rules).isAllowed) \(replay.explain(by: strict).isAllowed)"
      }
    }
    #expect(
      verdicts == [
        "update posts/p allowed true true", "create posts/p/likes/ann allowed true false",
        "update posts/p denied false false",
      ])
  }

  @Test("in a database that was cleared a request is judged on what is there now")
  func cleared() throws {
    let feed = RequestFeed(isFull: true)
    let store = try Self.store(feed)
    try store.commitAndWait(testDatabase, [set("users/bob", ["open": .boolean(true)])], as: .admin)
    _ = try store.fields("users/bob", as: user("ann"))
    try store.store.clearAndWait(testDatabase)
    let entry = try #require(feed.entries().entries.first)
    let rules = try Self.ruleset(testRules)
    let verdict = try store.replay(entry) { "\($0.state) \($0.explain(by: rules).isAllowed)" }
    #expect(verdict == "ofNow false")
    Self.pass(feed, 2)
    let call = try #require(feed.entries().entries.last)
    #expect(try store.replay(call) { _ in true } == nil)
  }

  @Test("writes are kept once somebody follows them, whoever makes them")
  func writes() throws {
    let feed = RequestFeed()
    let store = try Self.store(feed)
    try store.commitAndWait(testDatabase, [set("posts/a", [:])], as: .admin)
    #expect(store.followWrites(of: testDatabase))
    #expect(!store.followWrites(of: testDatabase))
    try store.commitAndWait(
      testDatabase, [set("posts/a", ["n": .integer(1)]), set("posts/b", [:])], as: .admin)
    try store.commitAndWait(testDatabase, [Write(ResourcePath(unchecked: "posts/a"), .delete)], as: .admin)
    try store.store.clearAndWait(testDatabase)
    #expect(
      feed.entries().entries.map(Self.words) == [
        "update posts/a", "create posts/b", "delete posts/a", "clear ",
      ])
  }
}
