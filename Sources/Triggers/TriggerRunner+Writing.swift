/// What is written down, and when: what must not wait at once, what is done a few times a second, positions a
/// little later.
///
/// A journal that cannot be written is tried again now and then, as a whole, from what is in memory: nothing is
/// kept for it meanwhile, so an outage costs no room.

internal import DocModel
internal import DocStore
internal import Synchronization

extension TriggerRunner {
  /// LIMIT: how long positions of a quiet store stay unwritten.
  private static var checkpointSeconds: Int { 30 }

  /// Writes down what is new; positions a few times a second while there is something to deliver.
  func writeDown() {
    let isDue = writing.withLock { _ in writeDone() }
    if isDue { writeCheckpoints() }
  }

  /// Writes what is done and what else is new, when that is enough or late enough. True when positions are due.
  private func writeDone() -> Bool {
    let now = ContinuousClock.now
    let (records, isDue) = state.withLock { state in
      let since = state.lastCheckpoint.map { now - $0 }
      let fresh = state.subscribers.values.reduce(0) { $0 + $1.freshCount }
      let isTime = since.map { $0 >= settings.discoveryInterval } ?? true
      var records = state.unwritten
      state.unwritten.removeAll()
      if fresh >= settings.acknowledgementsMax || (fresh > 0 && isTime) {
        for id in state.order {
          let done = state.subscribers[id]?.takeFreshRecords() ?? []
          if state.subscribers[id]?.trigger.isRemembered ?? false { records += done }
        }
      }
      let isLate = since.map { $0 >= .seconds(Self.checkpointSeconds) } ?? true
      return (records, isLate || (fresh > 0 && (since ?? .zero) >= .seconds(1)))
    }
    write(records, isAsked: false)
    return isDue
  }

  /// Writes what must not wait. Call it inside `writing`.
  func writeNews() {
    let records = state.withLock { state in
      defer { state.unwritten.removeAll() }
      return state.unwritten
    }
    write(records, isAsked: true)
  }

  /// Writes where everything stands. `isLast`: there will be no other time.
  func writeCheckpoints(isLast: Bool = false) {
    writing.withLock { _ in writePositions(isLast: isLast) }
    holdHistory()
  }

  private func writePositions(isLast: Bool) {
    let records = state.withLock { state -> [JournalRecord] in
      state.lastCheckpoint = ContinuousClock.now
      var records = state.unwritten
      state.unwritten.removeAll()
      let settledTo = state.settledTo
      for id in state.order {
        let done = state.subscribers[id]?.takeFreshRecords() ?? []
        let record = state.subscribers[id]?.checkpoint(settledTo)
        if let record, state.subscribers[id]?.trigger.isRemembered ?? false { records += done + [record] }
      }
      return records
    }
    write(records, isAsked: isLast)
    if let journal, journal.isLong { rewrite(journal) }
  }

  /// `isAsked`: somebody waits for it, so that a journal that could not be written is tried at once.
  private func write(_ records: [JournalRecord], isAsked: Bool) {
    guard let journal else { return }
    if let next = state.withLock({ $0.rewriteAt }) {
      if isAsked || next <= .now { rewrite(journal) }
      return
    }
    if records.isEmpty { return }
    do throws(JournalError) {
      // Single events that are done may be lost: they only come again.
      let isSynced = records.contains { record in
        switch record {
        case .done, .scheduledDone: false
        case .checkpoint, .deadLetter, .deadLetterGone, .triggerGone, .registration, .paused, .scheduled: true
        }
      }
      try journal.append(records, isSynced: isSynced)
    } catch {
      note(error)
    }
  }

  /// Writes everything that is known.
  private func rewrite(_ journal: TriggerJournal) {
    let image = state.withLock { state in
      // Memory has them already.
      state.unwritten.removeAll()
      return state.wholeImage
    }
    do throws(JournalError) {
      try journal.rewrite(image)
      state.withLock { $0.rewriteAt = nil }
    } catch {
      note(error)
    }
  }

  /// The journal lacks something until it is written anew.
  private func note(_ error: JournalError) {
    let isNews = state.withLock { state in
      defer { state.rewriteAt = ContinuousClock.now + .seconds(1) }
      return state.rewriteAt == nil
    }
    if isNews { report(.unwritable(error)) }
  }
}
