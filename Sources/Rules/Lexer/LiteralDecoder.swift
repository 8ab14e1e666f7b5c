/// The value of a string or bytes literal.
///
/// Source: docs/spec/rules-language.md 1.1, observed exhaustively. Escapes are `\\ \' \" \n \r \t \b \f`, `\xHH`,
/// three octal digits up to `\377`, and in strings `\uXXXX` (a UTF-16 unit). All else is an error.

internal import DocModel

struct LiteralDecoder {
  /// An escape that is not in the language, and where it is.
  struct BadEscape {
    let span: Span
    /// The escape as written, with its back-slash.
    let text: String
    /// `\u` in a bytes literal.
    let isUnicodeInBytes: Bool
  }

  private let bytes: [UInt8]
  private let end: Int
  private let isBytes: Bool
  private var index: Int
  private(set) var value: [UInt8] = []
  private(set) var badEscapes: [BadEscape] = []
  /// A high surrogate from `\u` that waits for its other half.
  private var pendingSurrogate: UInt32?

  /// Decodes the literal at a span, quotes and prefix included.
  init(_ source: SourceText, span: Span, isBytes: Bool) {
    bytes = source.bytes
    self.isBytes = isBytes
    index = Int(span.start) + (isBytes ? 2 : 1)
    let quote = bytes[index - 1]
    let last = Int(span.end)
    let isClosed = last > index && bytes[last - 1] == quote
    end = isClosed ? last - 1 : last
    decode()
  }

  private mutating func decode() {
    while index < end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\\") {
        escape()
      } else {
        settleSurrogate()
        value.append(byte)
        index += 1
      }
    }
    settleSurrogate()
  }

  private mutating func escape() {
    let start = index
    index += 1
    guard index < end else {
      reject(from: start)
      return
    }
    let letter = bytes[index]
    index += 1
    switch letter {
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): append(UInt32(letter))
    case UInt8(ascii: "n"): append(0x0A)
    case UInt8(ascii: "r"): append(0x0D)
    case UInt8(ascii: "t"): append(0x09)
    case UInt8(ascii: "b"): append(0x08)
    case UInt8(ascii: "f"): append(0x0C)
    case UInt8(ascii: "x"): number(digits: 2, base: 16, from: start)
    case UInt8(ascii: "u"):
      if isBytes {
        _ = digits(4, base: 16)
        reject(from: start)
      } else {
        number(digits: 4, base: 16, from: start)
      }
    case UInt8(ascii: "0")...UInt8(ascii: "3"):
      index -= 1
      number(digits: 3, base: 8, from: start)
    default:
      while index < end, bytes[index] & 0xC0 == 0x80 { index += 1 }
      reject(from: start)
    }
  }

  private mutating func number(digits count: Int, base: UInt32, from start: Int) {
    guard let code = digits(count, base: base) else {
      reject(from: start)
      return
    }
    append(code)
  }

  private mutating func digits(_ count: Int, base: UInt32) -> UInt32? {
    guard index + count <= end else { return nil }
    var code: UInt32 = 0
    for position in index..<index + count {
      guard let digit = bytes[position].hexValue, digit < base else { return nil }
      code = code * base + UInt32(digit)
    }
    index += count
    return code
  }

  private mutating func reject(from start: Int) {
    settleSurrogate()
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    let isUnicode = isBytes && bytes[start...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")])
    badEscapes.append(
      BadEscape(
        span: Span(start: Int32(start), end: Int32(index)), text: text, isUnicodeInBytes: isUnicode))
  }

  /// Appends a code point, or a UTF-16 unit that may be half of one.
  private mutating func append(_ code: UInt32) {
    if isBytes {
      value.append(UInt8(truncatingIfNeeded: code))
      return
    }
    if let high = pendingSurrogate, code >= 0xDC00, code <= 0xDFFF {
      pendingSurrogate = nil
      appendScalar(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00))
      return
    }
    settleSurrogate()
    if code >= 0xD800, code <= 0xDBFF {
      pendingSurrogate = code
    } else {
      appendScalar(code)
    }
  }

  /// A surrogate without its other half has no UTF-8 form. It keeps the three bytes it would have,
  /// as the official emulator keeps it as a unit of its own.
  private mutating func settleSurrogate() {
    guard let surrogate = pendingSurrogate else { return }
    pendingSurrogate = nil
    appendUnit(surrogate)
  }

  private mutating func appendUnit(_ code: UInt32) {
    value.append(UInt8(0xE0 | code >> 12))
    value.append(UInt8(0x80 | code >> 6 & 0x3F))
    value.append(UInt8(0x80 | code & 0x3F))
  }

  private mutating func appendScalar(_ code: UInt32) {
    if let scalar = Unicode.Scalar(code), let encoded = UTF8.encode(scalar) {
      value.append(contentsOf: encoded)
    } else {
      appendUnit(code)
    }
  }
}
