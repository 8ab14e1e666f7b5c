/// `int()`, `float()`, `string()`: between numbers and texts, the way Java prints and reads them.
///
/// Source: docs/spec/rules-language.md 3.3 and the official emulator.

internal import DocModel
internal import Platform

package enum Conversions {
  static let textSignature = Signature("string", ["int", "float", "null", "string", "bool", "path"])

  static func unsupportedText(_ kind: OperandKind) -> String {
    FaultText.unsupported("string(\(kind.name))", expected: textSignature.expected)
  }

  /// `string(value)`; nil for kinds that have no text.
  package static func text(_ operand: Operand, _ e: Evaluation) -> ByteView? {
    switch operand {
    case .string(let text): text
    case .null: e.constant("null")
    case .boolean(let flag): flag ? e.constant("true") : e.constant("false")
    case .integer(let number): e.arena.copy(String(number))
    case .float(let number): e.arena.copy(e.text(of: number))
    case .path(let segments, let count): text(segments, count, e)
    case .bytes, .timestamp, .duration, .latlng, .array, .document, .fields, .list, .map, .set, .mapDiff,
      .vector, .constraint, .fault:
      nil
    }
  }

  /// A slash before every segment, and alone where there is none; a placeholder without value prints as nothing.
  private static func text(
    _ segments: UnsafePointer<PathSegment>, _ count: Int, _ e: Evaluation
  ) -> ByteView {
    if count == 0 { return e.constant("/") }
    var bytes: [UInt8] = []
    for index in 0..<count {
      bytes.append(UInt8(ascii: "/"))
      if let text = segments[index].text { bytes += text.buffer }
    }
    return e.arena.copy(bytes)
  }

  /// `Double.toString`: plain from 10^-3 to 10^7, otherwise one digit before the point and an exponent.
  static func text(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    if number == 0 { return number.sign == .minus ? "-0.0" : "0.0" }
    let (digits, exponent) = shortest(number.magnitude)
    let sign = number < 0 ? "-" : ""
    if exponent >= -3, exponent < 7 { return sign + plain(digits, exponent) }
    let fraction = digits.count > 1 ? String(digits.dropFirst()) : "0"
    return "\(sign)\(digits.prefix(1)).\(fraction)E\(exponent)"
  }

  private static func plain(_ digits: String, _ exponent: Int) -> String {
    if exponent < 0 {
      return "0." + String(repeating: "0", count: -exponent - 1) + digits
    }
    let whole = exponent + 1
    if digits.count <= whole {
      return digits + String(repeating: "0", count: whole - digits.count) + ".0"
    }
    return "\(digits.prefix(whole)).\(digits.dropFirst(whole))"
  }

  /// Decimal digits `d1 d2 …` and exponent, so that the number is `d1.d2… × 10^exponent`.
  private static func shortest(_ number: Double) -> (digits: String, exponent: Int) {
    var text = number.description.lowercased()
    var exponent = 0
    if let e = text.firstIndex(of: "e") {
      exponent = Int(text[text.index(after: e)...]) ?? 0
      text = String(text[..<e])
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let whole = String(parts[0])
    let fraction = parts.count > 1 ? String(parts[1]) : ""
    let all = whole + fraction
    let leading = all.prefix { $0 == "0" }.count
    var digits = String(all.dropFirst(leading))
    while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
    exponent += whole.count - 1 - leading
    // With one digit Java looks for the nearest number of two; only tiny numbers have a nearer one.
    if digits.count == 1, number < .leastNormalMagnitude, let two = twoDigits(number) { return two }
    return (digits, exponent)
  }

  private static func twoDigits(_ number: Double) -> (digits: String, exponent: Int)? {
    var buffer = [CChar](repeating: 0, count: 32)
    let length = withVaList([number]) { vsnprintf(&buffer, buffer.count, "%.1e", $0) }
    guard length > 0 else { return nil }
    let text = String(decoding: buffer[..<Int(length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard Double(text) == number, let e = text.firstIndex(of: "e") else { return nil }
    let digits = text[..<e].filter { $0 != "." }
    guard !digits.hasSuffix("0"), let exponent = Int(text[text.index(after: e)...]) else { return nil }
    return (String(digits), exponent)
  }

  /// A signed decimal number that fits; digits of every script count.
  static func integer(_ text: ByteView) -> Int64? {
    var scalars = text.text.unicodeScalars[...]
    let isNegative = scalars.first == "-"
    if scalars.first == "-" || scalars.first == "+" { scalars = scalars.dropFirst() }
    guard !scalars.isEmpty else { return nil }
    var value: Int64 = 0
    for scalar in scalars {
      guard scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue else {
        return nil
      }
      let (product, productOver) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOver) =
        isNegative
        ? product.subtractingReportingOverflow(Int64(digit)) : product.addingReportingOverflow(Int64(digit))
      if productOver || sumOver { return nil }
      value = sum
    }
    return value
  }

  /// Truncates; what does not fit becomes the nearest end of the range, NaN becomes 0.
  static func integer(_ number: Double) -> Int64 {
    if number.isNaN { return 0 }
    if number >= 0x1p63 { return .max }
    if number <= -0x1p63 { return .min }
    return Int64(number)
  }

  /// Java's `Double.parseDouble`: blanks around, a type suffix, hexadecimal with `p`, `NaN`, `Infinity`.
  static func float(_ text: ByteView) -> Double? {
    var bytes = Array(text.buffer)[...]
    while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    var body = bytes
    var isNegative = false
    if let sign = body.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      body.removeFirst()
    }
    if body.elementsEqual("NaN".utf8) { return .nan }
    if body.elementsEqual("Infinity".utf8) { return isNegative ? -.infinity : .infinity }
    let isHexadecimal =
      body.count > 2 && body[body.startIndex] == 0x30 && body[body.startIndex + 1] | 0x20 == 0x78
    if let suffix = body.last, "fFdD".utf8.contains(suffix),
      !isHexadecimal || body.contains(where: { $0 | 0x20 == 0x70 })
    {
      body.removeLast()
    }
    guard isHexadecimal ? isHexadecimalFloat(body.dropFirst(2)) : isDecimalFloat(body) else { return nil }
    let number = strtod(String(decoding: body, as: UTF8.self), nil)
    return isNegative ? -number : number
  }

  private static func isDecimalFloat(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    let whole = takeDigits(&rest)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeDigits(&rest)
    }
    guard whole + fraction > 0 else { return false }
    return isExponent(rest, letter: 0x65)
  }

  private static func isHexadecimalFloat(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    let whole = takeHexadecimal(&rest)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeHexadecimal(&rest)
    }
    guard whole + fraction > 0, !rest.isEmpty else { return false }
    return isExponent(rest, letter: 0x70)
  }

  /// Nothing, or the letter, an optional sign and digits.
  private static func isExponent(_ bytes: ArraySlice<UInt8>, letter: UInt8) -> Bool {
    var rest = bytes
    guard let first = rest.first else { return true }
    guard first | 0x20 == letter else { return false }
    rest.removeFirst()
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
    return takeDigits(&rest) > 0 && rest.isEmpty
  }

  private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
    let count = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }.count
    rest = rest.dropFirst(count)
    return count
  }

  private static func takeHexadecimal(_ rest: inout ArraySlice<UInt8>) -> Int {
    let count = rest.prefix { ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x66) }.count
    rest = rest.dropFirst(count)
    return count
  }
}
