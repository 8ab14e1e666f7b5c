/// Tokens of users in the bytes that a client sends, found before they are decoded.
///
/// nghttp2's clients, Node's among them, keep no token in the table of headers: each request has all of it, some six hundred
/// bytes of Huffman's code, and to decode them takes the library a tenth of the time of a guarded get. There is one such code
/// for a text, so a token is known by it. The library gets a stand-in, and who reads the headers of that stream finds the
/// token here. What cannot be read here is left for the library to judge.
///
/// Only literals that enter no table (RFC 7541 6.2.2, 6.2.3) are replaced: the library's table stays the client's.
///
/// INVARIANT: between two chunks there are no findings. A finding is of one stream, whoever else shares the connection.

internal import DocModel

struct CodedTokens {
  /// A token's place in a chunk.
  private struct Literal {
    let stream: Int32
    /// Of the frame.
    let start: Int
    let payloadBytes: Int
    /// Where the length of the header's value begins.
    let value: Int
    let code: Range<Int>
  }

  private let tokens: TokenCache
  /// What is still to come of the frame that a chunk has ended in. At first the client's preface, which is none.
  private var restBytes = 24
  /// How many bytes of a frame's head have come, where it is in two chunks, and the length that they say.
  private var head = (count: 0, length: 0)
  /// The last one: most connections are one user's.
  private var last: KnownToken?
  private var rewritten: [UInt8] = []
  private var found: [(stream: Int32, authorization: Authorization)] = []

  private static let headBytes = 9
  /// A longer frame is a mistake, and must stay one (RFC 9113 4.2).
  private static let payloadBytesMax = 1 << 14
  /// The place of `authorization` in the table that all have (RFC 7541 appendix A).
  private static let authorizationIndex = 23
  /// Fewer bytes are decoded faster than found. LIMIT: more are not looked at.
  private static let codeBytes = 64...(12 << 10)
  /// Nobody outside knows it, so no client's header is taken for one of these.
  private static let standIn: [UInt8] = (0..<20).map { _ in
    .random(in: UInt8(ascii: "a")...UInt8(ascii: "z"))
  }

  init(_ tokens: TokenCache) { self.tokens = tokens }

  /// Reads on. Whether the library is to read `chunk` in place of these bytes; then they are to be forgotten.
  mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var (offset, copied) = (0, 0)
    while let literal = next(in: bytes, &offset) {
      guard let authorization = authorization(literal, in: bytes) else { continue }
      found.append((literal.stream, authorization))
      rewritten.append(contentsOf: bytes[copied..<literal.start])
      let payloadBytes =
        literal.payloadBytes - (literal.code.upperBound - literal.value) + 1 + Self.standIn.count
      for shift in [16, 8, 0] { rewritten.append(UInt8(truncatingIfNeeded: payloadBytes >> shift)) }
      rewritten.append(contentsOf: bytes[(literal.start + 3)..<literal.value])
      rewritten.append(UInt8(Self.standIn.count))
      rewritten.append(contentsOf: Self.standIn)
      copied = literal.code.upperBound
    }
    guard copied > 0 else { return false }
    rewritten.append(contentsOf: bytes[copied...])
    return true
  }

  var chunk: [UInt8] { rewritten }

  /// Whether a header may stand for a token. Asked of every header first: who asks a connection's `CodedTokens` copies it.
  static func isStandIn(_ value: UnsafeRawBufferPointer) -> Bool { value.holds(standIn) }

  /// What the stand-in in a stream's header stands for.
  func authorization(on stream: Int32) -> Authorization? {
    found.first { $0.stream == stream }?.authorization
  }

  mutating func forget() {
    found.removeAll(keepingCapacity: true)
    rewritten.removeAll(keepingCapacity: true)
  }

  /// Gives back the memory of what was.
  mutating func shrink() {
    (rewritten, found, last) = ([], [], nil)
  }

  // MARK: meanings

  private mutating func authorization(
    _ literal: Literal, in bytes: UnsafeRawBufferPointer
  ) -> Authorization? {
    let code = UnsafeRawBufferPointer(rebasing: bytes[literal.code])
    if let last, code.holds(last.spelling.bytes) { return Authorization(last) }
    if let token = tokens.token(code) {
      last = token
      return Authorization(token)
    }
    return HuffmanText.text(code).map {
      Authorization($0, TokenSpelling(bytes: Array(code), isCoded: true))
    }
  }
}

