/// Turns at contended documents: those who read one that others have fought over read it one after the other.
///
/// A document is contended when a transaction that has read it waits to write it, when one was given up over
/// it, and for some seconds after; also, on trial, while many open transactions have read it. Whoever has lost it before, or reads it by name, stands in line then; turns
/// come first come, first served, and last as long as the transaction. A turn is patience, not a lock: an idle
/// transaction loses it, who has stood in line for long reads without, and what was read is still protected by
/// locks.
/// Source: docs/spec/streams.md 4.3 item 6.

internal import DocModel

extension TransactionState {
  /// Whether a read may go ahead; otherwise `ready` is called when it may.
  mutating func takeTurns(
    _ id: TransactionID, _ database: DatabaseID, _ paths: some Sequence<ResourcePath>, _ now: Int64,
    _ ready: @escaping @Sendable () -> Void
  ) -> Bool {
    guard !isClosed, let entry = entries[id.counter], entry.database == database, entry.isPessimistic,
      case .open = entry.phase
    else { return true }
    var pending: Set<ResourcePath> = []
    // At all documents that were lost at once, so that nobody holds one and waits for the next.
    for path in turnsWanted(by: entry, paths, now) {
      switch spaces[database, default: LockSpace()].turns[path, default: ContentionQueue()].join(
        entry.id, now)
      {
      case .turn: entry.turns.insert(path)
      case .line:
        entry.turns.insert(path)
        pending.insert(path)
      case .none: break
      }
    }
    if pending.isEmpty { return mayReadNow(entry, Set(paths), ready) }
    let ticket = takeTicket()
    turnWaits[ticket] = ContentionWait(
      owner: entry.id, database: database, pending: pending, began: now, ready: ready)
    entry.turnWaits.insert(ticket)
    if isCaughtWaiting(entry) {
      forget(ticket)
      return true
    }
    return false
  }

  private func turnsWanted(
    by entry: TransactionEntry, _ paths: some Sequence<ResourcePath>, _ now: Int64
  ) -> Set<ResourcePath> {
    var wanted = Set(entry.lineage.lost)
    if let space = spaces[entry.database] {
      for path in paths where space.isContended(path, now) { wanted.insert(path) }
    }
    wanted.subtract(entry.turns)
    wanted.subtract(entry.documents)
    return wanted
  }

  /// A transaction that waits to write what it has read is the next one there, so that nobody comes to read it
  /// who would only be one more to wait for.
  mutating func takeTurns(
    writing changes: [CommitPlanner.Touched], _ entry: TransactionEntry, _ now: Int64
  ) {
    for change in changes where entry.documents.contains(change.path) {
      guard entry.turns.insert(change.path).inserted else { continue }
      spaces[entry.database, default: LockSpace()].turns[change.path, default: ContentionQueue()]
        .join(writing: entry.id, now)
    }
  }

  // MARK: contention

  /// Transactions were given up over documents: those are contended for some time.
  mutating func noteLoss(of paths: Set<ResourcePath>, in database: DatabaseID, _ now: Int64) {
    for path in paths {
      guard
        spaces[database]?.turns.count ?? 0 < LockLimits.contendedMax || spaces[database]?.turns[path] != nil
      else { continue }
      spaces[database, default: LockSpace()].turns[path, default: ContentionQueue()].noteLoss(now)
    }
  }

  /// A transaction is written: what it stood in line for stays contended. Other writes are no reason: where nobody
  /// writes what was read in turn, turns save nothing.
  mutating func noteWrites(_ changes: [CommitPlanner.Touched], by entry: TransactionEntry, _ now: Int64) {
    if entry.turns.isEmpty { return }
    for change in changes where entry.turns.contains(change.path) {
      spaces[entry.database]?.turns[change.path]?.noteWrite(now)
    }
  }

  mutating func forgetContention(_ now: Int64) {
    for (database, space) in spaces where space.turns.contains(where: { $0.value.isOver(now) }) {
      spaces[database]?.turns = space.turns.filter { !$0.value.isOver(now) }
      if spaces[database]?.isEmpty == true { spaces[database] = nil }
    }
  }

  /// Whether nothing that is being written would be missed; otherwise the read goes ahead when that is durable.
  /// A first attempt looks at the documents it names, a later one at all, since it may read them by a query.
  private mutating func mayReadNow(
    _ entry: TransactionEntry, _ paths: Set<ResourcePath>, _ ready: @escaping @Sendable () -> Void
  ) -> Bool {
    guard log.isUnderWay(entry.database, entry.lineage.aborts > 0 ? nil : paths) else { return true }
    afterBatch.append(ready)
    return false
  }

