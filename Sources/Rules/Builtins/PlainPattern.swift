/// Patterns that need no compiler to be known as good.

/// Recognises patterns that RE2 compiles for sure and within its memory: literals, classes, groups,
/// alternatives and repetitions as nearly all rules have them.
///
/// Compiling a pattern takes up to a millisecond, most of a large ruleset's time, and many are never
/// needed. A plain one is compiled when a condition first asks for it; any other one at once, which is also
/// how it is found out that it is wrong.
///
/// INVARIANT: what is plain compiles. Not the reverse: whatever is unusual is not plain.
/// Checked by: PatternTests, with random patterns.
struct PlainPattern {
  /// LIMIT: steps of the automaton, estimated from above. RE2 takes some eighty thousand in its memory.
  private static let sizeMax = 20_000
  /// LIMIT: of one repetition. Source: RE2.
  private static let repeatMax = 1_000
  /// LIMIT: groups inside each other; RE2 takes a thousand.
  private static let nestingMax = 20
  /// Steps for one character of a class, negated or not, over UTF-8.
  private static let classSize = 40

  private var rest: ArraySlice<UInt8>

  static func isPlain(_ pattern: [UInt8]) -> Bool {
    var scan = PlainPattern(rest: pattern[...])
    guard let whole = scan.alternatives(nesting: 0) else { return false }
    return scan.rest.isEmpty && whole.size <= sizeMax
  }

  /// What a piece of a pattern comes to.
  private struct Piece {
    var size: Int
    /// Whether a number of repetitions is in it: such a piece is not repeated again.
    var isCounted = false
    /// Whether it stands for a place, not for text.
    var isPlace = false
  }

  private mutating func eat(_ byte: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest.removeFirst()
    return true
  }

  /// `a|b`, up to the end or a closing parenthesis.
  private mutating func alternatives(nesting: Int) -> Piece? {
    guard nesting <= Self.nestingMax else { return nil }
    var whole = Piece(size: 1)
    while true {
      while let next = rest.first, next != UInt8(ascii: "|"), next != UInt8(ascii: ")") {
        guard let atom = atom(nesting: nesting), let piece = repeated(atom) else { return nil }
        whole.size += piece.size
        if piece.isCounted { whole.isCounted = true }
        guard whole.size <= Self.sizeMax else { return nil }
      }
      guard eat("|") else { return whole }
      whole.size += 1
    }
  }

  private mutating func atom(nesting: Int) -> Piece? {
    guard let byte = rest.popFirst() else { return nil }
    switch byte {
    case UInt8(ascii: "^"), UInt8(ascii: "$"): return Piece(size: 1, isPlace: true)
    case UInt8(ascii: "."): return Piece(size: Self.classSize)
    case UInt8(ascii: "["): return characterClass()
    case UInt8(ascii: "\\"): return escape().map { Piece(size: $0 ? Self.classSize : 1) }
    case UInt8(ascii: "("):
      if eat("?") { guard eat(":") else { return nil } }
      guard let inner = alternatives(nesting: nesting + 1), eat(")") else { return nil }
      return Piece(size: inner.size + 2, isCounted: inner.isCounted)
    default: return Self.isOrdinary(byte) || byte == UInt8(ascii: "]") ? Piece(size: 1) : nil
    }
  }

  /// Characters that mean themselves everywhere.
  private static func isOrdinary(_ byte: UInt8) -> Bool {
    guard byte >= 0x20, byte < 0x7F else { return false }
    return !"\\^$.|?*+()[]{}".utf8.contains(byte)
  }

  /// Behind a backslash: true for a class, false for a character.
  private mutating func escape() -> Bool? {
    guard let byte = rest.popFirst() else { return nil }
    if "dDwWsS".utf8.contains(byte) { return true }
    return "\\^$.|?*+()[]{}-/@#:,;=!%&'\"<>~".utf8.contains(byte) ? false : nil
  }

  private mutating func repeated(_ atom: Piece) -> Piece? {
    var piece = atom
    if eat("*") || eat("+") || eat("?") {
      piece.size += 2
    } else if eat("{") {
      guard !atom.isCounted, let most = bounds() else { return nil }
      piece.size = (atom.size + 1) * max(1, most)
      piece.isCounted = true
    } else {
      return piece
    }
    guard !atom.isPlace else { return nil }
    _ = eat("?")
    // A second repetition is an error.
    if let next = rest.first, "*+?{".utf8.contains(next) { return nil }
    return piece
  }

  /// `n}`, `n,}` or `n,m}`: how many copies it takes.
  private mutating func bounds() -> Int? {
    guard let least = number() else { return nil }
    if eat("}") { return least }
    guard eat(",") else { return nil }
    if eat("}") { return least + 1 }
    guard let most = number(), least <= most, eat("}") else { return nil }
    return most
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let digit = rest.first, digit >= 0x30, digit <= 0x39 {
      value = (value ?? 0) * 10 + Int(digit - 0x30)
      guard value ?? 0 <= Self.repeatMax else { return nil }
      rest.removeFirst()
    }
    return value
  }

  /// Behind `[`.
  private mutating func characterClass() -> Piece? {
    _ = eat("^")
    var isFirst = true
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]") { return isFirst ? nil : Piece(size: Self.classSize) }
      defer { isFirst = false }
      var low = byte
      if byte == UInt8(ascii: "\\") {
        let escaped = rest.first
        guard let isClass = escape(), let escaped else { return nil }
        if isClass { continue }
        low = escaped
      } else if byte == UInt8(ascii: "-") {
        // A dash that is no range stands first or last.
        guard isFirst || rest.first == UInt8(ascii: "]") else { return nil }
        continue
      } else {
        guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "[") else { return nil }
      }
      guard rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]") else { continue }
      rest.removeFirst()
      guard let high = rest.popFirst(), high >= low, high < 0x7F, high != UInt8(ascii: "["),
        high != UInt8(ascii: "\\"), high != UInt8(ascii: "-")
      else { return nil }
    }
    return nil
  }
}
