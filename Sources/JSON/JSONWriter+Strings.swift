/// Strings in quotes, with their escapes.

extension JSONWriter {
  /// A text in quotes, for JSON that is laid out for people.
  package static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return writer.text
  }

  package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
  }

  package mutating func string(_ text: [UInt8]) { text.withUnsafeBytes { string($0) } }

  /// A string of UTF-8 bytes, in quotes.
  package mutating func string(_ text: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, isPlain(text[end]) { end += 1 }
      if end > start { append(UnsafeRawBufferPointer(rebasing: text[start..<end])) }
      guard end < text.count else { break }
      start = text[end] < 0x80 ? end + 1 : escapeCharacter(text, at: end)
      if text[end] < 0x80 { stringByte(text[end]) }
    }
    append(UInt8(ascii: "\""))
  }

  /// Whether a byte of a text stands for itself.
  private func isPlain(_ byte: UInt8) -> Bool {
    // Most are letters.
    if byte > UInt8(ascii: "<"), byte < 0x7F { return byte != UInt8(ascii: "\\") }
    return switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7F: false
    case UInt8(ascii: "<"): escapes != .markup
    case 0x80...: escapes != .ascii
    default: true
    }
  }

  private mutating func stringByte(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    case 0x80...: append(byte)
    case _ where isPlain(byte): append(byte)
    default: escape(unit: UInt16(byte))
    }
  }

  /// Writes the character that begins at a place by its UTF-16 units; answers where the next one begins. The text is
  /// UTF-8; of a text that is not, each byte that begins nothing becomes U+FFFD.
  private mutating func escapeCharacter(_ text: UnsafeRawBufferPointer, at start: Int) -> Int {
    let lead = text[start]
    let length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1
    guard length > 1, start + length <= text.count else {
      escape(unit: 0xFFFD)
      return start + 1
    }
    var code = UInt32(lead) & (0x7F >> UInt32(length))
    for byte in text[(start + 1)..<(start + length)] { code = code << 6 | UInt32(byte & 0x3F) }
    if code < 0x10000 {
      escape(unit: UInt16(truncatingIfNeeded: code))
    } else {
      escape(unit: UInt16(truncatingIfNeeded: 0xD7C0 + (code >> 10)))
      escape(unit: UInt16(truncatingIfNeeded: 0xDC00 | code & 0x3FF))
    }
    return start + length
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private mutating func escape(unit: UInt16) {
    raw("\\u")
    for shift: UInt16 in [12, 8, 4, 0] { append(Self.digits[Int(unit >> shift & 15)]) }
  }

  /// Three-byte halves of surrogate pairs, which string literals of rules may hold, are written as the
  /// escapes they were made of: they are no UTF-8.
  package mutating func stringWithSurrogates(_ text: [UInt8]) {
    guard text.contains(0xED) else { return string(text) }
    append(UInt8(ascii: "\""))
    var index = 0
    while index < text.count {
      let rest = text[index...].prefix(3)
      if rest.count == 3, rest[index] == 0xED, rest[index + 1] >= 0xA0 {
        escape(unit: 0xD000 | UInt16(rest[index + 1] & 0x3F) << 6 | UInt16(rest[index + 2] & 0x3F))
        index += 3
      } else {
        stringByte(text[index])
        index += 1
      }
    }
    append(UInt8(ascii: "\""))
  }
}
