/// Triggers that fire each other, and doing things once more.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct TriggerLoopTests {
  /// A trigger whose action adds one to `n` of a document.
  private func bump(
    _ name: String, on pattern: String, _ store: DocumentStore<some StorageEngine>, _ target: String
  ) throws -> DocumentTrigger {
    try onDocumentWritten(pattern, name: name) { event in
      guard case .integer(let number) = event.after?["n"] else { return }
      try await store.set(target, ["n": .integer(number + 1)])
    }
  }

  @Test("a loop of two triggers is cut at the depth, and named")
  func twoTriggers() async throws {
    let store = try naiveStore()
    let loops = Journal<String>()
    var settings = TriggerSettings.quick
    settings.depthMax = 10
    let runner = try TriggerRunner(
      store, [try bump("ping", on: "a/{d}", store, "b/x"), try bump("pong", on: "b/{d}", store, "a/x")],
      settings: settings
    ) { report in
      if case .loop(_, _, let cycle) = report { loops.note(cycle) }
    }
    try await runner.whileRunning {
      try await store.set("a/x", ["n": .integer(0)])
      #expect(await runner.drain())
    }
    #expect(loops.entries == ["ping(a/x) -> pong(b/x) -> ping(a/x)"])
    #expect(
      runner.deadLetters.map(\.reason)
        == ["triggers fired each other 10 times: ping(a/x) -> pong(b/x) -> ping(a/x)"])
    #expect(runner.deadLetters[0].event.cause.depth == 10)
    // Ten triggers ran.
    #expect(try store.integer("a/x", "n") == 10)
  }

  @Test("chains that end are not cut, however many documents a handler writes at once")
  func fanOut() async throws {
    let store = try naiveStore()
    var settings = TriggerSettings.quick
    settings.depthMax = 4
    let trigger = try onDocumentWritten("tree/{d}", name: "grow") { event in
      let id = event.parameters["d"] ?? ""
      if id.utf8.count < 4 { for letter in "abc" { try await store.set("tree/\(id)\(letter)", [:]) } }
    }
    let runner = try TriggerRunner(store, [trigger], settings: settings)
    try await runner.whileRunning {
      try await store.set("tree/r", [:])
      #expect(await runner.drain())
    }
    #expect(runner.deadLetters.map(\.reason) == [])
    #expect(runner.statuses[0].delivered == 1 + 3 + 9 + 27)
  }

  @Test(
    "what seems to be a loop by when it writes is said once and slowed down, but all of it is delivered")
  func guessed() async throws {
    let store = try naiveStore()
    var settings = TriggerSettings.quick
    settings.guessedReturnsMax = 8
    var trigger = try onDocumentWritten("a/{d}", name: "remote") { event in
      guard case .integer(let number) = event.after?["n"], number < 20 else { return }
      // As another process: no cause goes with the commit.
      _ = try await CommitOrigin.$current.withValue(nil) {
        try await store.set("a/x", ["n": .integer(number + 1)])
      }
    }
    trigger.target = "elsewhere"
    trigger.retry = RetryPolicy(
      attemptsMax: 4, firstPause: .milliseconds(1), longestPause: .milliseconds(4))
    let loops = Journal<String>()
    let runner = try TriggerRunner(store, [trigger], settings: settings) { report in
      if case .suspectedLoop(_, _, let cycle) = report { loops.note(cycle) }
    }
    try await runner.whileRunning {
      try await store.set("a/x", ["n": .integer(0)])
      #expect(await runner.drain())
    }
    #expect(loops.entries == ["remote(a/x) -> remote(a/x)"])
    #expect(runner.deadLetters.isEmpty && runner.statuses[0].delivered == 21)
    #expect(runner.statuses[0].failed == 0)
    #expect(try store.integer("a/x", "n") == 20)
  }

  @Test("causes travel as text", arguments: ["", "a(b)@c,d;e", "ünï/x y", "%41"])
  func causeText(_ odd: String) throws {
    var cause = EventCause.none
    for number in 0..<20 { cause = cause.following("t\(odd)\(number)", path("c/\(odd)"), event: "id\(odd)") }
    #expect(cause.depth == 20 && cause.steps.count == EventCause.stepsMax)
    #expect(EventCause(text: cause.text) == cause)
    #expect(cause.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
  }

  @Test(
    "what is no cause is none",
    arguments: ["", "1;a;b;0;", "2;a;1;0;", "1;a;-1;0;", "1;a;1;0;x", "1;%4;1;0;"])
  func badCauses(_ text: String) {
    #expect(EventCause(text: text) == nil)
  }

  // MARK: registration, replay, pauses of one trigger

  @Test(
    "a trigger that is added later gets what is committed from then on; a new definition keeps what waits")
  func registration() async throws {
    let store = try naiveStore()
    let seen = Journal<String>()
    func trigger(_ mark: String) throws -> DocumentTrigger {
      try onDocumentCreated("c/{d}", name: "t") { seen.note(mark + $0.path.text) }
    }
    let runner = try TriggerRunner(store, [], settings: .quick)
    try await runner.whileRunning {
      try await store.set("c/before", [:])
      #expect(await runner.drain())
      try runner.register(try trigger("1 "))
      try await store.set("c/one", [:])
      #expect(await runner.drain())
      try runner.pause("t")
      try await store.set("c/two", [:])
      #expect(try await eventually { runner.metrics.pending == 1 })
      try runner.register(try trigger("2 "))
      try runner.resume("t")
      #expect(try await runner.drain("t"))
      try runner.unregister("t")
      try await store.set("c/three", [:])
      #expect(await runner.drain())
    }
    #expect(seen.entries == ["1 c/one", "2 c/two"])
  }

  @Test("a replay delivers what there was, in order, under the same ids, to that trigger alone")
  func replay() async throws {
    let store = try naiveStore()
    let seen = Journal<String>()
    let others = Journal<String>()
    let runner = try TriggerRunner(
      store,
      [
        try onDocumentWritten("c/{d}", name: "t") { seen.note($0.id) },
        try onDocumentWritten("c/{d}", name: "other") { others.note($0.id) },
      ], settings: .quick)
    try await runner.whileRunning {
      var versions: [Int64] = []
      for number in 0..<6 as Range<Int64> {
        versions.append(try await store.set("c/a", ["n": .integer(number)]).commitTime)
      }
      #expect(await runner.drain())
      let all = seen.entries
      #expect(all.count == 6)
      #expect(try runner.replay("t", from: .after(versions[2])) == versions[2])
      #expect(await runner.drain())
      #expect(seen.entries == all + all[3...])
      try runner.replay("t", from: .earliest)
      #expect(await runner.drain())
      #expect(seen.entries == all + all[3...] + all)
      #expect(throws: TriggerError.unknownTrigger("x")) { try runner.replay("x", from: .earliest) }
    }
    #expect(others.entries.count == 6)
  }

  @Test("a trigger that is stuck, and one that is paused, hold back no other", arguments: [2, 4_096])
  func independence(pendingMax: Int) async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let seen = Journal<String>()
    let late = Journal<String>()
    var settings = TriggerSettings.quick
    settings.pendingMax = pendingMax
    var stuck = try onDocumentWritten("c/{d}", name: "stuck") { _ in throw TestFailure() }
    stuck.retry = RetryPolicy(
      attemptsMax: 1_000_000, firstPause: .milliseconds(1), longestPause: .milliseconds(5))
    let runner = try TriggerRunner(
      store,
      [
        stuck, try onDocumentWritten("c/{d}", name: "good") { seen.note($0.path.text) },
        try onDocumentWritten("c/{d}", name: "paused") { late.note($0.path.text) },
      ], settings: settings)
    try runner.pause("paused")
    try await runner.whileRunning {
      for number in 0..<200 { try await store.set("c/\(number % 20)", ["n": .integer(Int64(number))]) }
      #expect(try await runner.drain("good"))
      #expect(seen.entries.count == 200 && late.entries.isEmpty)
      #expect(runner.metrics.pending <= 2 * (pendingMax + 20))
      // Mended.
      try runner.register(try onDocumentWritten("c/{d}", name: "stuck") { _ in })
      try runner.resume("paused")
      #expect(await runner.drain())
    }
    #expect(late.entries.count == 200)
    for number in 0..<20 { #expect(late.entries.filter { $0 == "c/\(number)" }.count == 10) }
    store.close()
  }

  @Test("draining while commits and deliveries go on never returns before all of them are delivered")
  func drainRace() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let trigger = try onDocumentWritten("c/{d}", name: "t") { event in
      guard case .integer(let number) = event.after?["n"], number > 0 else { return }
      // The last thing a delivery does is to commit.
      try await store.set(event.path.text, ["n": .integer(number - 1)])
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await runner.whileRunning {
      for round in 0..<60 {
        try await store.set("c/\(round % 3)", ["n": .integer(5)])
        #expect(await runner.drain())
        #expect(try store.integer("c/\(round % 3)", "n") == 0)
      }
    }
    store.close()
  }
}
