/// RFC 3339 text of instants: the JSON form of timestamps and the form seeds and tests write.

internal import Platform

extension Timestamp {
  /// Days since the Unix epoch of a proleptic Gregorian date.
  public static func days(year: Int, month: Int, day: Int) -> Int {
    CivilDate.days(year: year, month: month, day: day)
  }

  /// The date that lies `days` after the Unix epoch.
  public static func date(days: Int) -> (year: Int, month: Int, day: Int) { CivilDate.date(days: days) }

  /// How many days `month` of `year` has; 0 for a month outside 1...12.
  public static func days(inMonth month: Int, of year: Int) -> Int {
    CivilDate.days(inMonth: month, of: year)
  }

  /// Text as protobuf's JSON form writes it: `Z`, and 0, 3, 6 or 9 fraction digits.
  public var rfc3339: String {
    let days = Int((seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400)
    let rest = Int((seconds % 86_400 + 86_400) % 86_400)
    let (year, month, day) = Self.date(days: days)
    var text = Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
    text += Self.padded(rest / 3_600, 2) + ":" + Self.padded(rest / 60 % 60, 2) + ":"
    text += Self.padded(rest % 60, 2)
    let nanos = Int(nanoseconds)
    if nanos != 0 {
      if nanos % 1_000_000 == 0 {
        text += "." + Self.padded(nanos / 1_000_000, 3)
      } else if nanos % 1_000 == 0 {
        text += "." + Self.padded(nanos / 1_000, 6)
      } else {
        text += "." + Self.padded(nanos, 9)
      }
    }
    return text + "Z"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Reads RFC 3339 text with 0 to 9 fraction digits and any offset, or a bare date (midnight UTC).
  ///
  /// Nil when the text is anything else, or outside the years 1 to 9999.
  public init?(rfc3339 text: String) {
    var reader = DigitReader(bytes: Array(text.utf8))
    guard let year = reader.number(4), reader.eat(UInt8(ascii: "-")),
      let month = reader.number(2), reader.eat(UInt8(ascii: "-")), let day = reader.number(2),
      (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year)
    else { return nil }
    var seconds = Int64(Self.days(year: year, month: month, day: day)) * 86_400
    var nanoseconds = 0
    if !reader.isAtEnd {
      guard reader.eatAny("Tt "), let time = reader.clock(), let offset = reader.offset() else { return nil }
      seconds += Int64(time.seconds - offset)
      nanoseconds = time.nanoseconds
    }
    guard reader.isAtEnd else { return nil }
    self.init(seconds: seconds, nanoseconds: Int32(nanoseconds))
    guard isValid else { return nil }
  }
}

/// Fixed-width decimal fields of a date text.
private struct DigitReader {
  let bytes: [UInt8]
  var index = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { index == bytes.count }

  mutating func eat(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  mutating func eatAny(_ choices: StaticString) -> Bool {
    guard index < bytes.count else { return false }
    let byte = bytes[index]
    let isOne = choices.withUTF8Buffer { $0.contains(byte) }
    if isOne { index += 1 }
    return isOne
  }

  mutating func number(_ width: Int) -> Int? {
    guard index + width <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[index..<index + width] {
      guard byte >= 48, byte <= 57 else { return nil }
      value = value * 10 + Int(byte - 48)
    }
    index += width
    return value
  }

  mutating func clock() -> (seconds: Int, nanoseconds: Int)? {
    guard let hour = number(2), eat(UInt8(ascii: ":")), let minute = number(2), eat(UInt8(ascii: ":")),
      let second = number(2), hour < 24, minute < 60, second < 60
    else { return nil }
    var nanoseconds = 0
    if eat(UInt8(ascii: ".")) {
      guard let fraction = fraction() else { return nil }
      nanoseconds = fraction
    }
    return (hour * 3_600 + minute * 60 + second, nanoseconds)
  }

  private mutating func fraction() -> Int? {
    var digits = 0
    var value = 0
    while index < bytes.count, bytes[index] >= 48, bytes[index] <= 57 {
      guard digits < 9 else { return nil }
      value = value * 10 + Int(bytes[index] - 48)
      digits += 1
      index += 1
    }
    guard digits > 0 else { return nil }
    for _ in digits..<9 { value *= 10 }
    return value
  }

  mutating func offset() -> Int? {
    if eatAny("Zz") { return 0 }
    let isNegative: Bool
    if eat(UInt8(ascii: "+")) {
      isNegative = false
    } else if eat(UInt8(ascii: "-")) {
      isNegative = true
    } else {
      return nil
    }
    guard let hour = number(2), eat(UInt8(ascii: ":")), let minute = number(2), hour < 24, minute < 60
    else { return nil }
    let seconds = hour * 3_600 + minute * 60
    return isNegative ? -seconds : seconds
  }
}
