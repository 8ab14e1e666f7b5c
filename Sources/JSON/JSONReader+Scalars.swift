/// Numbers and texts.

extension JSONReader {
  /// LIMIT: characters of what is no number that a message shows.
  private static let shownMax = 40

  mutating func number() throws(JSONError) {
    let start = index
    if let integer = shortInteger() { return tape.add(.integer(integer), at: start) }
    guard let first = next, Self.isOfNumbers(first), first | 0x20 != UInt8(ascii: "e") else {
      throw unexpected("a value is expected")
    }
    while let byte = next, Self.isOfNumbers(byte) { index += 1 }
    guard let form = JSONNumberForm(of: bytes.span.extracting(start..<index)) else {
      let shown = bytes[start..<index].prefix(Self.shownMax)
      let text = String(decoding: shown, as: UTF8.self) + (shown.count < index - start ? "…" : "")
      throw JSONError("`\(text)` is no number; write it as `12`, `-0.5` or `1e9`", at: start)
    }
    if form == .whole, let integer = Self.integer(bytes.span.extracting(start..<index)) {
      return tape.add(.integer(integer), at: start)
    }
    guard let double = Double(String(decoding: bytes[start..<index], as: UTF8.self)), double.isFinite else {
      throw JSONError("this number is too large", at: start)
    }
    tape.add(.double(double), at: start)
  }

  /// Most numbers are a few digits, and nothing of a number behind them. What is more stays to be read.
  private mutating func shortInteger() -> Int64? {
    let digits = bytes.withUnsafeBytes { Self.shortInteger($0, from: index) }
    index += digits.count
    return digits.count > 0 ? digits.value : nil
  }

  private static func shortInteger(
    _ bytes: UnsafeRawBufferPointer, from start: Int
  ) -> (value: Int64, count: Int) {
    // LIMIT: eighteen digits fit whatever they are.
    let end = min(bytes.count, start &+ 18)
    var (value, index) = (Int64(0), start)
    while index < end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ Int64(digit)
      index &+= 1
    }
    let hasMore = index < bytes.count && isOfNumbers(bytes[index])
    let isPadded = index > start &+ 1 && bytes[start] == UInt8(ascii: "0")
    return hasMore || isPadded ? (0, 0) : (value, index &- start)
  }

  /// Digits with or without a sign before them; nil for a number that does not fit.
  private static func integer(_ text: Span<UInt8>) -> Int64? {
    let isNegative = text[0] == UInt8(ascii: "-")
    var number: Int64 = 0
    for index in (isNegative ? 1 : 0)..<text.count {
      let digit = Int64(text[index] - UInt8(ascii: "0"))
      let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflow) =
        isNegative ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
      if isTooLarge || overflow { return nil }
      number = sum
    }
    return number
  }

  private static func isOfNumbers(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  mutating func string() throws(JSONError) {
    let start = index
    index += 1
    skipPlain()
    // Most strings have no escapes and stay where they are.
    if next == UInt8(ascii: "\"") {
      tape.add(string: start + 1..<index, at: start)
      index += 1
      return
    }
    var text = Array(bytes[start + 1..<index])
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return tape.add(unescaped: text, at: start)
      case UInt8(ascii: "\\"):
        index += 1
        try escape(into: &text)
        let plain = index
        skipPlain()
        text += bytes[plain..<index]
      default: throw JSONError("this text does not end on its line; close it with `\"`", at: start)
      }
    }
    throw JSONError("this text has no end; close it with `\"`", at: start)
  }

  /// Up to a quote, a backslash, a control character or the end.
  private mutating func skipPlain() {
    let end = bytes.withUnsafeBytes { Self.plainEnd(of: $0, from: index) }
    index = end
  }

  private static func plainEnd(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index + 8 <= bytes.count {
      let ends = ends(in: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      if ends != 0 { return index + ends.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count, ends(in: UInt64(bytes[index]) | plain) == 0 { index += 1 }
    return index
  }

  private static let each: UInt64 = 0x0101_0101_0101_0101
  /// Letters that end nothing, behind the first byte.
  private static let plain = (each &* UInt64(UInt8(ascii: "a"))) & ~0xFF

  /// The topmost bit of bytes that end a stretch of plain ones. The lowest of them is right; those above it may be too many.
  @inline(__always)
  private static func ends(in word: UInt64) -> UInt64 {
    let quotes = word ^ (each &* UInt64(UInt8(ascii: "\"")))
    let slashes = word ^ (each &* UInt64(UInt8(ascii: "\\")))
    let controls = (word &- (each &* 0x20)) & ~word
    let ends = ((quotes &- each) & ~quotes) | ((slashes &- each) & ~slashes) | controls
    return ends & (each &* 0x80)
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
