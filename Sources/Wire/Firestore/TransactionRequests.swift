/// The requests that begin and end transactions.
///
/// Source: proto google/firestore/v1/firestore.proto; field numbers in docs/spec/protocol.md 1.3.

package import DocModel

/// `BeginTransactionRequest`
package struct BeginTransactionRequest: Equatable {
  package var database = ""
  /// What was not said is a transaction that may write. Source: docs/spec/protocol.md 1.10.
  package var choice = TransactionChoice.readWrite(retrying: [])

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): database = try fields.text()
      case MessageFields.tag(2):
        choice = try MessageFields.transactionOptions(try fields.message(), unlessSaid: choice)
      default: try fields.skip(tag)
      }
    }
  }
}

/// `RollbackRequest`
package struct RollbackRequest: Equatable {
  package var database = ""
  package var transaction: [UInt8] = []

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): database = try fields.text()
      case MessageFields.tag(2): transaction = try fields.bytes()
      default: try fields.skip(tag)
      }
    }
  }
}