  /// Whether somebody it waits for waits for it. Whom nobody waits for, as newcomers, that is not looked for.
  private func isCaughtWaiting(_ entry: TransactionEntry) -> Bool {
    let isFollowed = entry.turns.contains { spaces[entry.database]?.turns[$0]?.isFollowed(entry.id) == true }
    guard isFollowed || !entry.blocked.isEmpty else { return false }
    var seen = waits(of: entry.id)
    var open = Array(seen)
    while let other = open.popLast() {
      if other == entry.id { return true }
      for next in waits(of: other) where seen.insert(next).inserted { open.append(next) }
    }
    return false
  }

  /// The transaction is over: the next ones have their turn.
  mutating func leaveTurns(_ entry: TransactionEntry, _ effects: inout LockEffects) {
    stopWaitingForTurns(entry.id, &effects)
    for path in entry.turns { leave(path, entry, &effects) }
    entry.turns = []
  }

  private mutating func leave(_ path: ResourcePath, _ entry: TransactionEntry, _ effects: inout LockEffects) {
    guard let next = spaces[entry.database]?.turns[path]?.leave(entry.id, effects.now) else { return }
    forgetQueue(path, entry.database, effects.now)
    for id in next { arrive(id, path, &effects) }
  }

  /// Drops a queue that is not worth remembering, or for which there is no room.
  private mutating func forgetQueue(_ path: ResourcePath, _ database: DatabaseID, _ now: Int64) {
    guard let queue = spaces[database]?.turns[path] else { return }
    let isFull = spaces[database]?.turns.count ?? 0 > LockLimits.contendedMax
    guard queue.isOver(now) || (queue.isEmpty && isFull) else { return }
    spaces[database]?.turns[path] = nil
    if spaces[database]?.isEmpty == true { spaces[database] = nil }
  }

  /// It is a transaction's turn at a document.
  private mutating func arrive(_ id: UInt64, _ path: ResourcePath, _ effects: inout LockEffects) {
    for ticket in (entries[id]?.turnWaits ?? []).sorted() {
      turnWaits[ticket]?.pending.remove(path)
      guard turnWaits[ticket]?.pending.isEmpty == true, let wait = forget(ticket) else { continue }
      effects.ready.append(wait.ready)
    }
  }

  /// Lets the reads of a transaction go ahead. It keeps its place where it has its turn already.
  mutating func stopWaitingForTurns(_ id: UInt64, _ effects: inout LockEffects) {
    for ticket in (entries[id]?.turnWaits ?? []).sorted() {
      if let wait = forget(ticket) { effects.ready.append(wait.ready) }
    }
  }

  /// Takes a waiting read out, and its transaction out of the lines it waits in.
  @discardableResult
  mutating func forget(_ ticket: UInt64) -> ContentionWait? {
    guard let wait = turnWaits.removeValue(forKey: ticket) else { return nil }
    let entry = entries[wait.owner]
    entry?.turnWaits.remove(ticket)
    for path in wait.pending {
      spaces[wait.database]?.turns[path]?.stopWaiting(wait.owner)
      entry?.turns.remove(path)
    }
    return wait
  }

  // MARK: time

  /// Passes the turns of idle transactions on, and lets go ahead who has stood in line for long.
  mutating func lookAtTurns(_ now: Int64, _ effects: inout LockEffects) {
    if turnWaits.isEmpty { return }
    let lineMax = Int64(LockLimits.lineMilliseconds) * 1_000
    for ticket in turnWaits.filter({ now - $0.value.began >= lineMax }).keys.sorted() {
      if let wait = forget(ticket) { effects.ready.append(wait.ready) }
    }
    var stalled: Set<ContendedDocument> = []
    for wait in turnWaits.values {
      for path in wait.pending where isStalled(wait.database, path, now) {
        stalled.insert(ContendedDocument(database: wait.database, path: path))
      }
    }
    for place in stalled.sorted(by: { $0.path < $1.path }) {
      guard let next = spaces[place.database]?.turns[place.path]?.passOn(now) else { continue }
      for id in next { arrive(id, place.path, &effects) }
    }
  }

  private struct ContendedDocument: Hashable {
    let database: DatabaseID
    let path: ResourcePath
  }

  /// Whether whoever has the turn does nothing with it: it neither reads nor waits, nor commits.
  private func isStalled(_ database: DatabaseID, _ path: ResourcePath, _ now: Int64) -> Bool {
    guard let queue = spaces[database]?.turns[path], let holder = queue.holder.flatMap({ entries[$0] }),
      case .open = holder.phase, holder.turnWaits.isEmpty
    else { return false }
    return now - max(queue.moved, holder.lastUsed) >= Int64(LockLimits.turnMilliseconds) * 1_000
  }
}
