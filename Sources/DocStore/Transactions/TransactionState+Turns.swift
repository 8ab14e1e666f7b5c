/// Turns at contended documents: a lineage that has lost a document reads it alone the next time.
///
/// Whoever takes a turn, or reads such a document by name while there is a queue, stands in line; turns come
/// first come, first served, and last as long as the transaction. A turn is patience, not a lock: who stands in
/// a line that does not move reads without it, and what was read is still protected by locks.
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
    let queued = spaces[database]?.turns ?? [:]
    if entry.lineage.lost.isEmpty, queued.isEmpty {
      return mayReadNow(entry, Set(paths), ready)
    }
    // At all documents that were lost at once, so that nobody holds one and waits for the next.
    var wanted = Set(entry.lineage.lost)
    for path in paths where queued[path] != nil { wanted.insert(path) }
    wanted.subtract(entry.turns)
    wanted.subtract(entry.documents)
    var pending: Set<ResourcePath> = []
    for path in wanted {
      var queue = queued[path] ?? ContentionQueue()
      if queue.waiting.count >= LockLimits.turnWaitersMax { continue }
      if queue.holder == nil {
        queue.holder = entry.id
        queue.moved = now
      } else {
        queue.waiting.append(entry.id)
        pending.insert(path)
      }
      spaces[database, default: LockSpace()].turns[path] = queue
      entry.turns.insert(path)
    }
    if pending.isEmpty { return mayReadNow(entry, Set(paths), ready) }
    let ticket = takeTicket()
    turnWaits[ticket] = ContentionWait(
      owner: entry.id, database: database, pending: pending, began: now, ready: ready)
    entry.turnWaits.insert(ticket)
    if isCaughtWaiting(entry.id) {
      forget(ticket)
      return true
    }
    return false
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

  /// Whether somebody it waits for waits for it.
  private func isCaughtWaiting(_ id: UInt64) -> Bool {
    var seen = waits(of: id)
    var open = Array(seen)
    while let other = open.popLast() {
      if other == id { return true }
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
    guard var queue = spaces[entry.database]?.turns[path] else { return }
    queue.waiting.removeAll { $0 == entry.id }
    guard queue.holder == entry.id else {
      spaces[entry.database]?.turns[path] = queue
      return
    }
    queue.holder = queue.waiting.isEmpty ? nil : queue.waiting.removeFirst()
    queue.moved = effects.now
    spaces[entry.database]?.turns[path] = queue.holder == nil ? nil : queue
    if spaces[entry.database]?.isEmpty == true { spaces[entry.database] = nil }
    guard let next = queue.holder.flatMap({ entries[$0] }) else { return }
    for ticket in next.turnWaits.sorted() {
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
      spaces[wait.database]?.turns[path]?.waiting.removeAll { $0 == wait.owner }
      entry?.turns.remove(path)
    }
    return wait
  }

  mutating func lookAtTurns(_ now: Int64, _ effects: inout LockEffects) {
    let late = turnWaits.filter { hasWaitedEnough($0.value, now) }.keys.sorted()
    for ticket in late {
      if let wait = forget(ticket) { effects.ready.append(wait.ready) }
    }
  }

  /// Whether the lines stand still, or move for too long without its turn.
  private func hasWaitedEnough(_ wait: ContentionWait, _ now: Int64) -> Bool {
    if now - wait.began >= Int64(LockLimits.lineMilliseconds) * 1_000 { return true }
    let moved = wait.pending.lazy.compactMap { spaces[wait.database]?.turns[$0]?.moved }.max() ?? 0
    return now - max(moved, wait.began) >= Int64(LockLimits.turnMilliseconds) * 1_000
  }
}
