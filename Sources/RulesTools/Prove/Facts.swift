/// What is known of a value that nobody knows: its kinds, bounds, exclusions, elements.
///
/// Facts describe a set of values. Every refinement keeps all values that have the outcome it stands for,
/// so that the outcomes of a question together lose none.
/// Source: docs/spec/list-query-authorization.md 4.1.

internal import DocModel
internal import Rules

/// One end of a range.
struct Bound {
  var value: Operand
  var isInclusive: Bool
}

/// INVARIANT (after `close` said that they are not empty): `fixed` agrees with everything else; bounds are
/// there only when all kinds belong to one ordered class; numbers in bounds are exact as doubles.
struct Facts {
  var kinds: KindSet
  /// The value, when only one is left.
  var fixed: Operand?
  var low: Bound?
  var high: Bound?
  /// Values it is not equal to, as `==` in rules is.
  var unequal: [Operand] = []
  /// Elements that a list has and has not.
  var has: [Operand] = []
  var lacks: [Operand] = []
  /// The only keys that a map has.
  var onlyKeys: [ByteView]?
  /// Fixed by a filter that finds other spellings too: `[1]` finds `[1.0]`.
  var isFixedLoosely = false

  init(_ kinds: KindSet) { self.kinds = kinds }

  init(fixed value: Operand) {
    kinds = KindSet.of(value)
    fixed = value
  }

  var isPresent: Bool { !kinds.contains(.absent) }
}

// MARK: refinements; nil when no value is left

extension Facts {
  @inline(__always)
  func narrowed(to wanted: KindSet, _ e: Evaluation) -> Facts? {
    let left = kinds.intersection(wanted)
    if left.isEmpty { return nil }
    if left == kinds { return self }
    var result = self
    result.kinds = left
    return result.close(e) ? result : nil
  }

  /// Equal to a value, as `==` is. A number fixes no kind: 1 and 1.0 are both equal to 1.
  func equal(to value: Operand, _ e: Evaluation) -> Facts? {
    var result = self
    let kind = KindSet.of(value)
    if !kind.isDisjoint(with: .number) {
      result.kinds.formIntersection(.number)
      result.raise(to: Bound(value: value, isInclusive: true))
      result.lower(to: Bound(value: value, isInclusive: true))
    } else {
      result.kinds.formIntersection(kind)
      guard result.admits(value, e) else { return nil }
      result.fixed = value
    }
    return result.close(e) ? result : nil
  }

  func unequal(to value: Operand, _ e: Evaluation) -> Facts? {
    var result = self
    if case .null = value {
      result.kinds.remove(.null)
    } else {
      result.unequal.append(value)
    }
    return result.close(e) ? result : nil
  }

  /// On one side of a value of its class. `.equal` and `.notEqual` are not sides.
  func bounded(_ comparison: Comparison, _ value: Operand, _ e: Evaluation) -> Facts? {
    var result = self
    switch comparison {
    case .less: result.lower(to: Bound(value: value, isInclusive: false))
    case .lessOrEqual: result.lower(to: Bound(value: value, isInclusive: true))
    case .greater: result.raise(to: Bound(value: value, isInclusive: false))
    case .greaterOrEqual: result.raise(to: Bound(value: value, isInclusive: true))
    case .equal: return equal(to: value, e)
    case .notEqual: return unequal(to: value, e)
    }
    return result.close(e) ? result : nil
  }

  func including(_ element: Operand, _ e: Evaluation) -> Facts? {
    var result = self
    result.has.append(element)
    return result.close(e) ? result : nil
  }

  func lacking(_ element: Operand, _ e: Evaluation) -> Facts? {
    var result = self
    result.lacks.append(element)
    return result.close(e) ? result : nil
  }

  fileprivate mutating func raise(to bound: Bound) {
    guard let old = low else {
      low = bound
      return
    }
    if ordered(bound.value, old.value, .greater) == true
      || (!bound.isInclusive && ordered(bound.value, old.value, .greaterOrEqual) == true)
    {
      low = bound
    }
  }

  fileprivate mutating func lower(to bound: Bound) {
    guard let old = high else {
      high = bound
      return
    }
    if ordered(bound.value, old.value, .less) == true
      || (!bound.isInclusive && ordered(bound.value, old.value, .lessOrEqual) == true)
    {
      high = bound
    }
  }
}

// MARK: closing

