/// Clearing a database. What it takes away is named for listeners: to them it is a commit that deletes every document.

internal import DocModel

extension CommitPlanner {
  /// LIMIT: documents of a cleared database that its listeners are told one by one. Above, they are told to
  /// forget everything: naming would hold up the thread that commits.
  private static var namedDocumentsMax: Int { 10_000 }
  /// LIMIT: the same for the documents' bytes, which wait in memory for the listeners.
  private static var namedBytesMax: Int { 16 << 20 }

  /// Gives a database a new generation. The old one's keys are removed later, in slices.
  func clear(_ id: DatabaseID) throws(StorageError) -> Int64 {
    let version = clock.nextVersion()
    let old = try knownGeneration(id)
    if old == 0 { return version }
    batch.put(.catalog, KeyLayout.condemnedKey(old), [])
    clearedGenerations.append(old)
    let deletions = feed.namesCleared(of: id) ? try deletions(of: old) : nil
    generation = state.nextGeneration
    create(id, version)
    state.lastVersion = version
    transactions.noteClearing(id, version)
    if feed.isFollowed { events.append((id, version, .cleared(version: version, deletions: deletions))) }
    return version
  }

  /// Keeps what holds for the whole store.
  func release(_ name: String, _ bytes: [UInt8]) -> Int64 {
    let release = StoredRelease(name: name, version: clock.nextVersion(), bytes: bytes)
    state.lastVersion = release.version
    releases.append(release)
    batch.put(.catalog, release.key, release.value)
    return release.version
  }

  /// Lets the store's last version be `time`, so that every later one lies above it.
  func raise(to time: Int64) -> Int64 {
    clock.raise(to: time)
    state.lastVersion = max(state.lastVersion, time)
    batch.put(.catalog, KeyLayout.stateKey, state.encoded)
    return time
  }

  /// The documents of a generation as earlier members of the batch left them, as deletions; nil when they
  /// are too many.
  private func deletions(of generation: UInt32) throws(StorageError) -> [DocumentChange]? {
    var changes: [DocumentChange] = []
    var bytes = 0
    func isTooMuch(_ path: ResourcePath, _ image: DocumentImage) -> Bool {
      changes.append(DocumentChange(path: path, before: image, after: nil))
      bytes += image.byteCount
      return changes.count > Self.namedDocumentsMax || bytes > Self.namedBytesMax
    }
    var planned: Set<ResourcePath> = []
    for document in documents.planned(in: generation) {
      planned.insert(document.path)
      guard let record = document.planned else { continue }
      if isTooMuch(document.path, DocumentImage(record)) { return nil }
    }
    var isOver = false
    let states = DocumentStates(view: view, generation: generation, version: nil, isTallied: false)
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
