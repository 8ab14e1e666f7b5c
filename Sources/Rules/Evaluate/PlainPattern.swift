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
    return scan.rest.isEmpty && whole.size <= sizeMax && PatternDialect.balances(pattern)
  }

  /// How many bytes behind the end of a match a search may have to look before it is certain of the match; nil when
  /// that may be as many as there are, and for what is not plain.
  ///
  /// A pattern of bounded length never looks further than that. One that ends with a repetition of something bounded
  /// (`, *`, `[^a-z]+`) has gone on to the end of the match, or is at most inside of one more. Whatever else is
  /// unbounded may wait for something that never comes, as `a*b|a` waits for `b`.
  static func reach(of pattern: [UInt8]) -> Int? {
    var scan = PlainPattern(rest: pattern[...])
    guard let whole = scan.alternatives(nesting: 0), scan.rest.isEmpty else { return nil }
    return whole.reach
  }

  /// What a piece of a pattern comes to.
  private struct Piece {
    var size: Int
    /// Whether a number of repetitions is in it: such a piece is not repeated again.
    var isCounted = false
    /// Whether it stands for a place, not for text.
    var isPlace = false
    /// The most bytes that it may match; nil for any number.
    var length: Int?
    /// As `PlainPattern.reach`.
    var reach: Int?

    init(size: Int, length: Int = 0, isPlace: Bool = false) {
      self.size = size
      self.isPlace = isPlace
      self.length = length
      reach = length
    }

    /// One behind the other.
    mutating func append(_ next: Piece) {
      size += next.size
      if next.isCounted { isCounted = true }
      guard let before = length else {
        // What waits for more behind something unbounded.
        reach = nil
        return
      }
      length = next.length.map { before + $0 }
      reach = next.reach.map { before + $0 }
    }

    /// Either of them.
    mutating func join(_ other: Piece) {
      size += other.size + 1
      if other.isCounted { isCounted = true }
      if let mine = length, let its = other.length { length = max(mine, its) } else { length = nil }
      reach = length
    }

    /// Some number of it, at least `least`; nil for `most` is any number.
    mutating func `repeat`(least: Int, most: Int?) {
      let one = length
      length = most.flatMap { most in one.map { $0 * most } }
      reach = length ?? one.map { $0 * (least + 2) }
    }
  }

  /// The most bytes of a character.
  private static let characterBytes = 4

  private mutating func eat(_ byte: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest.removeFirst()
    return true
  }

  /// `a|b`, up to the end or a closing parenthesis.
  private mutating func alternatives(nesting: Int) -> Piece? {
    guard nesting <= Self.nestingMax else { return nil }
    var whole: Piece?
    var side = Piece(size: 1)
    while true {
      while let next = rest.first, next != UInt8(ascii: "|"), next != UInt8(ascii: ")") {
        guard let atom = atom(nesting: nesting), let piece = repeated(atom) else { return nil }
        side.append(piece)
        guard (whole?.size ?? 0) + side.size <= Self.sizeMax else { return nil }
      }
      if whole == nil { whole = side } else { whole?.join(side) }
      guard eat("|") else { return whole }
      side = Piece(size: 0)
    }
  }

  private mutating func atom(nesting: Int) -> Piece? {
    guard let byte = rest.popFirst() else { return nil }
    switch byte {
    case UInt8(ascii: "^"), UInt8(ascii: "$"): return Piece(size: 1, isPlace: true)
    case UInt8(ascii: "."): return Piece(size: Self.classSize, length: Self.characterBytes)
    case UInt8(ascii: "["): return characterClass()
    case UInt8(ascii: "\\"):
      return escape().map {
        $0 ? Piece(size: Self.classSize, length: Self.characterBytes) : Piece(size: 1, length: 1)
      }
    case UInt8(ascii: "("):
      if eat("?") { guard eat(":") else { return nil } }
      guard let inner = alternatives(nesting: nesting + 1), eat(")") else { return nil }
      var group = inner
      group.size += 2
      group.isPlace = false
      return group
    default: return Self.isOrdinary(byte) || byte == UInt8(ascii: "]") ? Piece(size: 1, length: 1) : nil
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
    if eat("?") {
      piece.size += 2
      piece.repeat(least: 0, most: 1)
    } else if eat("*") {
      piece.size += 2
      piece.repeat(least: 0, most: nil)
    } else if eat("+") {
      piece.size += 2
      piece.repeat(least: 1, most: nil)
    } else if eat("{") {
      guard !atom.isCounted, let bounds = bounds() else { return nil }
      piece.size = (atom.size + 1) * max(1, bounds.most ?? bounds.least + 1)
      piece.isCounted = true
      piece.repeat(least: bounds.least, most: bounds.most)
    } else {
      return piece
    }
    guard !atom.isPlace else { return nil }
    _ = eat("?")
    // A second repetition is an error.
    if let next = rest.first, "*+?{".utf8.contains(next) { return nil }
    return piece
  }

  /// `n}`, `n,}` or `n,m}`
  private mutating func bounds() -> (least: Int, most: Int?)? {
    guard let least = number() else { return nil }
    if eat("}") { return (least, least) }
    guard eat(",") else { return nil }
    if eat("}") { return (least, nil) }
    guard let most = number(), least <= most, eat("}") else { return nil }
    return (least, most)
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
      if byte == UInt8(ascii: "]") {
        return isFirst ? nil : Piece(size: Self.classSize, length: Self.characterBytes)
      }
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
