/// What a planned commit writes.

internal import DocModel

extension CommitPlanner {
  /// Records what the commit at hand changed. Nothing can fail from here on.
  func record(
    _ changed: [Touched], _ source: CommitSource, _ id: DatabaseID, _ version: Int64, isNew: Bool
  ) {
    if changed.isEmpty { return }
    changedCount += changed.count
    if isNew { create(id, version) }
    state.lastVersion = version
    var changes: [DocumentChange] = []
    let isFollowed = feed.isFollowed
    let makers = indexMakers()
    for (ordinal, document) in changed.enumerated() {
      if let before = document.before {
        batch.put(.documentHistory, keyInPlace: document.key.history, inPlace: batch.copy(before.bytes))
      }
      if let now = document.now {
        batch.put(.documents, keyInPlace: document.key.document, inPlace: now.bytes)
      } else {
        batch.remove(.documents, keyInPlace: document.key.document)
      }
      tally(document)
      enterCollection(of: document)
      if let makers, document.isDamaged { removeEntries(makers, of: document.path) }
      if let makers { maintainIndexes(makers, document) }
      batch.put(
        .changes,
        keyInPlace: KeyLayout.changeKey(
          generation, version, ordinal: UInt32(truncatingIfNeeded: ordinal), in: batch),
        inPlace: ChangeRecord.encoded(document.path, ordinal == 0 ? source : nil, in: batch))
      documents.plan(document.place, document.now)
      if isFollowed {
        changes.append(
          DocumentChange(
            path: document.path, before: document.before.map(DocumentImage.init),
            after: document.now.map(DocumentImage.init), source: source))
      }
    }
    if isFollowed { events.append((id, version, .commit(version: version, changes: changes))) }
  }

  private func indexMakers() -> [[UInt8]: [IndexEntryMaker]]? {
    if let makers, makers.generation == generation { return makers.byCollection }
    let byCollection = indexes.kept(generation)?.mapValues { indexes in
      indexes.map { IndexEntryMaker($0, generation: generation) }
    }
    makers = (generation, byCollection)
    return byCollection
  }

  /// Entries follow the document in the same engine transaction.
  private func maintainIndexes(_ makers: [[UInt8]: [IndexEntryMaker]], _ document: Touched) {
    guard let makers = makers[Array(document.path.parent.lastSegment.utf8)] else { return }
    var path = document.path.text
    path.withUTF8 { path in
      for maker in makers {
        batch.maintain(
          maker, UnsafeRawBufferPointer(path), before: document.before?.fields, after: document.now?.fields)
      }
    }
  }

  /// Nobody knows which entries a damaged document had: all those of its indexes are looked at, which costs a walk
  /// through them.
  private func removeEntries(_ makers: [[UInt8]: [IndexEntryMaker]], of path: ResourcePath) {
    guard let makers = makers[Array(path.parent.lastSegment.utf8)] else { return }
    var text = path.text
    text.withUTF8 { bytes in
      for maker in makers {
        // Of an index that cannot be read nothing is removed: it answers nobody, and the document can be written.
        try? maker.forEachEntry(of: UnsafeRawBufferPointer(bytes), in: view) {
          batch.remove(.indexEntries, $0)
        }
      }
    }
  }

  func create(_ id: DatabaseID, _ version: Int64) {
    let record = DatabaseRecord(id: id, generation: generation, created: version)
    state.nextGeneration = generation + 1
    newGenerations[id] = generation
    batch.put(.catalog, KeyLayout.databaseKey(id), record.encoded)
  }

  /// Of a document that was not there. Most have the collection of the one before.
  private func enterCollection(of document: Touched) {
    guard document.before == nil, document.now != nil else { return }
    let prefix = document.key.document[..<document.collectionEnd]
    if prefix.elementsEqual(lastEntered) { return }
    lastEntered = Array(prefix)
    entered[generation, default: []].insert(document.path.parent)
  }

  private func enterCollections() throws(StorageError) {
    for (generation, collections) in entered {
      for collection in collections { try CollectionCatalog.enter(collection, generation, view, batch) }
    }
  }

  private func tally(_ document: Touched) {
    if tallies == nil { return }
    let collection = Array(document.key.document[..<document.collectionEnd])
    if document.isDamaged { recounted.insert(collection) }
    if let before = document.before { tallies?[collection, default: CollectionTally()].remove(before) }
    if let now = document.now { tallies?[collection, default: CollectionTally()].add(now) }
  }

  /// A tally that is damaged stays so: commits go on, and scans tell.
  private func putTallies() throws(StorageError) {
    for (collection, change) in tallies ?? [:] {
      let key = CollectionTally.key(collection)
      var tally: CollectionTally
      do throws(StorageError) {
        tally =
          try recounted.contains(collection)
          ? CollectionTally.counted(view, collection, generation) : CollectionTally.stored(view, key)
      } catch {
        if error == .corrupt { continue }
        throw error
      }
      tally.add(change)
      if tally == CollectionTally() {
        batch.remove(.catalog, key)
      } else {
        batch.put(.catalog, key, tally.encoded(key))
      }
    }
  }

  /// Ends the batch: the numbers of the store go with it.
  func finish() throws(StorageError) {
    try putTallies()
    try enterCollections()
    if !batch.mutations.isEmpty { batch.put(.catalog, KeyLayout.stateKey, state.encoded) }
  }
}
