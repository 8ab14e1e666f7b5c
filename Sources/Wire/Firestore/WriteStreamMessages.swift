/// `WriteRequest` and `WriteResponse`.
///
/// Source: proto google/firestore/v1/firestore.proto; docs/spec/streams.md section 2.

internal import DocModel
internal import DocStore

/// One request of a Write stream. Views live as long as the request's bytes.
struct WriteStreamRequest {
  var database = ""
  var streamID = ""
  var writes: [WireWrite] = []
  var hasToken = false

  init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): database = try fields.text()
      case MessageFields.tag(2): streamID = try fields.text()
      case MessageFields.tag(3): writes.append(try WireWrite(try fields.message()))
      case MessageFields.tag(4): hasToken = !(try fields.message()).isEmpty
      default: try fields.skip(tag)
      }
    }
  }

  /// The database, if the request is a proper first one.
  func handshake() throws(GRPCStatus) -> DatabaseID {
    if !writes.isEmpty {
      throw GRPCStatus(.invalidArgument, "'writes' must not be set on an initial write request.")
    }
    if database.isEmpty {
      throw GRPCStatus(.invalidArgument, "'database' must be set on an initial write request.")
    }
    if !streamID.isEmpty {
      throw GRPCStatus(.invalidArgument, "Resuming streams is not supported, do not set stream ID.")
    }
    if hasToken {
      throw GRPCStatus(
        .invalidArgument,
        "Resuming streams is not supported, 'stream_token' must not be set on an initial write request.")
    }
    do throws(InvalidArgument) { return try ResourceNameParser.database(database) } catch {
      throw GRPCStatus(error)
    }
  }

  func checkDatabase(_ expected: DatabaseID) throws(GRPCStatus) {
    if database.isEmpty || database.hasSameBytes(as: expected.resourceName) { return }
    throw GRPCStatus(
      .invalidArgument,
      "Request specified a database (\(database)) that did not match the expected database "
        + "(\(expected.resourceName))")
  }
}

extension WriteStreamRequest {
  /// The writes as the store takes them.
  func checked(in database: DatabaseID) throws(GRPCStatus) -> [Write] {
    do throws(InvalidArgument) { return try WriteList.read(writes, in: database) } catch {
      throw GRPCStatus(error)
    }
  }
}

extension Answers {
  /// `WriteResponse`: the first has an id and a token, the last a token alone. A token is the number of
  /// batches answered so far; clients require one and send it back, nobody looks at it.
  static func writeStream(id: Int? = nil, token: Int, _ result: CommitResult? = nil) -> [UInt8] {
    var writer = WireWriter(reserving: (result?.results.count ?? 0) * 20 + 48)
    if let id { writer.field(1, text: String(id)) }
    writer.field(2, text: String(token))
    guard let result else { return writer.bytes }
    for write in result.results { append(write, to: &writer, number: 3) }
    writer.timestamp(4, Timestamp(microseconds: result.commitTime))
    return writer.bytes
  }
}