extension Facts {
  /// Draws what follows. False when no value is left.
  mutating func close(_ e: Evaluation) -> Bool {
    if kinds.isEmpty { return false }
    if let fixed {
      kinds.formIntersection(KindSet.of(fixed))
      return !kinds.isEmpty && admits(fixed, e)
    }
    if low != nil || high != nil, !closeBounds(e) { return false }
    if fixed == nil { fixSingle(e) }
    if let fixed { return admits(fixed, e) }
    if !has.isEmpty, has.contains(where: { element in lacks.contains { e.areEqual($0, element, .member) } }) {
      kinds.remove(.list)
    }
    return !kinds.isEmpty
  }

  /// Kinds of which one value is left.
  private mutating func fixSingle(_ e: Evaluation) {
    switch kinds {
    case .null: fixed = .null
    case .nan: fixed = .float(.nan)
    case .bool:
      let isTrueOut = unequal.contains { $0.isTrue }
      let isFalseOut = unequal.contains { $0.isFalse }
      if isTrueOut, isFalseOut {
        kinds = []
      } else if isTrueOut {
        fixed = .boolean(false)
      } else if isFalseOut {
        fixed = .boolean(true)
      }
    default: break
    }
  }

  private mutating func closeBounds(_ e: Evaluation) -> Bool {
    if kinds == .int { tightenIntegers(e) }
    guard let low, let high else { return !kinds.isEmpty }
    if ordered(low.value, high.value, .greater) == true { return false }
    guard ordered(low.value, high.value, .equal) == true else { return true }
    guard low.isInclusive, high.isInclusive else { return false }
    if unequal.contains(where: { e.areEqual($0, low.value, .direct) }) { return false }
    return fixMeetingBounds(low.value)
  }

  /// Bounds that meet leave one value of each kind.
  private mutating func fixMeetingBounds(_ value: Operand) -> Bool {
    switch value {
    case .integer(let number):
      if kinds == .int { fixed = value }
      if kinds == .float, number != 0 { fixed = .float(Double(number)) }
    case .float(let number):
      let isWhole = number == number.rounded(.towardZero)
      if !isWhole { kinds.remove(.int) }
      if kinds == .int { fixed = .integer(Int64(number)) }
      // Zero has two spellings.
      if kinds == .float, number != 0 { fixed = value }
    default: fixed = value
    }
    return !kinds.isEmpty
  }

  /// Integers have a next one.
  private mutating func tightenIntegers(_ e: Evaluation) {
    if let bound = low {
      var least: Int64
      switch bound.value {
      case .integer(let number): least = bound.isInclusive ? number : number + 1
      case .float(let number):
        let up = number.rounded(.up)
        least = Int64(up) + (up == number && !bound.isInclusive ? 1 : 0)
      default: return
      }
      while unequal.contains(where: { e.areEqual($0, .integer(least), .direct) }) { least += 1 }
      low = Bound(value: .integer(least), isInclusive: true)
    }
    if let bound = high {
      var most: Int64
      switch bound.value {
      case .integer(let number): most = bound.isInclusive ? number : number - 1
      case .float(let number):
        let down = number.rounded(.down)
        most = Int64(down) - (down == number && !bound.isInclusive ? 1 : 0)
      default: return
      }
      while unequal.contains(where: { e.areEqual($0, .integer(most), .direct) }) { most -= 1 }
      high = Bound(value: .integer(most), isInclusive: true)
    }
  }

  /// Whether a value is one of the set.
  func admits(_ value: Operand, _ e: Evaluation) -> Bool {
    guard !kinds.isDisjoint(with: KindSet.of(value)) else { return false }
    if unequal.contains(where: { e.areEqual($0, value, .direct) }) { return false }
    if let low, ordered(value, low.value, low.isInclusive ? .greaterOrEqual : .greater) != true {
      return false
    }
    if let high, ordered(value, high.value, high.isInclusive ? .lessOrEqual : .less) != true { return false }
    if has.contains(where: { !e.contains(value, $0, .member) }) { return false }
    if value.kind == .list, lacks.contains(where: { e.contains(value, $0, .member) }) { return false }
    if let onlyKeys, value.kind == .map {
      return e.entries(value).allSatisfy { entry in onlyKeys.contains { $0 == entry.key } }
    }
    return true
  }
}

extension Operand {
  /// LIMIT: numbers beyond lose digits as doubles; comparing them proves nothing.
  private static let exactMax = 9_007_199_254_740_992.0  // 2^53

  /// Whether the value may become a bound.
  var isExactNumber: Bool {
    switch self {
    case .integer(let number): abs(Double(number)) < Self.exactMax
    case .float(let number): abs(number) < Self.exactMax
    default: true
    }
  }
}
