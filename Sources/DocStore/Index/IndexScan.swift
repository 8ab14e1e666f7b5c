/// Reads the documents that an index access leads to, in order.
///
/// Entries are of now. For an earlier read time the documents that changed since then are left out of them and
/// merged in as they were; there are few of those, or no index is used (`StoreView.changedMax`).
///
/// INVARIANT: rows come in the order of the query's order keys: where bytes are folded, a run of entries that
/// agree up to the fold is collected and sorted by whole keys.
/// LIMIT: a run is held in memory, at most `QueryLimits.sortBytesMax`; it takes long values or names with a
/// common beginning.

internal import DocModel

struct IndexScan {
  let states: DocumentStates
  let access: IndexAccess
  /// Documents that changed since the read time; empty now.
  let changed: Set<ResourcePath>

  private static let tooLong = StoreError.resourceExhausted(
    message: "query needs too much memory to sort its results; add a limit")

  func run(
    entriesRead: inout Int, _ visit: (UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) {
    do throws(StorageError) {
      let rows = try merged()
      defer { entriesRead += rows.entriesRead }
      try deliver(rows, visit)
    } catch {
      throw error == .full ? Self.tooLong : .storage(error)
    }
  }

  /// How many documents there are, no more than `limit`: from entries alone. For exact accesses of now.
  func count(limit: Int?, entriesRead: inout Int) throws(StoreError) -> Int {
    do throws(StorageError) {
      let rows = try merged()
      defer { entriesRead += rows.entriesRead }
      var count = 0
      while count != limit, let row = try rows.next() {
        count += 1
        if ScanInterruption.ends(at: count) { break }
        if count != limit { try rows.advance(past: row) }
      }
      return count
    } catch { throw .storage(error) }
  }

  private func merged() throws(StorageError) -> MergedRows {
    var streams: [RowStream] = []
    for conjunct in access.conjuncts {
      streams.append(try JoinedRows(conjunct, states.view, isBackward: access.isBackward))
    }
    if !access.named.isEmpty || !changed.isEmpty { streams.append(try memoryRows()) }
    return MergedRows(streams, isBackward: access.isBackward)
  }

  // MARK: rows in memory

  /// Named documents, and changed ones as they were.
  private func memoryRows() throws(StorageError) -> MemoryRows {
    let memory = OperandMemory()
    let maker = SuffixMaker(access)
    var rows: [IndexRow] = []
    for path in Set(access.named).union(changed) where access.scope.contains(path) {
      guard let record = try states.record(path) else { continue }
      let bytes = memory.keep(Array(path.text.utf8))
      if let row = maker.row(bytes, record.document, memory) { rows.append(row) }
    }
    rows.sort { left, right in
      let order = WireCursor.compare(left.suffix, right.suffix)
      return access.isBackward ? order > 0 : order < 0
    }
    return MemoryRows(rows, memory)
  }

  // MARK: delivery

  private struct RunMember {
    let key: [UInt8]
    let path: [UInt8]
    let document: StoredDocument
  }

  private func deliver(
    _ rows: MergedRows, _ visit: (UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StorageError) {
    var reader = RowReader(states: states, access: access, changed: changed)
    var run: [UInt8] = []
    var members: [RunMember] = []
    var bytesHeld = 0
    // Suffixes are complemented parts and ascending names; order keys of the same orders compare alike.
    let keys = OrderKeyMaker(orders: access.suffix)
    var writer = KeyWriter()

    func deliverRun() -> ScanStep {
      members.sort { $0.key.lexicographicallyPrecedes($1.key) != access.isBackward }
      for member in members {
        if member.path.withUnsafeBytes({ visit($0, member.document) }) == .stop { return .stop }
      }
      members.removeAll()
      bytesHeld = 0
      return .more
    }

    while let row = try rows.next() {
      let isFolded = row.foldEnd > 0
      if !members.isEmpty, !isFolded || !row.suffix.starts(with: run) {
        if deliverRun() == .stop { return }
      }
      if let document = try reader.document(row) {
        if isFolded {
          if members.isEmpty { run = Array(row.suffix[..<row.foldEnd]) }
          let path = Array(reader.path)
          _ = path.withUnsafeBytes { keys.write($0, document.fields, to: &writer) }
          members.append(RunMember(key: writer.bytes, path: path, document: document))
          bytesHeld += writer.bytes.count + path.count + PendingRow.overheadBytes
          if bytesHeld > QueryLimits.sortBytesMax { throw .full }
        } else if reader.path.withUnsafeBytes({ visit($0, document) }) == .stop {
          return
        }
      }
      try rows.advance(past: row)
    }
    _ = deliverRun()
  }
}

/// Writes what an index would hold behind its prefix for a document that does not come from one.
struct SuffixMaker {
  private let access: IndexAccess
  private let memory = OperandMemory()
  private let lookups: [(lookup: FieldLookup, mode: IndexDefinition.Mode)]

  init(_ access: IndexAccess) {
    self.access = access
    let memory = memory
    lookups = access.suffix.dropLast().map { order in
      (FieldLookup(order.path, memory), order.direction == .ascending ? .ascending : .descending)
    }
  }

  /// Nil when the document lacks a field of the suffix.
  func row(
    _ path: UnsafeRawBufferPointer, _ document: StoredDocument, _ memory: OperandMemory
  ) -> IndexRow? {
    var writer = KeyWriter()
    var firstFold: Int?
    for (lookup, mode) in lookups {
      guard let value = lookup.value(in: document.fields) else { return nil }
      let fold = writer.indexPart(value, mode, budget: access.budget)
      firstFold = firstFold ?? fold
    }
    let nameOffset = writer.bytes.count
    let fold = writer.indexName(path, access.indexScope)
    firstFold = firstFold ?? fold
    return IndexRow(
      suffix: memory.keep(writer.bytes), nameOffset: nameOffset, foldEnd: firstFold ?? 0, path: path,
      document: document)
  }
}

/// From entries to documents.
struct RowReader {
  let states: DocumentStates
  let access: IndexAccess
  let changed: Set<ResourcePath>
  /// The path of the document at hand.
  private(set) var path: [UInt8] = []

  /// With what paths begin, and with what document keys begin, in one collection.
  private var collectionPath: [UInt8] = []
  private var collectionKey: [UInt8] = []
  private var key: [UInt8] = []

  init(states: DocumentStates, access: IndexAccess, changed: Set<ResourcePath>) {
    self.states = states
    self.access = access
    self.changed = changed
    if case .collection(let collection) = access.scope {
      collectionPath = Array(collection.text.utf8) + [UInt8(ascii: "/")]
      collectionKey = KeyLayout.collectionPrefix(states.generation, collection)
    }
  }

  /// Nil for documents that the access does not mean: others are in memory rows, or out of scope.
  mutating func document(_ row: IndexRow) throws(StorageError) -> StoredDocument? {
    path.removeAll(keepingCapacity: true)
    if let document = row.document, let own = row.path {
      path.append(contentsOf: own)
      return document
    }
    let name = UnsafeRawBufferPointer(rebasing: row.suffix[row.nameOffset...])
    if let whole = row.path {
      path.append(contentsOf: whole)
    } else {
      try readPath(name)
    }
    if !changed.isEmpty || !isWholeScope {
      let place = ResourcePath(unchecked: String(decoding: path, as: UTF8.self))
      if changed.contains(place) || !access.scope.contains(place) { return nil }
    }
    let record: DocumentRecord?
    if row.path == nil, !collectionKey.isEmpty {
      // An id that is not folded has the same bytes in the keys of documents.
      key.removeAll(keepingCapacity: true)
      key.append(contentsOf: collectionKey)
      key.append(contentsOf: name)
      record = try states.record(key: key)
    } else {
      let key = path.withUnsafeBytes { KeyLayout.documentKey(states.generation, $0) }
      record = try states.record(key: key.bytes)
    }
    // An entry without its document is damage.
    guard let record else { throw .corrupt }
    return record.document
  }

  private var isWholeScope: Bool {
    switch access.scope {
    case .collection: true
    case .group(_, let ancestor): ancestor.isRoot
    case .children, .descendants: false
    }
  }

  private mutating func readPath(_ name: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = KeyReader(name)
    let part: KeyReader.Part?
    switch access.indexScope {
    case .collection:
      path.append(contentsOf: collectionPath)
      part = reader.documentID(into: &path)
    case .collectionGroup: part = reader.documentPath(into: &path)
    }
    guard part == .whole else { throw .corrupt }
  }
}
