/// What a commit did, for those who follow.

public import DocModel

/// An owned state of a document.
public final class DocumentImage: Sendable {
  private let record: [UInt8]
  public let createTime: Int64
  public let updateTime: Int64
  private let fieldBytes: Int

  init(_ record: DocumentRecord) {
    self.record = Array(record.bytes)
    createTime = record.createTime
    updateTime = record.updateTime
    fieldBytes = record.fields.byteCount
  }

  /// A copy of a state that was read.
  package init(_ document: StoredDocument) {
    record = Array(document.fields.bytes)
    createTime = document.createTime
    updateTime = document.updateTime
    fieldBytes = document.fields.byteCount
  }

  /// What the image holds in memory.
  package var byteCount: Int { record.count }

  /// Looks at the document in place.
  public func withDocument<R, E: Error>(_ body: (StoredDocument) throws(E) -> R) throws(E) -> R {
    // Array.withUnsafeBytes has no typed throws, so the error travels as a value.
    let result = record.withUnsafeBytes { bytes -> Result<R, E> in
      let fields = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - fieldBytes)...])
      let document = StoredDocument(
        createTime: createTime, updateTime: updateTime, fields: FieldsView(document: fields))
      return Result { () throws(E) in try body(document) }
    }
    return try result.get()
  }
}

extension DocumentImage {
  /// Looks at two states in place.
  static func withDocuments<R>(
    _ first: DocumentImage?, _ second: DocumentImage?, _ body: (StoredDocument?, StoredDocument?) -> R
  ) -> R {
    func both(_ document: StoredDocument?) -> R {
      guard let second else { return body(document, nil) }
      return second.withDocument { body(document, $0) }
    }
    guard let first else { return both(nil) }
    return first.withDocument { both($0) }
  }
}

/// One document's change by one commit: created (no `before`), deleted (no `after`), or updated.
public struct DocumentChange: Sendable {
  public let path: ResourcePath
  public let before: DocumentImage?
  public let after: DocumentImage?
  /// Where the commit came from; unknown for clearings.
  public var source = CommitSource.unknown
}

/// One event of a database, in commit order.
public enum FeedEvent: Sendable {
  /// A commit that changed something. `version` is its commit time; changes are in order of its writes,
  /// one a document.
  case commit(version: Int64, changes: [DocumentChange])
  /// Every document of the database was removed at once. `deletions` names them, once each, if the subscriber
  /// asked for that and they are not too many; nil otherwise.
  case cleared(version: Int64, deletions: [DocumentChange]?)
  /// Events were dropped because the subscriber did not take them in time; it must read again.
  case lagged
}
