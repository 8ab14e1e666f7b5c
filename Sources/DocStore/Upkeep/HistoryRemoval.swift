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
    var failure: StorageError?
    var left = limit
    let range = KeyLayout.changeRange(generation, after: after, upTo: upTo)
    try view.scan(.changes, range, .forward) { key, value in
      var reader = KeyReader(key, offset: KeyLayout.generationBytes)
      guard left > 0, let version = reader.int64() else {
        if left > 0 { failure = .corrupt }
        return .stop
      }
      let path = ChangeRecord.path(value)
      let document = KeyLayout.documentKey(generation, path)
      let historyKey = KeyLayout.historyKey(document.bytes, ended: version)
      do throws(StorageError) {
        // Read first: where a page is damaged, this call fails and not the transaction.
        if try view.get(.documentHistory, historyKey) != nil { batch.remove(.documentHistory, historyKey) }
      } catch {
        failure = error
        return .stop
      }
      collected.note(ResourcePath(unchecked: String(decoding: path, as: UTF8.self)).parent, historyKey)
      batch.remove(.changes, Array(key))
      left -= 1
      last = max(last, version)
      return .more
    }
    if let failure { throw failure }
    collections[generation] = collected
    count += limit - left
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
