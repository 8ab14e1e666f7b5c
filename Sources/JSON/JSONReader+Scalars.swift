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
    let digits = bytes[start..<index]
    let text = String(decoding: digits, as: UTF8.self)
    guard let shape = NumberShape(of: digits) else {
      let shown = text.utf8.count > Self.shownMax ? text.prefix(Self.shownMax) + "…" : text[...]
      throw JSONError("`\(shown)` is no number; write it as `12`, `-0.5` or `1e9`", at: start)
    }
    if shape == .whole, let integer = Int64(text) { return .integer(integer) }
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
        text += bytes[plain..<index]
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

/// A number's form in JSON's grammar.
private enum NumberShape {
  case whole, fraction

  /// Nil for what is no number.
  init?(of text: ArraySlice<UInt8>) {
    var rest = text
    _ = Self.take(&rest, "-")
    let whole = Self.digits(&rest)
    guard whole.count == 1 || (whole.count > 1 && whole.first != UInt8(ascii: "0")) else { return nil }
    self = .whole
    if Self.take(&rest, ".") {
      self = .fraction
      if Self.digits(&rest).isEmpty { return nil }
    }
    if Self.take(&rest, "e", or: "E") {
      self = .fraction
      _ = Self.take(&rest, "+", or: "-")
      if Self.digits(&rest).isEmpty { return nil }
    }
    if !rest.isEmpty { return nil }
  }

  private static func take(
    _ rest: inout ArraySlice<UInt8>, _ sign: Unicode.Scalar, or other: Unicode.Scalar? = nil
  ) -> Bool {
    guard let first = rest.first.map({ Unicode.Scalar($0) }), first == sign || first == other else {
      return false
    }
    rest.removeFirst()
    return true
  }

  private static func digits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest[digits.endIndex...]
    return digits
  }
}
