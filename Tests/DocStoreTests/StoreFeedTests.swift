/// The change feed, and the judge of commits.

import DocModel
import DocStore
import Platform
import TestSupport
import Testing

@Suite("feed and judge")
struct StoreFeedTests {
  let test: TestStore

  init() throws { test = try TestStore() }

  struct Seen: Equatable {
    var path: String
    var before: Fields?
    var after: Fields?
  }

  func seen(_ event: FeedEvent) -> [Seen] {
    guard case .commit(_, let changes) = event else { return [] }
    return changes.map { change in
      Seen(
        path: change.path.text, before: change.before?.withDocument { Fields($0.fields) },
        after: change.after?.withDocument { Fields($0.fields) })
    }
  }

  @Test("each commit's changes come once, in order, with the states before and after")
  func changes() throws {
    try test.set("c/a", ["n": .integer(1)])
    let wakes = TestClock(0)
    let subscription = test.store.subscribe(test.database) { wakes.advance(microseconds: 1) }
    let first = try test.commit(.set("c/a", ["n": .integer(2)]), .set("c/b", [:]), .delete("c/none"))
      .commitTime
    try test.set("c/a", ["n": .integer(2)])
    try test.store.commitAndWait(DatabaseID(project: "another"), [.set("c/a", [:])])
    try test.commit(.delete("c/a"), .set("c/t", [:]), .delete("c/t"))
    let events = subscription.take()
    #expect(wakes.now == 1)
    #expect(events.count == 2)
    guard case .commit(let version, _)? = events.first else {
      Issue.record("no commit")
      return
    }
    #expect(version == first)
    #expect(subscription.startVersion < first)
    #expect(
      seen(events[0]) == [
        Seen(path: "c/a", before: ["n": .integer(1)], after: ["n": .integer(2)]),
        Seen(path: "c/b", before: nil, after: [:]),
      ])
    #expect(seen(events[1]) == [Seen(path: "c/a", before: ["n": .integer(2)], after: nil)])
    #expect(subscription.take().isEmpty)
    test.store.unsubscribe(subscription)
    try test.set("c/z", [:])
    #expect(subscription.take().isEmpty)
  }

  static let sources: [CommitSource] = [
    CommitSource(author: .unknown), CommitSource(author: .system), CommitSource(author: .administrator),
    CommitSource(author: .anonymous), CommitSource(author: .user("")), CommitSource(author: .user("ünï u")),
    CommitSource(author: .user("ann"), origin: CommitOrigin("why")),
    CommitSource(author: .system, origin: .withoutTriggers),
  ]

  @Test(
    "who made a commit and why is on the feed with every change, and in storage with the first",
    arguments: sources)
  func source(_ source: CommitSource) throws {
    let subscription = test.store.subscribe(test.database) {}
    CommitOrigin.$current.withValue(source.origin) {
      test.store.submit(
        test.database, [.set("c/a", ["n": .integer(1)]), .set("c/ü", [:])], author: source.author
      ) { _ in }
    }
    // Behind it in the queue.
    try test.store.commitAndWait(test.database, [.set("c/z", [:])])
    guard case .commit(_, let changes)? = subscription.take().first else {
      Issue.record("no commit")
      return
    }
    #expect(changes.map(\.source) == [source, source])
    var stored: [String] = []
    var sources: [CommitSource?] = []
    try test.store.changes(test.database, after: 0, isHeld: true) { _, path, source in
      stored.append(path.text)
      sources.append(source)
      return .more
    }
    #expect(stored == ["c/a", "c/ü", "c/z"])
    #expect(sources == [source, nil, CommitSource(author: .system)])
  }

  @Test("the id of a user that is too long for an id is not kept")
  func longUser() throws {
    for (count, isKept) in [(1_024, true), (1_025, false)] {
      let user = String(repeating: "u", count: count)
      let path = "c/\(count)"
      try test.store.commitAndWait(test.database, [.set(path, [:])], author: .user(user))
      var last: CommitSource?
      try test.store.changes(test.database, after: 0, isHeld: true) { _, _, source in
        last = source
        return .more
      }
      #expect(last?.author == (isKept ? .user(user) : .unknown))
    }
  }

  @Test("one that does not take its events in time is told that it lags, once")
  func lagging() throws {
    let subscription = test.store.subscribe(test.database, eventsMax: 3) {}
    for index in 0..<10 { try test.set("c/\(index)", [:]) }
    let events = subscription.take()
    guard case .lagged? = events.first else {
      Issue.record("not told")
      return
    }
    #expect(events.count == 1)
    try test.set("c/x", [:])
    #expect(subscription.take().count == 1)
  }

  @Test("clearing is one event")
  func clearing() async throws {
    try test.set("c/a", [:])
    let subscription = test.store.subscribe(test.database) {}
    let version = try await test.store.clear(test.database)
    guard case .cleared(let seen, nil)? = subscription.take().first else {
      Issue.record("not told")
      return
    }
    #expect(seen == version)
  }

  @Test("stored changes resume after a version, and states at their times replay the commits")
  func resume() throws {
    let first = try test.set("c/a", ["n": .integer(1)]).commitTime
    let second = try test.commit(.set("c/a", ["n": .integer(2)]), .set("c/b", [:])).commitTime
    let third = try test.commit(.delete("c/a")).commitTime
    func changes(after version: Int64) throws -> [String] {
      var seen: [String] = []
      try test.store.changes(test.database, after: version) { version, path, _ in
        seen.append("\(version) \(path.text)")
        return .more
      }
      return seen
    }
    #expect(try changes(after: first) == ["\(second) c/a", "\(second) c/b", "\(third) c/a"])
    #expect(try changes(after: third) == [])
    #expect(try test.fields("c/a", at: .at(third - 1)) == ["n": .integer(2)])
    #expect(try test.fields("c/a", at: .at(third)) == nil)
    test.clock.advance(seconds: 3_601)
    #expect(storeError { _ = try changes(after: first) } == .failedPrecondition(.readTimeTooOld))
  }

  @Test(
    "the judge sees each written document's kind and states, and other documents before and after the batch")
  func judge() throws {
    try test.set("c/a", ["n": .integer(1)])
    try test.set("c/gone", ["n": .integer(7)])
    let log = Monitor<[String]>([])
    @Sendable func number(_ document: StoredDocument?) -> String {
      document.map { "\($0.fields.value(named: "n" as StaticString)?.integer ?? -1)" } ?? "none"
    }
    let result = try test.store.commitAndWait(
      test.database,
      [
        .transform("c/a", .increment(fieldPath("n"), by: .integer(1))), .set("c/b", ["n": .integer(5)]),
        .delete("c/gone"), .verify("c/v", .exists(false)), .set("c/a", ["n": .integer(9)]),
      ]
    ) { (commit) throws(StoreError) in
      var lines = commit.writes.map { "\($0.kind) \($0.path.text) \(number($0.before)) \(number($0.after))" }
      for path in ["c/a", "c/b", "c/gone", "c/other"] {
        let path = ResourcePath(unchecked: path)
        lines.append(
          "\(path.text) \(number(commit.document(path, .before))) \(number(commit.document(path, .after)))")
      }
      lines.append("\(commit.commitTime)")
      log.change { $0 = lines }
    }
    #expect(
      log.withLock { $0 } == [
        "update c/a 1 9", "create c/b none 5", "delete c/gone 7 none", "verify c/v none none",
        "c/a 1 9", "c/b none 5", "c/gone 7 none", "c/other none none", "\(result.commitTime)",
      ])
  }

  @Test("a refusal fails only its own commit, and the next one sees nothing of it")
  func refusal() async throws {
    try test.set("c/a", ["n": .integer(1)])
    let store = test.store
    let database = test.database
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<100 {
        group.addTask {
          _ = try? await store.commit(
            database, [.transform("c/a", .increment(fieldPath("n"), by: .integer(1)))]
          ) {
            (commit) throws(StoreError) in
            if index % 2 == 0 { throw .permissionDenied(message: "denied") }
          }
        }
      }
    }
    #expect(try test.fields("c/a") == ["n": .integer(51)])
  }
}
