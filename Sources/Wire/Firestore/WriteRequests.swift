/// The requests that write documents.
///
/// Source: proto google/firestore/v1/firestore.proto; field numbers in docs/spec/protocol.md 1.3.

package import DocModel

/// `CommitRequest` and `BatchWriteRequest`, which share their first two fields. The views live as long as the
/// request's bytes.
package struct CommitRequest {
  package var database = ""
  var writes: [WireWrite] = []
  /// Empty for a commit outside a transaction; a present but empty token is `[]` with `hasTransaction`.
  package var transaction: [UInt8]?

  /// - Parameter isBatch: the third field is a batch's labels, which nothing depends on.
  package init(_ message: UnsafeRawBufferPointer, isBatch: Bool = false) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): database = try fields.text()
      case MessageFields.tag(2): writes.append(try WireWrite(try fields.message()))
      case MessageFields.tag(3) where !isBatch:
        let token = try fields.bytes()
        transaction = token.isEmpty ? nil : token
      default: try fields.skip(tag)
      }
    }
  }
}

/// `CreateDocumentRequest`
package struct CreateDocumentRequest {
  package var parent = ""
  package var collectionID = ""
  package var documentID = ""
  var document = WireDocument.empty
  package var mask: [String]?

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): parent = try fields.text()
      case MessageFields.tag(2): collectionID = try fields.text()
      case MessageFields.tag(3): documentID = try fields.text()
      case MessageFields.tag(4): document = try WireDocument(try fields.message())
      case MessageFields.tag(5): mask = try MessageFields.mask(try fields.message())
      default: try fields.skip(tag)
      }
    }
  }
}

/// `UpdateDocumentRequest`: one write, and a mask for its answer.
package struct UpdateDocumentRequest {
  var write = WireWrite()
  package var mask: [String]?

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    write.operation = .update(.empty)
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): write.operation = .update(try WireDocument(try fields.message()))
      case MessageFields.tag(2): write.mask = try MessageFields.mask(try fields.message())
      case MessageFields.tag(3): mask = try MessageFields.mask(try fields.message())
      case MessageFields.tag(4): write.precondition = try MessageFields.precondition(try fields.message())
      default: try fields.skip(tag)
      }
    }
  }
}

/// `DeleteDocumentRequest`: one write.
package struct DeleteDocumentRequest {
  var write = WireWrite()

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    write.operation = .delete("")
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): write.operation = .delete(try fields.text())
      case MessageFields.tag(2): write.precondition = try MessageFields.precondition(try fields.message())
      default: try fields.skip(tag)
      }
    }
  }
}

/// A `Document` message of a request: its name, and all of it for `Canonicalizer`.
struct WireDocument {
  var name: String
  var message: UnsafeRawBufferPointer

  static var empty: WireDocument { WireDocument(name: "", message: WireCursor.empty) }

}

extension WireDocument {
  init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    self.init(name: try MessageFields.text(1, of: message), message: message)
  }
}
