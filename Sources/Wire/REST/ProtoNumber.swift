/// JSON's values as the kinds of protobuf's fields.
///
/// The service and the official emulator differ in what they let pass: the service reads whatever its own
/// words for numbers and truths are, the emulator whatever Java reads from the text.
/// Source: docs/spec/production-differences.md Q17, Q18; the service's words as others measured them; the official
/// emulator.

internal import DocModel
internal import Platform

/// Whose reading of JSON is followed.
enum JSONDialect: Sendable {
  case production, emulator
}

enum ProtoNumber {
  /// A decimal or hexadecimal number; nil for anything else. Infinite when it is too large.
  static func double(_ text: [UInt8]) -> Double? {
    // Swift reads words, too.
    guard let first = text.first(where: { !"+-".utf8.contains($0) }),
      first == UInt8(ascii: ".") || first < 0x3A
    else { return nil }
    return Double(String(decoding: text, as: UTF8.self))
  }

  /// Digits with or without a sign. Blanks around them are refused, other white space is not.
  static func integer(_ text: [UInt8], _ range: ClosedRange<Int64>) -> Int64? {
    if text.first == 0x20 || text.last == 0x20 { return nil }
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let body = text.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    guard let number = Int64(String(decoding: Array(body), as: UTF8.self)) else { return nil }
    return range.contains(number) ? number : nil
  }

  static func integer(_ number: Double, _ range: ClosedRange<Int64>) -> Int64? {
    guard let whole = Int64(exactly: number), range.contains(whole) else { return nil }
    return whole
  }

  /// A truth by the service's words, in any case of letters.
  static func truth(_ text: [UInt8]) -> Bool? {
    let folded = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    switch String(decoding: folded, as: UTF8.self) {
    case "true", "t", "yes", "y", "1": return true
    case "false", "f", "no", "n", "0": return false
    default: return nil
    }
  }

  /// Fifteen digits where they tell the number, otherwise seventeen.
  static func text(_ number: Double) -> String {
    let short = printed("%.15g", number)
    return Double(short) == number ? short : printed("%.17g", number)
  }

  private static func printed(_ format: String, _ number: Double) -> String {
    var buffer = [CChar](repeating: 0, count: 40)
    let count = withVaList([number]) { vsnprintf(&buffer, buffer.count, format, $0) }
    return String(
      decoding: buffer[..<max(0, min(Int(count), buffer.count - 1))].map(UInt8.init(bitPattern:)),
      as: UTF8.self)
  }
}

// MARK: - Scalars

extension JSONScalar {
  /// As a refusal repeats it.
  var shown: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .string(let text): "\"" + String(decoding: text, as: UTF8.self) + "\""
    case .unsigned(let number): String(number)
    case .signed(let number): String(number)
    case .double(let number, _): ProtoNumber.text(number)
    }
  }

  /// As Java's reader gives it; nil for null.
  private var javaText: [UInt8]? {
    switch self {
    case .null: nil
    case .boolean(let flag): Array((flag ? "true" : "false").utf8)
    case .string(let text): text
    case .unsigned(let number): Array(String(number).utf8)
    case .signed(let number): Array(String(number).utf8)
    case .double(_, let text): text
    }
  }

  func text(_ dialect: JSONDialect) -> [UInt8]? {
    switch (dialect, self) {
    case (.production, .string(let text)): text
    case (.production, _): nil
    case (.emulator, _): javaText
    }
  }

  func integer(_ dialect: JSONDialect, _ range: ClosedRange<Int64>) -> Int64? {
    switch (dialect, self) {
    case (_, .unsigned(let number)): Int64(exactly: number).flatMap { range.contains($0) ? $0 : nil }
    case (_, .signed(let number)): range.contains(number) ? number : nil
    case (_, .double(let number, _)): ProtoNumber.integer(number, range)
    case (.production, .string(let text)): ProtoNumber.integer(text, range)
    case (.emulator, .string(let text)):
      Int64(String(decoding: text, as: UTF8.self)).flatMap { range.contains($0) ? $0 : nil }
        ?? ProtoNumber.double(text).flatMap { ProtoNumber.integer($0, range) }
    case (_, .null), (_, .boolean): nil
    }
  }

  var double: Double? {
    switch self {
    case .unsigned(let number): Double(number)
    case .signed(let number): Double(number)
    case .double(let number, _): number
    case .string(let text):
      switch String(decoding: text, as: UTF8.self) {
      case "NaN": .nan
      case "Infinity": .infinity
      case "-Infinity": -.infinity
      default: ProtoNumber.double(text).flatMap { $0.isFinite ? $0 : nil }
      }
    case .null, .boolean: nil
    }
  }

  func boolean(_ dialect: JSONDialect) -> Bool? {
    switch (dialect, self) {
    case (_, .boolean(let flag)): flag
    case (.production, .string(let text)): ProtoNumber.truth(text)
    case (.emulator, .string(let text)): text.holds("true") ? true : text.holds("false") ? false : nil
    case (.production, .unsigned(0)), (.production, .double(0, _)), (.production, .signed(0)): false
    case (.production, .unsigned(1)), (.production, .double(1, _)): true
    case (_, .unsigned), (_, .signed), (_, .double), (_, .null): nil
    }
  }

  /// The number of an enumeration's value: by its name or by any number.
  func number(in enumeration: ProtoSchema.Enumeration, _ dialect: JSONDialect) -> Int64? {
    let int32 = Int64(Int32.min)...Int64(Int32.max)
    guard case .string(let text) = self else {
      if case .null = self { return enumeration.isNullValue ? 0 : nil }
      return integer(dialect, int32)
    }
    let name = String(decoding: text, as: UTF8.self)
    if let exact = enumeration.values.first(where: { $0.name == name }) { return Int64(exact.number) }
    switch dialect {
    case .emulator: return integer(dialect, int32)
    case .production:
      if let number = integer(dialect, int32) {
        return enumeration.values.contains { Int64($0.number) == number } ? number : nil
      }
      let folded = text.map {
        (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0
      }
      let normal = String(decoding: folded, as: UTF8.self)
      return enumeration.values.first { $0.name == normal }.map { Int64($0.number) }
    }
  }
}

// MARK: - Timestamps

extension Timestamp {
  /// What the service says of a time it cannot read.
  /// Source: texts of the service, recorded by others; which one a day that does not exist gets: inferred.
  enum TextFault: String {
    case form = "Illegal timestamp format; timestamps must end with 'Z' or have a valid timezone offset."
    case range = "Timestamp value exceeds limits"
  }

  /// Date, `T`, time and offset; nothing may be left out.
  static func transcoded(_ text: [UInt8]) -> Result<Timestamp, TimestampTextError> {
    let offset = text.suffix(6)
    let hasOffset =
      text.last == UInt8(ascii: "Z")
      || (offset.count == 6 && "+-".utf8.contains(offset.first ?? 0)
        && offset[offset.startIndex + 3] == UInt8(ascii: ":"))
    guard hasOffset else { return .failure(.init(fault: .form)) }
    let separator = text.count > 10 ? text[10] : 0
    guard separator == UInt8(ascii: "T"), let time = Timestamp(rfc3339: String(decoding: text, as: UTF8.self))
    else { return .failure(.init(fault: .range)) }
    return .success(time)
  }
}

struct TimestampTextError: Error {
  let fault: Timestamp.TextFault
}
