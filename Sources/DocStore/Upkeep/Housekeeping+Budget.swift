/// History that takes more than its budget: the oldest goes, with the commits that make it larger and in slices when
/// nobody waits.
///
/// The size is what the engine says of the keyspaces, so nothing is counted. How many changes make up the excess is
/// reckoned from their average; pages that are emptied only in part make it take some more, never less.
///
/// INVARIANT: the floor is raised to the last change that was removed, and no further: everything after it is whole.
/// Checked by: `HistoryBudgetTests`.

internal import DocModel

/// What the keyspaces of history take.
struct HistorySize {
  let bytes: Int
  private let changes: Int

  static let keyspaces: [Keyspace] = [.changes, .documentHistory, .indexHistory]

  init(_ view: StorageView) throws(StorageError) {
    var sum = 0
    for keyspace in Self.keyspaces { sum += try view.size(of: keyspace).bytes }
    bytes = sum
    changes = try view.size(of: .changes).entries
  }

  /// Whether it is not only what batches have added since it last fitted: the budget has become smaller, or a hold has ended.
  func isMuch(over budget: Int) -> Bool { bytes - budget > budget / 64 }

  /// About how many changes have to go for the rest to fit, and for the next ones to do so for a while; 0 when all fit.
  func excess(over budget: Int) -> Int {
    guard bytes > budget, changes > 0 else { return 0 }
    return (bytes - budget + budget / 64) / max(1, bytes / changes) + 1
  }
}

extension Housekeeping {
  /// Changes removed with a batch that changes few documents: some microseconds each, and the batch's clients wait for all.
  private var batchKeysMin: Int { 32 }
  /// The same where there is much to remove.
  private var hurriedBatchKeysMin: Int { 256 }
  /// LIMIT: databases among which one call looks for the oldest changes.
  private var databasesMax: Int { 64 }

  /// Adds to a planned batch the removal of what is over the budget: as much as the batch can add, and then some. History
  /// that cannot be read is no reason to refuse commits.
  ///
  /// - Parameters:
  ///   - changedCount: documents that the batch changes.
  ///   - entered: collections that get a document with the batch, by generation.
  func keepToBudget(
    _ view: StorageView, _ batch: MutationBatch, _ state: inout StoreState, changedCount: Int,
    entered: [UInt32: Set<ResourcePath>]
  ) {
    if changedCount == 0 { return }
    let mark = batch.mark
    var raised = state
    do throws(StorageError) {
      let size = try HistorySize(view)
      let excess = size.excess(over: historyBytesMax)
      if excess == 0 { return }
      // What ended may have been small, and what is written large.
      let least = size.isMuch(over: historyBytesMax) ? hurriedBatchKeysMin : batchKeysMin
      let limit = max(least, 2 * changedCount, batch.byteCount >> 10)
      if try removeCondemnedHistory(view, batch, atMost: limit) { return }
      try collectOldest(min(limit, excess), &raised, besides: entered, view, batch)
      state = raised
    } catch {
      batch.rollback(to: mark)
    }
  }

  /// What cleared databases had is in nobody's way but that of the budget; false when there is none.
  private func removeCondemnedHistory(
    _ view: StorageView, _ batch: MutationBatch, atMost limit: Int
  ) throws(StorageError) -> Bool {
    for generation in try DatabaseCatalog.condemned(view, limit: databasesMax) {
      let range = KeyLayout.generationRange(generation)
      for keyspace in HistorySize.keyspaces where try hasKey(view, keyspace, range) {
        batch.removeRange(keyspace, range, limit: limit)
        return true
      }
    }
    return false
  }

  /// Removes changes that nobody holds, the oldest of all databases first.
  func collectOldest(
    _ count: Int, _ state: inout StoreState, besides entered: [UInt32: Set<ResourcePath>],
    _ view: StorageView, _ batch: MutationBatch
  ) throws(StorageError) {
    var heads = try oldest(view, upTo: hold.bounded(state.lastVersion, now: now()))
    var removal = HistoryRemoval(view, batch)
    while removal.count < count, let head = heads.list.popLast() {
      let next = heads.list.last?.version ?? heads.end
      try removal.remove(
        head.generation, after: head.version - 1, upTo: next, atMost: count - removal.count)
      try heads.insert(head.generation, after: next, view)
    }
    try removal.finish(besides: entered)
    state.floor = max(state.floor, removal.last)
  }

  private func oldest(_ view: StorageView, upTo end: Int64) throws(StorageError) -> HistoryHeads {
    var heads = HistoryHeads(list: [], end: end)
    for database in try DatabaseCatalog.databases(view) { try heads.append(database.generation, view) }
    heads.list.sort { $0.version > $1.version }
    if heads.list.count > databasesMax {
      heads.end = heads.list[heads.list.count - databasesMax - 1].version
      heads.list.removeFirst(heads.list.count - databasesMax)
    }
    return heads
  }
}

/// The first change of each of some generations, the oldest last.
private struct HistoryHeads {
  var list: [(version: Int64, generation: UInt32)]
  /// Later changes stay.
  var end: Int64

  mutating func append(_ generation: UInt32, _ view: StorageView) throws(StorageError) {
    if let version = try first(generation, after: 0, view) { list.append((version, generation)) }
  }

  mutating func insert(
    _ generation: UInt32, after version: Int64, _ view: StorageView
  ) throws(StorageError) {
    guard let version = try first(generation, after: version, view) else { return }
    let place = list.lastIndex { $0.version > version }.map { $0 + 1 } ?? 0
    list.insert((version, generation), at: place)
  }

  private func first(
    _ generation: UInt32, after version: Int64, _ view: StorageView
  ) throws(StorageError) -> Int64? {
    var found: Int64?
    try ChangeRecord.scan(view, generation, after: version, upTo: end) { version, _ in
      found = version
      return .stop
    }
    return found
  }
}
