/// The collections of a database by their ids, so that a group is found without asking every collection.
///
/// ```
/// catalog   07 | g | P(collection id) | P(collection path)    -> nothing, or the path when a part is folded
/// catalog   08                                                -> nothing; every collection of the store is entered
/// ```
///
/// A collection is entered with its first document, in the same engine transaction, and taken out when neither a document
/// nor an earlier state of one is left. Behind an id collections stand in the order of their documents' keys.
///
/// INVARIANT: every collection with a document or an earlier state of one is entered. Others may be.
/// Checked by: `CollectionCatalogTests`.
/// LIMIT: 511 bytes a key, what LMDB allows: 5 + 150 + 300.

internal import DocModel

enum CollectionCatalog {
  static let prefix: UInt8 = 7
  static let completeKey: [UInt8] = [8]
  private static let idBudget = 150
  private static let headBytes = 1 + KeyLayout.generationBytes

  /// With what the entries of a generation begin.
  static func range(_ generation: UInt32) -> KeyRange {
    KeyRange(prefix: [prefix] + KeyLayout.generationRange(generation).lower)
  }

  private static func writer(_ generation: UInt32, id: String) -> KeyWriter {
    var writer = KeyWriter()
    writer.byte(prefix)
    writer.uint32(generation)
    var id = id
    id.withUTF8 { writer.part(UnsafeRawBufferPointer($0), budget: idBudget) }
    return writer
  }

  /// The entry of a collection.
  static func entry(_ generation: UInt32, _ collection: ResourcePath) -> (key: [UInt8], value: [UInt8]) {
    var writer = writer(generation, id: collection.lastSegment)
    var text = collection.text
    text.withUTF8 { writer.part(UnsafeRawBufferPointer($0), budget: KeyLayout.collectionBudget) }
    return (writer.bytes, writer.isFolded ? Array(text.utf8) : [])
  }

  /// The path of an entry; nil when it makes no sense.
  private static func path(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ResourcePath? {
    var text = Array(value)
    if text.isEmpty {
      var reader = KeyReader(key, offset: headBytes)
      guard reader.skipPart() == .whole, reader.part(into: &text) == .whole else { return nil }
    }
    return ResourcePath(unchecked: String(decoding: text, as: UTF8.self))
  }

  /// Visits the collections of an id below a document or the root, in key order, with one seek for all of them. Some may
  /// have no document.
  static func forEach(
    _ view: StorageView, _ generation: UInt32, called id: String, under parent: ResourcePath,
    _ visit: (ResourcePath) throws(StorageError) -> ScanStep
  ) throws(StorageError) {
    var writer = writer(generation, id: id)
    if !parent.isRoot {
      var text = parent.text + "/"
      text.withUTF8 { writer.partPrefix(UnsafeRawBufferPointer($0), budget: KeyLayout.collectionBudget) }
    }
    var failure: StorageError?
    try view.scan(.catalog, KeyRange(prefix: writer.bytes), .forward) { key, value in
      do throws(StorageError) {
        guard let path = path(key, value) else { throw .corrupt }
        // Folds of other texts begin so, too.
        guard path.lastSegment.hasSameBytes(as: id), path.isBelow(parent) else { return .more }
        return try visit(path)
      } catch {
        failure = error
        return .stop
      }
    }
    if let failure { throw failure }
  }

  // MARK: keeping it

  /// Enters a collection that is not.
  static func enter(
    _ collection: ResourcePath, _ generation: UInt32, _ view: StorageView, _ batch: MutationBatch
  ) throws(StorageError) {
    let entry = entry(generation, collection)
    if try view.get(.catalog, entry.key) == nil { batch.put(.catalog, entry.key, entry.value) }
  }
}

/// Collections of a generation from which one transaction collects earlier states: those that nothing is left of are taken
/// out.
///
/// INVARIANT: states go in the order in which they ended, so what ended later is what is left.
struct CollectedCollections {
  /// By what the keys of their documents begin with.
  private var collections: [[UInt8]: ResourcePath] = [:]
  /// Most states have the collection of the one before.
  private var newest: [UInt8] = []
  /// When the last state that goes ended.
  var last: Int64 = 0
  /// Whether others that ended then stay for now.
  var isCut = false

  /// - Parameter prefix: what the keys of the collection's documents begin with.
  mutating func note(_ prefix: UnsafeRawBufferPointer, ofDocument path: UnsafeRawBufferPointer) {
    if newest.withUnsafeBytes({ WireCursor.areEqual($0, prefix) }) { return }
    newest = Array(prefix)
    if collections[newest] != nil { return }
    collections[newest] = ResourcePath(unchecked: String(decoding: path, as: UTF8.self)).parent
  }

  /// - Parameter entered: collections that get a document in the same transaction, which the view does not show.
  func takeOutEmpty(
    _ generation: UInt32, besides entered: Set<ResourcePath>, _ view: StorageView, _ batch: MutationBatch
  ) throws(StorageError) {
    for (prefix, collection) in collections where !entered.contains(collection) {
      let range = KeyRange(prefix: prefix)
      if try Self.hasKey(view, .documents, range, { _ in true }) { continue }
      if try Self.hasKey(view, .documentHistory, range, stays) { continue }
      batch.remove(.catalog, CollectionCatalog.entry(generation, collection).key)
    }
  }

  /// Whether an earlier state is none of those that go.
  private func stays(_ historyKey: UnsafeRawBufferPointer) -> Bool {
    var reader = KeyReader(historyKey, offset: max(0, historyKey.count - KeyLayout.versionBytes))
    guard let ended = reader.int64() else { return true }
    return ended > last || (ended == last && isCut)
  }

  private static func hasKey(
    _ view: StorageView, _ keyspace: Keyspace, _ range: KeyRange, _ counts: (UnsafeRawBufferPointer) -> Bool
  ) throws(StorageError) -> Bool {
    var isFound = false
    try view.scan(keyspace, range, .forward) { key, _ in
      isFound = counts(key)
      return isFound ? .stop : .more
    }
    return isFound
  }
}
