/// Bodies of REST requests, read as the service's front end reads them.
///
/// What it lets pass is protobuf's streaming reader of JSON: keys without quotes or with single ones, commas
/// before a closing bracket. The official emulator's dialect differs in a few places. A body that is no JSON is refused with the twenty bytes before and behind the
/// place, and a caret under it.
/// Source: docs/spec/production-differences.md Q18; order of refusals: the service, as others measured it.

internal import DocModel

/// A value that is no object and no list.
enum JSONScalar {
  case null
  case boolean(Bool)
  case string([UInt8])
  /// A number without fraction, exponent and sign.
  case unsigned(UInt64)
  /// The same with a sign.
  case signed(Int64)
  /// Any other number, and as it was written.
  case double(Double, text: [UInt8])
}

/// What the reader tells of, in the order of the body. Names are empty for elements of lists.
protocol JSONBodySink {
  mutating func beginObject(_ name: [UInt8])
  mutating func endObject()
  mutating func beginList(_ name: [UInt8])
  mutating func endList()
  mutating func scalar(_ name: [UInt8], _ value: JSONScalar)
  /// What the sink refuses of what it was told so far.
  var refusal: GRPCStatus? { get }
}

/// A reader over one body.
///
/// The front end reads a body in two goes: what is surely complete, and then, at the end, what might have gone on.
/// A fault of form in the first go is told before what the message refuses, a fault in the second behind it; and
/// the second go knows nothing of the text before the place where it begins.
struct JSONBodyReader<Sink: JSONBodySink> {
  /// LIMIT: objects and lists inside each other. Source: protobuf's reader.
  private static var depthMax: Int { 100 }

  var bytes: [UInt8]
  var index = 0
  /// Where the first go ends: at the end, or at bytes that are no UTF-8.
  var end: Int
  /// Where the go at hand began.
  private var start = 0
  private(set) var isLastGo = false
  let dialect: JSONDialect
  private var sink: Sink

  /// Tells `sink` what a body holds. An empty body holds nothing; a byte-order mark in front is skipped.
  static func read(
    _ body: [UInt8], _ dialect: JSONDialect = .production, into sink: Sink
  ) throws(GRPCStatus) -> Sink {
    var reader = JSONBodyReader(body, dialect, sink)
    if reader.bytes.isEmpty { return sink }
    try reader.whole()
    if let refusal = reader.sink.refusal { throw refusal }
    return reader.sink
  }

  private init(_ body: [UInt8], _ dialect: JSONDialect, _ sink: Sink) {
    bytes = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
    end = bytes.count
    self.dialect = dialect
    self.sink = sink
    let isText = bytes.withUnsafeBytes { UTF8Check.isValid($0) }
    if isText { return }
    switch dialect {
    case .production: end = Self.textEnd(bytes, from: 0)
    case .emulator:
      bytes = Array(String(decoding: bytes, as: UTF8.self).utf8)
      end = bytes.count
    }
  }

  private mutating func whole() throws(GRPCStatus) {
    try value([], try token(), depth: 0)
    skipBlanks()
    // Whatever follows, the official emulator does not look at it.
    if dialect == .emulator { return }
    if index == end, end < bytes.count { try beginLastGo() }
    skipBlanks()
    if index < end { throw fault("Parsing terminated before end of input.") }
  }

  // MARK: goes

  /// From here on what is missing stays missing. Bytes that are no UTF-8 are blanks.
  mutating func beginLastGo() throws(GRPCStatus) {
    if let refusal = sink.refusal { throw refusal }
    isLastGo = true
    start = index
    while end < bytes.count {
      bytes[end] = UInt8(ascii: " ")
      end = Self.textEnd(bytes, from: end)
    }
  }

  /// Where the text ends that is UTF-8.
  private static func textEnd(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start
    bytes.withUnsafeBytes { bytes in
      while index < bytes.count {
        let length = characterLength(bytes[index])
        guard index + length <= bytes.count,
          UTF8Check.isValid(UnsafeRawBufferPointer(rebasing: bytes[index..<index + length]))
        else { return }
        index += length
      }
    }
    return index
  }

  static func characterLength(_ lead: UInt8) -> Int {
    switch lead {
    case ..<0xC0: 1
    case ..<0xE0: 2
    case ..<0xF0: 3
    default: 4
    }
  }

  /// LIMIT: bytes before and behind the place that a fault shows.
  private static var contextBytes: Int { 20 }

