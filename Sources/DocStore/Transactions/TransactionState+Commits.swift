/// Commits meet locks: who goes on, who waits, who is given up.
///
/// Open transactions hold nothing but what they have read, since writes come with the commit. So all waiting
/// is that of commits for readers, and of reads for their turn. A wait that would close a cycle is decided at
/// once: nobody waits in vain.
/// Source: docs/spec/streams.md 4.3; docs/spec/production-differences.md T1 to T4.

internal import DocModel

/// What becomes of a planned commit.
enum Admission {
  /// It may be written; its transaction is over.
  case apply
  /// It was taken over and comes back through the queue, or is answered.
  case wait
}

extension TransactionState {
  mutating func admit(
    _ request: CommitRequest, _ changes: [CommitPlanner.Touched], _ version: Int64,
    _ asked: inout PredicateCache, _ now: Int64, _ effects: inout LockEffects
  ) throws(StoreError) -> Admission {
    let own = request.transaction.flatMap { entries[$0.counter] }
    // Rolled back, or its client gone, while the commit was planned: it no longer holds what it has read.
    if let id = request.transaction, own?.isOver ?? !id.isReadOnly { throw .aborted(.transactionOver) }
    if let own { try checkFresh(own, request, &effects) }
    var readers: Set<UInt64> = []
    if !isAlone(request) {
      forEachReader(of: changes, in: request.database, but: own?.id, &asked) { readers.insert($0) }
      lateQueryCount += asked.lateCount
    }
    if !readers.isEmpty {
      let holders = try holders(among: readers, of: own, now, &effects)
      if !holders.isEmpty {
        try park(request, own, holders, now)
        if let own { takeTurns(writing: changes, own, now) }
        return .wait
      }
    }
    // Who is left are optimistic readers.
    for reader in readers { entries[reader]?.isStale = true }
    log.append(request.database, version, changes, hasTransactions: openReadWrite > 0)
    if let id = request.transaction, id.isReadOnly { endedReaders.end(id, .committed) }
    if let own {
      noteWrites(changes, by: own, now)
      let readyBefore = effects.ready.count
      end(own, .committed, &effects)
      // Whose turn comes now is to read what this commit writes.
      afterBatch += effects.ready[readyBefore...]
      effects.ready.removeSubrange(readyBefore...)
    }
    return .apply
  }

  /// Another process has committed, and has asked nobody here.
  mutating func note(_ changes: [DocumentChange], of database: DatabaseID, _ version: Int64) {
    log.append(database, version, changes)
    guard openReadWrite > 0, spaces[database] != nil else { return }
    for change in changes {
      for reader in spaces[database]?.documents[change.path] ?? [] { entries[reader]?.isStale = true }
      DocumentImage.withDocuments(change.before, change.after) { before, after in
        let asked = spaces[database]?.predicates.candidates(change.path, before, after) ?? []
        for predicate in PredicateCache.concerned(change.path, before, after, among: asked) {
          entries[predicate.owner]?.isStale = true
        }
      }
    }
  }

  /// Whether no other transaction that may write is open.
  func isAlone(_ request: CommitRequest) -> Bool {
    let own = request.transaction.flatMap { entries[$0.counter] }
    return openReadWrite <= (own == nil ? 0 : 1)
  }

  /// What the transaction has read must still be so.
  mutating func checkFresh(
    _ entry: TransactionEntry, _ request: CommitRequest, _ effects: inout LockEffects
  ) throws(StoreError) {
    guard entry.isStale else { return }
    giveUp(entry, own: request, &effects)
    throw entry.isPessimistic ? policy.deadlock : .aborted(.tooMuchContention)
  }

  /// The readers a commit must wait for, after cycles were broken. Throws when the commit is what breaks one.
  private mutating func holders(
    among readers: Set<UInt64>, of own: TransactionEntry?, _ now: Int64, _ effects: inout LockEffects
  ) throws(StoreError) -> Set<UInt64> {
    var holders: Set<UInt64> = []
    for reader in readers {
      guard let entry = entries[reader] else { continue }
      lookAtTime(of: entry, now, &effects)
      if entry.isOver || !entry.isPessimistic { continue }
      // An earlier attempt that its client has given up without saying so.
      if let own, entry.isNamed(by: own), case .open = entry.phase {
        end(entry, .aborted, &effects)
      } else {
        holders.insert(reader)
      }
    }
    guard let own else { return holders }
    while let cycle = cycle(through: own.id, waitingFor: holders) {
      // The one that is in the way, not those who stand in line before it.
      if let waiting = cycle.last(where: { entries[$0]?.turnWaits.isEmpty == false }) {
        stopWaitingForTurns(waiting, &effects)
        continue
      }
      guard let victim = victim(among: cycle) else { break }
      if victim === own {
        giveUp(own, over: cycle, &effects)
        throw policy.deadlock
      }
      let request = victim.parked.flatMap { unpark($0) }?.request
      giveUp(victim, over: cycle, own: request, &effects)
      if let request { effects.failed.append((request, policy.deadlock)) }
      holders.remove(victim.id)
    }
    return holders
  }