// MARK: - Frames

extension CodedTokens {
  /// The next token from an offset on, which is moved to the end of its frame or of the bytes.
  private mutating func next(in bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Literal? {
    while offset < bytes.count {
      if restBytes > 0 {
        let count = min(restBytes, bytes.count - offset)
        restBytes -= count
        offset += count
        continue
      }
      if head.count > 0 || bytes.count - offset < Self.headBytes {
        readHead(bytes[offset])
        offset += 1
        continue
      }
      let start = offset
      restBytes = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
      offset += Self.headBytes
      if restBytes <= bytes.count - offset, let literal = Self.literal(bytes, start, restBytes) {
        return literal
      }
    }
    return nil
  }

  private mutating func readHead(_ byte: UInt8) {
    if head.count < 3 { head.length = head.length << 8 | Int(byte) }
    head.count += 1
    if head.count == Self.headBytes { (restBytes, head) = (head.length, (0, 0)) }
  }

  /// The token in a frame that is there to its end and has all headers of its stream (RFC 9113 6.2).
  private static func literal(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ payloadBytes: Int) -> Literal?
  {
    let flags = bytes[start + 4]
    let (endsHeaders, isPadded, hasPriority) = (flags & 0x4 != 0, flags & 0x8 != 0, flags & 0x20 != 0)
    guard bytes[start + 3] == 1, endsHeaders, !isPadded, payloadBytes <= payloadBytesMax else { return nil }
    let payload = start + headBytes
    var block = HeaderBlockCursor(bytes, at: payload + (hasPriority ? 5 : 0), end: payload + payloadBytes)
    while let field = block.next() {
      guard field.name == authorizationIndex, !field.isIndexed, field.isCoded,
        codeBytes.contains(field.value.count)
      else { continue }
      let stream = UnsafeRawBufferPointer(rebasing: bytes[(start + 5)...]).loadUnaligned(as: UInt32.self)
      return Literal(
        stream: Int32(UInt32(bigEndian: stream) & 0x7FFF_FFFF), start: start, payloadBytes: payloadBytes,
        value: field.length, code: field.value)
    }
    return nil
  }
}

/// The literals of a header block, one after the other, without their meaning (RFC 7541 6). It ends where the block does, or
/// is none.
private struct HeaderBlockCursor {
  struct Field {
    /// The name's place in the tables, or none.
    let name: Int
    let isIndexed: Bool
    /// Where the value's length begins.
    let length: Int
    let isCoded: Bool
    let value: Range<Int>
  }

  private let bytes: UnsafeRawBufferPointer
  private var offset: Int
  private let end: Int

  init(_ bytes: UnsafeRawBufferPointer, at offset: Int, end: Int) {
    (self.bytes, self.offset, self.end) = (bytes, offset, end)
  }

  mutating func next() -> Field? {
    while offset < end {
      let first = bytes[offset]
      if first & 0x80 != 0 {
        guard integer(bits: 7) != nil else { return nil }
      } else if first & 0xE0 == 0x20 {
        guard integer(bits: 5) != nil else { return nil }
      } else {
        return literal(isIndexed: first & 0x40 != 0)
      }
    }
    return nil
  }

  private mutating func literal(isIndexed: Bool) -> Field? {
    guard let name = integer(bits: isIndexed ? 6 : 4) else { return nil }
    if name == 0, text() == nil { return nil }
    let length = offset
    guard let value = text() else { return nil }
    return Field(
      name: name, isIndexed: isIndexed, length: length, isCoded: bytes[length] & 0x80 != 0,
      value: value)
  }

  private mutating func text() -> Range<Int>? {
    guard let count = integer(bits: 7), count <= end - offset else { return nil }
    offset += count
    return offset - count..<offset
  }

  /// RFC 7541 5.1; nil where it does not end, or is larger than any frame.
  private mutating func integer(bits: Int) -> Int? {
    guard offset < end else { return nil }
    let most = 1 << bits - 1
    var value = Int(bytes[offset]) & most
    offset += 1
    guard value == most else { return value }
    for shift in [0, 7, 14] {
      guard offset < end else { return nil }
      let byte = Int(bytes[offset])
      offset += 1
      value += (byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}
