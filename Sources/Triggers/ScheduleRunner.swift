/// Runs scheduled functions at their times.
///
/// ```
/// let schedules = ScheduleRunner(runner)              // of triggers: its store, journal and dead letters
/// try schedules.register(try onSchedule("every day 00:00", name: "renew") { event in … })
/// let running = Task { await schedules.run() }
/// ```
///
/// What it guarantees. Each time of a schedule is delivered at least once to each database that is there when the run
/// begins, each time under the same id, also when the process was killed meanwhile. With these exceptions, which are Cloud
/// Scheduler's: runs of one function do not overlap, and of the times that pass while a run is under way, while the function
/// is paused, or while no process runs, only the latest is delivered. A function that is new, or whose schedule or zone is
/// another, begins with the first time after now. Different functions, and databases, run at the same time.
///
/// A failed attempt is repeated after a growing pause (`RetryPolicy`); after the last one the run becomes a dead letter. A
/// run asked for (`runNow`) is one beside the schedule; its time is the one at which it was asked for.
///
/// Schedules go by the store's time (`Environment.now`), which may stand and be moved. Pauses between attempts go by the clock
/// that runs on (`Environment.elapsed`), as those of triggers do.
///
/// What functions write fires triggers, and is a cause in their chains.
///
/// Concurrency: everything shared is `state`, behind one lock that is held for look-ups only. Runs begin and end inside
/// `turns`, so that the journal hears of them in that order; before `state`, and before the locks of the runner of triggers.

internal import DocModel
public import DocStore
internal import Platform
internal import Synchronization

public final class ScheduleRunner<Engine: StorageEngine>: TimedWork {
  struct State: Sendable {
    var entries: [String: ScheduleEntry] = [:]
    /// In the order in which they were registered.
    var names: [String] = []
    /// Who waits for the end of any attempt.
    var waiting: [CheckedContinuation<Bool, Never>] = []
    var signal: AsyncStream<Void>.Continuation?
  }

  let triggers: TriggerRunner<Engine>
  let state = Mutex(State())
  let turns = Mutex(())

  /// - Parameter triggers: runs what the functions' writes fire; has the store, the journal and the dead letters.
  public init(_ triggers: TriggerRunner<Engine>) { self.triggers = triggers }

  var now: Int64 { triggers.store.environment.now() }

  // MARK: functions

  /// Adds a function, or gives one of this name a new definition. A function that the journal knows goes on where it was.
  /// `registration` is written down with it (`TriggerJournal.registrations`).
  public func register(_ function: ScheduledFunction, registration: [UInt8]? = nil) throws(TriggerError) {
    let bytes = function.name.utf8.count + (registration?.count ?? 0)
    guard bytes <= TriggerSettings.registrationBytesMax else { throw .tooLong(bytes: bytes) }
    guard triggers.reserve(function.name) else { throw .nameTaken(function.name) }
    let known = triggers.state.withLock { $0.image.schedules[function.name] }
    turns.withLock { _ in
      let memory = state.withLock { state in
        if state.entries[function.name] == nil {
          state.entries[function.name] = ScheduleEntry(
            function, known, registration: registration, now: now)
          state.names.append(function.name)
        } else {
          state.entries[function.name]?.define(function, registration: registration, now: now)
        }
        return state.entries[function.name]?.memory
      }
      if let memory, memory != known { triggers.note([.scheduled(function.name, memory)]) }
    }
    wake()
  }

  /// Ends a function: its dead letters and its place are forgotten. Also one that only the journal knows.
  public func unregister(_ name: String) throws(TriggerError) {
    let wasThere = turns.withLock { _ in
      let entry = state.withLock { state in
        state.names.removeAll { $0.hasSameBytes(as: name) }
        return state.entries.removeValue(forKey: name)
      }
      return triggers.forgetSchedule(name) || entry != nil
    }
    guard wasThere else { throw .unknownTrigger(name) }
  }

  /// Functions that are not registered now, and whose places are kept for when they are.
  public var absent: [String] {
    triggers.state.withLock { $0.image.schedules.keys.sorted() }.filter { !has($0) }
  }

  /// Whether a function of this name is registered.
  public func has(_ name: String) -> Bool { state.withLock { $0.entries[name] != nil } }

  public func pause(_ name: String) throws(TriggerError) { try pause(name, since: now) }

