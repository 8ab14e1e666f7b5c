/// A commit of another process, as the mutations that it left say: who follows the feed, transactions and the registry of
/// indexes are told of it as of the process's own.
///
/// Source: KeyLayout, which says what stands under which key.

internal import DocModel

struct CommitOfOthers {
  /// One document changed by one commit. An engine's write holds several commits.
  struct Touch {
    let generation: UInt32
    let version: Int64
    let path: ResourcePath
    /// With a commit's first change.
    let source: CommitSource?
  }

  /// In the order of the commits.
  private(set) var touches: [Touch] = []
  /// The databases' records that it wrote: new databases, and those that were cleared.
  private(set) var databases: [DatabaseRecord] = []
  /// What was cleared.
  private(set) var condemned: Set<UInt32> = []
  /// Records of indexes: nil where one is gone.
  private(set) var indexes: [(generation: UInt32, number: UInt32, record: [UInt8]?)] = []
  private(set) var releases: [StoredRelease] = []
  /// The last commit's version; nil where there is none, as when entries of an index are written.
  private(set) var lastVersion: Int64?

  init(_ batch: MutationBatch) {
    for mutation in batch.mutations {
      switch (mutation.keyspace, mutation.kind) {
      case (.changes, .put): noteChange(mutation)
      case (.catalog, .put): noteRecord(mutation)
      case (.catalog, .remove): noteIndex(mutation.key, nil)
      case (.catalog, .removeRange), (.changes, .remove), (.changes, .removeRange): break
      case (.documents, _), (.documentHistory, _), (.indexEntries, _), (.indexHistory, _): break
      }
    }
    touches.sort { $0.version < $1.version }
  }

  private mutating func noteChange(_ mutation: Mutation) {
    var reader = KeyReader(mutation.key, offset: 0)
    guard let generation = reader.uint32(), let version = reader.int64() else { return }
    let path = ChangeRecord.path(mutation.value)
    touches.append(
      Touch(
        generation: generation, version: version,
        path: ResourcePath(unchecked: String(decoding: path, as: UTF8.self)),
        source: ChangeRecord.source(of: mutation.value)))
  }

  private mutating func noteRecord(_ mutation: Mutation) {
    let key = mutation.key
    if key.elementsEqual(KeyLayout.stateKey) {
      lastVersion = (try? StoreState(mutation.value))?.lastVersion
    } else if key.starts(with: KeyLayout.databasePrefix) {
      if let record = try? DatabaseRecord(mutation.value) { databases.append(record) }
    } else if key.starts(with: KeyLayout.condemnedPrefix) {
      var reader = KeyReader(key, offset: KeyLayout.condemnedPrefix.count)
      if let generation = reader.uint32() { condemned.insert(generation) }
    } else if let release = StoredRelease(key: key, mutation.value) {
      releases.append(release)
    } else {
      noteIndex(key, Array(mutation.value))
    }
  }

  private mutating func noteIndex(_ key: UnsafeRawBufferPointer, _ record: [UInt8]?) {
    guard let (generation, number) = IndexLayout.index(ofCatalogKey: key) else { return }
    indexes.append((generation, number, record))
  }
}

extension Committer {
  /// Brings this process up to a commit of another one, and tells of it.
  ///
  /// INVARIANT: as with a commit of its own, who has settled the commit's time has every event up to it.
  func note(_ batch: MutationBatch, _ apply: () -> Void) {
    let commit = CommitOfOthers(batch)
    if let last = commit.lastVersion { clock.beginOfOthers(upTo: last) }
    transactions.beginOfOthers()
    var isApplied = false
    do throws(StorageError) {
      // What is cleared by it has its name before, what is new has it afterwards.
      let before = try names(of: commit, [:])
      apply()
      isApplied = true
      let names = try names(of: commit, before)
      take(commit)
      try tell(commit, names)
    } catch {
      // The engine cannot be read now. Whoever follows reads again, transactions are given up.
      if !isApplied {
        apply()
        take(commit)
      }
      transactions.noteUnknown(commit.lastVersion ?? clock.committed)
      feed.publishLag()
    }
    clock.endBatch(committed: commit.lastVersion)
    transactions.endBatch()
  }

  /// What holds for the store as a whole.
  private func take(_ commit: CommitOfOthers) {
    for (generation, number, record) in commit.indexes { indexes.note(number, record, generation) }
    for generation in commit.condemned { indexes.forget(generation) }
    releases.tell(commit.releases)
  }

  /// The databases of the generations that a commit touches.
  private func names(
    of commit: CommitOfOthers, _ known: [UInt32: DatabaseID]
  ) throws(StorageError) -> [UInt32: DatabaseID] {
    if commit.touches.allSatisfy({ known[$0.generation] != nil }) { return known }
    let records = try engine.read { (view) throws(StorageError) in try DatabaseCatalog.databases(view) }
    return known.merging(records.map { ($0.generation, $0.id) }) { first, _ in first }
  }

  private enum Event {
    case changes(ArraySlice<CommitOfOthers.Touch>)
    case cleared(DatabaseID)
  }

  private func tell(_ commit: CommitOfOthers, _ names: [UInt32: DatabaseID]) throws(StorageError) {
    var events: [(version: Int64, event: Event)] = []
    var rest = commit.touches[...]
    while let first = rest.first {
      let touches = rest.prefix { $0.version == first.version }
      rest = rest.dropFirst(touches.count)
      events.append((first.version, .changes(touches)))
    }
    if !commit.condemned.isEmpty {
      for database in commit.databases { events.append((database.created, .cleared(database.id))) }
      events.sort { $0.version < $1.version }
    }
    for (version, event) in events { try tell(event, version, names) }
  }

  private func tell(
    _ event: Event, _ version: Int64, _ names: [UInt32: DatabaseID]
  ) throws(StorageError) {
    switch event {
    case .changes(let touches):
      guard let name = touches.first.flatMap({ names[$0.generation] }) else { return }
      let changes = try changes(touches)
      transactions.note(changes, of: name, version)
      feed.publish(.commit(version: version, changes: changes), version: version, to: name)
    case .cleared(let name):
      // Its documents are not named: whoever listens forgets what it was told.
      transactions.noteClearing(name, version)
      feed.publish(.cleared(version: version, deletions: nil), version: version, to: name)
    }
  }

  private func changes(
    _ touches: ArraySlice<CommitOfOthers.Touch>
  ) throws(StorageError) -> [DocumentChange] {
    var changes: [DocumentChange] = []
    let source = touches.first?.source ?? .unknown
    for touch in touches {
      changes.append(
        DocumentChange(
          path: touch.path, before: try image(touch, at: touch.version - 1),
          after: try image(touch, at: touch.version), source: source))
    }
    return changes
  }

  private func image(
    _ touch: CommitOfOthers.Touch, at version: Int64
  ) throws(StorageError) -> DocumentImage? {
    try engine.read { (view) throws(StorageError) in
      try DocumentStates(view: view, generation: touch.generation, version: version, isTallied: false)
        .record(touch.path).map { DocumentImage($0) }
    }
  }
}

// MARK: - Indexes that others build

extension Committer {
  /// Another process builds indexes.
  func tellLeader(_ request: IndexRequest, _ sharing: any SharedStore) {
    for shape in request.shapes { sharing.tell(IndexWish(request.database, shape).text) }
    // Asked again when a query wants it again: what is told can be lost.
    indexes.drop(request.shapes, request.generation)
    request.completion()
  }
}
