/// Names with digits behind them. Source: apps/inspired.md, Triggers.

internal import DocStore

enum Username {
  /// Draws of four digits before it becomes five.
  static let shortDraws = 20
  /// LIMIT: draws in all, before the attempt is given up to be tried again.
  static let drawsMax = 1_000

  /// What stands before `#`: lower case, spaces as `_`.
  ///
  /// Assumed: a slash becomes `_` as well, because the username is the id of a document.
  static func stem(_ displayName: String) -> String {
    String(displayName.lowercased().map { $0 == " " || $0 == "/" ? "_" : $0 })
  }

  /// Draws until `isFree` says so.
  static func draw(
    for displayName: String, random: () -> UInt64, isFree: (String) throws(StoreError) -> Bool
  ) throws(StoreError) -> String {
    let stem = stem(displayName)
    for draw in 0..<drawsMax {
      let candidate = stem + "#" + digits(draw < shortDraws ? 4 : 5, random())
      if try isFree(candidate) { return candidate }
    }
    throw .resourceExhausted(message: "no free username for \"\(displayName)\" after \(drawsMax) draws")
  }

  private static func digits(_ count: Int, _ random: UInt64) -> String {
    var rest = random
    var digits: [UInt8] = []
    for _ in 0..<count {
      digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    return String(decoding: digits, as: UTF8.self)
  }
}
