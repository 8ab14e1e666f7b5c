/// JSON, read strictly: linear in its input, bounded in depth and in values, UTF-8 only. Whatever RFC 8259 does not
/// allow is refused, except comments for who asks for them.

/// What a reader takes.
package struct JSONOptions: Sendable {
  /// Whether `//` and `/* */` comments may stand between tokens.
  package let allowsComments: Bool
  /// LIMIT: arrays and objects inside each other; bounds the recursion.
  package let depthMax: Int
  /// LIMIT: values of one text, each of which takes up to about 60 bytes once read.
  package let valuesMax: Int
  /// What messages call the text.
  package let noun: StaticString

  /// What programs send. That a text has few bytes is for who takes it to see to.
  package static let strict = JSONOptions(
    allowsComments: false, depthMax: 128, valuesMax: 1 << 24, noun: "text")

  /// Files that people write, as the service's own command line reads them.
  package static let file = JSONOptions(
    allowsComments: true, depthMax: 32, valuesMax: 2_000_000, noun: "file")
}

/// Where a text is no JSON, why, and what to do.
package struct JSONError: Error, Equatable {
  package let offset: Int
  package let message: String

  package init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

/// A reader over one text.
package struct JSONReader {
  /// LIMIT: bytes of a text, whose offsets take 32 bits.
  package static let bytesMax = Int(UInt32.max)

  let bytes: [UInt8]
  var index = 0
  let options: JSONOptions
  var tape: JSONTape
  private var values = 0

  private init(_ bytes: [UInt8], _ options: JSONOptions) {
    self.bytes = bytes
    self.options = options
    tape = JSONTape(of: bytes)
  }

  /// Reads a whole text: one value with blanks around it.
  package static func read(
    _ bytes: [UInt8], _ options: JSONOptions = .strict
  ) throws(JSONError) -> JSONValue {
    JSONValue(try tape(of: bytes, options))
  }

  /// The same for those who need no tree.
  package static func tape(
    of bytes: [UInt8], _ options: JSONOptions = .strict
  ) throws(JSONError) -> JSONTape {
    guard bytes.count <= bytesMax else {
      throw JSONError("the \(options.noun) is larger than 4 GiB; split it", at: 0)
    }
    do { _ = try UTF8Span(validating: bytes.span) } catch {
      throw JSONError("the \(options.noun) is not UTF-8 text; save it as UTF-8", at: 0)
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw JSONError(
        "the \(options.noun) begins with a byte order mark; save it as UTF-8 without one", at: 0)
    }
    var reader = JSONReader(bytes, options)
    try reader.skipBlanks()
    try reader.value(depth: 0)
    try reader.skipBlanks()
    guard reader.index == bytes.count else {
      throw reader.error("there is more text after the end of the JSON; remove it")
    }
    return reader.tape
  }

  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  func error(_ message: String) -> JSONError { JSONError(message, at: index) }

  func unexpected(_ wanted: String) -> JSONError {
    guard let next else { return error("the \(options.noun) ends here; \(wanted)") }
    return error("found `\(next < 0x80 ? String(Unicode.Scalar(next)) : "…")`; \(wanted)")
  }

  private mutating func skipBlanks() throws(JSONError) {
    while let byte = next {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case UInt8(ascii: "/") where options.allowsComments: try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(JSONError) {
    let start = index
    guard index + 1 < bytes.count else { throw unexpected("a comment begins with `//` or `/*`") }
    switch bytes[index + 1] {
    case UInt8(ascii: "/"): while let byte = next, byte != 0x0A { index += 1 }
    case UInt8(ascii: "*"):
      index += 2
      while index + 1 < bytes.count,
        bytes[index] != UInt8(ascii: "*") || bytes[index + 1] != UInt8(ascii: "/")
      {
        index += 1
      }
      guard index + 1 < bytes.count else {
        throw JSONError("this comment has no end; close it with `*/`", at: start)
      }
      index += 2
    default: throw unexpected("a comment begins with `//` or `/*`")
    }
  }

  private mutating func value(depth: Int) throws(JSONError) {
    guard depth <= options.depthMax else { throw error("lists and objects are nested too deeply") }
    values += 1
    guard values <= options.valuesMax else {
      throw error("the text has more than \(options.valuesMax) values; split it")
    }
    switch next {
    case UInt8(ascii: "{"): try members(depth: depth)
    case UInt8(ascii: "["): try elements(depth: depth)
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true", .boolean(true))
    case UInt8(ascii: "f"): try word("false", .boolean(false))
    case UInt8(ascii: "n"): try word("null", .null)
    case UInt8(ascii: "'"): throw error("texts stand between double quotes")
    case .some, .none: try number()
    }
  }

  private mutating func word(_ text: StaticString, _ kind: JSONTape.Kind) throws(JSONError) {
    guard text.withUTF8Buffer({ bytes[index...].starts(with: $0) }) else {
      throw unexpected("a value is expected")
    }
    tape.add(kind, at: index)
    index += text.utf8CodeUnitCount
  }

  private mutating func members(depth: Int) throws(JSONError) {
    let place = tape.open(at: index)
    index += 1
    try skipBlanks()
    while next != UInt8(ascii: "}") {
      guard next == UInt8(ascii: "\"") else {
        throw unexpected("a name in double quotes is expected, or `}`")
      }
      try string()
      try skipBlanks()
      guard next == UInt8(ascii: ":") else { throw unexpected("`:` is expected after a name") }
      index += 1
      try skipBlanks()
      try value(depth: depth + 1)
      try separator(before: UInt8(ascii: "}"))
    }
    index += 1
    tape.close(place) { .object(end: $0) }
  }

  private mutating func elements(depth: Int) throws(JSONError) {
    let place = tape.open(at: index)
    index += 1
    try skipBlanks()
    while next != UInt8(ascii: "]") {
      try value(depth: depth + 1)
      try separator(before: UInt8(ascii: "]"))
    }
    index += 1
    tape.close(place) { .array(end: $0) }
  }

  /// A comma with another element behind it, or the end.
  private mutating func separator(before end: UInt8) throws(JSONError) {
    try skipBlanks()
    if next == end { return }
    let sign = Unicode.Scalar(end)
    guard next == UInt8(ascii: ",") else { throw unexpected("`,` or `\(sign)` is expected") }
    let comma = index
    index += 1
    try skipBlanks()
    if next == end { throw JSONError("no comma may stand before `\(sign)`; remove it", at: comma) }
  }
}
