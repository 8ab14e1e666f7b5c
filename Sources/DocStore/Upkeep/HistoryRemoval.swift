/// Earlier states that one engine transaction removes, with the changes that lead to them.

internal import DocModel

struct HistoryRemoval {
  private let view: StorageView
  private let batch: MutationBatch
  /// By generation.
  private var collections: [UInt32: CollectedCollections] = [:]
  /// Changes removed.
  private(set) var count = 0
  /// The latest version of one.
  private(set) var last: Int64 = 0
  /// Memory for keys.
  private var key = KeyWriter()

  init(_ view: StorageView, _ batch: MutationBatch) {
    self.view = view
    self.batch = batch
  }

  /// Removes the oldest changes of a generation with `after < version <= upTo`. A change at version v names a document
  /// whose earlier state, if it had one, ended at v: both go.
  mutating func remove(
    _ generation: UInt32, after: Int64, upTo: Int64, atMost limit: Int
  ) throws(StorageError) {
    var collected = collections[generation] ?? CollectedCollections()
    collected.isCut = false
    var removed: (first: UnsafeRawBufferPointer, last: UnsafeRawBufferPointer)?
    var removedCount = 0
    var failure: StorageError?
    let range = KeyLayout.changeRange(generation, after: after, upTo: upTo)
    try view.scan(.changes, range, .forward) { change, value in
      var reader = KeyReader(change, offset: KeyLayout.generationBytes)
      guard let version = reader.int64() else {
        failure = .corrupt
        return .stop
      }
      if removedCount == limit {
        collected.isCut = version == collected.last
        return .stop
      }
      do throws(StorageError) {
        try removeState(ChangeRecord.path(value), generation, version, &collected)
      } catch {
        failure = error
        return .stop
      }
      removed = (removed?.first ?? change, change)
      removedCount += 1
      return .more
    }
    if let failure { throw failure }
    guard let removed else { return }
    batch.removeRange(
      .changes, KeyRange(lower: Array(removed.first), upper: Array(removed.last) + [0]), limit: removedCount)
    last = max(last, collected.last)
    collections[generation] = collected
    count += removedCount
  }

  /// The earlier state of a document that ended at `version`.
  private mutating func removeState(
    _ path: UnsafeRawBufferPointer, _ generation: UInt32, _ version: Int64,
    _ collected: inout CollectedCollections
  ) throws(StorageError) {
    key.removeAll()
    let collectionEnd = KeyLayout.write(generation, path, to: &key)
    key.bytes.withUnsafeBytes {
      collected.note(UnsafeRawBufferPointer(rebasing: $0[..<collectionEnd]), ofDocument: path)
    }
    collected.last = version
    key.int64(version)
    let historyKey = batch.copy(key.bytes)
    // Read first: where a page is damaged, this call fails and not the transaction.
    if try view.get(.documentHistory, historyKey) != nil {
      batch.remove(.documentHistory, keyInPlace: historyKey)
    }
  }

  /// Takes collections of which nothing is left out of the catalog.
  ///
  /// - Parameter entered: those that get a document in the same transaction, by generation.
  func finish(besides entered: [UInt32: Set<ResourcePath>]) throws(StorageError) {
    for (generation, collected) in collections {
      try collected.takeOutEmpty(generation, besides: entered[generation] ?? [], view, batch)
    }
  }
}
