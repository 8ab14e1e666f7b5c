/// Scheduled functions on a clock that only the test moves.

import DocModel
import DocStore
import EngineLMDB
import Synchronization
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct ScheduleRunnerTests {
  private let clock: StandingClock
  /// What pauses are measured by.
  private let machine = StandingClock(0)
  private let store: DocumentStore<NaiveEngine>
  private let folder = TemporaryFolder()
  private let seen = Journal<String>()

  init() throws {
    clock = StandingClock(try Self.time("2026-03-01T00:00:00Z"))
    let (standing, machine) = (clock.environment(random: { 0 }), machine)
    store = try DocumentStore(
      engine: NaiveEngine(),
      environment: Environment(
        now: standing.now, random: { 0 }, serverTime: standing.serverTime, elapsed: { machine.now }))
  }

  private static func time(_ text: String) throws -> Int64 {
    try #require(Timestamp(rfc3339: text)).microseconds
  }

  private func runner() throws -> ScheduleRunner<NaiveEngine> {
    ScheduleRunner(
      try TriggerRunner(store, [], settings: .quick, journal: try TriggerJournal(folder: folder.path)))
  }

  /// Notes each run: name, database, time and attempt.
  private func noting(
    _ schedule: String, zone: String = "UTC", name: String = "f",
    _ action: @escaping ScheduledFunction.Action = { _ in }
  ) throws -> ScheduledFunction {
    try onSchedule(schedule, timeZone: zone, name: name) { [seen] event in
      seen.note("\(event.jobName) \(event.database.project) \(event.scheduleTime.rfc3339) \(event.attempt)")
      try await action(event)
    }
  }

  private func move(_ text: String) throws { try clock.move(to: try Self.time(text)) }

  @Test("a new function begins from now, and of the times that pass only the latest is delivered")
  func latest() async throws {
    try await store.set("a/b", [:])
    let runner = try runner()
    try runner.register(try noting("every day 00:00", zone: "Europe/Berlin"))
    await runner.runDue()
    #expect(seen.entries.isEmpty)
    #expect(try runner.nextTime == Self.time("2026-03-01T23:00:00Z"))
    try move("2026-03-01T22:59:59Z")
    await runner.runDue()
    #expect(seen.entries.isEmpty)
    try move("2026-03-01T23:00:00Z")
    await runner.runDue()
    await runner.runDue()
    try move("2026-04-10T12:00:00Z")
    await runner.runDue()
    #expect(seen.entries == ["f demo-test 2026-03-01T23:00:00Z 1", "f demo-test 2026-04-09T22:00:00Z 1"])
    #expect(try runner.nextTime == Self.time("2026-04-10T22:00:00Z"))
    let status = try #require(runner.statuses.first)
    #expect(status.delivered == 2 && status.failed == 0 && !status.isUnderWay)
  }

  @Test("each database there is gets each time, under the same id at each attempt")
  func databases() async throws {
    try await store.set("a/b", [:])
    _ = try await store.commit(
      DatabaseID(project: "other"), [Write(path("a/b"), .update(fields: ([:] as Fields).encoded, mask: nil))])
    let ids = Journal<String>()
    let runner = try runner()
    try runner.register(
      try noting("0 * * * *") { event in
        ids.note(event.id)
        if event.database.project == "other", event.attempt < 3 { throw TestFailure() }
      })
    try move("2026-03-01T01:00:00Z")
    await runner.runDue()
    #expect(Set(seen.entries) == ["f demo-test 2026-03-01T01:00:00Z 1", "f other 2026-03-01T01:00:00Z 1"])
    // The second attempt waits for the machine's clock, not for the store's, and later times wait for it.
    #expect(runner.nextTime == nil && runner.statuses[0].isUnderWay)
    try move("2026-03-01T02:30:00Z")
    await runner.runDue()
    #expect(seen.entries.count == 2)
    for milliseconds in [1, 3] {
      try machine.move(to: Int64(milliseconds) * 1_000)
      await runner.runDue()
    }
    #expect(
      seen.entries.dropFirst(2).prefix(2) == [
        "f other 2026-03-01T01:00:00Z 2", "f other 2026-03-01T01:00:00Z 3",
      ])
    #expect(
      Set(seen.entries.dropFirst(4)) == [
        "f demo-test 2026-03-01T02:00:00Z 1", "f other 2026-03-01T02:00:00Z 1",
      ])
    #expect(Set(ids.entries.prefix(4)).count == 2)
    #expect(Set(ids.entries).count == 4)
  }

  @Test("after its last attempt a run is a dead letter, which can be tried once more")
  func deadLetters() async throws {
    try await store.set("a/b", [:])
    let fails = Mutex(true)
    let runner = try runner()
    try runner.register(try noting("0 * * * *") { _ in if fails.withLock({ $0 }) { throw TestFailure() } })
    try move("2026-03-01T01:00:00Z")
    for second in 0..<5 {
      try machine.move(to: Int64(second) * 1_000_000)
      await runner.runDue()
    }
    #expect(seen.entries.count == 4)
    let letter = try #require(runner.triggers.deadLetters.first)
    #expect(letter.trigger == "f" && letter.attempts == 4 && letter.isOfSchedule)
    #expect(letter.event.time.rfc3339 == "2026-03-01T01:00:00Z" && letter.event.database == database)
    #expect(runner.statuses[0].deadLetters == 1 && !runner.statuses[0].isUnderWay)

    let later = try self.runner()
    try later.register(try noting("0 * * * *") { _ in if fails.withLock({ $0 }) { throw TestFailure() } })
    await later.runDue()
    #expect(seen.entries.count == 4 && later.triggers.deadLetters.map(\.id) == [letter.id])
    fails.withLock { $0 = false }
    #expect(try later.retry() == 1)
    await later.runDue()
    #expect(seen.entries.last == "f demo-test 2026-03-01T01:00:00Z 1" && later.triggers.deadLetters.isEmpty)
    #expect(try self.runner().triggers.deadLetters.isEmpty)
    #expect(throws: TriggerError.unknownTrigger("g")) { try later.retry(function: "g") }
  }

  @Test("another process delivers what was under way, then the latest that has passed, and no more")
  func restart() async throws {
    try await store.set("a/b", [:])
    _ = try await store.commit(
      DatabaseID(project: "done"), [Write(path("a/b"), .update(fields: ([:] as Fields).encoded, mask: nil))])
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    let first = try runner()
    try first.register(
      try noting("0 * * * *") { event in
        if event.database == database { for await _ in gate {} }
      })
    try move("2026-03-01T01:00:00Z")
    let running = Task { await first.runDue() }
    #expect(try await eventually { first.statuses[0].delivered == 1 && seen.entries.count == 2 })
    // What ended first is written down by now; the process is gone in the middle of the other action.
    first.turns.withLock { _ in }
    let copy = folder.path + "/copy"
    try write(try bytes(of: folder.path + "/triggers.journal"), to: copy)
    opener.finish()
    await running.value
    try move("2026-03-01T05:10:00Z")
    let second = ScheduleRunner(
      try TriggerRunner(store, [], settings: .quick, journal: try TriggerJournal(path: copy)))
    try second.register(try noting("0 * * * *"))
    #expect(try second.nextTime == Self.time("2026-03-01T01:00:00Z"))
    await second.runDue()
    #expect(seen.entries[2] == "f demo-test 2026-03-01T01:00:00Z 1")
    #expect(
      Set(seen.entries[3...]) == ["f demo-test 2026-03-01T05:00:00Z 1", "f done 2026-03-01T05:00:00Z 1"])

    let third = ScheduleRunner(
      try TriggerRunner(store, [], settings: .quick, journal: try TriggerJournal(path: copy)))
    try third.register(try noting("0 * * * *"))
    await third.runDue()
    #expect(seen.entries.count == 5)
    // Another schedule begins anew, although it had times since the last run.
    try third.register(try noting("5 * * * *"))
    await third.runDue()
    #expect(try seen.entries.count == 5 && third.nextTime == Self.time("2026-03-01T06:05:00Z"))
  }

  @Test("pauses hold runs back and outlive the process; a run that is asked for comes all the same")
  func pauses() async throws {
    try await store.set("a/b", [:])
    let runner = try runner()
    try runner.register(try noting("0 * * * *"))
    try runner.pause("f")
    try move("2026-03-01T03:30:00Z")
    await runner.runDue()
    #expect(seen.entries.isEmpty && runner.nextTime == nil)
    let second = try self.runner()
    try second.register(try noting("0 * * * *"))
    await second.runDue()
    #expect(seen.entries.isEmpty && second.statuses[0].pausedSince != nil)
    try await second.runNow("f")
    #expect(seen.entries == ["f demo-test 2026-03-01T03:30:00Z 1"])
    try second.resume("f")
    await second.runDue()
    #expect(seen.entries.last == "f demo-test 2026-03-01T03:00:00Z 1")
    // Of all.
    second.triggers.pause()
    try move("2026-03-01T04:00:00Z")
    await second.runDue()
    #expect(seen.entries.count == 2 && second.nextTime == nil)
    second.triggers.resume()
    await second.runDue()
    #expect(seen.entries.count == 3)
    #expect(throws: TriggerError.unknownTrigger("g")) { try second.pause("g") }
    await #expect(throws: TriggerError.unknownTrigger("g")) { try await second.runNow("g") }
  }

  @Test("names are those of one function or trigger; one that has ended begins anew")
  func names() async throws {
    try await store.set("a/b", [:])
    let trigger = try onDocumentCreated("c/{d}", name: "t") { _ in }
    let triggers = try TriggerRunner(
      store, [trigger], settings: .quick, journal: try TriggerJournal(folder: folder.path))
    let runner = ScheduleRunner(triggers)
    #expect(throws: TriggerError.nameTaken("t")) { try runner.register(try noting("0 * * * *", name: "t")) }
    try runner.register(try noting("0 * * * *"))
    #expect(throws: TriggerError.nameTaken("f")) {
      try triggers.register(try onDocumentCreated("c/{d}", name: "f") { _ in })
    }
    try move("2026-03-01T01:30:00Z")
    try runner.unregister("f")
    #expect(throws: TriggerError.unknownTrigger("f")) { try runner.unregister("f") }
    try runner.register(try noting("0 * * * *"))
    await runner.runDue()
    #expect(seen.entries.isEmpty)
    #expect(throws: InvalidArgument.self) { try noting("0 * * * *", zone: "Mars/Base") }
    #expect(throws: InvalidArgument.self) { try noting("0 * * *") }
  }

  @Test(
    "the loop runs what is due, beside whoever moves the clock; what is written fires triggers with its cause"
  )
  func loop() async throws {
    try await store.set("a/b", [:])
    let causes = Journal<String>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { event in
      causes.note("\(event.cause.depth) \(event.cause.steps.map(\.trigger))")
    }
    let triggers = try TriggerRunner(store, [trigger], settings: .quick)
    let runner = ScheduleRunner(triggers)
    try runner.register(
      try noting("0 * * * *") { [store] event in
        try await store.set("c/\(event.id)", [:])
      })
    let running = Task { await runner.run() }
    try move("2026-03-01T01:00:00Z")
    await runner.runDue()
    #expect(seen.entries.count == 1)
    try move("2026-03-01T02:00:00Z")
    #expect(try await eventually { seen.entries.count == 2 })
    await runner.runDue()
    running.cancel()
    await running.value
    try await triggers.whileRunning { #expect(await triggers.drain()) }
    #expect(seen.entries.count == 2 && causes.entries == ["1 [\"f\"]", "1 [\"f\"]"])
  }

  @Test("what the end of the loop cuts off has not failed, and comes again")
  func cancelled() async throws {
    try await store.set("a/b", [:])
    let runner = try runner()
    try runner.register(
      try noting("0 * * * *") { _ in
        try await Task.sleep(for: .seconds(600))
      })
    try move("2026-03-01T01:00:00Z")
    let running = Task { await runner.run() }
    #expect(try await eventually { seen.entries.count == 1 })
    running.cancel()
    await running.value
    #expect(runner.statuses[0].failed == 0)
    try runner.register(try noting("0 * * * *"))
    await runner.runDue()
    #expect(seen.entries == Array(repeating: "f demo-test 2026-03-01T01:00:00Z 1", count: 2))
  }

  @Test("a loop that is woken when it is told to end does not begin again what the end cuts off")
  func wokenAtTheEnd() async throws {
    try await store.set("a/b", [:])
    let runner = try runner()
    try runner.register(try noting("0 * * * *") { _ in try await Task.sleep(for: .seconds(600)) })
    try move("2026-03-01T01:00:00Z")
    let executor = try LastFirstExecutor()
    let running = Task(executorPreference: executor) { await runner.run() }
    #expect(try await eventually { seen.entries.count == 1 })
    // What ends the attempt comes to the executor behind the wake, and is run before it.
    executor.pause()
    try runner.resume("f")
    running.cancel()
    executor.resume()
    await running.value
    #expect(seen.entries.count == 1)
    // One that waits until nothing is due ends, too.
    let once = Task { await runner.runDue() }
    #expect(try await eventually { seen.entries.count == 2 })
    once.cancel()
    await once.value
    #expect(seen.entries.count == 2)
  }

  @Test func theLatestOfManyTimes() throws {
    let minutes = try noting("* * * * *")
    let years = try noting("0 0 29 2 *")
    let now = try Self.time("2026-03-01T00:00:30Z")
    #expect(
      try minutes.latest(from: try Self.time("1980-01-01T00:00:00Z"), to: now)
        == Self.time("2026-03-01T00:00:00Z"))
    #expect(
      try years.latest(from: try Self.time("1980-02-29T00:00:00Z"), to: now)
        == Self.time("2024-02-29T00:00:00Z"))
    #expect(
      try years.latest(from: try Self.time("2024-02-29T00:00:00Z"), to: now)
        == Self.time("2024-02-29T00:00:00Z"))
  }
}
