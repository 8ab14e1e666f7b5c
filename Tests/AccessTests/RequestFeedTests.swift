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
  static func store(
    _ feed: RequestFeed, rules: String = testRules, environment: Environment = .system
  ) throws -> GuardedStore<NaiveEngine> {
    let registry = RulesetRegistry()
    registry.setStandard(try ruleset(rules))
    return GuardedStore(
      try DocumentStore(engine: NaiveEngine(), environment: environment), rulesets: registry, detail: .terse,
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
    #expect(feed.entries(of: testDatabase, .requests).entries.count == 5)
    #expect(feed.entries(of: testDatabase, .writes).entries.isEmpty)
    #expect(feed.entries(of: DatabaseID(project: "other")).entries.isEmpty)
  }

  @Test("nobody is told of losses that are another database's")
  func lost() {
    let feed = RequestFeed()
    let other = DatabaseID(project: "other")
    feed.add(other, 1, .wrote(WriteEvent(.create, ResourcePath(unchecked: "a/b"))))
    for number in 2...1_200 { Self.pass(feed, number) }
    #expect(feed.entries(after: 1, of: testDatabase, .requests).lost == 199)
    #expect(feed.entries(after: 1, of: other, .writes).lost == 0)
    #expect(feed.entries(after: 1, of: other, .requests).lost == 0)
    #expect(feed.entries(after: 1_000, of: testDatabase).lost == 0)
  }

  @Test("everything is kept as long as somebody asks from time to time")
  func expires() throws {
    let clock = TestClock()
    let feed = RequestFeed { clock.now }
    let store = try Self.store(feed)
    let seconds = RequestFeed.askedSeconds
    #expect(feed.begin())
    clock.advance(seconds: seconds - 1)
    #expect(feed.expire() && feed.isFull && !feed.begin())
    clock.advance(seconds: seconds + 1)
    #expect(!feed.expire() && !feed.isFull && feed.begin())
    #expect(store.followWrites(of: testDatabase))
    clock.advance(seconds: seconds - 1)
    #expect(!store.followWrites(of: testDatabase))
    clock.advance(seconds: 2)
    // The requests have expired, the writes not.
    #expect(feed.expire() && !feed.isFull && !store.followWrites(of: testDatabase))
    clock.advance(seconds: seconds + 1)
    #expect(!feed.expire())
    try store.commitAndWait(testDatabase, [set("posts/a", [:])], as: .admin)
    #expect(feed.entries().entries.isEmpty)
    #expect(store.followWrites(of: testDatabase))
    feed.beginForGood()
    clock.advance(seconds: seconds + 1)
    #expect(!feed.expire() && feed.isFull)
  }

  @Test("of too many databases whose writes are asked for, the one that was asked for longest ago makes room")
  func manyDatabases() throws {
    let clock = TestClock()
    let feed = RequestFeed { clock.now }
    let store = try Self.store(feed)
    for number in 0..<RequestFeed.writtenDatabasesMax {
      clock.advance(seconds: 1)
      #expect(store.followWrites(of: DatabaseID(project: "p\(number)")))
    }
    clock.advance(seconds: 1)
    #expect(!store.followWrites(of: DatabaseID(project: "p0")))
    clock.advance(seconds: 1)
    #expect(store.followWrites(of: testDatabase))
    try store.commitAndWait(testDatabase, [set("posts/a", [:])], as: .admin)
    #expect(feed.entries().entries.map(Self.words) == ["create posts/a"])
    #expect(!store.followWrites(of: DatabaseID(project: "p0")))
    #expect(store.followWrites(of: DatabaseID(project: "p1")))
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

  private static func large(_ bytes: Int) -> Fields { ["t": .string(String(repeating: "x", count: bytes))] }

  @Test(
    "a commit's documents are held once for all of its requests, and count; those of a huge one are not kept")
  func sizes() throws {
    let feed = RequestFeed(isFull: true)
    let rules = "service cloud.firestore { match /databases/{d}/documents/{p=**} { allow write: if true; } }"
    let store = try Self.store(feed, rules: rules)
    try store.commitAndWait(
      testDatabase, [set("a/large", Self.large(900_000))] + (0..<200).map { set("a/\($0)", [:]) },
      as: user("ann"))
    #expect(feed.entries().entries.count == 201)
    // Each is small beside the commit: 1 MB of documents, not 200.
    for _ in 0..<4 {
      try store.commitAndWait(
        testDatabase, [set("a/large", Self.large(900_000))] + (0..<50).map { set("a/\($0)", [:]) },
        as: user("ann"))
    }
    #expect(feed.entries().entries.count == 201 + 4 * 51)
    let before = feed.entries().next
    try store.commitAndWait(
      testDatabase, (0..<6).map { set("b/\($0)", Self.large(900_000)) }, as: user("ann"))
    #expect(feed.entries().next == before)
    // Twenty of 1.8 MB do not fit in 16 MiB.
    for _ in 0..<20 {
      try store.commitAndWait(
        testDatabase, [set("c/a", Self.large(900_000)), set("c/b", Self.large(900_000))], as: user("ann"))
    }
    let kept = feed.entries().entries.count
    #expect(kept > 4 && kept < 20, "\(kept)")
  }

  @Test("entries hold no more than a few rulesets")
  func rulesets() throws {
    let feed = RequestFeed()
    let store = try Self.store(feed)
    for _ in 0..<3 * RequestFeed.rulesetsMax {
      store.rulesets.setStandard(try Self.ruleset(testRules))
      for _ in 0..<2 { _ = denial { _ = try store.fields("users/bob", as: user("ann")) } }
    }
    #expect(feed.entries().entries.count == 2 * RequestFeed.rulesetsMax)
  }

  @Test("a commit that waits for a transaction is told once, when it is decided", arguments: [true, false])
  func waited(isApplied: Bool) async throws {
    let feed = RequestFeed(isFull: true)
    let rules =
      "service cloud.firestore { match /databases/{d}/documents/{p=**} { allow write: if !resource.data.get('closed', false); } }"
    // On a busy machine the transaction would have ended before anybody waits for it.
    let system = Environment.system
    let patient = Environment(now: system.now, random: system.random, elapsed: { 0 })
    let store = try Self.store(feed, rules: rules, environment: patient)
    try store.commitAndWait(testDatabase, [set("a/x", ["closed": .boolean(false)])], as: .admin)
    let transaction = try store.store.beginTransaction(testDatabase)
    try store.store.read(testDatabase, at: .transaction(transaction)) { (view) throws(StoreError) in
      _ = try view.document(ResourcePath(unchecked: "a/x"))
    }
    let waiting = Task {
      _ = try await store.commit(testDatabase, [set("a/x", ["n": .integer(1)])], as: user("ann"))
    }
    #expect(try await eventually { store.store.lockWaitCount == 1 })
    #expect(feed.entries().entries.isEmpty)
    if isApplied {
      try store.store.rollBack(transaction, in: testDatabase)
    } else {
      try store.commitAndWait(
        testDatabase, [set("a/x", ["closed": .boolean(true)])], transaction: transaction, as: .admin)
    }
    let outcome = await waiting.result
    #expect(((try? outcome.get()) != nil) == isApplied)
    #expect(
      feed.entries().entries.map(Self.words) == ["update a/x \(isApplied ? "allowed" : "denied")"])
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
