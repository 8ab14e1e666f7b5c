/// How a call ends, as header blocks.

internal import DocModel

/// The header blocks of answers.
package enum GRPCHeaders {
  static let contentType = Array("application/grpc".utf8)

  /// The head of every answer that has messages.
  static let responseHead = HeaderBlock(
    [
      (":status", Array("200".utf8)), ("content-type", contentType),
      ("grpc-accept-encoding", Array("gzip".utf8)),
    ],
    isConstant: true)

  /// The trailers of every success.
  static let okTrailers = HeaderBlock([("grpc-status", [UInt8(ascii: "0")])], isConstant: true)

  static func trailers(_ status: GRPCStatus) -> HeaderBlock {
    if status == .ok { return okTrailers }
    return HeaderBlock(statusFields(status))
  }

  /// An error before any message: head and trailers in one block.
  static func trailersOnly(_ status: GRPCStatus) -> HeaderBlock {
    HeaderBlock(
      [
        (":status", Array("200".utf8)), ("content-type", contentType),
        ("grpc-accept-encoding", Array("gzip".utf8)),
      ]
        + statusFields(status))
  }

  /// An answer to something that is not gRPC.
  static func plain(httpStatus: Int, status: GRPCStatus? = nil) -> HeaderBlock {
    HeaderBlock([(":status", Array(String(httpStatus).utf8))] + (status.map(statusFields) ?? []))
  }

  private static func statusFields(_ status: GRPCStatus) -> [(name: String, value: [UInt8])] {
    var fields: [(name: String, value: [UInt8])] = [
      ("grpc-status", Array(String(status.code.rawValue).utf8))
    ]
    if !status.message.isEmpty { fields.append(("grpc-message", percentEncoded(status.message))) }
    if let details = status.details {
      fields.append(("grpc-status-details-bin", Base64.encode(details, padded: false)))
    }
    return fields
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  /// LIMIT: bytes of a message before encoding; a header must fit into the client's header list.
  static let messageBytesMax = 8_192

  /// Escapes `%` and bytes outside 0x20...0x7e, as production does.
  /// Source: docs/spec/production-differences.md F3.
  package static func percentEncoded(_ message: String) -> [UInt8] {
    var message = message
    return message.withUTF8 { bytes in
      let bytes = bytes.prefix(messageBytesMax)
      return Array(unsafeUninitializedCapacity: 3 * bytes.count) { encoded, count in
        // Counted apart: what is counted through the parameter is written to memory for each byte.
        var end = 0
        for byte in bytes {
          if byte == UInt8(ascii: "%") || byte &- 0x20 > 0x7E - 0x20 {
            encoded[end] = UInt8(ascii: "%")
            encoded[end + 1] = digit(byte >> 4)
            encoded[end + 2] = digit(byte & 15)
            end += 3
          } else {
            encoded[end] = byte
            end += 1
          }
        }
        count = end
      }
    }
  }
}
