/// Which documents the rules of one request asked for, and what they got.

internal import DocModel

/// The cache of document reads of one request.
///
/// Limits are counted in distinct paths, by whichever function they are asked for:
/// spec/production-differences.md 1.9. A path read for an earlier operation of the request is free.
final class AccessLog {
  /// LIMIT: one document read or one write. Source: spec/production-differences.md 1.9.
  static let operationMax = 10
  /// LIMIT: a query; and all operations of a commit or a batch of reads together.
  static let requestMax = 20

  private struct Entry {
    let path: ByteView
    var before: ByteView?
    var after: ByteView?
    var isBeforeKnown = false
    var isAfterKnown = false
  }

  private var entries: [Entry] = []
  private let memory = Arena()
  /// How many entries there were when the operation being judged began.
  private var operationStart = 0

  init() { entries.reserveCapacity(Self.requestMax) }

  var count: Int { entries.count }
  var operationCount: Int { entries.count - operationStart }
  var paths: [String] { entries.map(\.path.text) }

  @inline(__always)
  func reset() {
    entries.removeAll(keepingCapacity: true)
    memory.reset()
    operationStart = 0
  }

  func beginOperation() { operationStart = entries.count }

  /// What an answer looks like.
  enum Answer {
    case document(ByteView)
    case missing
    case tooMany
  }

  func document(_ path: ByteView, afterCommit: Bool, limit: Int, from source: DocumentAccess) -> Answer {
    var index = 0
    while index < entries.count {
      if entries[index].path == path { return answer(at: index, afterCommit: afterCommit, from: source) }
      index += 1
    }
    guard operationCount < limit, entries.count < Self.requestMax else { return .tooMany }
    entries.append(Entry(path: memory.copy(path.buffer)))
    return answer(at: index, afterCommit: afterCommit, from: source)
  }

  private func answer(at index: Int, afterCommit: Bool, from source: DocumentAccess) -> Answer {
    let isKnown = afterCommit ? entries[index].isAfterKnown : entries[index].isBeforeKnown
    if !isKnown {
      let found = source.document(at: entries[index].path.buffer, afterCommit: afterCommit)
        .map { ByteView($0.bytes) }
      if afterCommit {
        entries[index].after = found
        entries[index].isAfterKnown = true
      } else {
        entries[index].before = found
        entries[index].isBeforeKnown = true
      }
    }
    guard let found = afterCommit ? entries[index].after : entries[index].before else { return .missing }
    return .document(found)
  }
}
