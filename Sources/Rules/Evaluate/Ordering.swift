/// `<`, `<=`, `>`, `>=` between values. Source: docs/spec/rules-language.md 2.7.

internal import DocModel

/// The comparisons that rules can write.
package enum Comparison: UInt8, CaseIterable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  /// The same question with the sides exchanged.
  package var flipped: Comparison {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  package var symbol: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  /// Whether `order` (negative, zero, positive) satisfies this.
  @inline(__always)
  package func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  @inline(__always)
  func holds(_ a: Double, _ b: Double) -> Bool {
    switch self {
    case .equal: a == b
    case .notEqual: a != b
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    case .greaterOrEqual: a >= b
    }
  }
}

/// Whether an ordered comparison holds; nil when the two kinds have no order.
@inline(__always)
package func ordered(_ left: Operand, _ right: Operand, _ comparison: Comparison) -> Bool? {
  switch (left, right) {
  case (.integer(let a), .integer(let b)): comparison.holds(a < b ? -1 : (a > b ? 1 : 0))
  case (.float(let a), .float(let b)): comparison.holds(a, b)
  case (.integer(let a), .float(let b)): comparison.holds(Double(a), b)
  case (.float(let a), .integer(let b)): comparison.holds(a, Double(b))
  case (.timestamp(let a), .timestamp(let b)): comparison.holds(a < b ? -1 : (b < a ? 1 : 0))
  case (.string(let a), .string(let b)): comparison.holds(compareUTF16(a, b))
  case (.bytes(let a), .bytes(let b)): comparison.holds(WireCursor.compare(a.buffer, b.buffer))
  case (.duration(let a), .duration(let b)):
    comparison.holds(
      a.seconds != b.seconds
        ? (a.seconds < b.seconds ? -1 : 1) : Int(a.nanoseconds) - Int(b.nanoseconds))
  default: nil
  }
}

/// Order of UTF-16 units, which is what the official engine compares: a character beyond U+FFFF sorts
/// before U+E000. Source: the official emulator.
func compareUTF16(_ left: ByteView, _ right: ByteView) -> Int {
  let count = min(left.count, right.count)
  var index = 0
  while index < count {
    let a = left.buffer[index]
    let b = right.buffer[index]
    if a != b {
      // Lead bytes EE and EF are U+E000...U+FFFF, F0 and above are surrogate pairs.
      if a >= 0xF0, b == 0xEE || b == 0xEF { return -1 }
      if b >= 0xF0, a == 0xEE || a == 0xEF { return 1 }
      return a < b ? -1 : 1
    }
    index += 1
  }
  return left.count - right.count
}
