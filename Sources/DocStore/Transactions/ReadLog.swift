/// What a transaction has read.

internal import DocModel
internal import Synchronization

/// A set of documents described by where they lie.
///
/// Coarser than the query that read it: a change inside conflicts although the query's filters would not
/// have matched. The lock model that replaces it puts predicates here.
enum ReadRange: Hashable, Sendable {
  case collection(ResourcePath)
  case group(String, under: ResourcePath)
  /// Collections directly under a document or the root.
  case children(ResourcePath)
  case descendants(ResourcePath)

  func contains(_ document: ResourcePath) -> Bool {
    switch self {
    case .collection(let collection): document.parent == collection
    case .group(let id, let parent):
      document.isBelow(parent) && document.parent.lastSegment.hasSameBytes(as: id)
    case .children(let parent): document.parent.parent == parent
    case .descendants(let parent): document.isBelow(parent)
    }
  }

  static func == (left: ReadRange, right: ReadRange) -> Bool {
    switch (left, right) {
    case (.collection(let a), .collection(let b)), (.children(let a), .children(let b)),
      (.descendants(let a), .descendants(let b)):
      a == b
    case (.group(let a, let parentA), .group(let b, let parentB)):
      a.hasSameBytes(as: b) && parentA == parentB
    case (.collection, _), (.children, _), (.descendants, _), (.group, _): false
    }
  }
}

/// The reads of one read-write transaction, to be checked when it commits.
final class ReadLog: Sendable {
  struct Reads {
    /// The version of each document read; 0 where there was none.
    var documents: [ResourcePath: Int64] = [:]
    /// The earliest version at which each range was read.
    var ranges: [ReadRange: Int64] = [:]
    /// The generation that was read; 0 while the database had none.
    var generation: UInt32 = 0
    /// Whether two reads already contradict each other.
    var isContradictory = false
  }

  /// LIMIT: documents noted one by one; beyond it the whole database counts as read.
  static let documentsMax = 100_000

  private let reads = Mutex(Reads())

  var snapshot: Reads { reads.withLock { $0 } }

  func enter(generation: UInt32) {
    reads.withLock { reads in
      if reads.generation != 0, reads.generation != generation { reads.isContradictory = true }
      reads.generation = generation
    }
  }

  func note(_ path: ResourcePath, version: Int64, readTime: Int64) {
    reads.withLock { reads in
      if let earlier = reads.documents[path] {
        if earlier != version { reads.isContradictory = true }
      } else if reads.documents.count < Self.documentsMax {
        reads.documents[path] = version
      } else {
        Self.note(.descendants(.root), readTime, in: &reads)
      }
    }
  }

  func note(_ range: ReadRange, readTime: Int64) {
    reads.withLock { Self.note(range, readTime, in: &$0) }
  }

  private static func note(_ range: ReadRange, _ readTime: Int64, in reads: inout Reads) {
    reads.ranges[range] = min(reads.ranges[range] ?? .max, readTime)
  }
}

/// Notes the reads of one view.
struct ReadRecorder {
  let log: ReadLog
  let readTime: Int64

  func note(_ path: ResourcePath, version: Int64?) {
    log.note(path, version: version ?? 0, readTime: readTime)
  }

  func note(_ range: ReadRange) { log.note(range, readTime: readTime) }
}
