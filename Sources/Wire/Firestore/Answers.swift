/// Answers, written as bytes.
///
/// A document's fields go out as they are stored: a header, a copy, two times.
///
/// Source: proto google/firestore/v1/firestore.proto; field numbers in docs/spec/protocol.md 1.3.

internal import DocModel
internal import DocStore

/// One `Document` message before it is written. Views are those of the read that found it.
struct DocumentAnswer {
  let root: String
  let path: UnsafeRawBufferPointer
  let fields: UnsafeRawBufferPointer
  private let createTime: Timestamp
  private let updateTime: Timestamp

  /// - Parameter root: `projects/P/databases/D/documents`
  init(root: String, path: UnsafeRawBufferPointer, _ document: StoredDocument, fields: UnsafeRawBufferPointer)
  {
    self.root = root
    self.path = path
    self.fields = fields
    createTime = Timestamp(microseconds: document.createTime)
    updateTime = Timestamp(microseconds: document.updateTime)
  }

  private var nameBytes: Int { root.utf8.count + 1 + path.count }

  var byteCount: Int {
    1 + WireWriter.varintLength(UInt64(nameBytes)) + nameBytes + fields.count
      + WireWriter.timestampLength(createTime) + WireWriter.timestampLength(updateTime)
  }

  func append(to writer: inout WireWriter) {
    writer.tag(1, wireType: 2)
    writer.varint(UInt64(nameBytes))
    writer.bytes.append(contentsOf: root.utf8)
    writer.bytes.append(UInt8(ascii: "/"))
    writer.bytes.append(contentsOf: path)
    writer.bytes.append(contentsOf: fields)
    writer.timestamp(3, createTime)
    writer.timestamp(4, updateTime)
  }

  /// As a field of an answer, with its exact length first.
  func append(to writer: inout WireWriter, number: Int) {
    writer.tag(number, wireType: 2)
    writer.varint(UInt64(byteCount))
    append(to: &writer)
  }

  /// As a whole answer.
  var message: [UInt8] {
    var writer = WireWriter(reserving: byteCount)
    append(to: &writer)
    return writer.bytes
  }
}

enum Answers {
  /// `BatchGetDocumentsResponse` with a document.
  static func found(_ document: DocumentAnswer, readTime: Int64) -> [UInt8] {
    var writer = WireWriter(reserving: document.byteCount + 32)
    document.append(to: &writer, number: 1)
    writer.timestamp(4, Timestamp(microseconds: readTime))
    return writer.bytes
  }

  /// `BatchGetDocumentsResponse` for a document that is not there.
  static func missing(_ name: String, readTime: Int64) -> [UInt8] {
    var writer = WireWriter(reserving: name.utf8.count + 32)
    writer.field(2, text: name)
    writer.timestamp(4, Timestamp(microseconds: readTime))
    return writer.bytes
  }

  /// The first `BatchGetDocumentsResponse` when a transaction begins with the read.
  static func batchGetTransaction(_ token: [UInt8]) -> [UInt8] { bytesField(3, token) }

  /// The first `RunQueryResponse` when a transaction begins with the query.
  static func queryTransaction(_ token: [UInt8]) -> [UInt8] { bytesField(2, token) }

  /// `BeginTransactionResponse`
  static func transaction(_ token: [UInt8]) -> [UInt8] { bytesField(1, token) }

  private static func bytesField(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    var writer = WireWriter(reserving: bytes.count + 4)
    writer.field(number, bytes: bytes)
    return writer.bytes
  }

  /// `RunQueryResponse`: a document or none. `skipped` is sent when positive, `isLast` as `done`.
  static func queryResult(
    _ document: DocumentAnswer?, readTime: Int64, skipped: Int = 0, isLast: Bool = false
  ) -> [UInt8] {
    var writer = WireWriter(reserving: (document?.byteCount ?? 0) + 40)
    document?.append(to: &writer, number: 1)
    writer.timestamp(3, Timestamp(microseconds: readTime))
    if skipped > 0 { writer.field(4, varint: UInt64(skipped)) }
    if isLast { writer.field(6, varint: 1) }
    return writer.bytes
  }

  /// `CommitResponse`
  static func commit(_ result: CommitResult) -> [UInt8] {
    var writer = WireWriter(reserving: result.results.count * 20 + 24)
    for write in result.results { append(write, to: &writer) }
    writer.timestamp(2, Timestamp(microseconds: result.commitTime))
    return writer.bytes
  }

  /// `WriteResult` as a field of its answer.
  static func append(_ result: WriteResult, to writer: inout WireWriter, number: Int = 1) {
    writer.message(number) { message in
      if let time = result.updateTime { message.timestamp(1, Timestamp(microseconds: time)) }
      for value in result.transformResults { message.field(2, bytes: value) }
    }
  }

  /// `BatchWriteResponse`: a result and a status a write.
  static func batchWrite(_ outcomes: [Result<WriteResult, GRPCStatus>]) -> [UInt8] {
    var writer = WireWriter(reserving: outcomes.count * 24)
    for outcome in outcomes {
      switch outcome {
      case .success(let result): append(result, to: &writer)
      case .failure: writer.message(1) { _ in }
      }
    }
    for outcome in outcomes {
      writer.message(2) { status in
        guard case .failure(let failure) = outcome else { return }
        status.field(1, varint: UInt64(failure.code.rawValue))
        if !failure.message.isEmpty { status.field(2, text: failure.message) }
      }
    }
    return writer.bytes
  }

  /// `ListCollectionIdsResponse`
  static func collectionIDs(_ ids: [String], nextPageToken: String) -> [UInt8] {
    var writer = WireWriter(reserving: ids.count * 16)
    for id in ids { writer.field(1, text: id) }
    if !nextPageToken.isEmpty { writer.field(2, text: nextPageToken) }
    return writer.bytes
  }
}

/// `ListDocumentsResponse` as it grows.
struct ListAnswer {
  private var writer = WireWriter()
  let root: String

  init(root: String) { self.root = root }

  mutating func append(_ document: DocumentAnswer) { document.append(to: &writer, number: 1) }

  /// A document that does not exist has a name and nothing else.
  mutating func append(missing path: UnsafeRawBufferPointer) {
    let nameBytes = root.utf8.count + 1 + path.count
    writer.tag(1, wireType: 2)
    writer.varint(UInt64(1 + WireWriter.varintLength(UInt64(nameBytes)) + nameBytes))
    writer.tag(1, wireType: 2)
    writer.varint(UInt64(nameBytes))
    writer.bytes.append(contentsOf: root.utf8)
    writer.bytes.append(UInt8(ascii: "/"))
    writer.bytes.append(contentsOf: path)
  }

  func message(nextPageToken: String?) -> [UInt8] {
    var writer = writer
    if let nextPageToken { writer.field(2, text: nextPageToken) }
    return writer.bytes
  }
}
