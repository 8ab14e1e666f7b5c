/// Builds indexes on the thread that commits, a slice at a time.
///
/// An index is first entered into the catalog as being built; from then on commits keep it. Slices then put in
/// the entries of all documents, in key order, each slice in an engine transaction of its own; the last one
/// makes the index ready. Between slices commits go on. A build that a crash or a stop cut short begins anew
/// when the store is opened: putting an entry twice changes nothing.
///
/// INVARIANT: a slice reads and writes in one engine transaction, so it can neither miss nor revive what a
/// commit changes.
/// LIMIT: `sliceDocuments` documents and `sliceCollections` other collections a slice, some milliseconds.

internal import DocModel
internal import Platform

/// Indexes of one collection id that a query wants.
struct IndexRequest: Sendable {
  let database: DatabaseID
  let generation: UInt32
  let shapes: [IndexShape]
  /// Called on the thread that commits when they are ready or given up.
  let completion: @Sendable () -> Void
}

/// Lives on the thread that commits.
final class IndexBuilder<Engine: StorageEngine> {
  private struct Build {
    let database: DatabaseID
    let generation: UInt32
    let collectionID: String
    var indexes: [StoredIndex]
    /// Where the next slice begins.
    var position: [UInt8]
    var completions: [@Sendable () -> Void]
  }

  private let engine: Engine
  private let registry: IndexRegistry
  let retirement: IndexRetirement<Engine>
  private var builds: [Build] = []

  private static var retryMicroseconds: UInt32 { 50_000 }
  private var sliceDocuments: Int { 2_000 }
  private var sliceCollections: Int { 5_000 }
  private var sliceBytes: Int { 4 << 20 }

  init(engine: Engine, registry: IndexRegistry, retirement: IndexRetirement<Engine>) {
    self.engine = engine
    self.registry = registry
    self.retirement = retirement
  }

  var isIdle: Bool { builds.isEmpty }

  /// Takes up what was being built when the store was closed.
  func resume(_ unfinished: [(database: DatabaseRecord, index: StoredIndex)]) {
    for (database, index) in unfinished {
      append([index], database.id, database.generation, index.shape.collectionID, completion: nil)
    }
  }

  private func append(
    _ indexes: [StoredIndex], _ database: DatabaseID, _ generation: UInt32, _ collectionID: String,
    completion: (@Sendable () -> Void)?
  ) {
    builds.append(
      Build(
        database: database, generation: generation, collectionID: collectionID, indexes: indexes,
        position: KeyLayout.generationRange(generation).lower, completions: completion.map { [$0] } ?? []))
  }

  /// Begins the indexes of a request that are not there yet.
  func begin(_ request: IndexRequest, _ batch: MutationBatch) {
    var wanted: [[UInt8]: [StoredIndex]] = [:]
    for shape in request.shapes {
      let kept = registry.indexes(request.generation, of: shape.collectionID)
      if kept.contains(where: { $0.shape == shape }) { continue }
      let index = StoredIndex(
        number: registry.nextNumber(request.generation), shape: shape, isReady: false)
      guard makeRoom(for: shape, request.generation, batch), record([index], request, batch) else {
        registry.drop([shape], request.generation)
        continue
      }
      registry.insert(index, request.generation)
      wanted[Array(shape.collectionID.utf8), default: []].append(index)
    }
    for indexes in wanted.values {
      append(indexes, request.database, request.generation, indexes[0].shape.collectionID, completion: nil)
    }
    attach(request)
  }

  /// False when as many indexes are kept as may be, and all of them are read.
  private func makeRoom(for shape: IndexShape, _ generation: UInt32, _ batch: MutationBatch) -> Bool {
    switch registry.room(generation, of: shape.collectionID) {
    case .free: true
    case .insteadOf(let index): retirement.retire(index, generation, isForRoom: true, batch)
    case .none: false
    }
  }

  /// Lets a request wait for the last build under way, or not at all.
  private func attach(_ request: IndexRequest) {
    guard !builds.isEmpty else { return request.completion() }
    builds[builds.count - 1].completions.append(request.completion)
  }

  /// False when the engine refused, or the database has been cleared since.
  private func record(_ indexes: [StoredIndex], _ request: IndexRequest, _ batch: MutationBatch) -> Bool {
    batch.reset()
    var isCurrent = false
    do throws(StorageError) {
      try engine.write(batch) { (view, batch) throws(StorageError) in
        isCurrent = try DatabaseCatalog.generation(view, request.database) == request.generation
        if !isCurrent { return }
        for index in indexes {
          batch.put(
            .catalog, IndexLayout.catalogKey(request.generation, index.number), IndexCatalog.encoded(index))
        }
      }
    } catch {
      return false
    }
    return isCurrent
  }

