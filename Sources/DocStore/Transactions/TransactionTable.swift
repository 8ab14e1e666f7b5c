/// The open transactions of a store with their locks, and for a while the ended ones.
///
/// Reads of transactions lock what they have read: documents by name, queries by the condition their results
/// met. A commit that would alter an answer waits for its reader to end (`TransactionState+Commits`); reads
/// never wait for commits. A transaction that was overtaken all the same is told when it commits.
///
/// State: everything behind one monitor, held for look-ups only. What follows from a change (commits that go
/// on, answers, reads whose turn it is) is done after the monitor was left.
/// Source: docs/spec/protocol.md 1.10; docs/spec/streams.md 4.3; docs/spec/production-differences.md T1 to T13.

internal import DocModel
internal import Platform

final class TransactionTable: Sendable {
  /// How a transaction wants a read to happen.
  enum ReadPlan {
    /// The newest state, each read noted.
    case noted(TransactionID)
    case at(Int64)
  }

  /// What the one who commits does for the table. Called on any thread, outside the monitor.
  struct Links: Sendable {
    /// Takes commits back in front of its queue.
    var requeue: @Sendable ([CommitRequest]) -> Void
    /// Somebody waits and time must be looked at.
    var wake: @Sendable () -> Void
    /// Commits that waited are refused.
    var countRefusals: @Sendable (Int) -> Void
  }

  let state: Monitor<TransactionState>
  private let links = Monitor<Links?>(nil)
  private let now: @Sendable () -> Int64

  let seal: TransactionSeal

  /// - Parameter secret: where several processes have the store, what their tokens are made with.
  init(now: @escaping @Sendable () -> Int64, secret: [UInt8]? = nil) {
    self.now = now
    seal = secret.flatMap { TransactionSeal(secret: $0) } ?? TransactionSeal()
    state = Monitor(TransactionState(isShared: secret != nil))
  }

  func connect(_ new: Links) { links.change { $0 = new } }

  var policy: TransactionPolicy { state.withLock { $0.policy } }

  func setPolicy(_ new: TransactionPolicy) { state.withLock { $0.policy = new } }

  /// Changes the state, then does what follows from it.
  func perform<R, E: Error>(
    _ body: (inout TransactionState, _ now: Int64, inout LockEffects) throws(E) -> R
  ) throws(E) -> R {
    let now = now()
    var effects = LockEffects(now: now)
    defer { if !effects.isEmpty { carryOut(effects) } }
    return try state.withLock { (state) throws(E) -> R in try body(&state, now, &effects) }
  }

  private func carryOut(_ effects: LockEffects) {
    let links = links.withLock { $0 }
    if !effects.requeued.isEmpty {
      links?.requeue(effects.requeued.sorted { $0.ticket < $1.ticket }.map(\.request))
    }
    if !effects.failed.isEmpty { links?.countRefusals(effects.failed.count) }
    for failed in effects.failed { failed.request.completion(.failure(failed.error)) }
    for ready in effects.ready { ready() }
  }

  // MARK: beginning

  /// - Parameter snapshot: the time of a read-only transaction that names none.
  func begin(
    _ database: DatabaseID, _ options: TransactionOptions, of owner: CommitAuthor, snapshot: () -> Int64
  ) throws(StoreError) -> TransactionID {
    switch options.mode {
    case .readOnly(let readTime):
      let readTime = readTime ?? snapshot()
      return perform { state, now, _ in
        TransactionID(counter: state.takeCounter(), readTime: readTime, began: now)
      }
    case .readWrite(let retrying):
      let earlier = try earlierAttempt(retrying, database, owner)
      return try perform { (state, now, effects) throws(StoreError) in
        state.sweep(now, &effects)
        state.makeRoom()
        guard state.entries.count < TransactionLimits.countMax else {
          throw .resourceExhausted(message: "too many open transactions")
        }
        let earlier = try earlier.flatMap { (id) throws(StoreError) -> TransactionEntry? in
          if let entry = state.entries[id.counter] { return entry }
          if state.isForeign(id.counter) { return nil }
          throw state.policy.malformedRetry
        }
        try state.quota.take(owner)
        let entry = TransactionEntry(
          id: state.takeCounter(), database: database, owner: owner,
          mode: options.isOptimistic ? .optimistic : .pessimistic, began: now, lastUsed: now)
        if let earlier { entry.inherit(from: earlier) }
        state.entries[entry.id] = entry
        state.openReadWrite += 1
        return TransactionID(counter: entry.id, began: now)
      }
    }
  }

  /// What a retry names must be a transaction of this caller and database that may write.
  private func earlierAttempt(
    _ token: [UInt8], _ database: DatabaseID, _ owner: CommitAuthor
  ) throws(StoreError) -> TransactionID? {
    if token.isEmpty { return nil }
    switch seal.open(token, database, owner) {
    case .id(let id) where !id.isReadOnly: return id
    case .id, .unknown, .malformed: throw policy.malformedRetry
    }
  }

  // MARK: reading

