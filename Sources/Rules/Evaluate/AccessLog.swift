/// Which documents the rules of one request asked for, and what they got.

internal import DocModel

/// The cache of document reads of one request.
///
/// Limits are counted in distinct paths, by whichever function they are asked for:
/// spec/production-differences.md 1.9. A path that counted for an earlier operation of the request is free, and
/// so is the document that is judged itself, before and after, and what any document of the commit will be
/// after it. What was free counts when it is asked for in another way: what a written document was, or by
/// another operation. Source of all but the first: the official emulator; a query has no such documents.
final class AccessLog {
  /// LIMIT: one document read or one write. Source: spec/production-differences.md 1.9.
  static let operationMax = 10
  /// LIMIT: a query; and all operations of a commit or a batch of reads together.
  static let requestMax = 20

  /// What stands for a slash inside a segment. No byte of UTF-8.
  static let slashInSegment: UInt8 = 0xFF

  private struct Entry {
    let path: ByteView
    var before: ByteView?
    var after: ByteView?
    var isBeforeKnown = false
    var isAfterKnown = false
    /// Whether it counts. One that was free becomes one that counts, never the other way round.
    var isCounted: Bool
  }

  private let entries = RawList<Entry>(capacity: AccessLog.requestMax)
  private let memory = Arena()
  /// How many entries there were when the operation being judged began.
  private var operationStart = 0
  /// Entries that do not count, of all, and of those before the operation being judged.
  private var freeCount = 0
  private var operationStartFree = 0
  /// Whether an operation was judged since the request began.
  private(set) var hasOperation = false

  deinit { entries.free() }

  var count: Int { entries.count }
  /// The entries that count towards the request's limit, and towards the operation's.
  var requestCount: Int { entries.count &- freeCount }
  var operationCount: Int { requestCount &- (operationStart &- operationStartFree) }
  var paths: [String] { entries.elements.map { Self.text($0.path) } }

  private static func text(_ path: ByteView) -> String {
    guard path.buffer.contains(slashInSegment) else { return path.text }
    return String(decoding: path.buffer.map { $0 == slashInSegment ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
  }

  /// Every path with what was found there, before and after; nil for what nobody asked.
  var findings: [(path: String, before: Bool?, after: Bool?)] {
    entries.elements.map { entry in
      (
        Self.text(entry.path), entry.isBeforeKnown ? entry.before != nil : nil,
        entry.isAfterKnown ? entry.after != nil : nil
      )
    }
  }

  @inline(__always)
  func reset() {
    entries.removeAll()
    memory.reset()
    operationStart = 0
    freeCount = 0
    operationStartFree = 0
    hasOperation = false
  }

  /// Starts counting for another operation.
  func beginOperation() {
    operationStart = entries.count
    operationStartFree = freeCount
    hasOperation = true
  }

  /// Takes back what was asked for after the first `count` paths, in a query.
  func forget(after count: Int) {
    entries.cut(to: count)
  }

  /// What an answer looks like.
  enum Answer {
    case document(ByteView)
    case missing
    case tooMany
  }

  /// Room for the bytes of a path, to be handed to `document` next or to be forgotten.
  @inline(__always)
  func room(byteCount: Int) -> UnsafeMutableRawPointer { memory.room(byteCount: byteCount) }

  /// - Parameter path: in the log's own `room`.
  @inline(__always)
  func document(inRoom path: ByteView, afterCommit: Bool, limit: Int, from e: Evaluation) -> Answer {
    if let known = index(of: path) { return answer(known: known, afterCommit, limit, e) }
    let isFree = isFree(path, afterCommit, e)
    guard isFree || hasRoom(limit) else { return .tooMany }
    memory.take(byteCount: path.count)
    return answer(new: path, isFree, afterCommit, e)
  }

  /// - Parameter isImpossible: no document can have the path, so that nobody is asked for one. It counts.
  func document(
    _ path: ByteView, isImpossible: Bool = false, afterCommit: Bool, limit: Int, from e: Evaluation
  ) -> Answer {
    if let known = index(of: path) { return answer(known: known, afterCommit, limit, e) }
    let isFree = !isImpossible && isFree(path, afterCommit, e)
    guard isFree || hasRoom(limit) else { return .tooMany }
    if isImpossible {
      let path = memory.copy(path.buffer)
      entries.append(Entry(path: path, isBeforeKnown: true, isAfterKnown: true, isCounted: true))
      return .missing
    }
    return answer(new: memory.copy(path.buffer), isFree, afterCommit, e)
  }

  /// Whether one more path may count.
  @inline(__always)
  private func hasRoom(_ limit: Int) -> Bool { operationCount < limit && requestCount < Self.requestMax }

  @inline(__always)
  private func answer(new path: ByteView, _ isFree: Bool, _ afterCommit: Bool, _ e: Evaluation) -> Answer {
    if isFree { freeCount &+= 1 }
    entries.append(Entry(path: path, isCounted: !isFree))
    return answer(at: entries.count - 1, afterCommit: afterCommit, from: e)
  }

  @inline(__always)
  private func answer(known index: Int, _ afterCommit: Bool, _ limit: Int, _ e: Evaluation) -> Answer {
    let entry = entries.start + index
    if !entry.pointee.isCounted {
      guard isFree(entry.pointee.path, afterCommit, e) || takesRoom(index, limit) else { return .tooMany }
    }
    return answer(at: index, afterCommit: afterCommit, from: e)
  }

  /// Counts a document that was free so far; false when there is no room for it.
  @inline(never)
  private func takesRoom(_ index: Int, _ limit: Int) -> Bool {
    guard hasRoom(limit) else { return false }
    (entries.start + index).pointee.isCounted = true
    freeCount &-= 1
    return true
  }

  /// Whether a path is one that the request itself brings.
  @inline(__always)
  func isFree(_ path: ByteView, _ afterCommit: Bool, _ e: Evaluation) -> Bool {
    guard e.method != .list else { return false }
    return path == e.judgedPath || (afterCommit && e.method.isWrite && e.isWritten(path))
  }

  @inline(__always)
  private func index(of path: ByteView) -> Int? {
    var index = 0
    while index < entries.count {
      if (entries.start + index).pointee.path == path { return index }
      index &+= 1
    }
    return nil
  }

  @inline(__always)
  private func answer(at index: Int, afterCommit: Bool, from e: Evaluation) -> Answer {
    let entry = entries.start + index
    if !(afterCommit ? entry.pointee.isAfterKnown : entry.pointee.isBeforeKnown) {
      fetch(index, afterCommit: afterCommit, from: e)
    }
    guard let found = afterCommit ? entry.pointee.after : entry.pointee.before else { return .missing }
    return .document(found)
  }

  @inline(never)
  private func fetch(_ index: Int, afterCommit: Bool, from e: Evaluation) {
    let found = e.document(at: entries[index].path, afterCommit: afterCommit)
      .map { ByteView($0.bytes) }
    let entry = entries.start + index
    if afterCommit {
      entry.pointee.after = found
      entry.pointee.isAfterKnown = true
    } else {
      entry.pointee.before = found
      entry.pointee.isBeforeKnown = true
    }
  }
}
