/// All that the journal says, in memory.

internal import DocModel
internal import DocStore

/// What is known of one trigger, whether it is registered at the moment or not.
struct TriggerMemory: Sendable {
  var since: Int64
  var positions: [DatabaseID: Int64] = [:]
  /// Events beyond the position that are done with.
  var done: [DatabaseID: Set<EventMark>] = [:]
  var registration: [UInt8]?
  /// When it was paused by itself, in microseconds; nil while it is not.
  var pausedSince: Int64?

  /// LIMIT: events done beyond the position that are remembered for one database; more come again after a
  /// crash.
  static let doneMax = 65_536

  func position(of database: DatabaseID) -> Int64 { positions[database] ?? since }

  /// All up to `since` is done with, but in these databases only up to these versions.
  mutating func checkpoint(_ since: Int64, _ positions: [DatabaseID: Int64]) {
    self.since = since
    self.positions = positions
    for (database, marks) in done {
      let position = position(of: database)
      let kept = marks.filter { $0.version > position }
      done[database] = kept.isEmpty ? nil : kept
    }
  }

  mutating func markDone(_ database: DatabaseID, _ marks: some Sequence<EventMark>) {
    let position = position(of: database)
    for mark in marks where mark.version > position && (done[database]?.count ?? 0) < Self.doneMax {
      done[database, default: []].insert(mark)
    }
  }

  mutating func forget(_ database: DatabaseID) {
    positions[database] = nil
    done[database] = nil
  }

  func isDone(_ database: DatabaseID, _ version: Int64, _ path: ResourcePath) -> Bool {
    if version <= position(of: database) { return true }
    guard let marks = done[database], !marks.isEmpty else { return false }
    return marks.contains(EventMark(version, path))
  }

  /// The version after which something may be needed.
  var earliest: Int64 { min(since, positions.values.min() ?? since) }
}

struct JournalImage: Sendable {
  var triggers: [String: TriggerMemory] = [:]
  var schedules: [String: ScheduleMemory] = [:]
  var deadLetters: [DeadLetter] = []
  /// When all of them were paused, in microseconds; nil while they are not.
  var pausedSince: Int64?

  mutating func apply(_ record: JournalRecord) {
    switch record {
    case .checkpoint(let name, let since, let positions):
      triggers[name, default: TriggerMemory(since: since)].checkpoint(since, positions)
    case .done(let name, let database, let marks): triggers[name]?.markDone(database, marks)
    case .deadLetter(let deadLetter):
      deadLetters.removeAll { $0.trigger == deadLetter.trigger && $0.id == deadLetter.id }
      deadLetters.append(deadLetter)
    case .deadLetterGone(let name, let id): deadLetters.removeAll { $0.trigger == name && $0.id == id }
    case .triggerGone(let name):
      triggers[name] = nil
      schedules[name] = nil
      deadLetters.removeAll { $0.trigger == name }
    case .registration(let name, let body): triggers[name]?.registration = body
    case .scheduled(let name, let memory): schedules[name] = memory
    case .scheduledDone(let name, let time, let database):
      if schedules[name]?.underWay?.time == time { schedules[name]?.done.insert(database) }
    case .paused(.some(let name), let since): triggers[name]?.pausedSince = since
    case .paused(.none, let since):
      pausedSince = since
      if since == nil { for name in triggers.keys { triggers[name]?.pausedSince = nil } }
    }
  }

  /// The shortest list of records that says the same.
  var records: [JournalRecord] {
    var records: [JournalRecord] = []
    if let pausedSince { records.append(.paused(nil, since: pausedSince)) }
    for (name, memory) in triggers {
      records.append(.checkpoint(name, since: memory.since, memory.positions))
      if let registration = memory.registration { records.append(.registration(name, registration)) }
      if let since = memory.pausedSince { records.append(.paused(name, since: since)) }
      for (database, marks) in memory.done where !marks.isEmpty {
        records.append(.done(name, database, Array(marks)))
      }
    }
    records += schedules.map { .scheduled($0.key, $0.value) }
    return records + deadLetters.map { .deadLetter($0) }
  }
}
