/// Ordered streams of index entries: one range, several joined, several merged, rows in memory.

internal import DocModel

/// One document as an index leads to it. Its bytes live as long as the view.
struct IndexRow {
  /// What follows the prefix; equal for equal documents.
  let suffix: UnsafeRawBufferPointer
  /// Where the name begins in the suffix.
  let nameOffset: Int
  /// Where the first fold in the suffix ends; 0 when nothing is folded and the bytes give the order.
  let foldEnd: Int
  /// The document's path, when the suffix is folded or the row is in memory.
  let path: UnsafeRawBufferPointer?
  /// The document, for rows in memory.
  let document: StoredDocument?
}

/// Rows in the order of their suffixes, or backwards.
class RowStream {
  /// Nil at the end.
  final var current: IndexRow?
  final var entriesRead = 0

  func advance() throws(StorageError) { current = nil }
}

/// Rows made beforehand: documents that are named, and past states of documents.
final class MemoryRows: RowStream {
  private var rest: ArraySlice<IndexRow>
  private let memory: OperandMemory

  /// `rows` must be in order; `memory` holds their suffixes.
  init(_ rows: [IndexRow], _ memory: OperandMemory) {
    self.memory = memory
    rest = rows[...]
    super.init()
    current = rest.popFirst()
  }

  override func advance() { current = rest.popFirst() }
}

/// One index behind one prefix.
private struct MemberCursor {
  let prefix: [UInt8]
  let cursor: StorageCursor
  let isBackward: Bool

  /// What follows the prefix at hand; nil beyond its entries.
  var suffix: UnsafeRawBufferPointer? {
    guard let key = cursor.entry?.key, key.count >= prefix.count,
      prefix.withUnsafeBytes({
        WireCursor.areEqual($0, UnsafeRawBufferPointer(rebasing: key[..<prefix.count]))
      })
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: key[prefix.count...])
  }

  /// To the first entry of a range in the direction of reading.
  func enter(_ range: SuffixRange) throws(StorageError) {
    if isBackward {
      try cursor.seek(below: range.upper.map { prefix + $0 } ?? KeyRange.successor(ofPrefix: prefix))
    } else {
      try cursor.seek(atLeast: prefix + range.lower)
    }
  }

  /// To the first entry at or beyond a suffix.
  func seek(_ suffix: UnsafeRawBufferPointer) throws(StorageError) {
    var key = prefix
    key.append(contentsOf: suffix)
    if isBackward {
      // The least key above this one: it is excluded.
      key.append(0)
      try cursor.seek(below: key)
    } else {
      try cursor.seek(atLeast: key)
    }
  }

  func step() throws(StorageError) {
    if isBackward { try cursor.previous() } else { try cursor.next() }
  }
}

/// The documents that all members hold, by zig-zag: whoever is behind seeks whoever is ahead.
final class JoinedRows: RowStream {
  private let members: [MemberCursor]
  private let ranges: [SuffixRange]
  private var rangeIndex: Int
  private let isBackward: Bool

  init(_ conjunct: IndexConjunct, _ view: StorageView, isBackward: Bool) throws(StorageError) {
    var members: [MemberCursor] = []
    for member in conjunct.members {
      members.append(
        MemberCursor(prefix: member.prefix, cursor: try view.cursor(.indexEntries), isBackward: isBackward))
    }
    self.members = members
    ranges = conjunct.ranges
    self.isBackward = isBackward
    rangeIndex = isBackward ? ranges.count - 1 : 0
    super.init()
    try enterRange()
  }

  override func advance() throws(StorageError) {
    guard current != nil else { return }
    try members[0].step()
    entriesRead += 1
    try align()
  }

  private func enterRange() throws(StorageError) {
    guard ranges.indices.contains(rangeIndex) else {
      current = nil
      return
    }
    try members[0].enter(ranges[rangeIndex])
    entriesRead += 1
    try align()
  }

  private func nextRange() throws(StorageError) {
    rangeIndex += isBackward ? -1 : 1
    try enterRange()
  }

  private func isInside(_ suffix: UnsafeRawBufferPointer) -> Bool {
    let range = ranges[rangeIndex]
    if isBackward {
      return range.lower.withUnsafeBytes { WireCursor.compare(suffix, $0) >= 0 }
    }
    return range.upper?.withUnsafeBytes { WireCursor.compare(suffix, $0) < 0 } ?? true
  }

  /// From where the first member is to where all agree.
  private func align() throws(StorageError) {
    var steps = 0
    while true {
      steps += 1
      // Members that never meet would be gone through to their ends.
      if ScanInterruption.ends(at: steps) {
        current = nil
        return
      }
      guard let suffix = members[0].suffix, isInside(suffix) else {
        entriesRead -= 1
        return try nextRange()
      }
      switch try meet(suffix) {
      case .agreed: return found(suffix)
      case .ahead(let target):
        try members[0].seek(target)
        entriesRead += 1
      case .ended: return try nextRange()
      }
    }
  }

  private enum Meeting {
    case agreed
    case ahead(UnsafeRawBufferPointer)
    case ended
  }

  private func meet(_ suffix: UnsafeRawBufferPointer) throws(StorageError) -> Meeting {
    for member in members.dropFirst() {
      try member.seek(suffix)
      guard let other = member.suffix, isInside(other) else { return .ended }
      entriesRead += 1
      if !WireCursor.areEqual(other, suffix) { return .ahead(other) }
    }
    return .agreed
  }

  private func found(_ suffix: UnsafeRawBufferPointer) {
    guard let bytes = members[0].cursor.entry?.value, let value = IndexEntryValue(bytes) else {
      current = nil
      return
    }
    let start = members[0].prefix.count
    current = IndexRow(
      suffix: suffix, nameOffset: value.nameOffset - start,
      foldEnd: value.firstFold(behind: start).map { $0 - start } ?? 0, path: value.path, document: nil)
  }
}

/// Several streams in one order, each document once.
struct MergedRows {
  private let streams: [RowStream]
  private let isBackward: Bool

  init(_ streams: [RowStream], isBackward: Bool) {
    self.streams = streams
    self.isBackward = isBackward
  }

  var entriesRead: Int { streams.reduce(0) { $0 + $1.entriesRead } }

  /// The next document; nil at the end.
  func next() throws(StorageError) -> IndexRow? {
    if streams.count == 1 { return streams[0].current }
    var first: IndexRow?
    for stream in streams {
      guard let row = stream.current else { continue }
      guard let known = first else {
        first = row
        continue
      }
      let order = WireCursor.compare(row.suffix, known.suffix)
      // A row in memory is the state that is wanted; the entry may speak of a later one.
      let isFirst = order == 0 ? row.document != nil : (order > 0) == isBackward
      if isFirst { first = row }
    }
    return first
  }

  /// Passes over a document in every stream that has it.
  func advance(past row: IndexRow) throws(StorageError) {
    for stream in streams {
      guard let current = stream.current, WireCursor.areEqual(current.suffix, row.suffix) else { continue }
      try stream.advance()
    }
  }
}