  private mutating func park(
    _ request: CommitRequest, _ own: TransactionEntry?, _ holders: Set<UInt64>, _ now: Int64
  ) throws(StoreError) {
    if request.cancellation?.isCancelled ?? false { throw .aborted(.transactionOver) }
    let weight = request.weight
    guard waiters.count < LockLimits.waitersMax, waiterBytes + weight <= LockLimits.waiterBytesMax else {
      throw .resourceExhausted(message: "too many commits are waiting for transactions to end")
    }
    let deadline = request.waitsUntil ?? now + Int64(policy.lockWaitMilliseconds) * 1_000
    let ticket = request.ticket ?? takeTicket()
    var request = request
    request.ticket = ticket
    request.waitsUntil = deadline
    waiters[ticket] = CommitWaiter(request: request, holders: holders, deadline: deadline)
    waiterBytes += weight
    own?.parked = ticket
    for holder in holders { entries[holder]?.blocked.insert(ticket) }
  }

  // MARK: cycles

  /// Those who wait for each other, the given one among them, if there are such.
  private func cycle(through start: UInt64, waitingFor first: Set<UInt64>) -> [UInt64]? {
    var cameFrom: [UInt64: UInt64] = [:]
    var open = Array(first)
    for id in first { cameFrom[id] = start }
    while let id = open.popLast() {
      if id == start { break }
      for next in waits(of: id) where cameFrom[next] == nil {
        cameFrom[next] = id
        open.append(next)
      }
    }
    guard var id = cameFrom[start] else { return nil }
    var cycle = [start]
    while id != start {
      cycle.append(id)
      guard let previous = cameFrom[id] else { return nil }
      id = previous
    }
    return cycle
  }

  /// Whom a transaction waits for; of a line the one before it.
  func waits(of id: UInt64) -> Set<UInt64> {
    guard let entry = entries[id] else { return [] }
    var found: Set<UInt64> = []
    if let ticket = entry.parked, let waiter = waiters[ticket] { found = waiter.holders }
    for wait in entry.turnWaits {
      for path in turnWaits[wait]?.pending ?? [] {
        found.formUnion(spaces[entry.database]?.turns[path]?.predecessors(of: id) ?? [])
      }
    }
    return found
  }

  /// Whose attempts were given up least often; among those the youngest, by the age of their first attempt.
  private func victim(among cycle: [UInt64]) -> TransactionEntry? {
    cycle.compactMap { entries[$0] }.min { a, b in
      if a.lineage.aborts != b.lineage.aborts { return a.lineage.aborts < b.lineage.aborts }
      return (a.lineage.firstAttempt, a.id) > (b.lineage.firstAttempt, b.id)
    }
  }

  /// Ends a transaction for the sake of others; its lineage remembers where.
  mutating func giveUp(
    _ entry: TransactionEntry, over cycle: [UInt64] = [], own: CommitRequest? = nil,
    _ effects: inout LockEffects
  ) {
    var contended: Set<ResourcePath> = Set(own?.writes.map(\.path) ?? [])
    for id in cycle {
      guard let ticket = entries[id]?.parked, let waiter = waiters[ticket] else { continue }
      contended.formUnion(waiter.request.writes.map(\.path))
    }
    entry.lineage.aborts += 1
    lose(entry, contended, effects.now)
    end(entry, .aborted, &effects)
  }

  /// Of the documents read by name those that were fought over; all of the few when that is not known.
  private mutating func lose(_ entry: TransactionEntry, _ contended: Set<ResourcePath>, _ now: Int64) {
    let fought = contended.isEmpty ? entry.documents : entry.documents.intersection(contended)
    noteLoss(of: entry.documents.intersection(contended), in: entry.database, now)
    let all = Set(entry.lineage.lost).union(fought.isEmpty ? entry.documents : fought)
    if all.count <= LockLimits.lostMax { entry.lineage.lost = all.sorted() }
  }

  // MARK: time

  /// Refuses who has waited too long, and ends who was waited for and is over.
  mutating func look(_ now: Int64, _ effects: inout LockEffects) {
    var holders: Set<UInt64> = []
    for waiter in waiters.values { holders.formUnion(waiter.holders) }
    for holder in holders.sorted() {
      if let entry = entries[holder] { lookAtTime(of: entry, now, &effects) }
    }
    for (ticket, waiter) in waiters.sorted(by: { $0.key < $1.key }) where waiter.deadline <= now {
      guard let waiter = unpark(ticket) else { continue }
      if let own = waiter.request.transaction.flatMap({ entries[$0.counter] }) {
        giveUp(own, own: waiter.request, &effects)
      }
      effects.failed.append((waiter.request, policy.timeout))
    }
    lookAtTurns(now, &effects)
  }
}
