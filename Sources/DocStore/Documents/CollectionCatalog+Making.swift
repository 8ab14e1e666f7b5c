/// The catalog of collections of a store that was written before there was one.

internal import DocModel

extension CollectionCatalog {
  /// Enters every collection of a store that was written before there was this catalog: one seek a collection. False when
  /// one of them cannot be read: groups are then found as before.
  static func makeAll(_ view: StorageView, _ batch: MutationBatch) throws(StorageError) -> Bool {
    do throws(StorageError) {
      try enterAll(view, batch)
      batch.put(.catalog, completeKey, [])
      return true
    } catch {
      guard error == .corrupt else { throw error }
      batch.reset()
      return false
    }
  }

  private static func enterAll(_ view: StorageView, _ batch: MutationBatch) throws(StorageError) {
    for database in try DatabaseCatalog.databases(view) {
      // At an earlier time, so that what is only history counts.
      let states = DocumentStates(
        view: view, generation: database.generation, version: 0, isTallied: false)
      try states.collections(under: .root) { collection in
        let entry = entry(database.generation, collection)
        batch.put(.catalog, entry.key, entry.value)
        return .more
      }
    }
  }
}
