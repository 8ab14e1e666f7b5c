/// The transactions and their locks, inside the table's monitor: reading, ending, expiring.

internal import DequeModule
internal import DocModel

struct TransactionState {
  var policy = TransactionPolicy.production
  var entries: [UInt64: TransactionEntry] = [:]
  /// Those that are over, as they ended; some of them are forgotten already.
  private var over = Deque<UInt64>()
  var nextCounter: UInt64 = 1
  /// The upper half of the counters that are given out here; those of other servers of the same store differ.
  let series: UInt64
  /// Transactions that began before this one were forgotten, all at once.
  var forgottenBelow: UInt64 = 0
  var endedReaders = EndedReaders()
  var quota = TransactionQuota()
  var lastSweep: Int64 = 0
  /// Open transactions that may write.
  var openReadWrite = 0
  var spaces: [DatabaseID: LockSpace] = [:]
  var log = CommitLog()
  /// Queries whose filters were asked under the monitor, because their transaction read while a commit was planned.
  var lateQueryCount = 0

  /// Commits that wait, by ticket; tickets are in the order of waiting.
  var waiters: [UInt64: CommitWaiter] = [:]
  var waiterBytes = 0
  var turnWaits: [UInt64: ContentionWait] = [:]
  /// Reads that go ahead when the batch that is being written is durable: before, they would miss it.
  var afterBatch: [@Sendable () -> Void] = []
  var nextTicket: UInt64 = 1
  /// The store closes: nobody comes who would end a wait.
  var isClosed = false

  init(isShared: Bool) {
    series = isShared ? UInt64(UInt32.random(in: 1...UInt32.max)) : 0
    nextCounter |= series << 32
  }

  mutating func takeCounter() -> UInt64 {
    nextCounter += 1
    return nextCounter - 1
  }

  mutating func takeTicket() -> UInt64 {
    nextTicket += 1
    return nextTicket - 1
  }

  // MARK: finding

  /// The transaction, if it may still read or commit.
  mutating func liveEntry(
    _ id: TransactionID, _ database: DatabaseID, _ now: Int64, _ effects: inout LockEffects
  ) throws(StoreError) -> TransactionEntry {
    let entry = try knownEntry(id, database, now, &effects)
    switch entry.phase {
    case .open, .committing: return entry
    case .ended(let outcome): throw refusal(after: outcome)
    }
  }

  /// What whoever goes on with a transaction that is over is told.
  func refusal(after outcome: TransactionEntry.Outcome) -> StoreError {
    switch outcome {
    case .failedPrecondition, .wroteReadOnly: policy.afterFailedPrecondition
    case .committed, .rolledBack, .expired, .aborted, .moved: .aborted(.transactionOver)
    }
  }

  /// The transaction, open or not.
  mutating func knownEntry(
    _ id: TransactionID, _ database: DatabaseID, _ now: Int64, _ effects: inout LockEffects
  ) throws(StoreError) -> TransactionEntry {
    if let entry = entries[id.counter] { lookAtTime(of: entry, now, &effects) }
    // An id that was given out and is forgotten by now reads otherwise than one that never was (T12).
    guard let entry = entries[id.counter] else {
      // The server that had it has ended, or does not answer.
      throw isForeign(id.counter) ? .aborted(.transactionOver) : .invalid(TransactionText.malformed)
    }
    guard entry.database == database else { throw .invalid(TransactionText.unknown) }
    return entry
  }

  // MARK: locks

  mutating func note(_ path: ResourcePath, by id: UInt64, seen: Int64) {
    guard let entry = entries[id], !entry.isOver, entry.documents.insert(path).inserted else { return }
    if entry.documents.count > LockLimits.documentsMax {
      entry.documents.remove(path)
      return note(QueryScope.descendants(of: .root), by: id, seen: seen)
    }
    spaces[entry.database, default: LockSpace()].documents[path, default: []].append(id)
    if log.hasChange(entry.database, path, above: seen) { entry.isStale = true }
  }

  mutating func note(_ scope: QueryScope, by id: UInt64, seen: Int64) {
    guard let entry = entries[id], !entry.isOver, entry.scopes.insert(scope).inserted else { return }
    add(ReadPredicate(scope, owner: id), to: entry, seen: seen)
  }

  mutating func note(_ predicate: ReadPredicate, seen: Int64) {
    guard let entry = entries[predicate.owner], !entry.isOver else { return }
    guard entry.predicates.count < LockLimits.predicatesMax else {
      return note(QueryScope.descendants(of: .root), by: entry.id, seen: seen)
    }
    add(predicate, to: entry, seen: seen)
  }

  private mutating func add(_ predicate: ReadPredicate, to entry: TransactionEntry, seen: Int64) {
    entry.predicates.append(predicate)
    spaces[entry.database, default: LockSpace()].predicates.add(predicate, predicate.membership)
    if log.hasChange(entry.database, predicate, above: seen) { entry.isStale = true }
  }

