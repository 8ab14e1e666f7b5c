/// What scheduled functions share with triggers: names, the journal, dead letters, and being a cause.

internal import DocStore
internal import Synchronization

extension TriggerRunner {
  /// Takes a name for a scheduled function; false when a trigger has it.
  func reserve(_ name: String) -> Bool {
    state.withLock { state in
      if state.ids[name] != nil { return false }
      state.scheduleNames.insert(name)
      return true
    }
  }

  /// Writes down what is new of scheduled functions, at once.
  func note(_ records: [JournalRecord]) {
    if records.isEmpty { return }
    state.withLock { state in
      for record in records { state.image.apply(record) }
      state.unwritten += records
    }
    writing.withLock { _ in writeNews() }
  }

  /// Forgets a scheduled function with its dead letters. Whether it was written down.
  func forgetSchedule(_ name: String) -> Bool {
    let isKnown = state.withLock { state in
      state.scheduleNames.remove(name)
      return state.image.schedules[name] != nil
    }
    if isKnown { note([.triggerGone(name)]) }
    return isKnown
  }

  /// Keeps a dead letter of a scheduled function.
  func keep(_ deadLetter: DeadLetter) {
    state.withLock { $0.keep(deadLetter, max: settings.deadLettersMax) }
    writing.withLock { _ in writeNews() }
    report(.deadLetter(deadLetter))
  }

  /// A dead letter of a scheduled function was delivered after all.
  func forgetDeadLetter(_ deadLetter: DeadLetter) {
    note([.deadLetterGone(trigger: deadLetter.trigger, id: deadLetter.id)])
  }

  /// Runs what may commit, as the cause of that.
  ///
  /// - Parameter isElsewhere: whether another process does the work, which may not say what made it write.
  func perform(
    as cause: EventCause, isElsewhere: Bool, _ action: () async throws -> Void
  ) async throws {
    let window = isElsewhere ? state.withLock { $0.watch.begin(cause, now: store.presentTime) } : nil
    defer { if let window { state.withLock { $0.watch.end(window, now: store.presentTime) } } }
    try await CommitOrigin.$current.withValue(CommitOrigin(cause.text)) { try await action() }
  }
}
