/// Which documents the rules of one request asked for, and what they got.

internal import DocModel

/// The cache of document reads of one request.
///
/// Limits are counted in distinct paths, except that whether a document exists and what it holds count apart: `get` or
/// `getAfter` counts once more behind `exists` or `existsAfter` of the same path. The other way round, who has the document
/// knows that it exists, but not in a query. A path that counted for an earlier operation of the request is free, and
/// so is the document that is judged itself, before and after, and what any document of the commit will be
/// after it. What was free counts when it is asked for in another way: what a written document was, or by
/// another operation. Source: the official emulator (production counts as it does, docs/spec/production-differences.md
/// 1.9); a query has no documents that are free.
package final class AccessLog {
  /// LIMIT: one document read or one write. Source: docs/spec/production-differences.md 1.9.
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
    /// What of it counts. Free things become things that count, never the other way round.
    var counted: Counted = []
  }

  fileprivate struct Counted: OptionSet {
    let rawValue: UInt8
    static let existence = Counted(rawValue: 1)
    static let document = Counted(rawValue: 2)
  }

  /// What an undone part of a request had counted.
  package struct Mark {
    fileprivate let counted: [Counted]
    fileprivate let requestCount: Int
  }

  private let entries = RawList<Entry>(capacity: AccessLog.requestMax)
  private let memory = Arena()
  /// What counts towards the request's limit.
  private(set) var requestCount = 0
  /// What counted when the operation being judged began.
  private var operationStart = 0
  /// Whether an operation was judged since the request began.
  private(set) var hasOperation = false

  deinit { entries.free() }

  /// What counts towards the operation's limit.
  var operationCount: Int { requestCount &- operationStart }
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
    requestCount = 0
    operationStart = 0
    hasOperation = false
  }

  /// Starts counting for another operation.
  func beginOperation() {
    operationStart = requestCount
    hasOperation = true
  }

  /// For `forget`: not on the way of a request that nobody explains or proves.
  package var mark: Mark { Mark(counted: entries.elements.map(\.counted), requestCount: requestCount) }

  /// Takes back what was asked for since the mark, in a query.
  package func forget(after mark: Mark) {
    entries.cut(to: mark.counted.count)
    for (index, counted) in mark.counted.enumerated() { (entries.start + index).pointee.counted = counted }
    requestCount = mark.requestCount
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
  func document(inRoom path: ByteView, _ kind: AccessKind, limit: Int, from e: Evaluation) -> Answer {
    let known = index(of: path)
    guard let counted = claim(path, known, kind, limit, e) else { return .tooMany }
    if known == nil {
      memory.take(byteCount: path.count)
      entries.append(Entry(path: path))
    }
    return answer(at: known ?? entries.count - 1, kind, counted, from: e)
  }

  /// - Parameter isImpossible: no document can have the path, so that nobody is asked for one. It counts.
  func document(
    _ path: ByteView, isImpossible: Bool = false, _ kind: AccessKind, limit: Int, from e: Evaluation
  ) -> Answer {
    let known = index(of: path)
    guard let counted = claim(path, known, kind, limit, e) else { return .tooMany }
    if known == nil {
      entries.append(
        Entry(path: memory.copy(path.buffer), isBeforeKnown: isImpossible, isAfterKnown: isImpossible))
    }
    return answer(at: known ?? entries.count - 1, kind, counted, from: e)
  }

  /// Counts what an access asks for, unless it is free or counted already: what counts of the path then; nil when there
  /// is no room for it.
  @inline(__always)
  private func claim(
    _ path: ByteView, _ known: Int?, _ kind: AccessKind, _ limit: Int, _ e: Evaluation
  ) -> Counted? {
    let counted = known.map { (entries.start + $0).pointee.counted } ?? []
    let isCounted =
      counted.contains(kind.wantsDocument ? .document : .existence)
      || (counted.contains(.document) && e.method != .list)
    if isCounted || isFree(path, kind.isAfter, e) { return counted }
    guard operationCount < limit, requestCount < Self.requestMax else { return nil }
    requestCount &+= 1
    return counted.union(kind.wantsDocument ? .document : .existence)
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
  private func answer(at index: Int, _ kind: AccessKind, _ counted: Counted, from e: Evaluation) -> Answer {
    let entry = entries.start + index
    entry.pointee.counted = counted
    if !(kind.isAfter ? entry.pointee.isAfterKnown : entry.pointee.isBeforeKnown) {
      fetch(index, afterCommit: kind.isAfter, from: e)
    }
    guard let found = kind.isAfter ? entry.pointee.after : entry.pointee.before else {
      // Where `get` fails nothing is kept of it.
      if e.failsAtMissingDocuments { entry.pointee.counted.remove(.document) }
      return .missing
    }
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

extension RulesetLimits {
  /// Expressions that judging one operation may take.
  package static let expressionsMax = Evaluation.budget
  /// Documents that judging one operation may look up; a list's may be as many as a whole request's.
  package static func lookupsMax(_ method: RuleMethod) -> Int {
    method == .list ? AccessLog.requestMax : AccessLog.operationMax
  }
}
