/// The requests that read documents by name.
///
/// Source: proto google/firestore/v1/firestore.proto; field numbers in docs/spec/protocol.md 1.3.

package import DocModel

/// `GetDocumentRequest`
package struct GetDocumentRequest: Equatable {
  package var name = ""
  /// Nil for no mask, which shows everything; a mask without paths shows nothing.
  package var mask: [String]?
  package var consistency = ConsistencyChoice.latest

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): name = try fields.text()
      case MessageFields.tag(2): mask = try MessageFields.mask(try fields.message())
      case MessageFields.tag(3): consistency = .transaction(try fields.bytes())
      case MessageFields.tag(5): consistency = .readTime(try MessageFields.readTime(try fields.message()))
      default: try fields.skip(tag)
      }
    }
  }
}

/// `BatchGetDocumentsRequest`
package struct BatchGetRequest: Equatable {
  package var database = ""
  package var documents: [String] = []
  package var mask: [String]?
  package var consistency = ConsistencyChoice.latest

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): database = try fields.text()
      case MessageFields.tag(2): documents.append(try fields.text())
      case MessageFields.tag(3): mask = try MessageFields.mask(try fields.message())
      case MessageFields.tag(4): consistency = .transaction(try fields.bytes())
      case MessageFields.tag(5):
        consistency = .newTransaction(try MessageFields.transactionOptions(try fields.message()))
      case MessageFields.tag(7): consistency = .readTime(try MessageFields.readTime(try fields.message()))
      default: try fields.skip(tag)
      }
    }
  }
}

/// `RunQueryRequest` and `RunAggregationQueryRequest`, which differ in numbers of their fields. The query itself stays
/// encoded; `QueryReader` and `AggregationReader` read it.
package struct RunQueryRequest {
  package var parent = ""
  package var query: UnsafeRawBufferPointer?
  package var consistency = ConsistencyChoice.latest
  package var explain = ExplainChoice.none

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    try self.init(message, consistency: 5, explain: 10)
  }

  package init(aggregation message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    try self.init(message, consistency: 4, explain: 8)
  }

  /// - Parameter first: the number of the first of the three fields that say at which state to read.
  private init(
    _ message: UnsafeRawBufferPointer, consistency first: UInt32, explain number: UInt32
  ) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): parent = try fields.text()
      case MessageFields.tag(2): query = try fields.message()
      case MessageFields.tag(first): consistency = .transaction(try fields.bytes())
      case MessageFields.tag(first + 1):
        consistency = .newTransaction(try MessageFields.transactionOptions(try fields.message()))
      case MessageFields.tag(first + 2):
        consistency = .readTime(try MessageFields.readTime(try fields.message()))
      case MessageFields.tag(number): explain = try ExplainChoice(try fields.message())
      default: try fields.skip(tag)
      }
    }
  }
}

/// `ListDocumentsRequest`
package struct ListDocumentsRequest: Equatable {
  package var parent = ""
  package var collectionID = ""
  package var pageSize: Int32 = 0
  package var pageToken = ""
  package var orderBy = ""
  package var mask: [String]?
  package var consistency = ConsistencyChoice.latest
  package var showMissing = false

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): parent = try fields.text()
      case MessageFields.tag(2): collectionID = try fields.text()
      case 3 << 3: pageSize = try fields.int32()
      case MessageFields.tag(4): pageToken = try fields.text()
      case MessageFields.tag(6): orderBy = try fields.text()
      case MessageFields.tag(7): mask = try MessageFields.mask(try fields.message())
      case MessageFields.tag(8): consistency = .transaction(try fields.bytes())
      case MessageFields.tag(10): consistency = .readTime(try MessageFields.readTime(try fields.message()))
      case 12 << 3: showMissing = try fields.varint() != 0
      default: try fields.skip(tag)
      }
    }
  }
}

/// `ListCollectionIdsRequest`
package struct ListCollectionIDsRequest: Equatable {
  package var parent = ""
  package var pageSize: Int32 = 0
  package var pageToken = ""
  package var consistency = ConsistencyChoice.latest

  package init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): parent = try fields.text()
      case 2 << 3: pageSize = try fields.int32()
      case MessageFields.tag(3): pageToken = try fields.text()
      case MessageFields.tag(4): consistency = .readTime(try MessageFields.readTime(try fields.message()))
      default: try fields.skip(tag)
      }
    }
  }
}
