/// JSON, read strictly.
///
/// For tokens and for the bodies of HTTP requests. Linear in its input, bounded in depth, UTF-8 only;
/// whatever RFC 8259 does not allow is refused.

package import DocModel

/// One JSON value. Texts are UTF-8 bytes.
package indirect enum JSON: Equatable, Sendable {
  case null
  case boolean(Bool)
  /// A number written without fraction and exponent that fits.
  case integer(Int64)
  case double(Double)
  case string([UInt8])
  case array([JSON])
  /// Members as written; of two with one name the last counts.
  case object([Member])

  package struct Member: Equatable, Sendable {
    package let name: [UInt8]
    package let value: JSON
  }

  /// The member of an object; nil for everything else.
  package subscript(name: StaticString) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name.holds(name) }?.value
  }

  /// The text of a string.
  package var text: String? {
    guard case .string(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why a text is not JSON: the byte where reading stopped.
package struct JSONError: Error, Equatable {
  package let offset: Int
}

/// A reader over one text.
package struct JSONReader {
  /// LIMIT: arrays and objects inside each other; bounds the recursion.
  package static let depthMax = 128

  private let bytes: [UInt8]
  private var index = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a whole text: one value with blanks around it.
  package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSON {
    guard bytes.withUnsafeBytes({ UTF8Check.isValid($0) }) else { throw JSONError(offset: 0) }
    var reader = JSONReader(bytes)
    let value = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.index == bytes.count else { throw reader.error }
    return value
  }

  private var error: JSONError { JSONError(offset: index) }

  private mutating func skipBlanks() {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
  }

  private mutating func eat(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSON {
    guard depth <= Self.depthMax else { throw error }
    skipBlanks()
    guard index < bytes.count else { throw error }
    switch bytes[index] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    let end = index + text.utf8CodeUnitCount
    guard end <= bytes.count, Array(bytes[index..<end]).holds(text) else { throw error }
    index = end
    return value
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSON {
    index += 1
    var members: [JSON.Member] = []
    skipBlanks()
    if eat(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipBlanks()
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw error }
      let name = try string()
      skipBlanks()
      guard eat(UInt8(ascii: ":")) else { throw error }
      members.append(JSON.Member(name: name, value: try value(depth: depth + 1)))
      skipBlanks()
      if eat(UInt8(ascii: "}")) { return .object(members) }
      guard eat(UInt8(ascii: ",")) else { throw error }
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSON {
    index += 1
    var elements: [JSON] = []
    skipBlanks()
    if eat(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipBlanks()
      if eat(UInt8(ascii: "]")) { return .array(elements) }
      guard eat(UInt8(ascii: ",")) else { throw error }
    }
  }
}

// MARK: - Scalars

extension JSONReader {
  private mutating func digits() -> Int {
    let start = index
    while index < bytes.count, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") {
      index += 1
    }
    return index - start
  }

  private mutating func number() throws(JSONError) -> JSON {
    let start = index
    _ = eat(UInt8(ascii: "-"))
    if !eat(UInt8(ascii: "0")), digits() == 0 { throw error }
    var isWhole = true
    if eat(UInt8(ascii: ".")) {
      isWhole = false
      if digits() == 0 { throw error }
    }
    if eat(UInt8(ascii: "e")) || eat(UInt8(ascii: "E")) {
      isWhole = false
      if !eat(UInt8(ascii: "+")) { _ = eat(UInt8(ascii: "-")) }
      if digits() == 0 { throw error }
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    guard let double = Double(text), double.isFinite else { throw JSONError(offset: start) }
    return .double(double)
  }

  private mutating func string() throws(JSONError) -> [UInt8] {
    index += 1
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return text
      case UInt8(ascii: "\\"):
        index += 1
        try escape(into: &text)
      case 0..<0x20: throw error
      default:
        text.append(byte)
        index += 1
      }
    }
    throw error
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    guard index < bytes.count else { throw error }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try escapedScalar())).utf8)
    default: throw error
    }
  }

  /// The code point of `\uXXXX`, two of which may make one. Half a pair is refused: it is no text.
  private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
    let first = try hex4()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, eat(UInt8(ascii: "\\")), eat(UInt8(ascii: "u")) else { throw error }
    let second = try hex4()
    guard second >= 0xDC00, second < 0xE000,
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw error }
    return scalar
  }

  private mutating func hex4() throws(JSONError) -> UInt32 {
    guard index + 4 <= bytes.count else { throw error }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue, bytes[index] < 0x80
      else { throw error }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}

// MARK: - Into the document model

extension JSON {
  /// As a value of the document model, in the form in which rules read the claims of tokens: a number
  /// without a fraction is an integer however it is written. Source: the official emulator.
  package var value: Value {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .double(let number): Int64(exactly: number).map { .integer($0) } ?? .double(number)
    case .string(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members):
      .map(Fields(members.map { (String(decoding: $0.name, as: UTF8.self), $0.value.value) }))
    }
  }
}
