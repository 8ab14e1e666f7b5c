/// The messages of Listen and Write streams in protobuf's JSON form, and back.
///
/// Source: docs/spec/streams.md 1.1 (field numbers), 3.2 (form).

internal import DocModel
internal import DocStore
internal import JSON

/// A stream that browsers open over WebChannel.
enum WebChannelStream: String, CaseIterable, Sendable {
  case listen = "Listen"
  case write = "Write"

  /// The message that a client's JSON means. What it does not know is passed over: clients are newer than servers, and a
  /// target of an unknown kind costs that target alone.
  func request(_ json: [UInt8], _ dialect: JSONDialect) throws(GRPCStatus) -> [UInt8] {
    let sink = ProtoJSONWriter(
      dialect, "google.firestore.v1." + rawValue + "Request", ignoresUnknownNames: true)
    return try JSONBodyReader.read(json, dialect, into: sink).writer.bytes
  }

  /// Writes one answer.
  func write(_ message: [UInt8], to writer: inout JSONWriter) {
    message.withUnsafeBytes { bytes in
      switch self {
      case .listen: writer.listenResponse(bytes)
      case .write: writer.message(bytes, Self.writeResponse)
      }
    }
  }

  private static let writeResponse = MessageShape(
    .init(1, "streamId", .text), .init(2, "streamToken", .bytes),
    .init(3, "writeResults", .message(RESTMethod.writeResult), isRepeated: true),
    .init(4, "commitTime", .timestamp))

  /// How a stream ends: an error with its status, or a word.
  static func end(_ status: GRPCStatus) -> [UInt8] {
    guard status.code != .ok else { return JSONWriter.bytes(of: "close") }
    let message = JSONValue.text(status.code.name + ": " + status.message)
    return JSONWriter.bytes(of: ["error": ["message": message, "status": .text(status.code.name)]], .ascii)
  }
}

extension JSONWriter {
  /// `ListenResponse`. Changes of documents, of which there may be very many, are written without a table.
  fileprivate mutating func listenResponse(_ message: UnsafeRawBufferPointer) {
    var cursor = WireCursor(message)
    guard cursor.tag() == MessageFields.tag(3) else { return self.message(message, ListenShapes.response) }
    let change = cursor.lengthDelimited()
    object { object in
      object.member("documentChange") { $0.documentChange(change) }
    }
  }

  private mutating func documentChange(_ change: UnsafeRawBufferPointer) {
    object { object in
      PlainFields.forEach(change) { number, content in
        switch number {
        case 1: object.member("document") { $0.document(content) }
        case 5: object.member("targetIds") { $0.packedNumbers(content) }
        case 6: object.member("removedTargetIds") { $0.packedNumbers(content) }
        default: break
        }
      }
    }
  }
}

/// All of `ListenResponse` but changes of documents.
private enum ListenShapes {
  static let response = MessageShape(
    .init(2, "targetChange", .message(targetChange)),
    .init(4, "documentDelete", .message(departure(6))),
    .init(6, "documentRemove", .message(departure(2))),
    .init(5, "filter", .message(filter)))

  private static let targetChange = MessageShape(
    .init(1, "targetChangeType", .enumeration(["NO_CHANGE", "ADD", "REMOVE", "CURRENT", "RESET"])),
    .init(2, "targetIds", .packedNumbers),
    .init(3, "cause", .message(MessageShape(.init(1, "code", .number), .init(2, "message", .text)))),
    .init(4, "resumeToken", .bytes), .init(6, "readTime", .timestamp))

  private static func departure(_ targets: UInt32) -> MessageShape {
    MessageShape(
      .init(1, "document", .text), .init(4, "readTime", .timestamp),
      .init(targets, "removedTargetIds", .packedNumbers))
  }

  private static let filter = MessageShape(
    .init(1, "targetId", .number), .init(2, "count", .number),
    .init(
      3, "unchangedNames",
      .message(
        MessageShape(
          .init(1, "bits", .message(MessageShape(.init(1, "bitmap", .bytes), .init(2, "padding", .number)))),
          .init(2, "hashCount", .number)))))
}
