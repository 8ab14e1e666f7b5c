/// What is due, and what becomes of one attempt.

internal import DocModel
internal import DocStore
internal import Synchronization

extension ScheduleRunner {
  /// Of a run for all databases: no store has a project of this name.
  private static var allDatabases: DatabaseID { DatabaseID(project: "-") }

  /// Runs what is due, again and again, until the task is cancelled; returns when every attempt under way has ended.
  @concurrent
  public func run() async {
    let (wakes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.signal = signal }
    await withDiscardingTaskGroup { group in
      // Looks again and again instead of sleeping until a time: clocks are set, and machines sleep.
      group.addTask { [interval = triggers.settings.discoveryInterval] in
        repeat { signal.yield() } while (try? await Task.sleep(for: interval)) != nil
      }
      for await _ in wakes {
        for work in take() { group.addTask { await self.attempt(work) } }
      }
      group.cancelAll()
    }
    state.withLock { $0.signal = nil }
  }

  /// Runs what is due by the store's time, and waits for what is under way; returns when nothing is, except what failed and
  /// waits to be tried again. Also beside `run`.
  @concurrent
  public func runDue() async {
    // What cancellation interrupts is due again at once.
    while !Task.isCancelled {
      let works = take()
      if works.isEmpty {
        guard await anAttemptEnds() else { return }
        continue
      }
      await withDiscardingTaskGroup { group in
        for work in works { group.addTask { await self.attempt(work) } }
      }
    }
  }

  /// Waits until one of the attempts under way ends; false when there is none.
  private func anAttemptEnds() async -> Bool {
    await withCheckedContinuation { continuation in
      let waits = state.withLock { state in
        guard state.entries.values.contains(where: { $0.underWay > 0 }) else { return false }
        state.waiting.append(continuation)
        return true
      }
      if !waits { continuation.resume(returning: false) }
    }
  }

  // MARK: beginning

  /// The attempts that should be made now. What they are is written down before.
  private func take() -> [ScheduleWork] {
    turns.withLock { _ in
      let now = now
      let isPaused = triggers.pausedSince != nil
      begin(now, isPaused)
      let elapsed = triggers.store.environment.elapsed()
      return state.withLock { state in
        var room = triggers.settings.concurrency - state.entries.values.reduce(0) { $0 + $1.underWay }
        var works: [ScheduleWork] = []
        for name in state.names {
          while room > 0, let work = state.entries[name]?.takeReady(elapsed: elapsed, isPaused: isPaused) {
            works.append(work)
            room -= 1
          }
        }
        return works
      }
    }
  }

  private func begin(_ now: Int64, _ isPaused: Bool) {
    let wanted = state.withLock { state in
      state.names.compactMap { name in
        state.entries[name]?.wanted(now: now, isPaused: isPaused).map { (name, $0) }
      }
    }
    if wanted.isEmpty { return }
    let databases: [DatabaseID]
    do throws(StoreError) {
      if let named = triggers.databases {
        databases = named
      } else {
        databases = try triggers.store.databases()
      }
    } catch {
      // Tried again with the next look.
      return triggers.report(.unreadable(nil, error))
    }
    let records = state.withLock { state in
      wanted.flatMap { name, order in
        let isForAll = state.entries[name]?.function.target != nil
        return state.entries[name]?.begin(order, in: isForAll ? [Self.allDatabases] : databases) ?? []
      }
    }
    triggers.note(records)
  }

  // MARK: one attempt

  private func attempt(_ work: ScheduleWork) async {
    // Taken while the end was being told: it would be cut off again.
    if Task.isCancelled { putBack(work) } else { await act(on: work) }
    let waiting = state.withLock { state in
      defer { state.waiting.removeAll() }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: true) }
    wake()
  }

  private func act(on work: ScheduleWork) async {
    let event = ScheduleEvent(
      jobName: work.function.name, database: work.database,
      scheduleTime: Timestamp(microseconds: work.order.time), attempt: work.attempt)
    let cause = EventCause.none.following(event.jobName, .root, event: event.id)
    do {
      try await triggers.perform(as: cause, isElsewhere: work.function.target != nil) {
        try await work.function.action(event)
      }
      end(work) { $0.finish(work, isDelivered: true) }
      if let letter = work.order.deadLetter { triggers.forgetDeadLetter(letter) }
    } catch {
      // What cancellation interrupted has not failed; the next run delivers it.
      if Task.isCancelled { putBack(work) } else { fail(work, event, TriggerRunner<Engine>.text(of: error)) }
    }
  }

  private func putBack(_ work: ScheduleWork) {
    end(work) { entry in
      entry.putBack(work)
      return []
    }
  }

  private func end(_ work: ScheduleWork, _ change: (inout ScheduleEntry) -> [JournalRecord]) {
    turns.withLock { _ in
      let records = state.withLock { state -> [JournalRecord] in
        guard var entry = state.entries[work.function.name] else { return [] }
        defer { state.entries[work.function.name] = entry }
        return change(&entry)
      }
      triggers.note(records)
    }
  }

  private func fail(_ work: ScheduleWork, _ event: ScheduleEvent, _ reason: String) {
    let policy = work.function.retry ?? triggers.settings.retry
    let random = triggers.store.environment.random()
    let elapsed = triggers.store.environment.elapsed()
    let isLast = state.withLock { state -> Bool in
      guard var entry = state.entries[work.function.name] else { return false }
      defer { state.entries[work.function.name] = entry }
      guard let failures = entry.fail(work, reason, attemptsMax: policy.attemptsMax) else { return true }
      entry.rest(work, until: elapsed + policy.pause(failures: failures, random: random).microseconds)
      return false
    }
    guard isLast else { return }
    // The letter goes before the mark: a crash between the two only repeats the run.
    triggers.keep(DeadLetter(event, attempts: work.attempt, reason: reason, time: now))
    end(work) { $0.finish(work, isDelivered: false) }
  }
}

extension Duration {
  fileprivate var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}

extension DeadLetter {
  /// A run of a scheduled function that was given up: it is about no document, and its version is its time.
  fileprivate init(_ event: ScheduleEvent, attempts: Int, reason: String, time: Int64) {
    self.init(
      trigger: event.jobName,
      event: DocumentEvent(
        id: event.id, database: event.database, path: .root, parameters: [:], beforeImage: nil,
        afterImage: nil, version: event.scheduleTime.microseconds, cause: .none, author: .system,
        attempt: attempts),
      attempts: attempts, reason: reason, time: time)
  }

  /// Whether it is a run of a scheduled function, due at the version of its event, and not about a document.
  public var isOfSchedule: Bool { event.path.isRoot }
}
