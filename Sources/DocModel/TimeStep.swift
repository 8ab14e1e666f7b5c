/// Lengths of time as people write them.

/// Reads `12h`, `1d12h30m`, `2w`: whole numbers, each with its unit.
public enum TimeStep {
  /// LIMIT: the longest step.
  public static let secondsMax: Int64 = 100 * 366 * 86_400

  private static let units: [(name: Character, seconds: Int64)] = [
    ("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
  ]

  /// The seconds of a step with its sign, `-1d12h`; 0 for an empty text.
  public static func signed(_ written: Substring) throws(InvalidArgument) -> Int64 {
    guard let sign = written.first else { return 0 }
    guard sign == "+" || sign == "-" else {
      throw InvalidArgument("'\(written)' has no sign; write +12h or -1d")
    }
    let seconds = try seconds(written.dropFirst(), of: String(written))
    return sign == "+" ? seconds : -seconds
  }

  /// The step in seconds. `text` is what messages call it: `written`, perhaps with a sign before it.
  public static func seconds(_ written: Substring, of text: String) throws(InvalidArgument) -> Int64 {
    var seconds: Int64 = 0
    var rest = written
    repeat {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      guard let count = Int64(digits), count <= secondsMax, let letter = rest.popFirst(),
        let unit = units.first(where: { $0.name == letter }), count * unit.seconds <= secondsMax
      else {
        throw InvalidArgument("'\(text)' is no step; write +12h, +30m or +1d12h30m, a hundred years at most")
      }
      seconds += count * unit.seconds
    } while !rest.isEmpty && seconds <= secondsMax
    guard seconds <= secondsMax else {
      throw InvalidArgument("'\(text)' is too far; a step is a hundred years at most")
    }
    return seconds
  }
}
