/// Exact decimal arithmetic for bounds that are written as decimals.

/// The decimal number that a double is written as: `digits` times ten to the power of `exponent`.
///
/// 4.35 times 100 is 434.99... in doubles, so that a draw of two decimals up to 4.35 would never give
/// 4.35. The shortest text that reads back as the double is what the author wrote.
struct Decimal {
  private let isNegative: Bool
  /// 1 to 17 decimal digits, most significant first, without leading zeros; empty for zero.
  private let digits: [UInt8]
  private let exponent: Int

  /// Nil for NaN and the infinities.
  init?(_ number: Double) {
    guard number.isFinite else { return nil }
    var digits: [UInt8] = []
    var exponent = 0
    var rest = number.magnitude.description.utf8[...]
    var isFraction = false
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"):
        exponent += Int(Substring(rest)) ?? 0
        rest = rest[rest.endIndex...]
      default:
        if isFraction { exponent -= 1 }
        if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte - UInt8(ascii: "0")) }
      }
    }
    isNegative = number < 0
    self.digits = digits
    self.exponent = exponent
  }

  /// This number times ten to the power of `decimals`, rounded to the nearest whole number below (or,
  /// with `up`, above); nil when that exceeds ±2^53.
  func steps(decimals: Int, roundedUp: Bool) -> Int64? {
    let shift = exponent + decimals
    var whole: Int64 = 0
    var isExact = true
    for place in 0..<max(digits.count, digits.count + shift) {
      let digit = place < digits.count ? digits[place] : 0
      if place < digits.count + shift {
        let (shifted, overflow) = whole.multipliedReportingOverflow(by: 10)
        guard !overflow, shifted <= 1 << 53 else { return nil }
        whole = shifted + Int64(digit)
      } else if digit != 0 {
        isExact = false
      }
    }
    guard whole <= 1 << 53 else { return nil }
    if !isExact, roundedUp != isNegative { whole += 1 }
    return isNegative ? -whole : whole
  }
}
