/// What is known of scheduled functions, as values without any waiting of their own.

internal import DocModel
internal import DocStore
internal import Platform

/// What of one function outlives the process.
struct ScheduleMemory: Sendable, Hashable {
  /// A time that somebody gave, or the schedule.
  struct Run: Sendable, Hashable {
    /// Microseconds since the epoch.
    let time: Int64
    /// Somebody asked for it, beside the schedule.
    let isAsked: Bool
  }

  /// The schedule and its zone. Another one begins anew.
  var definition: String
  /// What was due at or before this time is over, in microseconds.
  var since: Int64
  var underWay: Run?
  /// The databases that are done, of the run that is under way.
  var done: Set<DatabaseID> = []
  /// When it was paused by itself, in microseconds; nil while it is not.
  var pausedSince: Int64?
  /// How it was registered, in its owner's words, where that is to be done again.
  var registration: [UInt8]?
}

/// A run that is to be: by the schedule, because somebody asked, or because a dead letter is tried once more.
struct ScheduleOrder: Sendable {
  let time: Int64
  var isAsked = false
  var deadLetter: DeadLetter?
}

/// One attempt, to be made now.
struct ScheduleWork: Sendable {
  let function: ScheduledFunction
  let database: DatabaseID
  let order: ScheduleOrder
  /// From 1.
  let attempt: Int
}

/// One function with the run that is under way.
struct ScheduleEntry: Sendable {
  private enum Phase: Sendable {
    case ready, underWay
    /// Until a time of the clock that measures what waits (`Environment.elapsed`).
    case resting(until: Int64)
  }

  private struct Lane: Sendable {
    var failures = 0
    var phase = Phase.ready
  }

  private(set) var function: ScheduledFunction
  private(set) var memory: ScheduleMemory
  /// When it is due next by its schedule, in microseconds.
  private(set) var due: Int64?
  /// Runs that were asked for, in order.
  private var orders: [ScheduleOrder] = []
  private var order: ScheduleOrder?
  /// By database; what is done is gone. Empty while nothing is under way.
  private var lanes: [DatabaseID: Lane] = [:]
  private(set) var delivered = 0
  private(set) var failed = 0
  private(set) var lastFailure: String?
  /// When the last run that ended was due.
  private(set) var lastTime: Int64?

  /// - Parameter known: what an earlier process wrote down.
  init(_ function: ScheduledFunction, _ known: ScheduleMemory?, registration: [UInt8]?, now: Int64) {
    self.function = function
    memory = known ?? ScheduleMemory(definition: function.definition, since: now)
    define(function, registration: registration, now: now)
  }

  /// Takes another definition; a run under way goes on with it.
  mutating func define(_ function: ScheduledFunction, registration: [UInt8]?, now: Int64) {
    self.function = function
    memory.registration = registration
    // A clock that was set back must not keep a function from running.
    if memory.definition != function.definition || memory.since > now { memory.since = now }
    memory.definition = function.definition
    due = function.next(after: memory.since)
  }

  mutating func pause(since time: Int64?) {
    memory.pausedSince = time
    guard time == nil else { return }
    // What made it fail is mended.
    for (database, lane) in lanes { if case .resting = lane.phase { lanes[database]?.phase = .ready } }
  }

  mutating func ask(_ order: ScheduleOrder) { orders.append(order) }

  var isUnderWay: Bool { order != nil }
  var underWay: Int { lanes.values.count { if case .underWay = $0.phase { true } else { false } } }

  /// Whether a dead letter waits to be tried once more, or is being tried.
  func isRetrying(_ id: String) -> Bool {
    (orders + [order].compactMap(\.self)).contains { $0.deadLetter?.id == id }
  }

  // MARK: runs

  /// When there is something to do, in microseconds; nil when that is not known.
  func nextTime(isPaused: Bool) -> Int64? {
    let isHeld = isPaused || memory.pausedSince != nil
    if let order {
      if isHeld, !order.isAsked { return nil }
      return lanes.values.compactMap { lane in
        switch lane.phase {
        case .ready: order.time
        // When it is over, or tried again, is not a matter of the store's time.
        case .underWay, .resting: nil
        }
      }.min()
    }
    if let first = orders.first { return first.time }
    return isHeld ? nil : memory.underWay?.time ?? due
  }