  /// A fault of form at this place. Where the part shown begins or ends inside a character, the service says
  /// no more than that the request is wrong.
  func fault(_ text: String) -> GRPCStatus {
    let first = max(index - Self.contextBytes, start)
    let part = Array(bytes[first..<min(index + Self.contextBytes, end)])
    guard part.withUnsafeBytes({ UTF8Check.isValid($0) }) else {
      return GRPCStatus(.invalidArgument, "Request contains an invalid argument.")
    }
    let shown = String(decoding: part, as: UTF8.self)
    let message =
      "Invalid JSON payload received. \(text)\n\(shown)\n" + String(repeating: " ", count: index - first)
      + "^"
    return GRPCStatus(.invalidArgument, message).with(BadRequest(field: "", description: message).detail)
  }

  /// The same, where the body may have ended too early.
  private func shortage(_ text: String) -> GRPCStatus {
    fault(index == end ? "Unexpected end of string. " + text : text)
  }

  // MARK: values

  private mutating func value(_ name: [UInt8], _ token: JSONToken, depth: Int) throws(GRPCStatus) {
    switch token {
    case .objectStart: try object(name, depth: depth)
    case .listStart: try list(name, depth: depth)
    case .string: sink.scalar(name, .string(try string()))
    case .number: sink.scalar(name, try number())
    case .true: word(4, name, .boolean(true))
    case .false: word(5, name, .boolean(false))
    case .null: word(4, name, .null)
    case .unknown: throw shortage("Expected a value.")
    case .objectEnd, .listEnd, .colon, .comma, .key:
      // `fals` at the end might have become `false`.
      if !isLastGo, end - index < 5 { try beginLastGo() }
      throw fault("Unexpected token.")
    }
  }

  private mutating func word(_ length: Int, _ name: [UInt8], _ value: JSONScalar) {
    index += length
    sink.scalar(name, value)
  }

  private mutating func deeper(_ depth: Int, _ name: [UInt8]) throws(GRPCStatus) {
    guard depth >= Self.depthMax else { return }
    let name = String(decoding: name, as: UTF8.self)
    throw fault("Message too deep. Max recursion depth reached for key '\(name)'")
  }

  private mutating func object(_ name: [UInt8], depth: Int) throws(GRPCStatus) {
    try deeper(depth, name)
    index += 1
    sink.beginObject(name)
    while let key = try key() {
      guard try token() == .colon else { throw shortage("Expected : between key:value pair.") }
      index += 1
      try value(key, try token(), depth: depth + 1)
      switch try token() {
      case .objectEnd: continue
      case .comma: try passComma(before: .objectEnd)
      case .unknown: throw shortage("Expected , or } after key:value pair.")
      case .objectStart, .listStart, .listEnd, .string, .number, .true, .false, .null, .colon, .key:
        throw fault("Expected , or } after key:value pair.")
      }
    }
    index += 1
    sink.endObject()
  }

  /// The service lets a comma pass that nothing follows.
  private mutating func passComma(before closing: JSONToken) throws(GRPCStatus) {
    index += 1
    if dialect == .emulator, try token() == closing { throw fault("Unexpected token.") }
  }

  /// The next key of an object; nil before its closing bracket.
  private mutating func key() throws(GRPCStatus) -> [UInt8]? {
    switch try token() {
    case .objectEnd: return nil
    case .string: return try string()
    case .key: return try bareKey()
    case .true, .false, .null:
      let key = try bareKey()
      if !key.holds("true"), !key.holds("false"), !key.holds("null") { return key }
      throw fault("Expected an object key or }.")
    case .unknown: throw shortage("Expected an object key or }.")
    case .objectStart, .listStart, .listEnd, .number, .colon, .comma:
      throw fault("Expected an object key or }.")
    }
  }

  private mutating func list(_ name: [UInt8], depth: Int) throws(GRPCStatus) {
    try deeper(depth, name)
    index += 1
    sink.beginList(name)
    while true {
      let token = try token()
      if token == .listEnd { break }
      if token == .unknown { throw shortage("Expected a value or ] within an array.") }
      try value([], token, depth: depth + 1)
      switch try self.token() {
      case .listEnd: continue
      case .comma: try passComma(before: .listEnd)
      case .unknown: throw shortage("Expected , or ] after array value.")
      case .objectStart, .objectEnd, .listStart, .string, .number, .true, .false, .null, .colon, .key:
        throw fault("Expected , or ] after array value.")
      }
    }
    index += 1
    sink.endList()
  }
}