  /// Goes on; runs that wait for another attempt are tried at once.
  public func resume(_ name: String) throws(TriggerError) { try pause(name, since: nil) }

  /// With `TriggerRunner.resume`, which lets all go on.
  public func resume() { for name in state.withLock({ $0.names }) { try? resume(name) } }

  private func pause(_ name: String, since time: Int64?) throws(TriggerError) {
    let isKnown = turns.withLock { _ in
      let memory = state.withLock { state -> ScheduleMemory? in
        if time == nil || state.entries[name]?.memory.pausedSince == nil {
          state.entries[name]?.pause(since: time)
        }
        return state.entries[name]?.memory
      }
      if let memory { triggers.note([.scheduled(name, memory)]) }
      return memory != nil
    }
    guard isKnown else { throw .unknownTrigger(name) }
    wake()
  }

  /// Runs a function now, beside its schedule, also while it is paused, and whatever else is due. Returns when the first
  /// attempt has ended.
  public func runNow(_ name: String) async throws(TriggerError) {
    try ask(name, ScheduleOrder(time: now, isAsked: true))
    await runDue()
  }

  private func ask(_ name: String, _ order: ScheduleOrder) throws(TriggerError) {
    let isKnown = state.withLock { state in
      state.entries[name]?.ask(order)
      return state.entries[name] != nil
    }
    guard isKnown else { throw .unknownTrigger(name) }
    wake()
  }

  /// Tries dead letters of functions once more: those named, or all, of one function or of all. They stay in the list until
  /// they are delivered. Returns how many.
  @discardableResult
  public func retry(_ ids: [String]? = nil, function name: String? = nil) throws(TriggerError) -> Int {
    if let name, !has(name) { throw .unknownTrigger(name) }
    var count = 0
    for letter in triggers.deadLetters where letter.isOfSchedule && (ids?.contains(letter.id) ?? true) {
      guard name.map(letter.trigger.hasSameBytes) ?? true, has(letter.trigger) else { continue }
      if state.withLock({ $0.entries[letter.trigger]?.isRetrying(letter.id) ?? true }) { continue }
      try ask(letter.trigger, ScheduleOrder(time: letter.event.version, isAsked: true, deadLetter: letter))
      count += 1
    }
    return count
  }

  // MARK: how they are doing

  /// The earliest time at which something is due, in microseconds since the epoch; nil while nothing is, or when that
  /// is not known because it is under way.
  public var nextTime: Int64? {
    let isPaused = triggers.pausedSince != nil
    return state.withLock { $0.entries.values.compactMap { $0.nextTime(isPaused: isPaused) }.min() }
  }

  /// How each function is doing, in the order in which they were registered.
  public var statuses: [ScheduleStatus] {
    let allSince = triggers.pausedSince
    let deadLetters = triggers.deadLetters
    return state.withLock { state in
      state.names.compactMap { state.entries[$0] }.map { entry in
        ScheduleStatus(
          name: entry.function.name, schedule: entry.function.schedule.text,
          timeZone: entry.function.timeZone.name, target: entry.function.target,
          pausedSince: [allSince, entry.memory.pausedSince].compactMap(\.self).min(),
          isUnderWay: entry.isUnderWay, nextTime: entry.due, lastTime: entry.lastTime,
          delivered: entry.delivered, failed: entry.failed,
          deadLetters: deadLetters.count { $0.trigger.hasSameBytes(as: entry.function.name) },
          lastFailure: entry.lastFailure)
      }
    }
  }

  /// Something is to be done, or has been.
  func wake() { state.withLock { $0.signal }?.yield() }
}

/// How one scheduled function is doing. Times are in microseconds since the epoch.
public struct ScheduleStatus: Sendable {
  public let name: String
  public let schedule: String
  public let timeZone: String
  /// Where it goes: an address, or nil for code of this process.
  public let target: String?
  /// When it, or all, were paused; nil while it is not.
  public let pausedSince: Int64?
  /// Whether a run is under way, or waits for another attempt.
  public let isUnderWay: Bool
  /// When it is due next by its schedule.
  public let nextTime: Int64?
  /// When the last run that ended was due.
  public let lastTime: Int64?
  /// Runs, one a database, and attempts that failed, since the runner was made.
  public let delivered: Int
  public let failed: Int
  public let deadLetters: Int
  /// What the last attempt failed with; nil after one that did not.
  public let lastFailure: String?
}
