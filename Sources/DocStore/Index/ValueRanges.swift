/// From tests of one field, cursors and bounds of names to ranges of index bytes.
///
/// INVARIANT: a document that passes the tests lies in the ranges. `isExact` says that the converse holds, too;
/// folded bounds take in the whole run of their fold.
/// Source: docs/spec/protocol.md 5.3 (the table of operators, null and NaN) and 3.4.

internal import DocModel

struct ValueRanges {
  private(set) var ranges: [SuffixRange] = [.all]
  private(set) var isExact = true
  private let budget: Int

  init(budget: Int) { self.budget = budget }

  /// Tags of the kinds, as `KeyWriter` writes them.
  private enum Tag {
    static let null: UInt8 = 0x05
    static let nan: UInt8 = 0x0D
  }

  // MARK: tests

  /// Keeps what can pass a test. All tests come before `turn`.
  mutating func narrow(_ test: FieldTest) {
    switch test.comparison {
    case .equal, .in: keepEqual(test.operands.filter { !Self.matchesNothing($0) })
    case .isNull: intersect([range(tag: Tag.null)])
    case .isNaN: intersect([range(tag: Tag.nan)])
    case .isNotNull: intersect([SuffixRange(lower: [Tag.null + 1], upper: nil)])
    case .isNotNaN:
      intersect([
        SuffixRange(lower: [Tag.null + 1], upper: [Tag.nan]), SuffixRange(lower: [Tag.nan + 1], upper: nil),
      ])
    case .notEqual, .notIn: exclude(test.operands)
    case .lessThan: keepRelated(test) { _, bound in (nil, bound.lower) }
    case .lessThanOrEqual: keepRelated(test) { _, bound in (nil, bound.upper) }
    case .greaterThan: keepRelated(test) { isFolded, bound in (isFolded ? bound.lower : bound.upper, nil) }
    case .greaterThanOrEqual: keepRelated(test) { _, bound in (bound.lower, nil) }
    case .arrayContains, .arrayContainsAny: isExact = false
    }
  }

  /// Nothing is equal to null or NaN, nor before or after it.
  static func matchesNothing(_ operand: [UInt8]) -> Bool {
    operand.withUnsafeBytes { ValueOrder.isUnordered(ValueView($0)) }
  }

  private func range(tag: UInt8) -> SuffixRange { SuffixRange(lower: [tag], upper: [tag + 1]) }

  private mutating func keepEqual(_ operands: [[UInt8]]) {
    var kept = operands.map { position($0).range }
    kept.sort { $0.lower.lexicographicallyPrecedes($1.lower) }
    var distinct: [SuffixRange] = []
    for range in kept where distinct.last != range { distinct.append(range) }
    intersect(distinct)
  }

  /// Everything but null and the operands; nothing when null is one of them.
  private mutating func exclude(_ operands: [[UInt8]]) {
    if operands.contains(where: { $0.withUnsafeBytes { ValueView($0).isNull } }) {
      ranges = []
      return
    }
    var gaps = operands.filter { !Self.matchesNothing($0) }.map { position($0).range }
    gaps.sort { $0.lower.lexicographicallyPrecedes($1.lower) }
    var kept: [SuffixRange] = []
    var lower: [UInt8] = [Tag.null + 1]
    // Equal operands make one gap.
    for gap in gaps where !gap.lower.lexicographicallyPrecedes(lower) {
      kept.append(SuffixRange(lower: lower, upper: gap.lower))
      lower = gap.upper ?? gap.lower
    }
    intersect(kept + [SuffixRange(lower: lower, upper: nil)])
  }

  /// Keeps what lies on one side of the operand, among values of its kind.
  private mutating func keepRelated(
    _ test: FieldTest, _ bounds: (_ isFolded: Bool, SuffixRange) -> ([UInt8]?, [UInt8]?)
  ) {
    guard let operand = test.operands.first, !Self.matchesNothing(operand) else {
      ranges = []
      return
    }
    var (at, fold) = position(operand)
    let kind = range(tag: at.lower[0])
    if let fold {
      // Where in the run of its fold the operand stands is not for bytes to say.
      at = SuffixRange(lower: fold, upper: KeyRange.successor(ofPrefix: fold))
      isExact = false
      if test.comparison == .lessThan { at.lower = at.upper ?? at.lower }
    }
    let (lower, upper) = bounds(fold != nil, at)
    intersect([SuffixRange(lower: lower ?? kind.lower, upper: upper ?? kind.upper)])
  }

  /// The entries with one value, and the beginning of its run when it is folded.
  private func position(_ value: [UInt8]) -> (range: SuffixRange, run: [UInt8]?) {
    var writer = KeyWriter()
    let fold = value.withUnsafeBytes { writer.indexPart(ValueView($0), .ascending, budget: budget) }
    let key = writer.bytes
    return (
      SuffixRange(lower: key, upper: KeyRange.successor(ofPrefix: key)), fold.map { Array(key[..<$0]) }
    )
  }

  // MARK: sets

  /// `others` ascend and are apart.
  private mutating func intersect(_ others: [SuffixRange]) {
    var kept: [SuffixRange] = []
    for range in ranges {
      for other in others {
        var both = range
        if both.lower.lexicographicallyPrecedes(other.lower) { both.lower = other.lower }
        if let upper = other.upper {
          let isShorter = both.upper.map { upper.lexicographicallyPrecedes($0) } ?? true
          if isShorter { both.upper = upper }
        }
        if !both.isEmpty { kept.append(both) }
      }
    }
    ranges = kept
  }

  /// Cuts at positions among suffixes: after `turn`, in the byte order of the index.
  mutating func cut(_ range: SuffixRange, isExact: Bool) {
    intersect([range])
    if !isExact { self.isExact = false }
  }

  /// The ranges hold more than what passes.
  mutating func leaveToFilter() { isExact = false }

  /// From here on, `isExact` speaks of what is cut later.
  mutating func believe() { isExact = true }

  mutating func empty() { ranges = [] }

  /// From ascending parts to complemented ones.
  mutating func turn() {
    ranges = ranges.reversed().map { range in
      let upper = range.lower.isEmpty ? nil : KeyRange.successor(ofPrefix: range.lower.map { ~$0 })
      let lower = range.upper.map { upper in
        let turned = upper.map { ~$0 }
        return KeyRange.successor(ofPrefix: turned) ?? turned
      }
      return SuffixRange(lower: lower ?? [], upper: upper)
    }
  }
}