  /// The transactions but `own` that have read what a change alters.
  mutating func forEachReader(
    of changes: [CommitPlanner.Touched], in database: DatabaseID, but own: UInt64?,
    _ asked: inout PredicateCache, _ body: (UInt64) -> Void
  ) {
    let candidates = candidates(changes, database)
    for (ordinal, change) in changes.enumerated() {
      if let readers = spaces[database]?.documents[change.path] {
        for reader in readers where reader != own { body(reader) }
      }
      guard ordinal < candidates.count else { continue }
      asked.forEachConcerned(ordinal, change, among: candidates[ordinal]) { predicate in
        if predicate.owner != own { body(predicate.owner) }
      }
    }
  }

  /// For each change the queries that it may concern; empty when nobody has read by query.
  mutating func candidates(
    _ changes: [CommitPlanner.Touched], _ database: DatabaseID
  ) -> [[StandingQuery<ReadPredicate>]] {
    if spaces[database]?.predicates.isEmpty ?? true { return [] }
    return changes.map { change in
      spaces[database]?.predicates.candidates(change.path, change.before?.document, change.now?.document)
        ?? []
    }
  }

  // MARK: ending

  /// Ends a transaction, once: its locks are free, and whoever waited only for it goes on.
  mutating func end(
    _ entry: TransactionEntry, _ outcome: TransactionEntry.Outcome, _ effects: inout LockEffects
  ) {
    if entry.isOver { return }
    entry.phase = .ended(outcome)
    over.append(entry.id)
    if let ticket = entry.parked, let waiter = unpark(ticket) {
      effects.failed.append((waiter.request, .aborted(.transactionOver)))
    }
    openReadWrite -= 1
    quota.giveBack(entry.owner)
    releaseReads(of: entry)
    leaveTurns(entry, &effects)
    for ticket in entry.blocked.sorted() {
      waiters[ticket]?.holders.remove(entry.id)
      guard waiters[ticket]?.holders.isEmpty == true, let waiter = unpark(ticket) else { continue }
      effects.requeued.append((ticket, waiter.request))
    }
    entry.blocked = []
  }

  /// One that has ended on another server.
  mutating func remember(_ entry: TransactionEntry, _ outcome: TransactionEntry.Outcome) {
    entry.phase = .ended(outcome)
    entries[entry.id] = entry
    over.append(entry.id)
  }

  private mutating func releaseReads(of entry: TransactionEntry) {
    guard var space = spaces.removeValue(forKey: entry.database) else { return }
    for path in entry.documents {
      space.documents[path]?.removeAll { $0 == entry.id }
      if space.documents[path]?.isEmpty == true { space.documents[path] = nil }
    }
    for predicate in entry.predicates { space.predicates.remove(predicate, predicate.membership) }
    entry.documents = []
    entry.scopes = []
    entry.predicates = []
    if !space.isEmpty { spaces[entry.database] = space }
  }

  /// Takes a waiting commit out.
  mutating func unpark(_ ticket: UInt64) -> CommitWaiter? {
    guard let waiter = waiters.removeValue(forKey: ticket) else { return nil }
    waiterBytes -= waiter.request.weight
    for holder in waiter.holders { entries[holder]?.blocked.remove(ticket) }
    if let own = waiter.request.transaction { entries[own.counter]?.parked = nil }
    return waiter
  }

  // MARK: time

  /// Ends a transaction whose time is over, and forgets one nobody remembers.
  mutating func lookAtTime(of entry: TransactionEntry, _ now: Int64, _ effects: inout LockEffects) {
    if entry.isExpired(now, policy) { end(entry, .expired, &effects) }
    if now - entry.began > TransactionLimits.rememberedSeconds * 1_000_000, entry.isOver {
      entries[entry.id] = nil
    }
  }

  /// Looks at all, at most once a second.
  mutating func sweep(_ now: Int64, _ effects: inout LockEffects) {
    guard now - lastSweep >= 1_000_000 else { return }
    lastSweep = now
    for entry in Array(entries.values) { lookAtTime(of: entry, now, &effects) }
    forgetContention(now)
    while let first = over.first, entries[first] == nil { over.removeFirst() }
  }

  /// Forgets those that ended first before their time, where there is no room for another: however many begin in
  /// five minutes, only open ones are counted against whoever begins one more.
  mutating func makeRoom() {
    while entries.count >= TransactionLimits.countMax, let first = over.popFirst() {
      // It may have come back since.
      if entries[first]?.isOver == true { entries[first] = nil }
    }
  }

  mutating func forgetAll() {
    entries.removeAll()
    spaces.removeAll()
    over.removeAll()
    endedReaders.removeAll()
    quota.removeAll()
    forgottenBelow = nextCounter
  }
}