  /// How to read in a transaction.
  func planRead(_ id: TransactionID, _ database: DatabaseID) throws(StoreError) -> ReadPlan {
    try perform { (state, now, effects) throws(StoreError) in
      if let readTime = id.readTime { return .at(try state.liveReadTime(id, readTime, now)) }
      try state.liveEntry(id, database, now, &effects).lastUsed = now
      return .noted(id)
    }
  }

  /// Before a view is opened whose reads are noted; the result goes to `endRead` when the view has ended.
  func beginRead() -> UInt64 { state.withLock { $0.log.beginRead() } }

  func endRead(_ began: UInt64) { state.withLock { $0.log.endRead(began) } }

  /// As `beginRead`, for a transaction, which stays here until then.
  func beginRead(of id: TransactionID) throws(StoreError) -> UInt64 {
    try state.withLock { (state) throws(StoreError) in
      if state.isElsewhere(id.counter) { throw .aborted(.transactionOver) }
      state.entries[id.counter]?.readsUnderWay += 1
      return state.log.beginRead()
    }
  }

  func endRead(_ began: UInt64, of id: TransactionID) {
    state.withLock { state in
      state.entries[id.counter]?.readsUnderWay -= 1
      state.log.endRead(began)
    }
  }

  func note(_ path: ResourcePath, by id: UInt64, seen: Int64) {
    state.withLock { $0.note(path, by: id, seen: seen) }
  }

  func note(_ scope: QueryScope, by id: UInt64, seen: Int64) {
    state.withLock { $0.note(scope, by: id, seen: seen) }
  }

  func note(_ predicate: ReadPredicate, seen: Int64) {
    state.withLock { $0.note(predicate, seen: seen) }
  }

  /// What lies behind a full page was not read after all.
  func bound(_ predicate: ReadPredicate, _ key: [UInt8]) {
    state.withLock { _ in predicate.bound = key }
  }

  /// Whether a read by name may go ahead; otherwise `ready` is called, on any thread, when it may.
  func takeTurns(
    _ id: TransactionID, _ database: DatabaseID, _ paths: some Sequence<ResourcePath>,
    _ ready: @escaping @Sendable () -> Void
  ) -> Bool {
    let mayGoAhead = perform { state, now, _ in state.takeTurns(id, database, paths, now, ready) }
    if !mayGoAhead { links.withLock { $0 }?.wake() }
    return mayGoAhead
  }

  // MARK: ending

  /// Ends a transaction. One that was rolled back, has expired or failed may be rolled back again; one
  /// that committed may not (T7).
  func rollBack(_ id: TransactionID, _ database: DatabaseID) throws(StoreError) {
    try perform { (state, now, effects) throws(StoreError) in
      if id.isReadOnly { return try state.rollBackReader(id, now) }
      let entry = try state.knownEntry(id, database, now, &effects)
      switch entry.phase {
      case .open, .committing: state.end(entry, .rolledBack, &effects)
      case .ended(.committed):
        if !state.policy.allowsRollbackAfterCommit { throw .aborted(.transactionOver) }
      case .ended(.moved): throw .aborted(.transactionOver)
      case .ended(.rolledBack), .ended(.expired), .ended(.aborted), .ended(.failedPrecondition),
        .ended(.wroteReadOnly):
        break
      }
    }
  }

  /// Notes which connection carried a request of the transaction.
  func bind(_ id: TransactionID, to connection: UInt64) {
    state.withLock { $0.entries[id.counter]?.connection = connection }
  }

  /// A connection is gone: transactions that were last heard of over it are over.
  func abandon(_ ids: some Sequence<TransactionID>, by connection: UInt64) {
    perform { state, _, effects in
      for id in ids {
        guard let entry = state.entries[id.counter], entry.connection == connection else { continue }
        state.end(entry, .rolledBack, &effects)
      }
    }
  }

  /// Forgets all transactions: the emulator's reset. Ids are not used again.
  func forgetAll() {
    perform { state, _, effects in
      for entry in state.entries.values.sorted(by: { $0.id < $1.id }) {
        state.end(entry, .rolledBack, &effects)
      }
      state.forgetAll()
    }
  }

  // MARK: metrics

  /// How many transactions are open, of those that may write.
  var openCount: Int {
    state.withLock { state in state.entries.values.reduce(0) { $1.isOver ? $0 : $0 + 1 } }
  }

  /// Commits that wait for locks.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Reads that wait for their turn.
  var turnWaitCount: Int { state.withLock { $0.turnWaits.count } }

  /// Whether time must be looked at.
  var isWaitedFor: Bool { state.withLock { !$0.waiters.isEmpty || !$0.turnWaits.isEmpty } }
}

extension TransactionEntry {
  /// Takes the place in line of an earlier attempt.
  ///
  /// That one may still be open: the Python client keeps the id in the decorated function, which threads
  /// share, so a retry can name the live transaction of another thread. It lives on until it is in the way;
  /// what it has read by name is then the best guess at what this attempt's own predecessor has lost.
  fileprivate func inherit(from earlier: TransactionEntry) {
    lineage = earlier.lineage
    if case .open = earlier.phase {
      named = earlier.id
      if lineage.lost.isEmpty, earlier.documents.count <= LockLimits.lostMax {
        lineage.lost = earlier.documents.sorted()
      }
    }
  }
}
