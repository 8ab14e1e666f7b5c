/// Changes to texts that a byte-wise mutation would seldom make.
struct TextMutation {
  /// LIMIT: what a mutation may grow a text to. Sizes beyond are the matter of `HostileTexts`.
  static let bytesMax = 24_000

  var random: FuzzRandom
  /// What other texts splices come from.
  let files: [[UInt8]]

  /// A text with a few changes.
  mutating func mutated(_ original: [UInt8]) -> [UInt8] {
    var bytes = original.isEmpty ? [0x20] : original
    for _ in 0...random.below(5) {
      change(&bytes)
      if bytes.isEmpty { bytes = [0x20] }
      if bytes.count > Self.bytesMax { bytes.removeSubrange(Self.bytesMax...) }
    }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = random.below(bytes.count)
    let end = min(bytes.count, place + random.below(24))
    switch random.below(12) {
    case 0, 1: bytes.insert(contentsOf: random.pick(SeedTexts.words).utf8, at: place)
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.replaceSubrange(place..<end, with: random.pick(SeedTexts.words).utf8)
    case 4: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 5: bytes.insert(contentsOf: Array(bytes[place..<end]), at: random.below(bytes.count))
    case 6: splice(&bytes, at: place)
    case 7: wrap(&bytes, place..<end)
    case 8: repeatPiece(&bytes, place..<end)
    case 9: swapTokens(&bytes)
    case 10: bytes.removeSubrange(place...)
    default: bytes.insert(contentsOf: literal(), at: place)
    }
  }

  /// A piece of another file, whole lines of it when that works out.
  private mutating func splice(_ bytes: inout [UInt8], at place: Int) {
    let other = random.pick(files)
    guard !other.isEmpty else { return }
    var start = random.below(other.count)
    var end = min(other.count, start + 1 + random.below(300))
    if random.oneIn(2) {
      while start > 0, other[start - 1] != UInt8(ascii: "\n") { start -= 1 }
      while end < other.count, other[end] != UInt8(ascii: "\n") { end += 1 }
    }
    bytes.insert(contentsOf: other[start..<min(end, start + 2_000)], at: place)
  }

  private mutating func wrap(_ bytes: inout [UInt8], _ range: Range<Int>) {
    let (open, close) = random.pick([
      ("(", ")"), ("[", "]"), ("{'a':", "}"), ("!", ""), ("-", ""), ("f(", ")"), ("/a/$(", ")"), ("/*", "*/"),
      ("'", "'"), ("match /a/{b} {", "}"), ("function f() {", "}"), ("true ? ", " : false"), ("// ", "\n"),
    ])
    let times = random.oneIn(8) ? random.below(120) : 1
    bytes.insert(contentsOf: Array(repeating: Array(close.utf8), count: times).joined(), at: range.upperBound)
    bytes.insert(contentsOf: Array(repeating: Array(open.utf8), count: times).joined(), at: range.lowerBound)
  }

  private mutating func repeatPiece(_ bytes: inout [UInt8], _ range: Range<Int>) {
    let piece = Array(bytes[range])
    let times = random.oneIn(10) ? random.below(400) : random.below(8)
    bytes.insert(contentsOf: Array(repeating: piece, count: times).joined(), at: range.lowerBound)
  }

  /// Two words change places.
  private mutating func swapTokens(_ bytes: inout [UInt8]) {
    func word(_ at: Int) -> Range<Int> {
      var end = at
      while end < bytes.count, bytes[end] > 0x20 { end += 1 }
      return at..<end
    }
    let first = word(random.below(bytes.count))
    let second = word(random.below(bytes.count))
    guard first.upperBound <= second.lowerBound else { return }
    let (left, right) = (Array(bytes[first]), Array(bytes[second]))
    bytes.replaceSubrange(second, with: left)
    bytes.replaceSubrange(first, with: right)
  }

  private mutating func literal() -> [UInt8] {
    switch random.below(6) {
    case 0: return Array("'\(String(repeating: "ab\\n", count: random.below(200)))'".utf8)
    case 1: return Array(repeating: UInt8(ascii: "9"), count: 1 + random.below(400))
    case 2: return (0...random.below(12)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case 3: return Array(repeating: UInt8(ascii: "a"), count: 1 + random.below(3_000))
    case 4: return [0xF0, 0x9F, 0x98]
    default: return Array("'\\u{\(String(random.next() % 0x120000, radix: 16))}'".utf8)
    }
  }
}
