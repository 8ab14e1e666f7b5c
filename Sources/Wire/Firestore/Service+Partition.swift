/// PartitionQuery.

internal import Access
internal import DocModel
internal import DocStore

extension FirestoreService {
  /// For servers only. Source: docs/spec/protocol.md 1.15; docs/spec/production-differences.md Q8, C10.
  @Sendable
  func partitionQuery(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { [self] (bytes, authorize) throws(GRPCStatus) in
      let request = try PartitionQueryRequest(bytes)
      let parent = try Self.parent(request.parent)
      let credentials = try authorize(parent.database)
      guard let sent = request.query else { throw GRPCStatus(PartitionErrors.queryUnset) }
      let query = try QueryReader.read(sent, database: parent.database, parent: parent.path)
      let partition = try Self.checked { () throws(InvalidArgument) in
        try QueryPartition(
          query, count: request.count, pageSize: request.pageSize, pageToken: request.pageToken
        ).validate()
      }
      try requireAdmin(credentials, orSay: Self.metadataText)
      return SentRead(content: partition, consistency: request.consistency, credentials: credentials)
    } then: { [self] (call, sent) throws(GRPCStatus) in
      let database = sent.content.database
      let time = try readTime(sent.consistency, in: database, as: sent.credentials).time
      answerLater(call) { [store] () throws(GRPCStatus) in
        let page = try Self.stored { () throws(StoreError) in try store.partition(sent.content, at: time) }
        return Answers.partitions(page, root: database.documentsRoot)
      }
    }
  }
}

/// `PartitionQueryRequest`. The query itself stays encoded.
struct PartitionQueryRequest {
  private(set) var parent = ""
  private(set) var query: UnsafeRawBufferPointer?
  private(set) var count = 0
  private(set) var pageToken = ""
  private(set) var pageSize = 0
  private(set) var consistency = ConsistencyChoice.latest

  init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): parent = try fields.text()
      case MessageFields.tag(2): query = try fields.message()
      case 3 << 3: count = Int(Int64(bitPattern: try fields.varint()))
      case MessageFields.tag(4): pageToken = try fields.text()
      case 5 << 3: pageSize = Int(Int32(truncatingIfNeeded: try fields.varint()))
      case MessageFields.tag(6): consistency = .readTime(try MessageFields.readTime(try fields.message()))
      default: try fields.skip(tag)
      }
    }
  }
}

extension Answers {
  /// `PartitionQueryResponse`: a cursor is one reference.
  static func partitions(_ page: PartitionPage, root: String) -> [UInt8] {
    var writer = WireWriter(reserving: page.cursors.count * 64)
    for path in page.cursors {
      writer.message(1) { cursor in
        cursor.message(1) { $0.field(5, text: root + "/" + path.text) }
      }
    }
    if !page.nextPageToken.isEmpty { writer.field(2, text: page.nextPageToken) }
    return writer.bytes
  }
}
