/// Texts that `timestamp.value` reads.
///
/// The service takes more than RFC 3339: numbers of any size and sign that carry into the next place, blanks
/// before a number, digits of every script, text behind the seconds that nobody looks at, more fraction digits
/// than it keeps, offsets of any size. Source: the official emulator, asked with some thousand texts.

internal import DocModel

struct TimestampText {
  private typealias Text = ArraySlice<Unicode.Scalar>

  /// Years whose milliseconds wrap around 64 bits come out in the range again. Source: the official emulator.
  private static let millisecondsPerDay: Int64 = 86_400_000

  private var rest: Text

  /// Nil for what the service refuses; whether the result is in the range remains to be asked.
  static func timestamp(_ text: String) -> (seconds: Int64, nanoseconds: Int32)? {
    let whole = Array(text.unicodeScalars)[...]
    guard let middle = whole.firstIndex(of: "T") else { return nil }
    let behind = whole[middle...]
    guard let zone = behind.firstIndex(of: "Z") ?? behind.firstIndex(of: "+") ?? behind.firstIndex(of: "-")
    else {
      return nil
    }
    let point = whole[..<zone].firstIndex(of: ".")
    var places = TimestampText(rest: whole[..<(point ?? zone)])
    guard let seconds = places.seconds(),
      let nanoseconds = point.map({ nanoseconds(whole[whole.index(after: $0)..<zone]) }) ?? 0
    else { return nil }
    let offset = whole[whole.index(after: zone)...]
    guard whole[zone] != "Z" else { return offset.isEmpty ? (seconds, nanoseconds) : nil }
    guard let length = Self.seconds(offset: offset) else { return nil }
    return (whole[zone] == "+" ? seconds &- length : seconds &+ length, nanoseconds)
  }

  // MARK: Date and time

  /// `2024-01-31T23:59:60`; what follows is not looked at.
  private mutating func seconds() -> Int64? {
    guard let year = number(), eat("-"), let month = number(), eat("-"), let day = number(), eat("T"),
      let hour = number(), eat(":"), let minute = number(), eat(":"), let second = number()
    else { return nil }
    let time = (Int64(hour) * 60 + Int64(minute)) * 60 + Int64(second)
    // Months count from zero, in 32 bits.
    let months = Int64(month &- 1)
    let years = Timestamp.floorDivide(months, 12)
    let first = Timestamp.days(year: Int(Int64(year) + years), month: Int(months - 12 * years) + 1, day: 1)
    let days = Int64(first) + Int64(day) - 1 + Timestamp.floorDivide(time, Timestamp.secondsPerDay)
    let rest = time - Timestamp.secondsPerDay * Timestamp.floorDivide(time, Timestamp.secondsPerDay)
    return (days &* Self.millisecondsPerDay &+ rest * 1_000) / 1_000
  }

  private mutating func eat(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  /// Blanks, a minus and digits, perhaps an exponent: as `java.text.DecimalFormat` reads integers, cut to 32 bits.
  private mutating func number() -> Int32? {
    rest = rest.drop { $0 == " " || $0 == "\t" }
    if rest.starts(with: "NaN".unicodeScalars) {
      rest = rest.dropFirst(3)
      return 0
    }
    let isNegative = eat("-")
    if eat("∞") { return isNegative ? .min : .max }
    var digits = takeDigits()
    guard !digits.isEmpty else { return nil }
    digits = Array(digits.drop { $0 == 0 })
    let exponent = takeExponent()
    guard !digits.isEmpty else { return 0 }
    return Self.value(digits, exponent: exponent, isNegative: isNegative)
  }

  private mutating func takeDigits() -> [Int] {
    let digits = rest.prefix { Self.digit($0) != nil }.compactMap(Self.digit)
    rest = rest.dropFirst(digits.count)
    return digits
  }

  /// `E2`, `E-2`; what is no exponent stays where it is.
  private mutating func takeExponent() -> Int {
    let start = rest
    guard eat("E") else { return 0 }
    let isNegative = eat("-")
    let digits = takeDigits()
    if digits.isEmpty {
      rest = start
      return 0
    }
    // LIMIT: far more than any number has digits.
    let size = digits.reduce(0) { min($0 * 10 + $1, 1_000_000) }
    return isNegative ? -size : size
  }

  /// A whole number of 64 bits loses its upper half, any other one ends at the ends of 32 bits.
  private static func value(_ digits: [Int], exponent: Int, isNegative: Bool) -> Int32 {
    let significant = digits.reversed().drop { $0 == 0 }.reversed()
    let places = digits.count + exponent
    // LIMIT: 10^19 is more than 64 bits hold.
    if places > 19 { return isNegative ? .min : .max }
    var size: UInt64 = 0
    for position in 0..<max(0, places) {
      size = size &* 10 &+ UInt64(position < digits.count ? digits[position] : 0)
    }
    guard places >= significant.count, size <= UInt64(Int64.max) + (isNegative ? 1 : 0) else {
      let nearest = Int32(clamping: size)
      return isNegative ? (size > UInt64(Int32.max) ? .min : -nearest) : nearest
    }
    return Int32(truncatingIfNeeded: isNegative ? 0 &- Int64(bitPattern: size) : Int64(bitPattern: size))
  }

  /// A digit of any script that fits 16 bits.
  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    if scalar.isASCII { return ("0"..."9").contains(scalar) ? Int(scalar.value) - 0x30 : nil }
    guard scalar.value <= 0xFFFF, scalar.properties.numericType == .decimal else { return nil }
    return scalar.properties.numericValue.map { Int($0) }
  }

  // MARK: Fraction and offset

  /// Of nine digits; more are not looked at.
  private static func nanoseconds(_ text: Text) -> Int32? {
    var value: Int32 = 0
    var rest = text
    for _ in 0..<9 {
      value *= 10
      guard let scalar = rest.popFirst() else { continue }
      guard ("0"..."9").contains(scalar) else { return nil }
      value += Int32(scalar.value) - 0x30
    }
    return value
  }

  /// `1:30`, each with a sign if wanted.
  private static func seconds(offset text: Text) -> Int64? {
    guard let colon = text.firstIndex(of: ":"), let hours = long(text[..<colon]),
      let minutes = long(text[text.index(after: colon)...])
    else { return nil }
    return (hours &* 60 &+ minutes) &* 60
  }

  /// `Long.parseLong`
  private static func long(_ text: Text) -> Int64? {
    let isNegative = text.first == "-"
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text
    guard !digits.isEmpty else { return nil }
    var value: Int64 = 0
    for scalar in digits {
      guard let digit = digit(scalar) else { return nil }
      let (product, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOver) =
        isNegative
        ? product.subtractingReportingOverflow(Int64(digit)) : product.addingReportingOverflow(Int64(digit))
      if over || sumOver { return nil }
      value = sum
    }
    return value
  }
}
