/// All documents of one moment, in their stored form, kept after the moment is gone.

internal import Access
internal import DocModel
internal import Rules

/// One document's fields.
///
/// INVARIANT: the bytes are written in `init` only and live as long as the object.
final class FrozenDocument: @unchecked Sendable {  // Immutable after init.
  private let bytes: UnsafeRawBufferPointer

  init(_ fields: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, fields.count), alignment: 8)
    copy.copyBytes(from: fields)
    bytes = UnsafeRawBufferPointer(rebasing: copy[0..<fields.count])
  }

  /// Valid as long as the object.
  var fields: FieldsView { FieldsView(document: bytes) }

  deinit { bytes.deallocate() }
}

struct Snapshot: Sendable {
  private(set) var documents: [ResourcePath: FrozenDocument] = [:]

  mutating func set(_ path: ResourcePath, _ fields: [UInt8]?) {
    documents[path] = fields.map(FrozenDocument.init)
  }
}

/// One judgement that can be made again.
struct RecordedJudgement: Sendable {
  let request: JudgedRequest
  let decision: Decision
  private let resource: FrozenDocument?
  private let newResource: FrozenDocument?
  fileprivate let written: [ResourcePath: FrozenDocument?]

  init(_ request: JudgedRequest, _ decision: Decision) {
    self.request = request
    self.decision = decision
    resource = request.resource.map(FrozenDocument.init)
    newResource = request.newResource.map(FrozenDocument.init)
    var written: [ResourcePath: FrozenDocument?] = [:]
    for document in request.written {
      written.updateValue(document.fields.map(FrozenDocument.init), forKey: document.path)
    }
    self.written = written
  }

  /// Its views are valid as long as `self`.
  var ruleRequest: RuleRequest {
    RuleRequest(
      method: request.method, database: request.database, path: request.path, auth: request.auth,
      time: request.time, resource: resource?.fields, newResource: newResource?.fields,
      writtenPaths: request.writtenPaths, query: request.query)
  }
}

/// The documents of a moment as rules read them.
final class FrozenDocuments: DocumentAccess {
  private var snapshot = Snapshot()
  private var written: [ResourcePath: FrozenDocument?] = [:]

  /// Begins a request on what was there before it.
  func begin(_ snapshot: Snapshot) {
    beginRequest()
    self.snapshot = snapshot
    written = [:]
  }

  /// Goes on with one operation of the request.
  func proceed(to judgement: RecordedJudgement) { written = judgement.written }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    let path = ResourcePath(unchecked: String(decoding: path, as: UTF8.self))
    if afterCommit, let document = written[path] { return document?.fields }
    return snapshot.documents[path]?.fields
  }

  override func isWritten(_ path: UnsafeRawBufferPointer) -> Bool {
    written[ResourcePath(unchecked: String(decoding: path, as: UTF8.self))] != nil
  }
}
