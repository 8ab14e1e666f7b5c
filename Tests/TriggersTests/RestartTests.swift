/// What a restart must not forget: pauses, who wrote, chains, and seeds that were to be silent.

import DocModel
import DocStore
import EngineLMDB
import Synchronization
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct RestartTests {
  private let folder = TemporaryFolder()
  private let other = TemporaryFolder()

  private func reopened() throws -> TriggerJournal { try TriggerJournal(folder: folder.path) }

  /// The file as it is at this moment, while somebody writes it.
  private func copied() throws -> TriggerJournal {
    let path = other.path + "/triggers.journal"
    try write(try bytes(of: folder.path + "/triggers.journal"), to: path)
    return try TriggerJournal(path: path)
  }

  @Test("a pause outlives the process, of one trigger and of all, until somebody resumes")
  func pauses() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let seen = Journal<String>()
    let triggers = try ["a", "b"].map { name in
      try onDocumentCreated("c/{d}", name: name) { seen.note("\(name) \($0.path.text)") }
    }
    func runner() throws -> TriggerRunner<LMDBEngine> {
      try TriggerRunner(store, triggers, settings: .quick, journal: try reopened())
    }
    let first = try runner()
    try first.pause("a")
    let since = try #require(first.statuses[0].pausedSince)
    try await store.set("c/1", [:])
    try await first.whileRunning {
      let isDrained = try await first.drain("b")
      #expect(isDrained)
    }
    #expect(seen.entries == ["b c/1"])
    // A crash: whatever is in the file now.
    let second = try TriggerRunner(store, triggers, settings: .quick, journal: try copied())
    #expect(second.statuses.map(\.pausedSince) == [since, nil] && second.pausedSince == nil)
    // Writing anew and doing things once more keep it.
    let third = try runner()
    try third.replay("a", from: .earliest)
    third.pause()
    let all = try #require(third.pausedSince)
    try await third.whileRunning {
      let isThere = try await eventually { !third.statuses[0].isBehind && third.metrics.pending > 0 }
      #expect(isThere)
    }
    try third.journal?.rewrite(third.state.withLock { $0.wholeImage })
    #expect(seen.entries == ["b c/1"])
    let fourth = try runner()
    #expect(fourth.pausedSince == all && fourth.statuses.map(\.pausedSince) == [since, all])
    try fourth.resume("a")
    #expect(fourth.statuses.map(\.pausedSince) == [all, all])
    fourth.resume()
    try await fourth.whileRunning { #expect(await fourth.drain()) }
    #expect(seen.entries == ["b c/1", "a c/1"])
    let fifth = try runner()
    #expect(fifth.pausedSince == nil && fifth.statuses.allSatisfy { !$0.isPaused })
    store.close()
  }

  @Test("who wrote, and which chain it belongs to, outlive the process with the events that wait")
  func authors() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let seen = Journal<DocumentEvent>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { event in
      seen.note(event)
      if event.path.text == "c/2" { throw TestFailure() }
    }
    // It begins here, and nobody runs.
    _ = try TriggerRunner(store, [trigger], settings: .quick, journal: try reopened())
    let cause = EventCause.none.following("other", path("a/x"), event: "root")
    let authors: [CommitAuthor] = [.unknown, .system, .administrator, .anonymous, .user("ann")]
    for (index, author) in authors.enumerated() {
      try await CommitOrigin.$current.withValue(index == 4 ? CommitOrigin(cause.text) : nil) {
        _ = try await store.commit(
          database, [Write(path("c/\(index)"), .update(fields: Fields([]).encoded, mask: nil))],
          author: author)
      }
    }
    try await CommitOrigin.$current.withValue(.withoutTriggers) { _ = try await store.set("c/silent", [:]) }
    do {
      let runner = try TriggerRunner(store, [trigger], settings: .quick, journal: try reopened())
      try await runner.whileRunning { #expect(await runner.drain()) }
    }
    let first = (0..<5).compactMap { index in seen.entries.first { $0.path.text == "c/\(index)" } }
    #expect(first.map(\.author) == authors)
    #expect(first.map(\.cause) == Array(repeating: .none, count: 4) + [cause])
    #expect(!seen.entries.contains { $0.path.text == "c/silent" })
    // A dead letter keeps it too.
    let runner = try TriggerRunner(store, [trigger], settings: .quick, journal: try reopened())
    #expect(runner.deadLetters.map(\.event.author) == [.administrator])
    let count = seen.entries.count
    try runner.retry()
    try await runner.whileRunning { #expect(await runner.drain()) }
    #expect(seen.entries[count...].allSatisfy { $0.author == .administrator } && seen.entries.count > count)
    store.close()
  }

  @Test("an event that comes when the run is told to end is left to the next run")
  func lateEvent() async throws {
    let store = try naiveStore()
    let seen = Journal<String>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { seen.note($0.path.text) }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    let executor = try LastFirstExecutor()
    let running = Task(executorPreference: executor) { await runner.run() }
    try await store.set("c/a", [:])
    #expect(try await eventually { seen.entries.count == 1 })
    // The loop takes the event, and is told of the end before the delivery begins.
    executor.pause()
    try await store.set("c/b", [:])
    running.cancel()
    executor.resume()
    await running.value
    #expect(seen.entries == ["c/a"])
    try await runner.whileRunning {
      let hasCome = try await eventually { seen.entries.count == 2 }
      #expect(hasCome)
    }
    #expect(seen.entries == ["c/a", "c/b"])
  }
}
