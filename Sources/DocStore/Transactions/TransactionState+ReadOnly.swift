/// Transactions that only read: nothing is kept of them but that they ended.
///
/// They take no locks, so their ids hold all there is to know. However many begin, nobody has less room.

internal import DequeModule
internal import DocModel

/// The read-only transactions that ended before their time.
struct EndedReaders {
  private var outcomes: [UInt64: TransactionEntry.Outcome] = [:]
  private var order = Deque<UInt64>()

  /// LIMIT: how many are remembered. One that ended before them can be read in until its time is over, which harms nobody.
  private static let countMax = 20_000

  subscript(counter: UInt64) -> TransactionEntry.Outcome? { outcomes[counter] }

  mutating func end(_ id: TransactionID, _ outcome: TransactionEntry.Outcome) {
    guard outcomes.updateValue(outcome, forKey: id.counter) == nil else { return }
    order.append(id.counter)
    if order.count > Self.countMax { outcomes[order.removeFirst()] = nil }
  }

  mutating func removeAll() {
    outcomes.removeAll()
    order.removeAll()
  }
}

extension TransactionState {
  /// How a read-only transaction ended; nil for one that goes on. Throws for one that is forgotten.
  func outcome(ofReader id: TransactionID, _ now: Int64) throws(StoreError) -> TransactionEntry.Outcome? {
    // When one of another server began is of that one's clock. It shows what is kept of that time, for as long as it is.
    let isForeign = isForeign(id.counter)
    let age = isForeign ? 0 : now - id.began
    if !isForeign && id.counter < forgottenBelow || age > TransactionLimits.rememberedSeconds * 1_000_000 {
      throw .invalid(TransactionText.malformed)
    }
    if let outcome = endedReaders[id.counter] { return outcome }
    return age > TransactionLimits.lifetimeSeconds * 1_000_000 ? .expired : nil
  }

  /// The time that a read-only transaction shows, as long as it goes on.
  func liveReadTime(_ id: TransactionID, _ readTime: Int64, _ now: Int64) throws(StoreError) -> Int64 {
    if let outcome = try outcome(ofReader: id, now) { throw refusal(after: outcome) }
    return readTime
  }

  /// A commit in a read-only transaction: it may only be empty.
  mutating func admitReaderCommit(_ id: TransactionID, writes: Int, _ now: Int64) throws(StoreError) {
    if let outcome = try outcome(ofReader: id, now) { throw refusal(after: outcome) }
    guard writes > 0 else { return }
    if policy.endsReadOnlyOnWrite { endedReaders.end(id, .wroteReadOnly) }
    throw .invalid(TransactionText.readOnly)
  }

  mutating func rollBackReader(_ id: TransactionID, _ now: Int64) throws(StoreError) {
    switch try outcome(ofReader: id, now) {
    case nil: endedReaders.end(id, .rolledBack)
    case .committed: if !policy.allowsRollbackAfterCommit { throw .aborted(.transactionOver) }
    case .rolledBack, .expired, .aborted, .failedPrecondition, .wroteReadOnly, .moved: break
    }
  }
}
