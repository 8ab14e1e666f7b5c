/// Which collections there are, found by skipping from one to the next.

internal import DocModel

extension DocumentStates {
  /// Visits every collection below `parent` that holds a document itself, in key order.
  ///
  /// One seek a collection. At an earlier version a collection may turn out to be empty.
  func collections(
    under parent: ResourcePath, _ visit: (ResourcePath) throws(StorageError) -> ScanStep
  ) throws(StorageError) {
    let (range, isExact) = KeyLayout.descendants(generation, of: parent)
    var rest = range
    while let found = try firstCollection(in: rest) {
      rest.lower = KeyRange.successor(ofPrefix: found.prefix) ?? found.prefix
      guard isExact || found.path.isBelow(parent) else { continue }
      if try visit(found.path) == .stop { return }
    }
  }

  /// Visits the collections of one id below `parent`, in key order; some may have no document.
  func collections(
    called id: String, under parent: ResourcePath, _ visit: (ResourcePath) throws(StorageError) -> ScanStep
  ) throws(StorageError) {
    if areGroupsKnown {
      return try CollectionCatalog.forEach(view, generation, called: id, under: parent, visit)
    }
    try collections(under: parent) { (collection) throws(StorageError) in
      try collection.lastSegment.hasSameBytes(as: id) ? visit(collection) : .more
    }
  }

  /// A collection and the bytes with which the keys of its documents begin.
  struct FoundCollection {
    let path: ResourcePath
    let prefix: [UInt8]
  }

  /// The collection of the first document key of `range`, history's keys among them when reading the past.
  func firstCollection(in range: KeyRange) throws(StorageError) -> FoundCollection? {
    guard !range.isEmpty else { return nil }
    let live = try firstCollection(in: range, of: .documents)
    guard version != nil, let past = try firstCollection(in: range, of: .documentHistory) else { return live }
    guard let live else { return past }
    return past.prefix.lexicographicallyPrecedes(live.prefix) ? past : live
  }

  private func firstCollection(
    in range: KeyRange, of keyspace: Keyspace
  ) throws(StorageError) -> FoundCollection? {
    var found: Result<FoundCollection, StorageError>?
    try view.scan(keyspace, range, .forward) { key, value in
      found = Result { () throws(StorageError) in try Self.collection(key, value, keyspace) }
      return .stop
    }
    return try found?.get()
  }

  private static func collection(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ keyspace: Keyspace
  ) throws(StorageError) -> FoundCollection {
    var reader = KeyReader(key, offset: KeyLayout.generationBytes)
    var text: [UInt8] = []
    guard let part = reader.part(into: &text) else { throw .corrupt }
    let prefix = Array(key[..<reader.offset])
    switch part {
    case .whole:
      return FoundCollection(
        path: ResourcePath(unchecked: String(decoding: text, as: UTF8.self)), prefix: prefix)
    case .folded:
      let record =
        keyspace == .documents
        ? try DocumentRecord(value, key: key) : try DocumentRecord(value, historyKey: key)
      guard let path = record.path else { throw .corrupt }
      let document = ResourcePath(unchecked: String(decoding: path, as: UTF8.self))
      return FoundCollection(path: document.parent, prefix: prefix)
    }
  }

  /// The ids of the collections directly under `parent`, phantom documents' collections included.
  func collectionIDs(under parent: ResourcePath) throws(StorageError) -> [String] {
    let found = try segments(below: parent.isRoot ? "" : parent.text + "/", under: parent)
    return found.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The ids in `collection` that have documents below them and no document of their own.
  func missingDocumentIDs(in collection: ResourcePath) throws(StorageError) -> [String] {
    // A collection is not a document, but its descendants begin with its path just as well.
    let ids = try segments(below: collection.text + "/", under: collection)
    var missing: [ResourcePath] = []
    for id in ids {
      let path = collection.appending(String(decoding: id, as: UTF8.self))
      if try record(path) == nil { missing.append(path) }
    }
    return missing.sorted().map(\.lastSegment)
  }

  /// The distinct segments that follow `prefix` in the paths of collections that hold a document.
  ///
  /// After a segment is found, everything that begins with it and `/` is skipped. Its own part and that
  /// subtree do not touch in key order (`a`, `a-b`, `a/x/y`), hence up to two seeks a segment.
  private func segments(below prefix: String, under parent: ResourcePath) throws(StorageError) -> Set<[UInt8]>
  {
    let (range, _) = KeyLayout.descendants(generation, of: parent)
    var rest = range
    var segments: Set<[UInt8]> = []
    while let found = try firstCollection(in: rest) {
      rest.lower = KeyRange.successor(ofPrefix: found.prefix) ?? found.prefix
      guard found.path.text.utf8.starts(with: prefix.utf8) else { continue }
      let tail = found.path.text.utf8.dropFirst(prefix.utf8.count)
      let segment = Array(tail.prefix { $0 != UInt8(ascii: "/") })
      let isDeeper = segment.count < tail.count
      if !segments.contains(segment), try isAlive(found) { segments.insert(segment) }
      guard isDeeper, segments.contains(segment) else { continue }
      let subtree = ResourcePath(unchecked: prefix + String(decoding: segment, as: UTF8.self))
      let skipped = KeyLayout.descendants(generation, of: subtree)
      if skipped.isExact, let upper = skipped.range.upper, rest.lower.lexicographicallyPrecedes(upper) {
        rest.lower = upper
      }
    }
    return segments
  }

  /// Whether a found collection holds a document at the read time; now it always does.
  private func isAlive(_ collection: FoundCollection) throws(StorageError) -> Bool {
    if version == nil { return true }
    var isAlive = false
    try scan(KeyRange(prefix: collection.prefix), .forward) { _, _ in
      isAlive = true
      return .stop
    }
    return isAlive
  }
}
