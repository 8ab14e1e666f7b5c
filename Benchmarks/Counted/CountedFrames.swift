/// HTTP/2 frames by hand: what a client sends, made beforehand, so that a count of instructions is the server's and not that
/// of a client.

enum CountedFrames {
  /// Preface, settings with the largest window a stream can have, an acknowledgement of the server's, and a window for
  /// the connection as large.
  static let opening: [UInt8] = {
    let window: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF]
    return Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
      + frame(type: 4, flags: 0, stream: 0, [0, 4] + window)
      + frame(type: 4, flags: 1, stream: 0, [])
      + frame(type: 8, flags: 0, stream: 0, [0x7F, 0xFF, 0, 0])
  }()

  static func frame(type: UInt8, flags: UInt8, stream: Int, _ payload: [UInt8]) -> [UInt8] {
    bigEndian(payload.count, bytes: 3) + [type, flags] + bigEndian(stream, bytes: 4) + payload
  }

  /// What the data frames of an answer hold.
  static func data(in frames: [UInt8]) -> [UInt8] {
    var data: [UInt8] = []
    var rest = frames[...]
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      if head[3] == 0 { data += rest.dropFirst(9).prefix(length) }
      rest = rest.dropFirst(9 + length)
    }
    return data
  }

  static func bigEndian(_ number: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * (bytes - 1 - $0))) }
  }
}

/// A call from its first header to the end of its first message, made once and sent on one stream after the other.
struct CountedCall {
  private var bytes: [UInt8]
  /// Where the two frames say their stream.
  private let places: [Int]

  /// - Parameters:
  ///   - authorization: the header as `HeaderCoder.authorization` codes it.
  ///   - ends: whether the client has said everything with that.
  init(_ method: String, authorization: [UInt8], message: [UInt8], ends: Bool = true) {
    // No table keeps one: each call of a connection has the same bytes.
    let fields = HeaderCoder.fields(method, authority: "localhost")
    let headers = HeaderCoder().block(fields, isKept: false) + authorization
    let body = [0] + CountedFrames.bigEndian(message.count, bytes: 4) + message
    bytes =
      CountedFrames.frame(type: 1, flags: 4, stream: 0, headers)
      + CountedFrames.frame(type: 0, flags: ends ? 1 : 0, stream: 0, body)
    places = [5, 9 + headers.count + 5]
  }

  init(_ call: LoadCall) {
    self.init("\(call.method)", authorization: call.authorization, message: call.message)
  }

  /// Puts other bytes in the place of the message's last ones.
  mutating func replaceEnd(_ bytes: [UInt8]) {
    self.bytes.replaceSubrange((self.bytes.count - bytes.count)..., with: bytes)
  }

  /// Its bytes on a stream.
  mutating func withBytes<Result>(stream: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    for place in places {
      for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: stream >> (8 * (3 - index))) }
    }
    return bytes.withUnsafeBytes(body)
  }
}
