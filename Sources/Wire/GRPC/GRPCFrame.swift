/// Messages in a gRPC body: one flag byte, four bytes of length, the message.

internal import DocModel

/// Where one message lies in a body.
struct GRPCFrame {
  let isCompressed: Bool
  /// The message's first byte and the one after its last.
  let start: Int
  let end: Int

  /// Reads the prefix at `offset`; nil when it is not complete yet. The message itself may be missing.
  init?(_ body: [UInt8], at offset: Int, limit: Int) throws(GRPCStatus) {
    guard body.count - offset >= OutboundQueue.prefixBytes else { return nil }
    guard body[offset] <= 1 else {
      throw GRPCStatus(.internal, "gRPC frame header malformed: reserved bits not zero")
    }
    var length = 0
    for byte in body[offset + 1..<offset + OutboundQueue.prefixBytes] {
      length = length << 8 | Int(byte)
    }
    guard length <= limit else { throw Self.tooLarge(length, limit: limit) }
    isCompressed = body[offset] == 1
    start = offset + OutboundQueue.prefixBytes
    end = start + length
  }

  /// Source: docs/spec/protocol.md 1.1.
  static func tooLarge(_ length: Int, limit: Int) -> GRPCStatus {
    GRPCStatus(.resourceExhausted, "gRPC message exceeds maximum size \(limit): \(length)")
  }

  /// The message: in the body itself, or inflated.
  func message(
    in body: [UInt8], encoding: [UInt8], limit: Int
  ) throws(GRPCStatus) -> RequestMessage {
    guard isCompressed else {
      // Of many messages in one body each is copied alone, never with those before it.
      return end == body.count && start == OutboundQueue.prefixBytes
        ? RequestMessage(buffer: body, start: start) : RequestMessage(buffer: Array(body[start..<end]))
    }
    guard encoding.holds("gzip") else {
      throw GRPCStatus(
        .internal, "Can't decode compressed gRPC message as compression not configured")
    }
    do throws(InflateError) {
      return RequestMessage(buffer: try Gzip.inflate(body[start..<end], limit: limit))
    } catch {
      switch error {
      case .tooLarge:
        throw GRPCStatus(
          .resourceExhausted, "Decompressed gRPC message exceeds maximum size \(limit)")
      case .corrupt: throw GRPCStatus(.internal, "compressed gRPC message is corrupt")
      }
    }
  }
}
