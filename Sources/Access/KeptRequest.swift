/// One operation, kept so that it can be judged once more.
///
/// A read needs no copies of documents: the store can show its state of that time for an hour. A write keeps what
/// it would have written, because a commit that is refused leaves no trace.

public import DocModel
internal import DocStore
public import Rules

/// The state of a database that a request was judged on.
enum JudgedState {
  /// A read's: the state that it shows.
  case shown(ReadPoint)
  /// A commit's: the state before its version, in microseconds.
  case before(Int64)
}

/// What a commit would have written, for all of its requests together.
final class KeptCommit: Sendable {
  /// Every document as it would be afterwards; nil for one that is gone.
  let documents: [ResourcePath: [UInt8]?]
  let byteCount: Int

  /// LIMIT: bytes of the documents of a commit; the requests of a larger one are not kept. It is copied by the thread that
  /// commits, while all others wait.
  static let bytesMax = 4 << 20

  /// Nil for a commit that is too large.
  init?(_ commit: JudgedCommit) {
    var size = 0
    var views: [ResourcePath: FieldsView?] = [:]
    for write in commit.writes {
      let fields = commit.document(write.path, .after)?.fields
      size += Self.ownBytes + write.path.text.utf8.count + (fields?.bytes.count ?? 0)
      if size > Self.bytesMax { return nil }
      views.updateValue(fields, forKey: write.path)
    }
    byteCount = size
    documents = views.mapValues { fields in fields.map { Array($0.bytes) } }
  }

  private static let ownBytes = 64
}

public struct KeptRequest: Sendable {
  public let method: RuleMethod
  /// The document; for a list its collection.
  public let path: ResourcePath
  public let auth: AuthFacts?
  public let query: QueryShape?
  /// `request.time`
  public let time: Timestamp
  /// The state that it was judged on.
  let state: JudgedState
  /// Of a write: the document before and after it, in stored form.
  let resource: [UInt8]?
  let newResource: [UInt8]?
  let writtenPaths: WrittenPaths?
  /// Of a write.
  let commit: KeptCommit?

  /// Nil for a write of a commit that is too large to be kept.
  init?(_ request: RuleRequest, _ documents: RuleDocuments, state: JudgedState) {
    if documents.isOfCommit {
      guard let commit = documents.keptCommit else { return nil }
      self.commit = commit
    } else {
      commit = nil
    }
    method = request.method
    path = request.path
    auth = request.auth
    query = request.query
    time = request.time
    self.state = state
    resource = commit == nil ? nil : request.resource.map { Array($0.bytes) }
    newResource = request.newResource.map { Array($0.bytes) }
    writtenPaths = request.writtenPaths
  }

  /// Without its commit, which its requests share.
  var byteCount: Int { path.text.utf8.count + (resource?.count ?? 0) + (newResource?.count ?? 0) }

  /// Whether this is part of a commit.
  public var isOfCommit: Bool { commit != nil }
}

/// The documents around a kept request, as rules read them.
///
/// State and its owner: whoever judges. The buffers are written in `init` only and live as long as the object.
final class KeptDocuments: DocumentAccess {
  private let view: StoreView
  private let kept: KeptRequest
  private var buffers: [UnsafeRawBufferPointer] = []
  private var written: [ResourcePath: FieldsView?] = [:]
  private(set) var failure: StoreError?
  /// The request, legal while this object lives.
  private(set) var request: RuleRequest

  init(_ kept: KeptRequest, in database: DatabaseID, on view: StoreView) throws(StoreError) {
    self.view = view
    self.kept = kept
    request = RuleRequest(
      method: kept.method, database: database.database, path: kept.path, auth: kept.auth, time: kept.time,
      writtenPaths: kept.writtenPaths, query: kept.query)
    super.init()
    for (path, bytes) in kept.commit?.documents ?? [:] {
      written.updateValue(bytes.map { fields($0) }, forKey: path)
    }
    if kept.isOfCommit {
      request.resource = kept.resource.map { fields($0) }
      request.newResource = kept.newResource.map { fields($0) }
    } else if kept.method != .list {
      request.resource = try view.document(kept.path)?.fields
    }
  }

  private func fields(_ bytes: [UInt8]) -> FieldsView {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    copy.copyBytes(from: bytes)
    let buffer = UnsafeRawBufferPointer(rebasing: copy[0..<bytes.count])
    buffers.append(buffer)
    return FieldsView(document: buffer)
  }

  deinit {
    for buffer in buffers { buffer.deallocate() }
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    let path = ResourcePath(unchecked: String(decoding: path, as: UTF8.self))
    if afterCommit, let document = written[path] { return document }
    return view.fields(path, keeping: &failure)
  }

  override func isWritten(_ path: UnsafeRawBufferPointer) -> Bool {
    written[ResourcePath(unchecked: String(decoding: path, as: UTF8.self))] != nil
  }
}
