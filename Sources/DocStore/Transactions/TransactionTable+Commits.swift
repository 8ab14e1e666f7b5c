/// What the thread that commits asks of the transactions.

internal import DocModel

extension TransactionTable {
  /// Checks on the caller's thread that a commit may queue. A read-only transaction may only commit
  /// nothing.
  func admitCommit(_ id: TransactionID, _ database: DatabaseID, writes: Int) throws(StoreError) {
    try perform { (state, now, effects) throws(StoreError) in
      if id.isReadOnly { return try state.admitReaderCommit(id, writes: writes, now) }
      try state.liveEntry(id, database, now, &effects).lastUsed = now
    }
  }

  /// Begins to plan a transaction's commit: it must be open, and what it has read unchanged.
  func beginCommit(_ request: CommitRequest) throws(StoreError) {
    guard let id = request.transaction else { return }
    try perform { (state, now, effects) throws(StoreError) in
      if id.isReadOnly { return try state.admitReaderCommit(id, writes: 0, now) }
      let entry = try state.liveEntry(id, request.database, now, &effects)
      // Only one commit at a time; one that has waited is the same one again.
      if case .committing = entry.phase, request.ticket == nil { throw .aborted(.transactionOver) }
      entry.phase = .committing
      try state.checkFresh(entry, request, &effects)
    }
  }

  /// Decides about a commit that nothing else stands against. It is over for its transaction when it is
  /// applied.
  func admit(
    _ request: CommitRequest, _ changes: [CommitPlanner.Touched], _ version: Int64
  ) throws(StoreError) -> Admission {
    // Filters may be long and documents large: they are met outside the monitor.
    let candidates = perform { state, _, _ in
      state.isAlone(request) ? [] : state.candidates(changes, request.database)
    }
    var asked = PredicateCache(candidates, changes)
    return try perform { (state, now, effects) throws(StoreError) in
      try state.admit(request, changes, version, &asked, now, &effects)
    }
  }

  /// A commit failed: an invalid or refused one leaves its transaction open, an unmet precondition ends it in
  /// its own way.
  func settle(_ id: TransactionID, failure: StoreError) {
    perform { state, now, effects in
      guard let entry = state.entries[id.counter] else { return }
      entry.lastUsed = now
      switch failure {
      case .notFound, .alreadyExists, .failedPrecondition: state.end(entry, .failedPrecondition, &effects)
      case .invalid, .permissionDenied, .resourceExhausted, .targetExists:
        if !entry.isOver { entry.phase = .open }
      case .aborted, .storage, .engine: state.end(entry, .aborted, &effects)
      }
    }
  }

  /// Another process has committed, which it cannot while a commit of this one is about to be written.
  func beginOfOthers() { perform { state, _, _ in state.log.dropBatch() } }

  /// Another process has committed: whoever has read what it changed has been overtaken.
  func note(_ changes: [DocumentChange], of database: DatabaseID, _ version: Int64) {
    perform { state, _, _ in state.note(changes, of: database, version) }
  }

  /// What another process has committed is not known: whoever has read anything may have been overtaken.
  func noteUnknown(_ version: Int64) {
    perform { state, _, _ in
      for entry in state.entries.values where !entry.isOver { entry.isStale = true }
      state.log.lose(version)
    }
  }

  /// The database was cleared: whoever has read of it has been overtaken.
  func noteClearing(_ database: DatabaseID, _ version: Int64) {
    perform { state, _, _ in
      for entry in state.entries.values where entry.database == database && !entry.isOver {
        if !entry.documents.isEmpty || !entry.predicates.isEmpty { entry.isStale = true }
      }
      state.log.appendClearing(database, version)
    }
  }

  /// The batch is durable, or has failed.
  func endBatch() {
    perform { state, _, effects in
      state.log.endBatch()
      effects.ready += state.afterBatch
      state.afterBatch = []
    }
  }

  /// Refuses who has waited too long.
  func look() { perform { state, now, effects in state.look(now, &effects) } }

  /// The store closes: nobody waits any more.
  func endWaiting() {
    perform { state, _, effects in
      state.isClosed = true
      for ticket in state.waiters.keys.sorted() {
        if let waiter = state.unpark(ticket) {
          effects.failed.append((waiter.request, .storage(.unavailable)))
        }
      }
      effects.ready += state.afterBatch
      state.afterBatch = []
      for ticket in state.turnWaits.keys.sorted() {
        if let wait = state.forget(ticket) { effects.ready.append(wait.ready) }
      }
    }
  }

  /// Gives up commits that wait, because nobody wants their answer any more. One that has not come so far yet is
  /// refused when it would have to wait; one that need not runs its course.
  func cancel(_ cancellation: CommitCancellation) {
    perform { state, _, effects in
      cancellation.cancel()
      let found = state.waiters.filter { $0.value.request.cancellation === cancellation }.keys.sorted()
      for ticket in found {
        guard let waiter = state.unpark(ticket) else { continue }
        if let own = waiter.request.transaction.flatMap({ state.entries[$0.counter] }) {
          state.end(own, .rolledBack, &effects)
        }
        effects.failed.append((waiter.request, .aborted(.transactionOver)))
      }
    }
  }
}