  /// The run that should begin now: one that another process has begun, one that was asked for, or the latest that is due.
  func wanted(now: Int64, isPaused: Bool) -> ScheduleOrder? {
    if order != nil { return nil }
    let isHeld = isPaused || memory.pausedSince != nil
    if let known = memory.underWay, !isHeld || known.isAsked {
      return ScheduleOrder(time: known.time, isAsked: known.isAsked)
    }
    if memory.underWay == nil, let first = orders.first { return first }
    guard !isHeld, let due, due <= now else { return nil }
    return ScheduleOrder(time: function.latest(from: due, to: now))
  }

  /// Begins a run in these databases, except those that another process has done. What is to be written down first.
  mutating func begin(_ order: ScheduleOrder, in databases: [DatabaseID]) -> [JournalRecord] {
    if memory.underWay == nil, order.isAsked { orders.removeFirst() }
    self.order = order
    if let deadLetter = order.deadLetter {
      lanes = [deadLetter.event.database: Lane()]
      return []
    }
    memory.underWay = ScheduleMemory.Run(time: order.time, isAsked: order.isAsked)
    for database in databases where !memory.done.contains(database) { lanes[database] = Lane() }
    return lanes.isEmpty ? endRun() : [.scheduled(function.name, memory)]
  }

  /// The next attempt of the run under way. `elapsed`: what pauses are measured by.
  mutating func takeReady(elapsed: Int64, isPaused: Bool) -> ScheduleWork? {
    guard let order, order.isAsked || (!isPaused && memory.pausedSince == nil) else { return nil }
    let found = lanes.first { lane in
      switch lane.value.phase {
      case .ready: true
      case .underWay: false
      case .resting(let end): end <= elapsed
      }
    }
    guard let (database, lane) = found else { return nil }
    lanes[database]?.phase = .underWay
    return ScheduleWork(function: function, database: database, order: order, attempt: lane.failures + 1)
  }

  /// An attempt was cut off; it has not failed.
  mutating func putBack(_ work: ScheduleWork) { lanes[work.database]?.phase = .ready }

  /// An attempt failed. Nil when that was the last one; else how many have.
  mutating func fail(_ work: ScheduleWork, _ reason: String, attemptsMax: Int) -> Int? {
    failed += 1
    lastFailure = reason
    guard let failures = lanes[work.database].map({ $0.failures + 1 }), failures < attemptsMax else {
      return nil
    }
    lanes[work.database]?.failures = failures
    return failures
  }

  mutating func rest(_ work: ScheduleWork, until time: Int64) {
    lanes[work.database]?.phase = .resting(until: time)
  }

  /// A database is done with, or given up. What is to be written down.
  mutating func finish(_ work: ScheduleWork, isDelivered: Bool) -> [JournalRecord] {
    guard lanes.removeValue(forKey: work.database) != nil else { return [] }
    if isDelivered {
      delivered += 1
      lastFailure = nil
    }
    if lanes.isEmpty { return endRun() }
    memory.done.insert(work.database)
    return [.scheduledDone(function.name, time: work.order.time, work.database)]
  }

  private mutating func endRun() -> [JournalRecord] {
    guard let order else { return [] }
    self.order = nil
    lastTime = order.time
    if order.deadLetter != nil { return [] }
    memory.underWay = nil
    memory.done = []
    if !order.isAsked { memory.since = max(memory.since, order.time) }
    due = function.next(after: memory.since)
    return [.scheduled(function.name, memory)]
  }
}

extension ScheduledFunction {
  /// What a function that is called the same must agree in to go on where it was.
  var definition: String { schedule.text + " " + timeZone.name }

  /// In microseconds, as all times of a runner.
  func next(after time: Int64) -> Int64? {
    let seconds = time / 1_000_000 - (time % 1_000_000 < 0 ? 1 : 0)
    return schedule.next(after: seconds, in: timeZone).map { $0 * 1_000_000 }
  }

  /// The last time of the schedule until `now`, of which `due` is one.
  func latest(from due: Int64, to now: Int64) -> Int64 {
    var latest = due
    // Looked for from behind: there may be many of them.
    var span: Int64 = 120_000_000
    while now - span > due {
      if let found = next(after: now - span), found <= now {
        latest = found
        break
      }
      span *= 2
    }
    while let next = next(after: latest), next <= now { latest = next }
    return latest
  }
}
