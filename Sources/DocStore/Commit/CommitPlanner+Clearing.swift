/// What a clearing takes away, named for listeners: to them it is a commit that deletes every document.

internal import DocModel

extension CommitPlanner {
  /// LIMIT: documents of a cleared database that its listeners are told one by one. Above, they are told to
  /// forget everything: naming would hold up the thread that commits.
  private static var namedDocumentsMax: Int { 10_000 }
  /// LIMIT: the same for the documents' bytes, which wait in memory for the listeners.
  private static var namedBytesMax: Int { 16 << 20 }

  /// The documents of a generation as earlier members of the batch left them, as deletions; nil when they
  /// are too many.
  func deletions(of generation: UInt32) throws(StorageError) -> [DocumentChange]? {
    var changes: [DocumentChange] = []
    var bytes = 0
    func isTooMuch(_ path: ResourcePath, _ image: DocumentImage) -> Bool {
      changes.append(DocumentChange(path: path, before: image, after: nil))
      bytes += image.byteCount
      return changes.count > Self.namedDocumentsMax || bytes > Self.namedBytesMax
    }
    var planned: Set<ResourcePath> = []
    for change in plannedChanges where change.generation == generation {
      guard planned.insert(change.path).inserted,
        let record = try recordBeforeCommit(KeyLayout.documentKey(generation, change.path).bytes)
      else { continue }
      if isTooMuch(change.path, DocumentImage(record)) { return nil }
    }
    var isOver = false
    let states = DocumentStates(view: view, generation: generation, version: nil)
    try states.collections(under: .root) { (collection) throws(StorageError) in
      guard let bounds = CollectionBounds(collection, from: nil, to: nil, generation: generation) else {
        return .more
      }
      try CollectionScan(states, bounds, .forward).run { path, document in
        let path = ResourcePath(unchecked: String(decoding: path, as: UTF8.self))
        if planned.contains(path) { return .more }
        isOver = isTooMuch(path, DocumentImage(document))
        return isOver ? .stop : .more
      }
      return isOver ? .stop : .more
    }
    return isOver ? nil : changes
  }
}