  // MARK: slices

  private enum Progress {
    case more(position: [UInt8])
    case finished
    /// The database has another generation now.
    case cleared
  }

  /// Does one slice of the build that is first in the row.
  func slice(_ batch: MutationBatch) {
    guard let build = builds.first else { return }
    batch.reset()
    var progress: Progress
    do throws(StorageError) {
      progress = try engine.write(batch) { (view, batch) throws(StorageError) in
        try plan(build, view, batch)
      }
    } catch {
      // A server that keeps the store may be away for a while, and another process has been first: tried again soon.
      if engine.sharing != nil {
        usleep(Self.retryMicroseconds)
        return
      }
      // The index stays unready: commits go on keeping it, and the next opening tries again.
      progress = .cleared
    }
    switch progress {
    case .more(let position): builds[0].position = position
    case .finished:
      for index in build.indexes {
        registry.insert(
          StoredIndex(number: index.number, shape: index.shape, isReady: true), build.generation)
      }
      end()
    case .cleared: end()
    }
  }

  private func end() {
    for completion in builds.removeFirst().completions { completion() }
  }

  /// Ends all that waits: the store closes.
  func abandon() {
    while !builds.isEmpty { end() }
  }

  private func plan(
    _ build: Build, _ view: StorageView, _ batch: MutationBatch
  ) throws(StorageError) -> Progress {
    guard try DatabaseCatalog.generation(view, build.database) == build.generation else { return .cleared }
    let states = DocumentStates(view: view, generation: build.generation, version: nil, isTallied: false)
    let makers = build.indexes.map { IndexEntryMaker($0, generation: build.generation) }
    var entries: [IndexEntry] = []
    var slice = Slice(documents: sliceDocuments, bytes: sliceBytes)
    var rest = KeyLayout.generationRange(build.generation)
    rest.lower = build.position
    var collections = sliceCollections
    var next: [UInt8]?
    while next == nil, let found = try states.firstCollection(in: rest) {
      let collectionEnd = KeyRange.successor(ofPrefix: found.prefix)
      if found.path.lastSegment.hasSameBytes(as: build.collectionID) {
        let range = KeyRange(lower: rest.lower, upper: collectionEnd)
        try add(range, found, states, makers, &slice, &entries)
        next = slice.next
      }
      guard let collectionEnd else { break }
      rest.lower = collectionEnd
      collections -= 1
      if collections == 0, next == nil { next = collectionEnd }
    }
    // Sorted keys touch each page of the tree once.
    entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
    for entry in entries { batch.put(.indexEntries, entry.key, entry.value) }
    if let next { return .more(position: next) }
    for index in build.indexes {
      let ready = StoredIndex(number: index.number, shape: index.shape, isReady: true)
      batch.put(
        .catalog, IndexLayout.catalogKey(build.generation, index.number), IndexCatalog.encoded(ready))
    }
    return .finished
  }

  /// What is left of a slice.
  private struct Slice {
    var documents: Int
    var bytes: Int
    /// The key of the first document that found no room.
    var next: [UInt8]?
  }

  private func add(
    _ range: KeyRange, _ collection: DocumentStates.FoundCollection, _ states: DocumentStates,
    _ makers: [IndexEntryMaker], _ slice: inout Slice, _ entries: inout [IndexEntry]
  ) throws(StorageError) {
    var path = Array(collection.path.text.utf8) + [UInt8(ascii: "/")]
    let idStart = path.count
    var isDamaged = false
    try states.scan(range, .forward) { key, record in
      guard slice.documents > 0, slice.bytes > 0 else {
        slice.next = Array(key)
        return .stop
      }
      slice.documents -= 1
      slice.bytes -= record.bytes.count
      path.removeLast(path.count - idStart)
      if let whole = record.path {
        path = Array(whole)
      } else {
        var reader = KeyReader(key, offset: collection.prefix.count)
        guard reader.documentID(into: &path) == .whole else {
          isDamaged = true
          return .stop
        }
      }
      path.withUnsafeBytes { bytes in
        for maker in makers { entries += maker.entries(bytes, record.fields) }
      }
      return .more
    }
    if isDamaged { throw .corrupt }
  }
}
