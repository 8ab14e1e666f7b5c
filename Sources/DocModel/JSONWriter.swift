/// JSON, written by appending: for what leaves the project as JSON, whoever writes it.
///
/// Objects and arrays are closures, so what is opened is closed and commas are right by construction.
/// Slashes stay as they are: docs/spec/production-differences.md F5.

package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  /// Whether characters beyond ASCII are written as `\uXXXX`, two for those beyond the first plane.
  private let isASCII: Bool

  package init(isASCII: Bool = false) { self.isASCII = isASCII }

  /// Begins anew and keeps the memory.
  package mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  /// A text in quotes, for JSON that is laid out for people.
  package static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  package mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
  }

  /// A string of UTF-8 bytes, in quotes.
  package mutating func string(_ text: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, isPlain(text[end]) { end += 1 }
      if end > start { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<end])) }
      guard end < text.count else { break }
      start = text[end] < 0x80 ? end + 1 : escapeCharacter(text, at: end)
      if text[end] < 0x80 { stringByte(text[end]) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a byte of a text stands for itself.
  private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7F: false
    case 0x80...: !isASCII
    default: true
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
    for shift: UInt16 in [12, 8, 4, 0] { bytes.append(Self.digits[Int(unit >> shift & 15)]) }
  }

  private mutating func stringByte(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    case 0..<0x20, 0x7F: escape(byte)
    default: bytes.append(byte)
    }
  }

  private mutating func escape(_ byte: UInt8) { escape(unit: UInt16(byte)) }

  /// Three-byte halves of surrogate pairs, which string literals of rules may hold, are written as the
  /// escapes they were made of: they are no UTF-8.
  package mutating func stringWithSurrogates(_ text: [UInt8]) {
    guard text.contains(0xED) else {
      text.withUnsafeBytes { string($0) }
      return
    }
    bytes.append(UInt8(ascii: "\""))
    var index = 0
    while index < text.count {
      let rest = text[index...].prefix(3)
      if rest.count == 3, rest[index] == 0xED, rest[index + 1] >= 0xA0 {
        let unit = 0xD000 | UInt16(rest[index + 1] & 0x3F) << 6 | UInt16(rest[index + 2] & 0x3F)
        bytes.append(contentsOf: "\\u\(String(unit, radix: 16))".utf8)
        index += 3
      } else {
        stringByte(text[index])
        index += 1
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A number as JSON has it; NaN and the infinities, which it has not, are strings.
  package mutating func number(_ number: Double) {
    if number.isNaN {
      raw("\"NaN\"")
    } else if number.isInfinite {
      number < 0 ? raw("\"-Infinity\"") : raw("\"Infinity\"")
    } else {
      bytes.append(contentsOf: number.description.utf8)
    }
  }

  package mutating func boolean(_ flag: Bool) { flag ? raw("true") : raw("false") }

  package mutating func null() { raw("null") }

  package mutating func integer(_ number: some BinaryInteger) {
    bytes.append(contentsOf: String(number).utf8)
  }

  /// An object whose members `body` writes with `member`.
  package mutating func object(_ body: (inout ObjectWriter) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    var object = ObjectWriter(writer: self)
    bytes = []
    body(&object)
    // Swapped, not copied: an append to bytes with two owners would copy all that is written so far.
    swap(&bytes, &object.writer.bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// An array of `elements`, each written by `body`.
  package mutating func array<Element>(
    _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
  ) {
    bytes.append(UInt8(ascii: "["))
    var isFirst = true
    for element in elements {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      body(&self, element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  package struct ObjectWriter {
    fileprivate var writer: JSONWriter
    private var isEmpty = true

    fileprivate init(writer: JSONWriter) { self.writer = writer }

    package mutating func member(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
      name.withUTF8Buffer { member(UnsafeRawBufferPointer($0), body) }
    }

    package mutating func member(_ name: UnsafeRawBufferPointer, _ body: (inout JSONWriter) -> Void) {
      if !isEmpty { writer.raw(",") }
      isEmpty = false
      writer.string(name)
      writer.raw(":")
      body(&writer)
    }
  }
}
