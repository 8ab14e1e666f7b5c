/// Texts with a grammar of their own: timestamps, replacements, long patterns. All are literals of the language.

extension Author {
  /// What `timestamp.value` may be given: mostly nearly right.
  mutating func timestampText() -> String {
    if random.happens(60) { return random.pick(Literals.strings) }
    var text = number([
      "2024", "1969", "1", "24", "0", "9999", "0001", "-1", "10000", "584544074", "2147483648",
    ])
    text += mark("-") + number(["2", "13", "0", "-5", "1000"]) + mark("-") + number(["30", "0", "99", "-1"])
    text += mark("T") + number(["24", "99", "-1"]) + mark(":") + number(["60", "-3"]) + mark(":")
    text += number(["60", "1000", "4294967297", "99999999999"])
    if random.happens(400) {
      text += random.pick([".", ".", ".", ",", "..", " ", "x"])
      text += (0..<random.below(13)).map { _ in "\(random.below(10))" }.joined() + odd("x")
    }
    return "'" + text + zone() + odd(" ") + "'"
  }

  /// A number of the places of a timestamp, now and then one that does not fit it.
  private mutating func number(_ others: [String]) -> String {
    if random.happens(100) { return random.pick(Self.oddNumbers) }
    if random.happens(250) { return random.pick(others) }
    let size = 1 + random.below(12)
    return size < 10 && random.happens(800) ? "0\(size)" : "\(size)"
  }

  private static let oddNumbers = [
    "", " 1", "\\t1", "+1", "--1", "- 1", "1 ", "٣", "2３", "1E1", "1E-1", "12E", "1e1", "NaN", "∞", "-∞",
    "0x1", "1,0",
    "00000001", "9223372036854775808", "1.5", "²", "−1",
  ]

  private mutating func mark(_ right: String) -> String {
    random.happens(25) ? random.pick(["", " ", "-", ":", "T", "t", "/", right + right, " " + right]) : right
  }

  private mutating func odd(_ text: String) -> String { random.happens(25) ? text : "" }

  private mutating func zone() -> String {
    if random.happens(450) { return "Z" }
    if random.happens(200) {
      return random.pick([
        "", "z", "ZZ", "Zx", "xZ", " Z", "+01:00Z", "+0100", "+01", "UTC", "+", "+:", "+1:+1", "-01:00+5:00",
      ])
    }
    let sign = random.pick(["+", "-", "+-", " +"])
    return sign + random.pick(["01", "1", "25", "99", "-1", "٣", "", "2562047788015216"]) + mark(":")
      + random.pick(["00", "30", "0", "99", "-5", "+5", " 5", ""])
  }

  /// What `replace` may put in: references to groups, right and wrong.
  mutating func replacement() -> String {
    let pieces = (0..<1 + random.below(4)).map { _ in random.pick(Self.references) }
    return "'" + pieces.joined() + "'"
  }

  private static let references = [
    "$0", "$1", "$2", "$9", "$10", "$01", "$", "$$", "$x", "${n}", "${x}", "${", "}", "${1}", "${}", "\\\\",
    "\\\\$",
    "\\\\1", "a", "1", "é", "😀", " ", "$٣", "$0", "$0", "${n}", "a",
  ]

  /// A condition with a pattern of as many UTF-16 units as there may be, or nearly; its reason would be too long to
  /// be sent, so that it seldom is one.
  mutating func longPattern() -> Phrase {
    let (unit, width): (String, Int) = random.pick([
      ("a", 1), ("é", 1), ("😀", 2), ("\\\\.", 2), ("\\u00e9", 1), ("[ab]", 4), ("(", 1),
    ])
    let count = (4_096 + random.below(3) * width - width) / width
    let pattern = "'" + String(repeating: unit, count: count) + "'"
    let whole = random.pick([
      "\(pattern)", "\(pattern)", "(\(pattern))", "(\(pattern) + '')", "(id == 'x' ? \(pattern) : 'a')",
    ])
    let call = random.pick([
      "'a'.matches(\(whole))", "'a'.split(\(whole)).size() == 1", "'a'.replace(\(whole), 'b') == 'a'",
    ])
    return Phrase(
      .bool, parts: ["", random.pick([" || true", " || id == 'x'", ""])], children: [Phrase(.bool, call)],
      isOperator: true)
  }
}
