/// The documents of one collection in order of their names.

internal import DocModel

/// The part of a collection's keys that a scan looks at.
struct CollectionBounds {
  let collection: ResourcePath
  /// What every key of the collection begins with.
  let prefix: [UInt8]
  var range: KeyRange
  /// Whether the collection is looked at from end to end.
  private(set) var isWhole = true
  /// Checked on documents with folded ids, whose keys alone do not decide. Nil when keys decide.
  var lower: NameBound?
  var upper: NameBound?

  /// Nil when no document can be between the bounds.
  init?(_ collection: ResourcePath, from lower: NameBound?, to upper: NameBound?, generation: UInt32) {
    self.collection = collection
    prefix = KeyLayout.collectionPrefix(generation, collection)
    range = KeyRange(prefix: prefix)
    if let lower {
      switch Self.place(of: lower, in: collection, isLower: true) {
      case .before: break
      case .after: return nil
      case .at(let bound): cutBelow(bound, generation)
      }
    }
    if let upper {
      switch Self.place(of: upper, in: collection, isLower: false) {
      case .before: return nil
      case .after: break
      case .at(let bound): cutAbove(bound, generation)
      }
    }
    if range.isEmpty { return nil }
  }

  private enum Place {
    /// Before every document of the collection.
    case before
    /// At a document of the collection, there or not.
    case at(NameBound)
    /// After every document of the collection.
    case after
  }

  private static func place(of bound: NameBound, in collection: ResourcePath, isLower: Bool) -> Place {
    guard bound.path.isBelow(collection) else {
      return bound.path < collection || bound.path == collection ? .before : .after
    }
    let depth = collection.segmentCount + 1
    let segments = bound.path.segments
    if segments.count == depth { return .at(bound) }
    // Below a document of this collection: after that document, before the next one.
    let id = String(Substring(segments[depth - 1]))
    return .at(NameBound(collection.appending(id), isInclusive: !isLower))
  }

  private mutating func cutBelow(_ bound: NameBound, _ generation: UInt32) {
    isWhole = false
    let key = KeyLayout.documentKey(generation, bound.path)
    if let run = Self.foldedRun(key, collection) {
      range.lower = run
      lower = bound
    } else if bound.isInclusive {
      range.lower = key.bytes
    } else {
      range.lower = KeyRange.successor(ofPrefix: key.bytes) ?? key.bytes
    }
  }

  private mutating func cutAbove(_ bound: NameBound, _ generation: UInt32) {
    isWhole = false
    let key = KeyLayout.documentKey(generation, bound.path)
    if let run = Self.foldedRun(key, collection) {
      range.upper = KeyRange.successor(ofPrefix: run)
      upper = bound
    } else if bound.isInclusive {
      range.upper = KeyRange.successor(ofPrefix: key.bytes)
    } else {
      range.upper = key.bytes
    }
  }

  /// With what the keys of all folded ids begin that share their beginning with this one.
  private static func foldedRun(_ key: DocumentKey, _ collection: ResourcePath) -> [UInt8]? {
    guard key.isFolded else { return nil }
    return key.bytes.withUnsafeBytes { CollectionScan.foldedRun(of: $0, collectionEnd: key.collectionEnd) }
  }

  func contains(_ path: UnsafeRawBufferPointer) -> Bool {
    if let lower {
      let order = Self.compare(path, lower.path)
      if order < 0 || (order == 0 && !lower.isInclusive) { return false }
    }
    if let upper {
      let order = Self.compare(path, upper.path)
      if order > 0 || (order == 0 && !upper.isInclusive) { return false }
    }
    return true
  }

  private static func compare(_ path: UnsafeRawBufferPointer, _ other: ResourcePath) -> Int {
    var text = other.text
    return text.withUTF8 { NameOrder.comparePaths(path, UnsafeRawBufferPointer($0)) }
  }
}

/// Walks one collection.
///
/// Key order is name order except among folded ids with one long common beginning: such a run is collected
/// and sorted by the whole names. LIMIT: a run is held in memory; it takes ids of more than 180 bytes that
/// differ only after them to make one.
struct CollectionScan {
  private let states: DocumentStates
  private let bounds: CollectionBounds
  private let direction: ScanDirection

  init(_ states: DocumentStates, _ bounds: CollectionBounds, _ direction: ScanDirection) {
    self.states = states
    self.bounds = bounds
    self.direction = direction
  }

  private struct RunMember {
    let path: UnsafeRawBufferPointer
    let document: StoredDocument
  }

  func run(_ visit: DocumentVisitor) throws(StorageError) {
    var path = Array(bounds.collection.text.utf8)
    path.append(UInt8(ascii: "/"))
    let idStart = path.count
    let collectionEnd = bounds.prefix.count

    var isDamaged = false
    var isStopped = false
    var runPrefix: [UInt8] = []
    var members: [RunMember] = []
    var tally = CollectionTally()
    // Pages that changed places hold every record, and lead whoever looks for one to nothing.
    let ordersKeys = states.isTallied && states.version == nil
    var previous: UnsafeRawBufferPointer?

    func deliverRun() {
      let isForward = direction == .forward
      members.sort { (NameOrder.comparePaths($0.path, $1.path) < 0) == isForward }
      for member in members where !isStopped && bounds.contains(member.path) {
        isStopped = visit(member.path, member.document) == .stop
      }
      members.removeAll()
    }

    try states.scan(bounds.range, direction) { key, record in
      tally.add(record)
      if ordersKeys {
        if let previous, (WireCursor.compare(previous, key) < 0) != (direction == .forward) {
          isDamaged = true
          return .stop
        }
        previous = key
      }
      if let wholePath = record.path, let run = Self.foldedRun(of: key, collectionEnd: collectionEnd) {
        if run != runPrefix { deliverRun() }
        runPrefix = run
        members.append(RunMember(path: wholePath, document: record.document))
        return isStopped ? .stop : .more
      }
      if !members.isEmpty { deliverRun() }
      if isStopped { return .stop }
      path.removeLast(path.count - idStart)
      var reader = KeyReader(key, offset: collectionEnd)
      guard reader.documentID(into: &path) == .whole else {
        isDamaged = true
        return .stop
      }
      let step = path.withUnsafeBytes { visit($0, record.document) }
      isStopped = step == .stop
      return step
    }
    if isDamaged { throw .corrupt }
    if isStopped { return }
    deliverRun()
    guard !isStopped, states.isTallied, states.damaged == nil, states.version == nil, bounds.isWhole else {
      return
    }
    let key = CollectionTally.key(bounds.prefix)
    guard try tally == CollectionTally.stored(states.view, key) else { throw .corrupt }
  }

  /// The key up to and including the mark of its folded id; nil when the id is not folded.
  static func foldedRun(of key: UnsafeRawBufferPointer, collectionEnd: Int) -> [UInt8]? {
    guard key.count > collectionEnd, key[collectionEnd] == 2 else { return nil }
    var reader = KeyReader(key, offset: collectionEnd + 1)
    guard reader.skipPart() == .folded else { return nil }
    return Array(key[..<(reader.offset - KeyReader.hashBytes)])
  }
}
