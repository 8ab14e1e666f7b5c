/// Tokens of JSON bodies: what begins where, texts, keys and numbers.

internal import DocModel

/// What begins at a place.
enum JSONToken {
  case objectStart, objectEnd, listStart, listEnd, colon, comma
  case string, number, `true`, `false`, null
  /// A word that is none of the three.
  case key
  /// Nothing that JSON knows, or the end.
  case unknown
}

extension JSONBodyReader {
  mutating func skipBlanks() {
    while index < end, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { index += 1 }
  }

  /// What begins behind the blanks here. Asks again where the first go ends.
  mutating func token() throws(GRPCStatus) -> JSONToken {
    skipBlanks()
    let token = lexed()
    guard token == .unknown, !isLastGo else { return token }
    try beginLastGo()
    skipBlanks()
    return lexed()
  }

  private func lexed() -> JSONToken {
    guard index < end else { return .unknown }
    switch bytes[index] {
    case UInt8(ascii: "{"): return .objectStart
    case UInt8(ascii: "}"): return .objectEnd
    case UInt8(ascii: "["): return .listStart
    case UInt8(ascii: "]"): return .listEnd
    case UInt8(ascii: ":"): return .colon
    case UInt8(ascii: ","): return .comma
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case let byte where Self.isLetter(byte):
      if begins("true") { return .true }
      if begins("false") { return .false }
      return begins("null") ? .null : .key
    default: return .unknown
    }
  }

  private func begins(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    return index + length <= end && word.withUTF8Buffer { bytes[index..<index + length].elementsEqual($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte.isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
  }

  mutating func bareKey() throws(GRPCStatus) -> [UInt8] {
    if keyEnd == end, !isLastGo { try beginLastGo() }
    let last = keyEnd
    defer { index = last }
    return Array(bytes[index..<last])
  }

  private var keyEnd: Int {
    var last = index
    while last < end, Self.isLetter(bytes[last]) || bytes[last].isDigit { last += 1 }
    return last
  }

  // MARK: texts

  /// A text between quotes of either kind, its escapes read.
  mutating func string() throws(GRPCStatus) -> [UInt8] {
    let quote = bytes[index]
    index += 1
    var text: [UInt8] = []
    while true {
      while index < end {
        let byte = bytes[index]
        if byte == quote {
          index += 1
          return text
        }
        if byte == UInt8(ascii: "\\") {
          try escape(into: &text)
        } else {
          text.append(byte)
          index += 1
        }
      }
      if isLastGo { throw fault("Closing quote expected in string.") }
      try beginLastGo()
    }
  }

  private mutating func escape(into text: inout [UInt8]) throws(GRPCStatus) {
    if index + 1 == end, !isLastGo { try beginLastGo() }
    guard index + 1 < end else { throw fault("Closing quote expected in string.") }
    let byte = bytes[index + 1]
    if byte == UInt8(ascii: "u") { return try unicodeEscape(into: &text) }
    index += 2
    switch byte {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "v") where dialect == .production: text.append(0x0B)
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    default:
      if dialect == .emulator { throw fault("Invalid escape sequence.") }
      text.append(byte)
    }
  }

  /// `\uXXXX`, two of which may make one character. Half a pair is the character that stands for none, or a
  /// question mark.
  private mutating func unicodeEscape(into text: inout [UInt8]) throws(GRPCStatus) {
    if index + 6 > end, !isLastGo { try beginLastGo() }
    guard index + 6 <= end else { throw fault("Illegal hex string.") }
    var code = try hexDigits(at: index + 2)
    if (0xD800...0xDBFF).contains(code) {
      if index + 12 > end, !isLastGo { try beginLastGo() }
      if index + 12 <= end, bytes[index + 6] == UInt8(ascii: "\\"), bytes[index + 7] == UInt8(ascii: "u") {
        let low = try hexDigits(at: index + 8)
        if (0xDC00...0xDFFF).contains(low) {
          code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
          index += 6
        }
      }
    }
    index += 6
    let scalar = Unicode.Scalar(code) ?? (dialect == .production ? "\u{FFFD}" : "?")
    text.append(contentsOf: String(Character(scalar)).utf8)
  }

  private func hexDigits(at place: Int) throws(GRPCStatus) -> UInt32 {
    var code: UInt32 = 0
    for byte in bytes[place..<place + 4] {
      guard let digit = byte.hexValue else { throw fault("Invalid escape sequence.") }
      code = code << 4 | UInt32(digit)
    }
    return code
  }

  // MARK: numbers

  mutating func number() throws(GRPCStatus) -> JSONScalar {
    if numberEnd == end, !isLastGo { try beginLastGo() }
    let last = numberEnd
    let digits = Array(bytes[index..<last])
    let isNegative = digits.first == UInt8(ascii: "-")
    let isWhole = !digits.contains { ".eE".utf8.contains($0) }
    if isWhole {
      let unsignedDigits = digits.dropFirst(isNegative ? 1 : 0)
      if unsignedDigits.count >= 2, unsignedDigits.first == UInt8(ascii: "0") {
        throw fault("Octal/hex numbers are not valid JSON values.")
      }
      let isPlain = unsignedDigits.allSatisfy(\.isDigit)
      let text = String(decoding: digits, as: UTF8.self)
      if isPlain, isNegative, let number = Int64(text) {
        index = last
        return .signed(number)
      }
      if isPlain, !isNegative, let number = UInt64(text) {
        index = last
        return .unsigned(number)
      }
    }
    guard let number = ProtoNumber.double(digits) else { throw fault("Unable to parse number.") }
    guard number.isFinite else { throw fault("Number exceeds the range of double.") }
    index = last
    return .double(number, text: digits)
  }

  private var numberEnd: Int {
    var last = index
    while last < end, bytes[last].isDigit || ".eE+-x".utf8.contains(bytes[last]) { last += 1 }
    return last
  }
}
