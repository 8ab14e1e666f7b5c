/// Values and field paths inside the text of a condition, or of a statement of the shell.

package import DocModel
internal import DocStore

package struct ValueTextReader {
  /// LIMIT: lists and maps inside each other; a value has at most 20.
  private static let depthMax = 24

  package let text: [UInt8]
  let database: DatabaseID
  let now: () -> Int64
  package var index = 0
  private var depth = 0
  /// What `$name` stands for; without any, a dollar sign begins no value.
  package var variables: [String: Value] = [:]
  /// What a bare `@now` stands for where the server's clock is meant; nil for `now`.
  package var serverTime: Value?
  /// Whether words may have any case, and conditions may be written as SQL and the client SDKs write them. Texts that
  /// people type are read so; files that are kept have one way to write a thing.
  package var speaksSQL = false
  /// Words behind a condition that belong to the text around it.
  package var wordsBehindConditions: [String] = []
  /// Whether names in maps may begin with a dollar sign, as operators of MongoDB do.
  package var allowsDollarNames = false

  package init(_ text: String, database: DatabaseID, now: @escaping @autoclosure () -> Int64) {
    self.text = Array(text.utf8)
    self.database = database
    self.now = now
  }

  // MARK: tokens

  /// - Parameter place: nil for where the reader stands.
  package func error(_ message: String, at place: Int? = nil) -> ConditionError {
    let before = text[..<min(place ?? index, text.count)].count { $0 & 0xC0 != 0x80 }
    return ConditionError(message: message, offset: before)
  }

  package mutating func skipBlanks() {
    while index < text.count, text[index] == 0x20 || text[index] == 0x09 || text[index] == 0x0A { index += 1 }
  }

  /// Takes a symbol if it comes next.
  package mutating func eat(_ symbol: String) -> Bool {
    skipBlanks()
    guard text[index...].starts(with: symbol.utf8) else { return false }
    index += symbol.utf8.count
    return true
  }

  /// Takes a word if it comes next and ends there.
  package mutating func eatWord(_ word: String) -> Bool {
    skipBlanks()
    let end = index + word.utf8.count
    let isThere =
      speaksSQL
      ? text[index...].starts(with: word.utf8) { $0 == $1 || ($0.isLetter && $0 ^ 0x20 == $1) }
      : text[index...].starts(with: word.utf8)
    guard isThere, end == text.count || !text[end].isWordByte else { return false }
    index = end
    return true
  }

  package mutating func expectEnd() throws(ConditionError) {
    skipBlanks()
    guard index == text.count else { throw error("expected '&&', '||' or the end of the condition") }
  }

  package mutating func take(while isWanted: (UInt8) -> Bool) -> String {
    let start = index
    while index < text.count, isWanted(text[index]) { index += 1 }
    return String(decoding: text[start..<index], as: UTF8.self)
  }

  // MARK: fields

  /// A field path: plain or back-ticked segments with dots between them.
  package mutating func fieldPath() throws(ConditionError) -> String {
    skipBlanks()
    let start = index
    while index < text.count {
      if text[index] == UInt8(ascii: "`") {
        index += 1
        while index < text.count, text[index] != UInt8(ascii: "`") {
          index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, text.count)
      } else if text[index].isWordByte || text[index] == UInt8(ascii: ".") {
        index += 1
      } else {
        break
      }
    }
    let path = String(decoding: text[start..<index], as: UTF8.self)
    do {
      return try FieldPath.parse(path).text
    } catch {
      throw self.error(path.isEmpty ? "expected a field" : "'\(path)' is no field path", at: start)
    }
  }

  // MARK: values

  package mutating func value() throws(ConditionError) -> Value {
    skipBlanks()
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else { throw error("the value nests too deep") }
    guard index < text.count else { throw error("expected a value") }
    switch text[index] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try quoted())
    case UInt8(ascii: "["): return .array(try list())
    case UInt8(ascii: "{"): return .map(try map())
    case UInt8(ascii: "/"): return try reference()
    case UInt8(ascii: "@"): return try instant()
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try number()
    default: return try named()
    }
  }

  private mutating func named() throws(ConditionError) -> Value {
    for (word, value) in [
      ("true", Value.boolean(true)), ("false", .boolean(false)), ("null", .null), ("NaN", .double(.nan)),
      ("Infinity", .double(.infinity)),
    ] where eatWord(word) { return value }
    if eatWord("geo") { return try geoPoint() }
    if eatWord("bytes") { return try bytes() }
    if eatWord("vector") { return try vector() }
    if speaksSQL || !variables.isEmpty, eat("$") { return try variable() }
    if let value = try called() { return value }
    throw error("expected a value; texts are quoted")
  }

  private mutating func variable() throws(ConditionError) -> Value {
    let start = index
    let name = take(while: \.isWordByte)
    if let value = variables[name] { return value }
    let known = variables.keys.sorted().map { "$" + $0 }.joined(separator: ", ")
    throw error(
      "there is no variable '$\(name)'; "
        + (known.isEmpty ? "':let \(name) = …' makes it" : "there are \(known)"),
      at: start - 1)
  }

  private mutating func number() throws(ConditionError) -> Value {
    let start = index
    let word = take {
      $0.isWordByte || ".-+".utf8.contains($0)
    }
    if word == "-Infinity" { return .double(-.infinity) }
    let digits = word.hasPrefix("+") ? String(word.dropFirst()) : word
    if let integer = Int64(digits) { return .integer(integer) }
    let isDecimal = digits.utf8.allSatisfy { $0.isDigit || ".eE+-".utf8.contains($0) }
    guard isDecimal, let double = Double(digits), double.isFinite else {
      throw error("'\(word)' is no number", at: start)
    }
    return .double(double)
  }

  package mutating func quoted() throws(ConditionError) -> String {
    let start = index
    let quote = text[index]
    index += 1
    var bytes: [UInt8] = []
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == quote { return String(decoding: bytes, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") { try escape(into: &bytes) } else { bytes.append(byte) }
    }
    throw error("the text has no end", at: start)
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(ConditionError) {
    guard index < text.count else { throw error("the text has no end") }
    let byte = text[index]
    index += 1
    switch byte {
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "u"): bytes.append(contentsOf: String(try escapedCharacter()).utf8)
    default:
      index -= 1
      throw error("unknown escape in a text")
    }
  }

  /// What `\u` stands for: four digits, or twice four for a character that JSON writes as two halves.
  private mutating func escapedCharacter() throws(ConditionError) -> Character {
    let first = try escapedUnit()
    if let scalar = Unicode.Scalar(first) { return Character(scalar) }
    let place = index
    if UTF16.isLeadSurrogate(first), text[index...].starts(with: "\\u".utf8) {
      index += 2
      let second = try escapedUnit()
      if UTF16.isTrailSurrogate(second) {
        let code = 0x10000 + UInt32(first & 0x3FF) << 10 + UInt32(second & 0x3FF)
        if let scalar = Unicode.Scalar(code) { return Character(scalar) }
      }
    }
    throw error("this is half a character; the other half is missing, as in \\ud83d\\ude00", at: place)
  }

  private mutating func escapedUnit() throws(ConditionError) -> UInt16 {
    let digits = text[index..<min(index + 4, text.count)].compactMap(\.hexValue)
    guard digits.count == 4 else { throw error("\\u takes four hexadecimal digits of a character") }
    index += 4
    return digits.reduce(0) { $0 << 4 | UInt16($1) }
  }

  private mutating func list() throws(ConditionError) -> [Value] {
    _ = eat("[")
    var elements: [Value] = []
    while !eat("]") {
      elements.append(try value())
      if eat("]") { break }
      guard eat(",") else { throw error("expected ',' or ']'") }
    }
    return elements
  }

  private mutating func map() throws(ConditionError) -> Fields {
    var fields = Fields()
    try members { (reader, name) throws(ConditionError) in fields[name] = try reader.value() }
    return fields
  }

  /// The members of a map; `take` reads what stands behind a name.
  package mutating func members(
    _ take: (inout ValueTextReader, _ name: String) throws(ConditionError) -> Void
  ) throws(ConditionError) {
    guard eat("{") else { throw error("expected '{'") }
    while !eat("}") {
      skipBlanks()
      let isQuoted =
        index < text.count && (text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'"))
      let dollar = allowsDollarNames ? UInt8(ascii: "$") : UInt8(ascii: "_")
      let name = isQuoted ? try quoted() : self.take { $0.isWordByte || $0 == dollar }
      guard !name.isEmpty, eat(":") else { throw error("expected a name and ':'") }
      try take(&self, name)
      if eat("}") { break }
      guard eat(",") else { throw error("expected ',' or '}'") }
    }
  }
}
