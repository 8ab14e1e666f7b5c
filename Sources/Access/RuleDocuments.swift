/// The documents that rules read while a request is judged.

internal import DocModel
internal import DocStore
internal import Rules
internal import Synchronization

/// `get()` and `exists()` over a snapshot; `getAfter()` and `existsAfter()` over a planned commit.
///
/// State and its owner: whoever judges one request. Between requests it rests in `RuleDocumentsPool`.
final class RuleDocuments: DocumentAccess {
  private enum Source {
    case none
    case view(StoreView)
    case commit(JudgedCommit)
  }

  private var source = Source.none
  /// A failure of the store is no missing document: it ends the request when the verdict is in.
  private(set) var failure: StoreError?
  /// Whether it is to be remembered which documents are read: whoever follows a decision needs that.
  var notesReads = false
  private var reads: [ResourcePath] = []
  /// Whether short work turned out to be long; see `isShort`.
  var wasTooLong = false
  /// `keptCommit`, once somebody has asked for it; nil inside for one that is too large.
  private var copiedCommit: KeptCommit??

  /// The documents that were read, there or not; nothing is noted any more.
  func takeReads() -> [ResourcePath] {
    defer {
      reads = []
      notesReads = false
    }
    return reads
  }

  /// Begins a request that reads.
  func begin(_ view: StoreView) {
    beginRequest()
    failure = nil
    wasTooLong = false
    if isShort { isShort = false }
    source = .view(view.unrecorded)
    copiedCommit = nil
  }

  /// Begins a request that writes.
  func begin(_ commit: JudgedCommit) {
    beginCommit()
    failure = nil
    wasTooLong = false
    if isShort { isShort = false }
    source = .commit(commit)
    copiedCommit = nil
  }

  /// Lets go of the snapshot, whose documents die now.
  func end() {
    beginRequest()
    source = .none
    copiedCommit = nil
  }

  /// What the commit that is judged makes of the documents that it writes, in the order of its writes; nil where
  /// one is deleted. Nothing for a request that reads.
  var written: [(path: ResourcePath, fields: [UInt8]?)] {
    guard case .commit(let commit) = source else { return [] }
    return commit.writes.map { write in
      (write.path, commit.document(write.path, .after).map { Array($0.fields.bytes) })
    }
  }

  var isOfCommit: Bool {
    if case .commit = source { true } else { false }
  }

  /// What the commit writes, copied once for all of its writes; nil when it is too much, and for a request that reads.
  var keptCommit: KeptCommit? {
    guard case .commit(let commit) = source else { return nil }
    if let copiedCommit { return copiedCommit }
    let copied = KeptCommit(commit)
    copiedCommit = .some(copied)
    return copied
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    let path = ResourcePath(unchecked: String(decoding: path, as: UTF8.self))
    if notesReads { reads.append(path) }
    let fields: FieldsView?
    switch source {
    case .none: return nil
    case .commit(let commit): fields = commit.document(path, afterCommit ? .after : .before)?.fields
    case .view(let view): fields = view.fields(path, keeping: &failure)
    }
    if isShort, let fields, fields.byteCount > ShortWork.bytesMax { breakOff() }
    return fields
  }

  override func isWritten(_ path: UnsafeRawBufferPointer) -> Bool {
    guard case .commit(let commit) = source else { return false }
    return commit.isWritten(ResourcePath(unchecked: String(decoding: path, as: UTF8.self)))
  }
}

extension StoreView {
  /// A document's fields as rules read them, nil when it is not there.
  ///
  /// A failure of the store is no missing document, but rules know no other answer: it is kept, and ends the
  /// request when the verdict is in.
  func fields(_ path: ResourcePath, keeping failure: inout StoreError?) -> FieldsView? {
    do throws(StoreError) {
      return try document(path)?.fields
    } catch {
      failure = error
      return nil
    }
  }
}

/// Idle `RuleDocuments`, because their evaluation memory is worth keeping.
final class RuleDocumentsPool: Sendable {
  /// An idle object; nobody else refers to it, which is what makes handing it on safe.
  private struct Idle: @unchecked Sendable {
    let documents: RuleDocuments
  }

  /// LIMIT: idle objects kept. More judge at once only on machines with more cores.
  private static let idleMax = 64

  private let idle = Mutex<[Idle]>([])

  /// Runs `body` with an object of its own.
  func use<R, E: Error>(_ body: (RuleDocuments) throws(E) -> R) throws(E) -> R {
    let documents = idle.withLock { $0.popLast() }?.documents ?? RuleDocuments()
    let resting = Idle(documents: documents)
    defer {
      documents.end()
      idle.withLock { idle in
        if idle.count < Self.idleMax { idle.append(resting) }
      }
    }
    return try body(documents)
  }
}
