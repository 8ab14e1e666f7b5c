/// What is delivered, how often, and in which order.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct TriggerRunnerTests {
  // MARK: what fires

  struct Row: Sendable {
    let event: DocumentTrigger.Event
    let fired: [String]
  }

  static let rows: [Row] = [
    Row(event: .created, fired: ["created nil 1", "created nil 3"]),
    Row(event: .updated, fired: ["updated 1 2"]),
    Row(event: .deleted, fired: ["deleted 2 nil"]),
    Row(event: .written, fired: ["created nil 1", "updated 1 2", "deleted 2 nil", "created nil 3"]),
  ]

  private static func describe(_ event: DocumentEvent) -> String {
    func number(_ fields: Fields?) -> String {
      guard case .integer(let number) = fields?["n"] else { return "nil" }
      return "\(number)"
    }
    return "\(event.change) \(number(event.before)) \(number(event.after))"
  }

  /// A change of each kind, and writes that change nothing.
  private func commitEveryKind(_ store: DocumentStore<some StorageEngine>) async throws {
    try await store.delete("users/a")
    try await store.set("users/a", ["n": .integer(1)])
    try await store.set("users/a", ["n": .integer(1)])
    try await store.set("other/a", ["n": .integer(1)])
    try await store.set("users/a", ["n": .integer(2)])
    try await store.delete("users/a")
    try await store.delete("users/a")
    // Made and gone within one commit.
    let fields: Fields = ["n": .integer(9)]
    let fleeting = path("users/b")
    _ = try await store.commit(
      database, [Write(fleeting, .update(fields: fields.encoded, mask: nil)), Write(fleeting, .delete)])
    try await store.set("users/a", ["n": .integer(3)])
  }

  @Test("each kind of trigger fires for its changes only, and not for writes without effect", arguments: rows)
  func fires(_ row: Row) async throws {
    let store = try naiveStore()
    let journal = Journal<String>()
    let trigger = try DocumentTrigger("t", on: row.event, "users/{uid}") { journal.note(Self.describe($0)) }
    let runner = try TriggerRunner(store, [trigger], databases: [database], settings: .quick)
    try await runner.whileRunning {
      // A first drain lets the runner subscribe: all of this comes over the feed.
      #expect(await runner.drain())
      try await commitEveryKind(store)
      #expect(await runner.drain())
    }
    #expect(journal.entries == row.fired)
  }

  @Test(
    "what is written without triggers reaches none, over the feed and from storage", arguments: [true, false])
  func withoutTriggers(isLive: Bool) async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    defer { store.close() }
    let journal = Journal<String>()
    let trigger = try DocumentTrigger("t", on: .written, "users/{uid}") { journal.note($0.path.text) }
    let runner = try TriggerRunner(store, [trigger], databases: [database], settings: .quick)
    func commitBoth() async throws {
      try await store.set("users/a", ["n": .integer(1)])
      try await CommitOrigin.$current.withValue(.withoutTriggers) {
        _ = try await store.set("users/quiet", ["n": .integer(1)])
      }
      try await store.set("users/b", ["n": .integer(1)])
    }
    if !isLive { try await commitBoth() }
    try await runner.whileRunning {
      // A first drain lets the runner subscribe.
      #expect(await runner.drain())
      if isLive { try await commitBoth() }
      #expect(await runner.drain())
    }
    // Events of different documents have no order.
    #expect(journal.entries.sorted() == ["users/a", "users/b"])
  }

  @Test("what was committed before the runner ran is read from storage with the same images", arguments: rows)
  func firesFromStorage(_ row: Row) async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let journal = Journal<String>()
    let trigger = try DocumentTrigger("t", on: row.event, "users/{uid}") { journal.note(Self.describe($0)) }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await commitEveryKind(store)
    try await runner.whileRunning { #expect(await runner.drain()) }
    #expect(journal.entries == row.fired)
    store.close()
  }

  @Test("an event tells its place, its parameters, its time, and a key of its own")
  func eventContents() async throws {
    let store = try naiveStore()
    let journal = Journal<DocumentEvent>()
    let first = try onDocumentCreated("users/{uid}", name: "first") { journal.note($0) }
    let second = try onDocumentWritten("{c}/{d}", name: "second") { journal.note($0) }
    let runner = try TriggerRunner(store, [first, second], settings: .quick)
    let result = try await store.set("users/bob", [:])
    try await runner.whileRunning { #expect(await runner.drain()) }
    let events = journal.entries
    #expect(events.count == 2)
    #expect(Set(events.map(\.id)).count == 2)
    #expect(events.contains { $0.parameters == ["uid": "bob"] })
    #expect(events.contains { $0.parameters == ["c": "users", "d": "bob"] })
    for event in events {
      #expect(event.database == database && event.path == path("users/bob"))
      #expect(event.version == result.commitTime && event.time.microseconds == result.commitTime)
    }
  }

  @Test("what was committed before the runner was made fires nothing, unless it starts in the past")
  func startVersion() async throws {
    let store = try naiveStore()
    let journal = Journal<String>()
    let trigger = try onDocumentCreated("users/{uid}", name: "t") { journal.note($0.path.text) }
    let seeded = try await store.set("users/seeded", [:])
    let fresh = try TriggerRunner(store, [trigger], settings: .quick)
    try await fresh.whileRunning { #expect(await fresh.drain()) }
    #expect(journal.entries.isEmpty)
    let past = try TriggerRunner(store, [trigger], after: seeded.commitTime - 1, settings: .quick)
    try await past.whileRunning { #expect(await past.drain()) }
    #expect(journal.entries == ["users/seeded"])
    #expect(try #require(past.deliveredVersion(of: database)) >= seeded.commitTime)
  }

  @Test("a database that springs into being while the runner runs is followed")
  func newDatabase() async throws {
    let store = try naiveStore()
    let journal = Journal<DatabaseID>()
    let trigger = try onDocumentCreated("users/{uid}", name: "t") { journal.note($0.database) }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    let other = DatabaseID(project: "other", database: "second")
    try await runner.whileRunning {
      #expect(await runner.drain())
      _ = try await store.commit(other, [Write(path("users/a"), .update(fields: [], mask: nil))])
      #expect(await runner.drain())
    }
    #expect(journal.entries == [other])
  }

  @Test("only the databases that were named are followed")
  func namedDatabases() async throws {
    let store = try naiveStore()
    let journal = Journal<DatabaseID>()
    let trigger = try onDocumentCreated("users/{uid}", name: "t") { journal.note($0.database) }
    let runner = try TriggerRunner(store, [trigger], databases: [database], settings: .quick)
    _ = try await store.commit(
      DatabaseID(project: "other"), [Write(path("users/a"), .update(fields: [], mask: nil))])
    try await store.set("users/a", [:])
    try await runner.whileRunning { #expect(await runner.drain()) }
    #expect(journal.entries == [database])
  }

  @Test("two triggers of one name are refused")
  func sameName() throws {
    let store = try naiveStore()
    let trigger = try onDocumentCreated("users/{uid}", name: "t") { _ in }
    #expect(throws: StoreError.self) { try TriggerRunner(store, [trigger, trigger]) }
  }

  // MARK: order

  @Test(
    "a document's events come in commit order, one at a time, also when the feed lags", arguments: [8, 4_096])
  func order(pendingMax: Int) async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let journal = Journal<(String, Int64)>()
    let trigger = try onDocumentWritten("c/{d}", name: "t") { event in
      guard case .integer(let number) = event.after?["n"] else { return }
      if number % 7 == 0 { await Task.yield() }
      journal.note((event.path.text, number))
    }
    var settings = TriggerSettings.quick
    settings.pendingMax = pendingMax
    let runner = try TriggerRunner(store, [trigger], databases: [database], settings: settings)
    try await runner.whileRunning {
      #expect(await runner.drain())
      runner.pause()
      // More commits than the feed keeps for a follower.
      for number in 1...400 as ClosedRange<Int64> {
        for document in ["c/a", "c/b", "c/c"] { try await store.set(document, ["n": .integer(number)]) }
        if number == 390 { runner.resume() }
      }
      #expect(await runner.drain())
    }
    for document in ["c/a", "c/b", "c/c"] {
      #expect(journal.entries.filter { $0.0 == document }.map(\.1) == Array(1...400))
    }
    store.close()
  }

  @Test("a slow document holds back no other")
  func slowDocument() async throws {
    let store = try naiveStore()
    let journal = Journal<String>()
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    let trigger = try onDocumentCreated("c/{d}", name: "t") { event in
      if event.path.text == "c/slow" { for await _ in gate { break } }
      journal.note(event.path.text)
      if event.path.text == "c/fast" { opener.yield() }
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await store.set("c/slow", [:])
    try await store.set("c/fast", [:])
    try await runner.whileRunning { #expect(await runner.drain()) }
    #expect(journal.entries == ["c/fast", "c/slow"])
  }

  // MARK: failures

  @Test("a failed delivery is repeated under the same key, before the document's next event")
  func retries() async throws {
    let store = try naiveStore()
    let journal = Journal<String>()
    let trigger = try onDocumentWritten("c/{d}", name: "t") { event in
      if journal.note(event.id) < 3 { throw TestFailure() }
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await store.set("c/a", ["n": .integer(1)])
    try await store.set("c/a", ["n": .integer(2)])
    try await runner.whileRunning { #expect(await runner.drain()) }
    let ids = journal.entries
    #expect(ids.count == 4)
    #expect(Set(ids.prefix(3)).count == 1)
    #expect(ids[3] != ids[0])
    #expect(runner.deadLetters.isEmpty)
  }

  @Test("after the last attempt an event is kept and reported as a dead letter, and the document goes on")
  func deadLetter() async throws {
    let store = try naiveStore()
    let journal = Journal<Int64>()
    let reported = Journal<String>()
    let trigger = try onDocumentWritten("c/{d}", name: "t") { event in
      guard case .integer(let number) = event.after?["n"] else { return }
      journal.note(number)
      if number < 3 { throw TestFailure() }
    }
    var settings = TriggerSettings.quick
    settings.deadLettersMax = 1
    let runner = try TriggerRunner(store, [trigger], settings: settings) { report in
      if case .deadLetter(let letter) = report { reported.note("\(letter.trigger) \(letter.reason)") }
    }
    for number in 1...3 as ClosedRange<Int64> { try await store.set("c/a", ["n": .integer(number)]) }
    try await runner.whileRunning { #expect(await runner.drain()) }
    #expect(journal.entries == [1, 1, 1, 1, 2, 2, 2, 2, 3])
    #expect(reported.entries == ["t TestFailure()", "t TestFailure()"])
    // One is kept: the newest.
    #expect(runner.deadLetters.map(\.event.after) == [["n": .integer(2)]])
    #expect(runner.deadLetters.map(\.attempts) == [4])
  }

  @Test(
    "what happened hours before is delivered; what is no longer kept is reported", arguments: [false, true])
  func missed(isCollected: Bool) async throws {
    let clock = TestClock()
    let store = try DocumentStore(engine: NaiveEngine(), environment: clock.environment())
    let journal = Journal<String>()
    let reports = Journal<Int64>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { journal.note($0.path.text) }
    let runner = try TriggerRunner(store, [trigger], databases: [database], settings: .quick) { report in
      if case .missed(_, let version, _) = report { reports.note(version) }
    }
    try await store.set("c/early", [:])
    // History is held for a week.
    clock.advance(seconds: isCollected ? 8 * 24 * 3_600 : 24 * 3_600)
    try await store.tidy()
    try await runner.whileRunning {
      #expect(await runner.drain())
      clock.advance(seconds: 1)
      try await store.set("c/late", [:])
      #expect(await runner.drain())
    }
    #expect(reports.entries.count == (isCollected ? 1 : 0))
    #expect(journal.entries == (isCollected ? ["c/late"] : ["c/early", "c/late"]))
  }

  @Test("pauses double up to a bound, and chance takes away less than half")
  func pauses() {
    let settings = RetryPolicy(attemptsMax: 8, firstPause: .seconds(1), longestPause: .seconds(10))
    #expect(
      [1, 2, 3, 4, 5, 99].map { settings.pause(failures: $0, random: 0) }
        == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
    #expect(settings.pause(failures: 1, random: 511) > .milliseconds(500))
    #expect(settings.pause(failures: 1, random: 511) < .milliseconds(502))
  }

  // MARK: ends

  @Test("what a cancelled run left is delivered by the next")
  func cancelled() async throws {
    let store = try naiveStore()
    let journal = Journal<String>()
    let (reached, arrival) = AsyncStream.makeStream(of: Void.self)
    let isFirst = Journal<Void>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { event in
      if event.path.text == "c/a", isFirst.note(()) == 1 {
        arrival.yield()
        try await Task.sleep(for: .seconds(600))
      }
      journal.note(event.path.text)
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await store.set("c/a", [:])
    let running = Task { await runner.run() }
    let draining = Task { await runner.drain() }
    for await _ in reached { break }
    running.cancel()
    await running.value
    #expect(await draining.value == false)
    #expect(await runner.drain() == false)
    #expect(journal.entries.isEmpty && runner.deadLetters.isEmpty)
    try await store.set("c/b", [:])
    try await runner.whileRunning {
      let haveCome = try await eventually { journal.entries.count == 2 }
      #expect(haveCome)
      #expect(await runner.drain())
    }
    #expect(journal.entries.sorted() == ["c/a", "c/b"])
  }

  @Test("a paused runner delivers nothing until it is resumed; who waits for it may give up")
  func paused() async throws {
    let store = try naiveStore()
    let journal = Journal<String>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { journal.note($0.path.text) }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    runner.pause()
    try await runner.whileRunning {
      try await store.set("c/a", [:])
      let draining = Task { await runner.drain() }
      // It has been taken from the feed, and nothing starts.
      #expect(try await eventually { runner.metrics.pending == 1 })
      #expect(journal.entries.isEmpty && runner.statuses[0].isPaused)
      draining.cancel()
      #expect(await draining.value == false)
      runner.resume()
      #expect(await runner.drain())
    }
    #expect(journal.entries == ["c/a"])
  }

  @Test("draining waits for what triggers themselves have committed")
  func drainsCascades() async throws {
    let store = try naiveStore()
    let trigger = try onDocumentWritten("c/{d}", name: "t") { event in
      guard case .integer(let number) = event.after?["n"], number < 20 else { return }
      try await store.set(event.path.text, ["n": .integer(number + 1)])
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await runner.whileRunning {
      try await store.set("c/a", ["n": .integer(1)])
      #expect(await runner.drain())
      #expect(try store.integer("c/a", "n") == 20)
    }
  }
}
