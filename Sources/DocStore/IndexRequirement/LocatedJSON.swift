/// JSON with comments, every part of which knows where it stands: for files that people write.
///
/// What is read is what the service's own command line reads: JSON, with `//` and `/* */` comments anywhere
/// between its tokens. No comma may follow the last element. Bounded in depth and size.

internal import DocModel

/// A value and the byte at which it begins.
package struct LocatedJSON: Sendable {
  package indirect enum Kind: Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([LocatedJSON])
    /// As written; a name may come twice.
    case object([Member])
  }

  package struct Member: Sendable {
    package let name: String
    package let offset: Int
    package let value: LocatedJSON
  }

  package let kind: Kind
  package let offset: Int

  /// What people call the kind.
  package var kindName: String {
    switch kind {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// Where a text is no JSON, why, and what to do.
package struct LocatedJSONError: Error {
  package let offset: Int
  package let message: String
}

package struct LocatedJSONReader {
  /// LIMIT: lists and objects inside each other; bounds the recursion.
  private static let depthMax = 32
  /// LIMIT: values of one text, each of which takes about 100 bytes once read.
  private static let valuesMax = 2_000_000
  private let bytes: [UInt8]
  private var index = 0
  private var values = 0

  package static func read(_ bytes: [UInt8]) throws(LocatedJSONError) -> LocatedJSON {
    guard bytes.withUnsafeBytes({ UTF8Check.isValid($0) }) else {
      throw LocatedJSONError(offset: 0, message: "the file is not UTF-8 text; save it as UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw LocatedJSONError(
        offset: 0, message: "the file begins with a byte order mark; save it as UTF-8 without one")
    }
    var reader = LocatedJSONReader(bytes: bytes)
    try reader.skipBlanks()
    let value = try reader.value(depth: 0)
    try reader.skipBlanks()
    guard reader.index == bytes.count else {
      throw reader.error("there is more text after the end of the JSON; remove it")
    }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func error(_ message: String) -> LocatedJSONError {
    LocatedJSONError(offset: index, message: message)
  }

  private func unexpected(_ wanted: String) -> LocatedJSONError {
    guard let next else { return error("the file ends here; \(wanted)") }
    let letter = String(decoding: [next], as: UTF8.self)
    return error("found `\(next < 0x80 ? letter : "…")`; \(wanted)")
  }

  private mutating func skipBlanks() throws(LocatedJSONError) {
    while let byte = next {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case UInt8(ascii: "/"): try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(LocatedJSONError) {
    let start = index
    guard index + 1 < bytes.count else { throw unexpected("a comment begins with `//` or `/*`") }
    switch bytes[index + 1] {
    case UInt8(ascii: "/"):
      while let byte = next, byte != 0x0A {
        index += 1
        _ = byte
      }
    case UInt8(ascii: "*"):
      index += 2
      while index + 1 < bytes.count,
        bytes[index] != UInt8(ascii: "*") || bytes[index + 1] != UInt8(ascii: "/")
      {
        index += 1
      }
      guard index + 1 < bytes.count else {
        throw LocatedJSONError(offset: start, message: "this comment has no end; close it with `*/`")
      }
      index += 2
    default: throw unexpected("a comment begins with `//` or `/*`")
    }
  }

  private mutating func value(depth: Int) throws(LocatedJSONError) -> LocatedJSON {
    guard depth <= Self.depthMax else { throw error("lists and objects are nested too deeply") }
    values += 1
    guard values <= Self.valuesMax else {
      throw error("the text has more than \(Self.valuesMax) values; split it")
    }
    let start = index
    switch next {
    case UInt8(ascii: "{"): return LocatedJSON(kind: .object(try object(depth: depth)), offset: start)
    case UInt8(ascii: "["): return LocatedJSON(kind: .array(try array(depth: depth)), offset: start)
    case UInt8(ascii: "\""): return LocatedJSON(kind: .string(try string()), offset: start)
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "'"): throw error("texts stand between double quotes")
    case .some, .none: return LocatedJSON(kind: .number(try number()), offset: start)
    }
  }

  private mutating func word(
    _ text: StaticString, _ kind: LocatedJSON.Kind
  ) throws(LocatedJSONError) -> LocatedJSON {
    let matches = text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    guard matches else { throw unexpected("a value is expected") }
    defer { index += text.utf8CodeUnitCount }
    return LocatedJSON(kind: kind, offset: index)
  }

  private mutating func object(depth: Int) throws(LocatedJSONError) -> [LocatedJSON.Member] {
    var members: [LocatedJSON.Member] = []
    index += 1
    try skipBlanks()
    while next != UInt8(ascii: "}") {
      guard next == UInt8(ascii: "\"") else {
        throw unexpected("a name in double quotes is expected, or `}`")
      }
      let offset = index
      let name = try string()
      try skipBlanks()
      guard next == UInt8(ascii: ":") else { throw unexpected("`:` is expected after a name") }
      index += 1
      try skipBlanks()
      members.append(LocatedJSON.Member(name: name, offset: offset, value: try value(depth: depth + 1)))
      try separator(before: UInt8(ascii: "}"))
    }
    index += 1
    return members
  }

  private mutating func array(depth: Int) throws(LocatedJSONError) -> [LocatedJSON] {
    var elements: [LocatedJSON] = []
    index += 1
    try skipBlanks()
    while next != UInt8(ascii: "]") {
      elements.append(try value(depth: depth + 1))
      try separator(before: UInt8(ascii: "]"))
    }
    index += 1
    return elements
  }

  /// A comma with another element behind it, or the end.
  private mutating func separator(before end: UInt8) throws(LocatedJSONError) {
    try skipBlanks()
    if next == end { return }
    let letter = String(decoding: [end], as: UTF8.self)
    guard next == UInt8(ascii: ",") else { throw unexpected("`,` or `\(letter)` is expected") }
    let comma = index
    index += 1
    try skipBlanks()
    if next == end {
      throw LocatedJSONError(offset: comma, message: "no comma may stand before `\(letter)`; remove it")
    }
  }

  private mutating func number() throws(LocatedJSONError) -> Double {
    let start = index
    while let byte = next, (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte) {
      index += 1
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard start < index, let number = Double(text), number.isFinite else {
      index = start
      throw unexpected("a value is expected")
    }
    return number
  }

  private mutating func string() throws(LocatedJSONError) -> String {
    let start = index
    index += 1
    var text: [UInt8] = []
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20:
        throw LocatedJSONError(
          offset: start, message: "this text does not end on its line; close it with `\"`")
      default: text.append(byte)
      }
    }
    throw LocatedJSONError(offset: start, message: "this text has no end; close it with `\"`")
  }

  private mutating func escape(into text: inout [UInt8]) throws(LocatedJSONError) {
    guard let byte = next else { throw error("the file ends in a text") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try scalar())).utf8)
    default:
      index -= 2
      throw error("JSON knows no such escape; write `\\\\` for a backslash")
    }
  }

  private mutating func scalar() throws(LocatedJSONError) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if first < 0xDC00, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u")
    {
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

  private mutating func unit() throws(LocatedJSONError) -> UInt32 {
    guard index + 4 <= bytes.count,
      let value = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
    else { throw error("`\\u` takes four hexadecimal digits") }
    index += 4
    return value
  }
}
