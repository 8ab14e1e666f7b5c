/// What is removed when nobody waits: cleared generations, and history beyond the retention.
///
/// In slices, so that a commit that arrives waits for one slice at most. Slices run on the thread that
/// commits. History that is larger than its budget also goes with the commits that make it larger
/// (`Housekeeping+Budget`).
///
/// INVARIANT: the floor is raised no later than history below it is removed, in one engine transaction, so
/// no view can be handed a half-collected past.
/// Source: docs/design/storage-and-scale.md section 4.

internal import DocModel

/// A class, because a generic structure is copied with the help of the runtime's tables of types.
final class Housekeeping<Engine: StorageEngine>: Sendable {
  let engine: Engine
  let now: @Sendable () -> Int64
  let hold: HistoryHold
  let historyBytesMax: Int

  init(engine: Engine, now: @escaping @Sendable () -> Int64, hold: HistoryHold, historyBytesMax: Int) {
    self.engine = engine
    self.now = now
    self.hold = hold
    self.historyBytesMax = historyBytesMax
  }

  /// Keys removed in one slice: about 2 ms.
  var sliceKeys: Int { 1_000 }

  /// Removes one slice. True when nothing was left to remove.
  func tidySlice(_ batch: MutationBatch) throws(StorageError) -> Bool {
    let hasMore = try engine.read { (view) throws(StorageError) in try hasWork(view) }
    if !hasMore { return true }
    batch.reset()
    try engine.write(batch) { (view, batch) throws(StorageError) in
      if try removeCondemned(view, batch) { return }
      guard var state = try DatabaseCatalog.state(view) else { throw .corrupt }
      if try !collectExpired(&state, view, batch) {
        let excess = try HistorySize(view).excess(over: historyBytesMax)
        try collectOldest(min(excess, sliceKeys), &state, besides: [:], view, batch)
      }
      if !batch.mutations.isEmpty { batch.put(.catalog, KeyLayout.stateKey, state.encoded) }
    }
    return false
  }

  private var floor: Int64 {
    let now = now()
    return hold.bounded(now - Retention.seconds * 1_000_000, now: now)
  }

  private func hasWork(_ view: StorageView) throws(StorageError) -> Bool {
    if try !DatabaseCatalog.condemned(view, limit: 1).isEmpty { return true }
    var floor = floor
    if try HistorySize(view).excess(over: historyBytesMax) > 0, let state = try DatabaseCatalog.state(view) {
      floor = max(floor, hold.bounded(state.lastVersion, now: now()))
    }
    for database in try DatabaseCatalog.databases(view) {
      let changes = KeyLayout.changeRange(database.generation, after: 0, upTo: floor)
      if try hasKey(view, .changes, changes) { return true }
    }
    return false
  }

  func hasKey(_ view: StorageView, _ keyspace: Keyspace, _ range: KeyRange) throws(StorageError) -> Bool {
    var isFound = false
    try view.scan(keyspace, range, .forward) { _, _ in
      isFound = true
      return .stop
    }
    return isFound
  }

  /// Removes a slice of a cleared generation; false when there is none.
  private func removeCondemned(_ view: StorageView, _ batch: MutationBatch) throws(StorageError) -> Bool {
    guard let generation = try DatabaseCatalog.condemned(view, limit: 1).first else { return false }
    let range = KeyLayout.generationRange(generation)
    for keyspace in [Keyspace.documents, .documentHistory, .indexEntries, .indexHistory, .changes]
    where try hasKey(view, keyspace, range) {
      batch.removeRange(keyspace, range, limit: sliceKeys)
      return true
    }
    for range in [CollectionTally.range(generation), CollectionCatalog.range(generation)]
    where try hasKey(view, .catalog, range) {
      batch.removeRange(.catalog, range, limit: sliceKeys)
      return true
    }
    batch.removeRange(.catalog, KeyRange(prefix: IndexLayout.catalogPrefix(generation)), limit: .max)
    batch.remove(.catalog, KeyLayout.condemnedKey(generation))
    return true
  }

  /// Removes a slice of what is beyond the retention; false when nothing is.
  private func collectExpired(
    _ state: inout StoreState, _ view: StorageView, _ batch: MutationBatch
  ) throws(StorageError) -> Bool {
    let floor = floor
    for database in try DatabaseCatalog.databases(view) {
      var removal = HistoryRemoval(view, batch)
      try removal.remove(database.generation, after: 0, upTo: floor, atMost: sliceKeys)
      if removal.count > 0 {
        try removal.finish(besides: [:])
        state.floor = max(state.floor, floor)
        return true
      }
    }
    return false
  }
}

/// How far back reads may go.
public enum Retention {
  /// Source: docs/spec/protocol.md 1.10, docs/spec/production-differences.md L17.
  public static let seconds: Int64 = TransactionLimits.readTimeSeconds
}
