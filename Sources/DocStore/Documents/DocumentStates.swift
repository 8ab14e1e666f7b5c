/// Where the states of documents are found at one read time.

internal import DocModel

/// The records of one generation, now or at an earlier version.
///
/// Now: the live keyspace, nothing else is looked at. At an earlier version T: the live record when it was
/// written at or before T; else, of the history records, the first that ended after T, if it began at or
/// before T.
///
/// Source: docs/design/storage-and-scale.md section 4.
struct DocumentStates {
  let view: StorageView
  let generation: UInt32
  /// The version to read at; nil for the newest.
  let version: Int64?
  /// Whether the store keeps tallies of its collections.
  let isTallied: Bool
  /// Whether the catalog has every collection by its id: not in a store of before, opened for reading only.
  let areGroupsKnown: Bool
  /// What changed after `version`; nil for the newest.
  let changed: ChangedDocuments?
  /// Told the key of a record that cannot be read, where a scan is to go on behind it; nil where it is to fail.
  var damaged: ((UnsafeRawBufferPointer) -> Void)?

  init(
    view: StorageView, generation: UInt32, version: Int64?, isTallied: Bool, areGroupsKnown: Bool = false
  ) {
    self.view = view
    self.generation = generation
    self.version = version
    self.isTallied = isTallied
    self.areGroupsKnown = areGroupsKnown
    changed = version.map { ChangedDocuments(after: $0) }
  }

  func record(_ path: ResourcePath) throws(StorageError) -> DocumentRecord? {
    try record(key: KeyLayout.documentKey(generation, path).bytes)
  }

  func record(key: [UInt8]) throws(StorageError) -> DocumentRecord? {
    let found = key.withUnsafeBytes { bytes in
      Result { () throws(StorageError) in try record(bytes, key) }
    }
    return try found.get()
  }

  /// - Parameter bytes: those of `key`.
  private func record(
    _ bytes: UnsafeRawBufferPointer, _ key: [UInt8]
  ) throws(StorageError) -> DocumentRecord? {
    if let stored = try view.get(.documents, bytes) {
      let live = try DocumentRecord(stored, key: bytes)
      guard let version, live.updateTime > version else { return live }
    } else if version == nil {
      return nil
    }
    return try pastRecord(key: key)
  }

  /// The state that ended after `version`, when it had begun by then.
  private func pastRecord(key: [UInt8]) throws(StorageError) -> DocumentRecord? {
    guard let version else { return nil }
    var found: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?
    try view.scan(.documentHistory, KeyLayout.historyRange(key, endedAfter: version), .forward) {
      key, value in
      found = (key, value)
      return .stop
    }
    guard let found else { return nil }
    let record = try DocumentRecord(found.value, historyKey: found.key)
    return record.updateTime <= version ? record : nil
  }

  // MARK: ranges

  /// Visits the records of a range of document keys in key order or backwards.
  func scan(
    _ range: KeyRange, _ direction: ScanDirection,
    _ visit: (_ key: UnsafeRawBufferPointer, _ record: DocumentRecord) -> ScanStep
  ) throws(StorageError) {
    if version == nil {
      try scanLive(range, direction, visit)
    } else {
      try scanPast(range, direction, visit)
    }
  }

  private func scanLive(
    _ range: KeyRange, _ direction: ScanDirection,
    _ visit: (_ key: UnsafeRawBufferPointer, _ record: DocumentRecord) -> ScanStep
  ) throws(StorageError) {
    var failure: StorageError?
    try view.scan(.documents, range, direction) { key, value in
      do throws(StorageError) {
        return visit(key, try DocumentRecord(value, key: key))
      } catch {
        if error == .corrupt, let damaged {
          damaged(key)
          return .more
        }
        failure = error
        return .stop
      }
    }
    if let failure { throw failure }
  }

  /// Two ordered streams in one: live records, and documents that history knows. For each key the state
  /// at `version` is looked up; only keys that history knows cost an extra seek.
  private func scanPast(
    _ range: KeyRange, _ direction: ScanDirection,
    _ visit: (_ key: UnsafeRawBufferPointer, _ record: DocumentRecord) -> ScanStep
  ) throws(StorageError) {
    var failure: StorageError?
    var isStopped = false
    var history = try HistoryKeys(view, range, direction)

    func emit(_ key: [UInt8]) throws(StorageError) {
      guard !isStopped else { return }
      let found: DocumentRecord?
      do throws(StorageError) { found = try record(key: key) } catch {
        guard error == .corrupt, let damaged else { throw error }
        return key.withUnsafeBytes { damaged($0) }
      }
      guard let record = found else { return }
      isStopped = key.withUnsafeBytes { visit($0, record) } == .stop
    }

    try view.scan(.documents, range, direction) { key, _ in
      do throws(StorageError) {
        while let next = history.current, history.precedes(key), !isStopped {
          try emit(next)
          try history.advance()
        }
        if history.isAt(key) { try history.advance() }
        try emit(Array(key))
        return isStopped ? .stop : .more
      } catch {
        failure = error
        return .stop
      }
    }
    if let failure { throw failure }
    while let next = history.current, !isStopped {
      try emit(next)
      try history.advance()
    }
  }
}

/// The documents of a range that have history, one key at a time.
private struct HistoryKeys {
  private let view: StorageView
  private let direction: ScanDirection
  private var rest: KeyRange
  /// The document key at hand; nil at the end.
  private(set) var current: [UInt8]?

  init(_ view: StorageView, _ range: KeyRange, _ direction: ScanDirection) throws(StorageError) {
    self.view = view
    self.direction = direction
    rest = range
    try advance()
  }

  mutating func advance() throws(StorageError) {
    if let current {
      // Past every version of the document at hand.
      switch direction {
      case .forward: rest.lower = KeyRange.successor(ofPrefix: current) ?? current
      case .reverse: rest.upper = current
      }
    }
    var next: [UInt8]?
    if !rest.isEmpty {
      try view.scan(.documentHistory, rest, direction) { key, _ in
        next = Array(key.dropLast(KeyLayout.versionBytes))
        return .stop
      }
    }
    current = next
  }

  /// Whether the key at hand comes before `key` in the direction of the scan.
  func precedes(_ key: UnsafeRawBufferPointer) -> Bool {
    guard let current else { return false }
    let order = current.withUnsafeBytes { WireCursor.compare($0, key) }
    return direction == .forward ? order < 0 : order > 0
  }

  func isAt(_ key: UnsafeRawBufferPointer) -> Bool {
    current?.withUnsafeBytes { WireCursor.areEqual($0, key) } ?? false
  }
}
