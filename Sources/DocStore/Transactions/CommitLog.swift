/// What commits did while transactional reads were under way.
///
/// A read takes its lock after its view was opened, so a commit may slip in between: planned before the lock
/// was there, durable after the view was opened. Changes are kept until every read that could have missed
/// them has taken its locks; each new lock is compared with what its view has not seen.
///
/// INVARIANT: a change above the version that a view saw is in the log as long as a read of that view may
/// still take a lock.

internal import DocModel

struct CommitLog {
  /// What happened to one document.
  struct Change: ChangeStates {
    let path: ResourcePath
    let before: DocumentImage?
    let after: DocumentImage?
    /// False when nobody was likely to ask for the states.
    let hasStates: Bool

    func withStates(_ body: (StoredDocument?, StoredDocument?) -> Bool) -> Bool {
      guard hasStates else { return true }
      return DocumentImage.withDocuments(before, after, body)
    }
  }

  /// What one commit did; without changes: it removed all documents at once.
  private struct Entry {
    let database: DatabaseID
    let version: Int64
    let batch: UInt64
    let changes: [Change]

    var isClearing: Bool { changes.isEmpty }

    var byteCount: Int {
      changes.reduce(128) { $0 + 64 + ($1.before?.byteCount ?? 0) + ($1.after?.byteCount ?? 0) }
    }
  }

  /// Batches without a transaction after which states are no longer kept.
  private static let quietBatchesMax: UInt64 = 1_000

  private var entries: [Entry] = []
  private var changeCount = 0
  private var byteCount = 0
  /// Everything up to this version may be missing from the log.
  private var lostVersion: Int64 = 0
  /// The batch being written, or the next one.
  private(set) var batch: UInt64 = 1
  private var lastTransactional: UInt64 = 0
  /// Reads under way, by the batch at which they began.
  private var readers: [UInt64: Int] = [:]

  // MARK: reads

  /// The result is to be given back to `endRead`.
  mutating func beginRead() -> UInt64 {
    readers[batch, default: 0] += 1
    lastTransactional = batch
    return batch
  }

  mutating func endRead(_ began: UInt64) {
    guard let count = readers[began] else { return }
    readers[began] = count > 1 ? count - 1 : nil
    if count == 1 { purge() }
    if Invariants.areDue(at: entries.count) { checkInvariants() }
  }

  // MARK: commits

  mutating func append(
    _ database: DatabaseID, _ version: Int64, _ changes: [CommitPlanner.Touched], hasTransactions: Bool
  ) {
    if hasTransactions { lastTransactional = batch }
    if changes.isEmpty { return }
    let keepsStates = batch - lastTransactional < Self.quietBatchesMax
    let logged = changes.map { change in
      Change(
        path: change.path, before: keepsStates ? change.before.map(DocumentImage.init) : nil,
        after: keepsStates ? change.now.map(DocumentImage.init) : nil, hasStates: keepsStates)
    }
    append(Entry(database: database, version: version, batch: batch, changes: logged))
  }

  /// What was planned in this batch will not be: others have committed meanwhile.
  mutating func dropBatch() {
    guard entries.last?.batch == batch else { return }
    entries.removeAll { $0.batch == batch }
    count()
  }

  /// What another process has committed; states that nobody has looked up are not there.
  mutating func append(_ database: DatabaseID, _ version: Int64, _ changes: [DocumentChange]) {
    if changes.isEmpty { return }
    let logged = changes.map {
      Change(
        path: $0.path, before: $0.before, after: $0.after, hasStates: $0.before != nil || $0.after != nil)
    }
    append(Entry(database: database, version: version, batch: batch, changes: logged))
  }

  /// What was done up to a version is not known.
  mutating func lose(_ version: Int64) {
    lostVersion = max(lostVersion, version)
    entries = []
    count()
  }

  mutating func appendClearing(_ database: DatabaseID, _ version: Int64) {
    append(Entry(database: database, version: version, batch: batch, changes: []))
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    changeCount += max(1, entry.changes.count)
    byteCount += entry.byteCount
    defer { if Invariants.areDue(at: entries.count) { checkInvariants() } }
    if changeCount <= LockLimits.loggedChangesMax, byteCount <= LockLimits.loggedBytesMax { return }
    lostVersion = entry.version
    entries = []
    count()
  }

  private mutating func count() {
    changeCount = entries.reduce(0) { $0 + max(1, $1.changes.count) }
    byteCount = entries.reduce(0) { $0 + $1.byteCount }
  }

  /// The batch is durable, or has failed.
  mutating func endBatch() {
    batch += 1
    purge()
    if Invariants.areDue(at: entries.count) { checkInvariants() }
  }

  private mutating func purge() {
    if entries.isEmpty { return }
    let oldest = readers.keys.min() ?? batch
    guard let first = entries.first, first.batch < oldest else { return }
    entries.removeAll { $0.batch < oldest }
    count()
  }

  func checkInvariants() {
    let oldest = readers.keys.min() ?? batch
    assert(
      zip(entries, entries.dropFirst()).allSatisfy { $0.version <= $1.version && $0.batch <= $1.batch },
      "entries are in the order of their commits")
    assert(entries.allSatisfy { $0.batch <= batch }, "nothing comes from a batch that has not begun")
    assert(entries.allSatisfy { $0.version >= lostVersion }, "what is lost is not half there")
    assert(readers.values.allSatisfy { $0 > 0 } && oldest <= batch, "readers began, and are counted")
    assert(changeCount == entries.reduce(0) { $0 + max(1, $1.changes.count) }, "`changeCount` counts")
    assert(byteCount == entries.reduce(0) { $0 + $1.byteCount }, "`byteCount` counts")
    assert(
      changeCount <= LockLimits.loggedChangesMax && byteCount <= LockLimits.loggedBytesMax,
      "the log keeps to its limits")
  }

  // MARK: comparing

  /// Whether the batch that is being written changes one of these documents; with nil any document.
  func isUnderWay(_ database: DatabaseID, _ paths: Set<ResourcePath>?) -> Bool {
    for entry in entries.reversed() {
      guard entry.batch == batch else { return false }
      guard entry.database == database else { continue }
      guard let paths, !entry.isClearing else { return true }
      if entry.changes.contains(where: { paths.contains($0.path) }) { return true }
    }
    return false
  }

  /// Whether a document was changed above the version that a view saw.
  func hasChange(_ database: DatabaseID, _ path: ResourcePath, above seen: Int64) -> Bool {
    if seen < lostVersion { return true }
    return hasEntry(above: seen) { entry in
      entry.database == database && (entry.isClearing || entry.changes.contains { $0.path == path })
    }
  }

  /// Whether a change above the version that a view saw concerns a predicate.
  func hasChange(_ database: DatabaseID, _ predicate: ReadPredicate, above seen: Int64) -> Bool {
    if seen < lostVersion { return true }
    return hasEntry(above: seen) { entry in
      entry.database == database
        && (entry.isClearing || entry.changes.contains { predicate.isConcerned(by: $0) })
    }
  }

  /// Versions ascend, so only what a view has missed is looked at.
  private func hasEntry(above seen: Int64, _ isMeant: (Entry) -> Bool) -> Bool {
    for entry in entries.reversed() {
      if entry.version <= seen { return false }
      if isMeant(entry) { return true }
    }
    return false
  }
}
