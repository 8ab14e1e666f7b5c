/// Numbers and texts.

extension JSONReader {
  /// LIMIT: characters of what is no number that a message shows.
  private static let shownMax = 40

  mutating func number() throws(JSONError) -> JSONValue.Kind {
    let start = index
    guard let first = next, Self.isOfNumbers(first), first | 0x20 != UInt8(ascii: "e") else {
      throw unexpected("a value is expected")
    }
    while let byte = next, Self.isOfNumbers(byte) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard let form = JSONNumberForm(of: bytes.span.extracting(start..<index)) else {
      let shown = text.utf8.count > Self.shownMax ? text.prefix(Self.shownMax) + "…" : text[...]
      throw JSONError("`\(shown)` is no number; write it as `12`, `-0.5` or `1e9`", at: start)
    }
    if form == .whole, let integer = Int64(text) { return .integer(integer) }
    guard let double = Double(text), double.isFinite else {
      throw JSONError("this number is too large", at: start)
    }
    return .double(double)
  }

  private static func isOfNumbers(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  mutating func string() throws(JSONError) -> [UInt8] {
    let start = index
    index += 1
    var text: [UInt8] = []
    var plain = index
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        // Most texts have no escapes.
        if text.isEmpty { text = Array(bytes[plain..<index]) } else { text += bytes[plain..<index] }
        index += 1
        return text
      case UInt8(ascii: "\\"):
        text += bytes[plain..<index]
        index += 1
        try escape(into: &text)
        plain = index
      case 0..<0x20: throw JSONError("this text does not end on its line; close it with `\"`", at: start)
      default: index += 1
      }
    }
    throw JSONError("this text has no end; close it with `\"`", at: start)
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    guard let byte = next else { throw error("the \(options.noun) ends in a text") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
    default:
      index -= 2
      throw error("JSON knows no such escape; write `\\\\` for a backslash")
    }
  }

  /// The code point of `\uXXXX`, two of which may make one. Half a pair is refused: it is no text.
  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if first < 0xDC00, bytes[index...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
      index += 2
      let second = try unit()
      if (0xDC00..<0xE000).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    throw error("half of a pair of escapes is no letter")
  }

  private mutating func unit() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for place in index..<index + 4 {
      guard place < bytes.count, let digit = Self.hexadecimal(bytes[place]) else {
        throw error("`\\u` takes four hexadecimal digits")
      }
      value = value << 4 | digit
    }
    index += 4
    return value
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}

/// How a number is written, in JSON's grammar.
package enum JSONNumberForm {
  case whole, fraction

  /// Nil for what is no number.
  package init?(of text: Span<UInt8>) {
    var index = 0
    if Self.is("-", text, index) { index += 1 }
    let start = index
    Self.skipDigits(text, &index)
    guard index == start + 1 || (index > start && text[start] != UInt8(ascii: "0")) else { return nil }
    self = .whole
    if Self.is(".", text, index) {
      self = .fraction
      index += 1
      let start = index
      Self.skipDigits(text, &index)
      if index == start { return nil }
    }
    if Self.is("e", text, index) || Self.is("E", text, index) {
      self = .fraction
      index += 1
      if Self.is("+", text, index) || Self.is("-", text, index) { index += 1 }
      let start = index
      Self.skipDigits(text, &index)
      if index == start { return nil }
    }
    if index < text.count { return nil }
  }

  private static func `is`(_ sign: Unicode.Scalar, _ text: Span<UInt8>, _ index: Int) -> Bool {
    index < text.count && text[index] == UInt8(ascii: sign)
  }

  private static func skipDigits(_ text: Span<UInt8>, _ index: inout Int) {
    while index < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) { index += 1 }
  }
}
