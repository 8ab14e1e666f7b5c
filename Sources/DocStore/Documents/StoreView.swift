/// One database at one read time.

public import DocModel

/// Reads documents of one database as they were at `readTime`. Legal only inside the closure that was given
/// it, as is every document it hands out.
///
/// At the newest version reads touch the live keyspace alone; in the past they merge it with history.
/// Inside a read-write transaction every read is noted, the ones that find nothing too.
public struct StoreView {
  public let database: DatabaseID
  /// Microseconds since the epoch. Everything committed at or before it is visible, nothing later is.
  public let readTime: Int64

  let states: DocumentStates
  let recorder: ReadRecorder?
  let indexes: IndexRegistry?

  /// The same state, read without noting it in the transaction: for rules.
  public var unrecorded: StoreView {
    StoreView(database: database, readTime: readTime, states: states, recorder: nil, indexes: indexes)
  }

  /// One document; nil when there is none.
  public func document(_ path: ResourcePath) throws(StoreError) -> StoredDocument? {
    let record: DocumentRecord?
    do { record = try states.record(path) } catch { throw .storage(error) }
    recorder?.note(path)
    return record?.document
  }

  /// Notes in the transaction that these documents are read, now or in a later piece of the same answer.
  public func claim(_ paths: some Sequence<ResourcePath>) {
    guard let recorder else { return }
    for path in paths { recorder.note(path) }
  }
}

/// One end of a range of names.
public struct NameBound: Hashable, Sendable {
  public var path: ResourcePath
  public var isInclusive: Bool

  public init(_ path: ResourcePath, isInclusive: Bool) {
    self.path = path
    self.isInclusive = isInclusive
  }
}

/// What a scan hands to its visitor: the document's relative path and its state.
public typealias DocumentVisitor = (_ path: UnsafeRawBufferPointer, _ document: StoredDocument) -> ScanStep

extension StoreView {
  /// The documents of one collection, in order of their names or backwards, between two bounds.
  ///
  /// A bound may name any document; it cuts this collection where it would stand in the order of names.
  public func scanCollection(
    _ collection: ResourcePath, from lower: NameBound? = nil, to upper: NameBound? = nil,
    _ direction: ScanDirection, _ visit: DocumentVisitor
  ) throws(StoreError) {
    recorder?.note(.collection(collection))
    let bounds = CollectionBounds(collection, from: lower, to: upper, generation: states.generation)
    guard let bounds else { return }
    do { try CollectionScan(states, bounds, direction).run(visit) } catch { throw .storage(error) }
  }

  /// The documents of every collection called `collectionID` below `parent`, at any depth.
  ///
  /// Not in order of names: collections come in key order. Costs a seek, and one for each collection of that id.
  public func scanGroup(
    _ collectionID: String, under parent: ResourcePath, _ visit: DocumentVisitor
  ) throws(StoreError) {
    recorder?.note(.group(collectionID: collectionID, below: parent))
    do {
      try states.collections(called: collectionID, under: parent) { (collection) throws(StorageError) in
        try scanWhole(collection, visit)
      }
    } catch { throw .storage(error) }
  }

  /// The documents of every collection directly under `parent`: a query without a collection id.
  public func scanChildren(of parent: ResourcePath, _ visit: DocumentVisitor) throws(StoreError) {
    recorder?.note(.children(of: parent))
    do {
      for id in try states.collectionIDs(under: parent) {
        if try scanWhole(parent.appending(id), visit) == .stop { return }
      }
    } catch { throw .storage(error) }
  }

  /// As `scanDescendants`, past documents that cannot be read: `damaged` is told of each, by its name as far as its key
  /// tells it.
  public func scanReadableDescendants(
    of parent: ResourcePath, damaged: @escaping (String) -> Void, _ visit: DocumentVisitor
  ) throws(StoreError) {
    recorder?.note(.descendants(of: parent))
    do {
      try states.collections(under: parent) { (collection) throws(StorageError) in
        guard let bounds = CollectionBounds(collection, from: nil, to: nil, generation: states.generation)
        else {
          return .more
        }
        var last = ScanStep.more
        var readable = states
        readable.damaged = { key in damaged(Self.name(ofKey: key, in: collection)) }
        try CollectionScan(readable, bounds, .forward).run { path, document in
          last = visit(path, document)
          return last
        }
        return last
      }
    } catch { throw .storage(error) }
  }

  /// The path of a document that cannot be read; of a folded key its beginning.
  private static func name(ofKey key: UnsafeRawBufferPointer, in collection: ResourcePath) -> String {
    var id: [UInt8] = []
    var reader = KeyReader(key, offset: KeyLayout.generationBytes)
    _ = reader.skipPart()
    let part = reader.documentID(into: &id)
    return collection.text + "/" + String(decoding: id, as: UTF8.self) + (part == .whole ? "" : "…")
  }

  /// Every document below `parent`, at any depth. Not in order of names.
  public func scanDescendants(of parent: ResourcePath, _ visit: DocumentVisitor) throws(StoreError) {
    recorder?.note(.descendants(of: parent))
    do {
      try states.collections(under: parent) { (collection) throws(StorageError) in
        try scanWhole(collection, visit)
      }
    } catch { throw .storage(error) }
  }

  private func scanWhole(
    _ collection: ResourcePath, _ visit: DocumentVisitor
  ) throws(StorageError) -> ScanStep {
    guard let bounds = CollectionBounds(collection, from: nil, to: nil, generation: states.generation) else {
      return .more
    }
    var last = ScanStep.more
    try CollectionScan(states, bounds, .forward).run { path, document in
      last = visit(path, document)
      return last
    }
    return last
  }

  /// The ids of the collections directly under `parent` that hold a document at any depth, in byte order.
  /// Costs two seeks an id, whatever the number of documents.
  public func collectionIDs(under parent: ResourcePath) throws(StoreError) -> [String] {
    recorder?.note(.descendants(of: parent))
    do { return try states.collectionIDs(under: parent) } catch { throw .storage(error) }
  }

  /// The ids of documents of `collection` that are not there themselves and have documents below them, in
  /// order of names. Costs a few seeks an id.
  public func missingDocumentIDs(in collection: ResourcePath) throws(StoreError) -> [String] {
    recorder?.note(.descendants(of: collection.parent))
    do { return try states.missingDocumentIDs(in: collection) } catch { throw .storage(error) }
  }
}
