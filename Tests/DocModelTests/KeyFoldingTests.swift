import DocModel
import Platform
import Testing

@Suite("folding of long parts")
struct KeyFoldingTests {
  private struct Folded {
    let bytes: [UInt8]
    let isFolded: Bool
    /// What stands before the fold mark and the hash.
    var prefix: ArraySlice<UInt8> { bytes.dropLast(18) }
  }

  private static func part(_ text: [UInt8], budget: Int) -> Folded {
    var writer = KeyWriter()
    text.withUnsafeBytes { writer.part($0, budget: budget) }
    return Folded(bytes: writer.bytes, isFolded: writer.isFolded)
  }

  private static func value(_ value: Value, budget: Int) -> Folded {
    var writer = KeyWriter()
    value.withView { writer.value($0, budget: budget) }
    return Folded(bytes: writer.bytes, isFolded: writer.isFolded)
  }

  private static func documentID(_ id: String, budget: Int) -> Folded {
    var writer = KeyWriter()
    Array(id.utf8).withUnsafeBytes { writer.documentID($0, budget: budget) }
    return Folded(bytes: writer.bytes, isFolded: writer.isFolded)
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { a in right.withUnsafeBytes { b in WireCursor.compare(a, b).signum() } }
  }

  /// What folding promises about two parts whose true order is `expected`; nil when it holds.
  private static func violation(_ left: Folded, _ right: Folded, expected: Int, budget: Int) -> String? {
    if left.bytes.count > budget || right.bytes.count > budget { return "over budget" }
    let order = order(left.bytes, right.bytes)
    if expected == 0 { return order == 0 ? nil : "equal parts, different keys" }
    if order == 0 { return "different parts, equal keys" }
    if left.isFolded, right.isFolded, left.prefix == right.prefix { return nil }
    return order == expected ? nil : "order \(order), not \(expected)"
  }

  /// A text whose first `shared` bytes come from a common stem, so that cuts fall into shared bytes.
  private static func text(stem: [UInt8], _ values: inout RandomValues) -> [UInt8] {
    Array(stem.prefix(values.random.below(stem.count + 1))) + values.bytes(lengthMax: 40)
  }

  private static func stem(_ values: inout RandomValues) -> [UInt8] {
    let length = values.random.below(120)
    switch values.random.below(3) {
    case 0: return [UInt8](repeating: 0, count: length)
    case 1: return [UInt8](repeating: 0x61, count: length)
    default: return (0..<length).map { _ in values.random.pick([0, 0, 1, 2, 0xFF, 0x61]) }
    }
  }

  @Test("folded texts keep their order unless both are cut to one prefix")
  func textsKeepOrder() {
    var values = RandomValues(.forThisRun())
    for _ in 0..<1_000 {
      let stem = Self.stem(&values)
      let budget = 19 + values.random.below(100)
      let family = (0..<16).map { _ in Self.text(stem: stem, &values) }
      let keys = family.map { Self.part($0, budget: budget) }
      for i in family.indices {
        for j in family.indices where j < i {
          let expected = Self.order(family[i], family[j])
          if let violation = Self.violation(keys[i], keys[j], expected: expected, budget: budget) {
            Issue.record(
              "\(violation): \(family[i].hexadecimal) and \(family[j].hexadecimal), budget \(budget), SEED=\(values.random.seed)"
            )
            return
          }
        }
      }
    }
  }

  @Test("folded values of every kind keep their order unless both are cut to one prefix")
  func valuesKeepOrder() {
    var values = RandomValues(.forThisRun())
    for _ in 0..<1_000 {
      let stem = Self.stem(&values)
      let budget = 20 + values.random.below(60)
      var family = (0..<6).map { _ in Value.bytes(Self.text(stem: stem, &values)) }
      family += family.map { Value.array([$0, values.scalar()]) }
      family += (0..<6).map { _ in values.value() }
      family += family.map { values.neighbour(of: $0) }
      let keys = family.map { Self.value($0, budget: budget) }
      for i in family.indices {
        for j in family.indices where j < i {
          let expected = family[i].order(to: family[j])
          if let violation = Self.violation(keys[i], keys[j], expected: expected, budget: budget) {
            Issue.record(
              "\(violation): \(family[i]) and \(family[j]), budget \(budget), SEED=\(values.random.seed)")
            return
          }
        }
      }
    }
  }

  @Test("a part before a folded part still decides, and one behind it breaks ties")
  func partsAroundAFold() {
    var values = RandomValues(.forThisRun())
    for _ in 0..<5_000 {
      let text = Self.stem(&values) + values.bytes(lengthMax: 40)
      let (low, high) = (values.bytes(lengthMax: 3), values.bytes(lengthMax: 3))
      func key(_ before: [UInt8], _ after: [UInt8]) -> [UInt8] {
        var writer = KeyWriter()
        for part in [before, text, after] { part.withUnsafeBytes { writer.part($0, budget: 30) } }
        return writer.bytes
      }
      let expected = Self.order(low, high)
      guard Self.order(key(low, []), key(high, [])) == expected,
        Self.order(key([], low), key([], high)) == expected
      else {
        Issue.record(
          "\(low.hexadecimal) and \(high.hexadecimal) around \(text.hexadecimal), SEED=\(values.random.seed)")
        return
      }
    }
  }

  @Test("no cut falls inside an escape pair", arguments: 19...60)
  func cutsAreWhole(budget: Int) {
    for length in 0..<80 {
      let zeros = Self.part([UInt8](repeating: 0, count: length), budget: budget)
      let longer = Self.part([UInt8](repeating: 0, count: length) + [1], budget: budget)
      guard zeros.isFolded else { continue }
      #expect(zeros.prefix.count.isMultiple(of: 2))
      #expect(zeros.bytes.count <= budget)
      #expect(zeros.bytes != longer.bytes)
    }
  }

  @Test("a part that fits with room for a fold is written whole, a longer one is folded")
  func threshold() {
    let whole = Self.part([UInt8](repeating: 0x61, count: 10), budget: 30)
    #expect(!whole.isFolded)
    #expect(whole.bytes.hexadecimal == String(repeating: "61", count: 10) + "0001")
    let folded = Self.part([UInt8](repeating: 0x61, count: 11), budget: 30)
    #expect(folded.isFolded)
    #expect(folded.bytes.count == 11 + 2 + 16)
    #expect(folded.bytes.prefix(13).hexadecimal == String(repeating: "61", count: 11) + "0002")
  }

  @Test("long ids that are equal give equal keys, others different ones; numeric ids stay whole")
  func documentIDs() {
    let long = String(repeating: "x", count: 1_500)
    #expect(Self.documentID(long, budget: 88).bytes == Self.documentID(long, budget: 88).bytes)
    #expect(Self.documentID(long, budget: 88).bytes != Self.documentID(long + "y", budget: 88).bytes)
    #expect(Self.documentID(long, budget: 88).bytes.count <= 88)
    #expect(!Self.documentID("__id-9223372036854775808__", budget: 88).isFolded)
  }

  @Test("equal values of different kind fold to one key")
  func equalValuesFoldAlike() {
    let filler = String(repeating: "x", count: 200)
    let integers = Self.value(.array([.string(filler), .integer(1), .double(0)]), budget: 60)
    let doubles = Self.value(.array([.string(filler), .double(1), .double(-0.0)]), budget: 60)
    #expect(integers.isFolded)
    #expect(integers.bytes == doubles.bytes)
  }
}
