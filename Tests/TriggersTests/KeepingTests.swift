/// What must not be lost between two looks at the journal, and what must not grow.

import DocModel
import DocStore
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct KeepingTests {
  private let folder = TemporaryFolder()

  private func reopened() throws -> TriggerJournal { try TriggerJournal(folder: folder.path) }

  // MARK: history

  @Test(
    "history is held for a trigger that is not registered, until it is registered again or ended",
    arguments: [false, true])
  func absentTrigger(isEnded: Bool) async throws {
    let clock = TestClock()
    let store = try DocumentStore(engine: NaiveEngine(), environment: clock.environment())
    let seen = Journal<String>()
    let missed = Journal<Int64>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { seen.note($0.path.text) }
    func runner(_ triggers: [DocumentTrigger]) throws -> TriggerRunner<NaiveEngine> {
      try TriggerRunner(store, triggers, settings: .quick, journal: try reopened()) { report in
        if case .missed(_, let version, _) = report { missed.note(version) }
      }
    }
    // It begins, and nobody runs.
    _ = try runner([trigger])
    let version = try await store.set("c/early", [:]).commitTime
    let without = try runner([])
    #expect(without.absentTriggers == ["t"])
    if isEnded {
      try without.unregister("t")
      #expect(throws: TriggerError.unknownTrigger("t")) { try without.unregister("t") }
      #expect(try reopened().opened.triggers.isEmpty && without.absentTriggers.isEmpty)
    }
    clock.advance(seconds: 24 * 3_600)
    try await without.whileRunning { #expect(await without.drain()) }
    try await store.tidy()
    #expect((try store.historyFloor() >= version) == isEnded)
    let again = try runner([trigger])
    #expect(again.absentTriggers.isEmpty)
    try await again.whileRunning { #expect(await again.drain()) }
    #expect(seen.entries == (isEnded ? [] : ["c/early"]) && missed.entries.isEmpty)
    store.close()
  }

  @Test("what a replay was asked for is held from then on")
  func replayHolds() async throws {
    let clock = TestClock()
    let store = try DocumentStore(engine: NaiveEngine(), environment: clock.environment())
    let seen = Journal<String>()
    let missed = Journal<Int64>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { seen.note($0.path.text) }
    let runner = try TriggerRunner(store, [trigger], settings: .quick) { report in
      if case .missed(_, let version, _) = report { missed.note(version) }
    }
    try await store.set("c/a", [:])
    try await runner.whileRunning { #expect(await runner.drain()) }
    try await store.set("c/b", [:])
    try runner.replay("t", from: .earliest)
    clock.advance(seconds: 2 * 3_600)
    try await store.tidy()
    try await runner.again { #expect(await runner.drain()) }
    #expect(seen.entries.sorted() == ["c/a", "c/a", "c/b"] && missed.entries.isEmpty)
    store.close()
  }

  @Test("a replay from the future is refused, and the trigger goes on")
  func futureReplay() async throws {
    let store = try naiveStore()
    let seen = Journal<String>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { seen.note($0.path.text) }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await runner.whileRunning {
      for version in [Int64.max, try store.presentVersion() + 3_600_000_000] {
        #expect(throws: TriggerError.inFuture(trigger: "t")) {
          try runner.replay("t", from: .after(version))
        }
      }
      try await store.set("c/a", [:])
      #expect(await runner.drain())
    }
    #expect(seen.entries == ["c/a"])
  }

  // MARK: positions

  @Test("a run that ends before it has looked at anything forgets nothing")
  func endedAtOnce() async throws {
    let store = try naiveStore()
    let seen = Journal<String>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { seen.note($0.path.text) }
    func runner() throws -> TriggerRunner<NaiveEngine> {
      try TriggerRunner(store, [trigger], settings: .quick, journal: try reopened())
    }
    do {
      let first = try runner()
      try await store.set("c/a", [:])
      try await first.whileRunning { #expect(await first.drain()) }
    }
    try await store.set("c/b", [:])
    do {
      let second = try runner()
      let running = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await second.run()
      }
      await running.value
    }
    let third = try runner()
    try await third.whileRunning { #expect(await third.drain()) }
    #expect(seen.entries == ["c/a", "c/b"])
  }

  @Test(
    "a new definition gives up the databases that it is not about, and begins now in those that are new to it"
  )
  func otherProject() async throws {
    let store = try naiveStore()
    let other = DatabaseID(project: "other")
    let seen = Journal<String>()
    func trigger(_ project: String) throws -> DocumentTrigger {
      var trigger = try onDocumentCreated("c/{d}", name: "t") {
        seen.note($0.database.project + "/" + $0.path.text)
      }
      trigger.project = project
      return trigger
    }
    func write(_ document: String, _ database: DatabaseID) async throws {
      _ = try await store.commit(database, [Write(path(document), .update(fields: [], mask: nil))])
    }
    let runner = try TriggerRunner(
      store, [try trigger("demo-test")], settings: .quick, journal: try reopened())
    try await runner.whileRunning {
      try runner.pause("t")
      try await write("c/before", other)
      try await write("c/waits", database)
      #expect(try await eventually { runner.metrics.pending == 1 })
      #expect(await store.discovered(by: runner, other))
      try runner.register(try trigger("other"))
      #expect(runner.metrics.pending == 0)
      try await write("c/after", other)
      try await write("c/after", database)
      try runner.resume("t")
      #expect(await runner.drain())
      #expect(seen.entries == ["other/c/after"])
      // And back.
      try runner.register(try trigger("demo-test"))
      try await write("c/back", database)
      #expect(await runner.drain())
    }
    #expect(seen.entries == ["other/c/after", "demo-test/c/back"])
  }

  // MARK: dead letters

  /// A runner with one dead letter, of c/a; what is tried again is noted.
  private func withLetter(
    _ seen: Journal<String>,
    _ body: (TriggerRunner<NaiveEngine>, DocumentStore<NaiveEngine>) async throws -> Void
  ) async throws {
    let store = try naiveStore()
    let attempts = Journal<Void>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { event in
      if attempts.note(()) <= TriggerSettings.quick.retry.attemptsMax { throw TestFailure() }
      seen.note(event.path.text)
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick, journal: try reopened())
    try await runner.whileRunning {
      try await store.set("c/a", ["n": .integer(1)])
      #expect(await runner.drain())
      #expect(runner.deadLetters.count == 1 && seen.entries.isEmpty)
      try await body(runner, store)
    }
  }

  @Test("dead letters that were dropped while they waited can be tried again", arguments: [false, true])
  func droppedRetry(isReplay: Bool) async throws {
    let seen = Journal<String>()
    try await withLetter(seen) { runner, store in
      try runner.pause("t")
      #expect(try runner.retry() == 1 && runner.metrics.pending == 1)
      #expect(try runner.retry() == 0)
      if isReplay { try runner.replay("t", from: .earliest) } else { _ = try await store.clear(database) }
      #expect(try await eventually { try runner.retry() == 1 })
      try runner.resume("t")
      #expect(await runner.drain())
      #expect(runner.deadLetters.isEmpty)
    }
    #expect(seen.entries == (isReplay ? ["c/a", "c/a"] : ["c/a"]))
  }

  @Test(
    "a dead letter that is discarded while it waits is not delivered, and is gone from the journal at once")
  func discardedRetry() async throws {
    let seen = Journal<String>()
    try await withLetter(seen) { runner, store in
      try runner.pause("t")
      try runner.retry()
      #expect(try runner.discard() == 1 && runner.metrics.pending == 0)
      try runner.resume("t")
      #expect(await runner.drain())
    }
    #expect(seen.entries.isEmpty)
    // Nobody runs: what is answered is written.
    try await withLetter(Journal<String>()) { _, _ in }
    let idle = try TriggerRunner(try naiveStore(), [], settings: .quick, journal: try reopened())
    #expect(try idle.discard() == 1)
    #expect(try reopened().opened.deadLetters.isEmpty)
  }

  @Test("a dead letter that is discarded while its retry is under way is not tried again")
  func discardedUnderWay() async throws {
    let store = try naiveStore()
    let attempts = Journal<Int>()
    let isDiscarded = Mutex(false)
    let trigger = try onDocumentCreated("c/{d}", name: "t") { event in
      if attempts.note(event.attempt) > 4 { _ = try await eventually { isDiscarded.withLock { $0 } } }
      throw TestFailure()
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await runner.whileRunning {
      try await store.set("c/a", [:])
      #expect(await runner.drain())
      #expect(attempts.entries.count == 4)
      #expect(try runner.retry() == 1)
      #expect(try await eventually { attempts.entries.count == 5 })
      #expect(try runner.discard() == 1)
      isDiscarded.withLock { $0 = true }
      #expect(await runner.drain())
    }
    #expect(attempts.entries.count == 5 && runner.deadLetters.isEmpty)
  }

  // MARK: a full disk

  private final class Disk: Sendable {
    private let state = Mutex((isFull: false, refused: 0))
    var isFull: Bool {
      get { state.withLock { $0.isFull } }
      set { state.withLock { $0.isFull = newValue } }
    }
    var refused: Int { state.withLock { $0.refused } }

    func write(_ bytes: [UInt8], _ descriptor: Int32, _ offset: Int) throws(SystemError) {
      let isFull = state.withLock { state in
        if state.isFull { state.refused += 1 }
        return state.isFull
      }
      if isFull { throw SystemError(code: ENOSPC) }
      try JournalFile.writeAll(bytes, descriptor, offset)
    }
  }

  @Test(
    "while the journal cannot be written nothing is kept for it, it is said once, and afterwards it says all")
  func fullDisk() async throws {
    let store = try naiveStore()
    let disk = Disk()
    let said = Journal<String>()
    let file = try JournalFile(path: folder.path + "/triggers.journal") {
      (bytes, descriptor, offset) throws(SystemError) in try disk.write(bytes, descriptor, offset)
    }
    let journal = try TriggerJournal(file)
    let trigger = try onDocumentCreated("c/{d}", name: "t") { event in
      if event.path.text == "c/7" { throw TestFailure() }
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick, journal: journal) { report in
      if case .unwritable(let error) = report { said.note(error.reason) }
    }
    disk.isFull = true
    try await runner.whileRunning {
      for number in 0..<200 { try await store.set("c/\(number)", [:]) }
      #expect(await runner.drain())
      #expect(try await eventually { disk.refused > 0 })
    }
    #expect(said.entries == ["No space left on device"])
    #expect(runner.state.withLock { $0.unwritten.isEmpty })
    #expect(try reopened().opened.deadLetters.isEmpty)
    disk.isFull = false
    let version = try await store.set("c/late", [:]).commitTime
    try await runner.again { #expect(await runner.drain()) }
    let image = try reopened().opened
    #expect(image.deadLetters.map(\.event.path.text) == ["c/7"])
    #expect(try #require(image.triggers["t"]).position(of: database) >= version)
    // The next outage is said again.
    disk.isFull = true
    #expect(try runner.discard() == 1)
    #expect(said.entries.count == 2)
  }
}

extension TriggerRunner {
  /// As `whileRunning`, for a runner that has run before: who waits before it begins is told that it has ended.
  fileprivate func again(_ body: () async throws -> Void) async throws {
    try await whileRunning {
      #expect(try await eventually { state.withLock { $0.isRunning } })
      try await body()
    }
  }
}

extension DocumentStore {
  /// Whether a runner follows a database, as soon as it does.
  fileprivate func discovered(by runner: TriggerRunner<Engine>, _ database: DatabaseID) async -> Bool {
    (try? await eventually { runner.state.withLock { $0.follows[database] != nil } }) ?? false
  }
}
