/// What is removed when nobody waits: cleared generations, and history beyond the retention.
///
/// In slices, so that a commit that arrives waits for one slice at most. Slices run on the thread that
/// commits.
///
/// INVARIANT: the floor is raised no later than history below it is removed, in one engine transaction, so
/// no view can be handed a half-collected past.
/// Source: docs/design/storage-and-scale.md section 4.

internal import DocModel

struct Housekeeping<Engine: StorageEngine>: Sendable {
  let engine: Engine
  let now: @Sendable () -> Int64
  let hold: HistoryHold

  /// Keys removed in one slice: about 2 ms.
  private var sliceKeys: Int { 1_000 }

  /// Removes one slice. True when nothing was left to remove.
  func tidySlice(_ batch: MutationBatch) throws(StorageError) -> Bool {
    let hasMore = try engine.read { (view) throws(StorageError) in try hasWork(view) }
    if !hasMore { return true }
    batch.reset()
    try engine.write(batch) { (view, batch) throws(StorageError) in
      if try removeCondemned(view, batch) { return }
      try collectHistory(view, batch)
    }
    return false
  }

  private var floor: Int64 {
    let now = now()
    return hold.bounded(now - Retention.seconds * 1_000_000, now: now)
  }

  private func hasWork(_ view: StorageView) throws(StorageError) -> Bool {
    if try !DatabaseCatalog.condemned(view, limit: 1).isEmpty { return true }
    for database in try DatabaseCatalog.databases(view) {
      if try hasChanges(view, database.generation) { return true }
    }
    return false
  }

  private func hasChanges(_ view: StorageView, _ generation: UInt32) throws(StorageError) -> Bool {
    try hasKey(view, .changes, KeyLayout.changeRange(generation, after: 0, upTo: floor))
  }

  private func hasKey(
    _ view: StorageView, _ keyspace: Keyspace, _ range: KeyRange
  ) throws(StorageError) -> Bool {
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

  /// A change at version v names a document whose earlier state ended at v: both go.
  private func collectHistory(_ view: StorageView, _ batch: MutationBatch) throws(StorageError) {
    let floor = floor
    guard var state = try DatabaseCatalog.state(view) else { throw .corrupt }
    for database in try DatabaseCatalog.databases(view) {
      let range = KeyLayout.changeRange(database.generation, after: 0, upTo: floor)
      var isDamaged = false
      var count = 0
      var collections = CollectedCollections()
      try view.scan(.changes, range, .forward) { key, value in
        var reader = KeyReader(key, offset: KeyLayout.generationBytes)
        guard let version = reader.int64() else {
          isDamaged = true
          return .stop
        }
        let path = ChangeRecord.path(value)
        let document = KeyLayout.documentKey(database.generation, path)
        let historyKey = KeyLayout.historyKey(document.bytes, ended: version)
        batch.remove(.documentHistory, historyKey)
        collections.note(ResourcePath(unchecked: String(decoding: path, as: UTF8.self)).parent, historyKey)
        batch.remove(.changes, Array(key))
        count += 1
        return count < sliceKeys ? .more : .stop
      }
      if isDamaged { throw .corrupt }
      try collections.takeOutEmpty(database.generation, view, batch)
      if count > 0 {
        state.floor = max(state.floor, floor)
        batch.put(.catalog, KeyLayout.stateKey, state.encoded)
        return
      }
    }
  }
}

/// How far back reads may go.
public enum Retention {
  /// Source: docs/spec/protocol.md 1.10, docs/spec/production-differences.md L17.
  public static let seconds: Int64 = TransactionLimits.readTimeSeconds
}
