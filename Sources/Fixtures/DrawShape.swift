/// How often which numbers of a range are drawn. Part of the format's version 1.

/// A distribution over a range of whole numbers, made of even draws without any arithmetic that platforms could
/// round differently.
enum DrawShape: String {
  /// All equally likely.
  case even
  /// The middle most likely: the mean of four draws, rounded down.
  case bell
  /// Small ones most likely, with a long tail: the least of three draws.
  case low
  /// Large ones most likely: the greatest of three draws.
  case high
}

extension RandomStream {
  /// A number from `low` to `high`, both included.
  mutating func number(from low: Int64, through high: Int64, _ shape: DrawShape) -> Int64 {
    switch shape {
    case .even: return number(from: low, through: high)
    case .low:
      return min(
        number(from: low, through: high), number(from: low, through: high), number(from: low, through: high))
    case .high:
      return max(
        number(from: low, through: high), number(from: low, through: high), number(from: low, through: high))
    case .bell:
      // The sum of four offsets may not fit; that of their quarters does.
      var quarters: UInt64 = 0
      var rest: UInt64 = 0
      for _ in 0..<4 {
        let offset =
          UInt64(bitPattern: number(from: low, through: high)) &- UInt64(bitPattern: low)
        quarters += offset / 4
        rest += offset % 4
      }
      return Int64(bitPattern: UInt64(bitPattern: low) &+ quarters &+ rest / 4)
    }
  }
}
