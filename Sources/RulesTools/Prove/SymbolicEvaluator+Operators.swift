/// Equality, order, arithmetic over values that are not known.

internal import DocModel
internal import Rules

extension SymbolicEvaluator {
  /// The left side is evaluated and not forced.
  mutating func compare(
    _ comparison: Comparison, _ left: SymbolicValue, _ right: ProofTerm, _ frame: SymbolicFrame?,
    _ term: ProofTerm
  ) -> SymbolicValue {
    let a = force(left)
    if a.isFault { return a }
    let second = value(right, frame)
    let b = force(second)
    if b.isFault { return b }
    switch comparison {
    case .equal, .notEqual:
      let isEqual = isLooselyFixed(left, b) ?? isLooselyFixed(second, a) ?? equal(a, b, comparison)
      return negatedIfNeeded(isEqual, comparison)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return ordered(comparison, a, b, term)
    }
  }

  private mutating func negatedIfNeeded(_ value: SymbolicValue, _ comparison: Comparison) -> SymbolicValue {
    guard comparison == .notEqual, case .known(.boolean(let flag)) = value else { return value }
    return .known(.boolean(!flag))
  }

  /// A container that a filter fixed, against another spelling of it: either is possible. Nil when that is
  /// not the question. Source: docs/spec/list-query-authorization.md, assumption A3.
  private mutating func isLooselyFixed(_ value: SymbolicValue, _ other: SymbolicValue) -> SymbolicValue? {
    guard case .symbol(let symbol) = value, case .known(let operand) = other,
      symbols.facts[symbol].isFixedLoosely, let fixed = symbols.facts[symbol].fixed,
      !e.areEqual(fixed, operand, .direct), e.areEqual(fixed, operand, .loose)
    else { return nil }
    return answer(.comparison(.equal), [value, other])
  }

  /// An opaque question that surely has an answer.
  mutating func answer(_ operation: Operation, _ operands: [SymbolicValue]) -> SymbolicValue {
    let symbol = symbols.term(operation, operands, .bool, e)
    if let fixed = symbols.facts[symbol].fixed { return .known(fixed) }
    let facts = symbols.facts[symbol]
    return .known(
      .boolean(split(symbol, facts.equal(to: .boolean(true), e), facts.equal(to: .boolean(false), e))))
  }

  // MARK: equality

  /// Of two values that are there.
  mutating func equal(
    _ left: SymbolicValue, _ right: SymbolicValue, _ asked: Comparison = .equal
  ) -> SymbolicValue {
    switch (left, right) {
    case (.known(let a), .known(let b)): return .known(.boolean(e.areEqual(a, b, .direct)))
    case (.symbol(let symbol), .known(let value)), (.known(let value), .symbol(let symbol)):
      return equal(symbol, to: value, asked)
    case (.symbol(let a), .symbol(let b)): return equal(a, b)
    case (.resource, .known(let value)), (.known(let value), .resource):
      if case .map = value.kind { return answer(.comparison(.equal), [left, right]) }
      return .known(.boolean(false))
    case (.keys(_, let isSet), .known(let value)), (.known(let value), .keys(_, let isSet)):
      guard value.kind == (isSet ? .set : .list) else { return .known(.boolean(false)) }
    case (.path(let segments), .known(let value)), (.known(let value), .path(let segments)):
      return equal(segments, to: value, [left, right])
    case (.list(let elements), .known(let value)), (.known(let value), .list(let elements)):
      guard value.kind == .list, e.elementCount(value) == elements.count else {
        return .known(.boolean(false))
      }
    case (.symbol, _), (_, .symbol), (.resource, _), (.keys, _), (.path, _), (.list, _): break
    }
    return answer(.comparison(.equal), [left, right])
  }

  mutating func equal(_ symbol: Int, to value: Operand, _ asked: Comparison = .equal) -> SymbolicValue {
    note(symbol, asked == .notEqual ? .notEqual : .equal, value)
    let facts = symbols.facts[symbol]
    let kind = KindSet.of(value)
    let isNumber = !kind.isDisjoint(with: .number)
    if facts.kinds.isDisjoint(with: isNumber ? .number : kind) || kind == .nan {
      return .known(.boolean(false))
    }
    // What is unequal to itself (NaN inside) is equal to nothing.
    if !e.areEqual(value, value, .direct) { return .known(.boolean(false)) }
    guard value.isExactNumber, facts.fixed == nil else {
      return answer(.comparison(.equal), [.symbol(symbol), .known(value)])
    }
    return .known(.boolean(split(symbol, facts.equal(to: value, e), facts.unequal(to: value, e))))
  }

  private mutating func equal(_ a: Int, _ b: Int) -> SymbolicValue {
    let (left, right) = (symbols.facts[a].kinds, symbols.facts[b].kinds)
    if a == b {
      if !split(a, kinds: left.subtracting(.nan)) { return .known(.boolean(false)) }
      // NaN inside a container makes it unequal to itself.
      if symbols.facts[a].kinds.isDisjoint(with: [.list, .map, .vector, .set, .mapDiff]) {
        return .known(.boolean(true))
      }
    } else if !left.isDisjoint(with: .number), !right.isDisjoint(with: .number) {
      // Integers and floats are equal by value.
    } else if left.isDisjoint(with: right) {
      return .known(.boolean(false))
    }
    return answer(.comparison(.equal), [.symbol(min(a, b)), .symbol(max(a, b))])
  }

  private mutating func equal(
    _ segments: [SymbolicSegment], to value: Operand, _ operands: [SymbolicValue]
  ) -> SymbolicValue {
    guard case .path(let start, let count) = value else { return .known(.boolean(false)) }
    let isOpen = segments.contains { if case .parents = $0 { true } else { false } }
    if isOpen { return answer(.comparison(.equal), operands) }
    guard segments.count == count else { return .known(.boolean(false)) }
    for (index, segment) in segments.enumerated() {
      guard let text = start[index].text else { return .known(.boolean(false)) }
      switch segment {
      case .known(let known): if !(known == text) { return .known(.boolean(false)) }
      case .open(let symbol):
        guard symbols.facts[symbol].kinds == .string else { return answer(.comparison(.equal), operands) }
        if let fixed = symbols.facts[symbol].fixed {
          if !e.areEqual(fixed, .string(text), .direct) { return .known(.boolean(false)) }
          continue
        }
        guard case .known(.boolean(true)) = equal(symbol, to: .string(text)) else {
          return .known(.boolean(false))
        }
      case .parents: break
      }
    }
    return .known(.boolean(true))
  }

  /// Equality with an element of a list: numbers of different kinds differ.
  mutating func memberEqual(_ value: SymbolicValue, _ element: Operand) -> Bool {
    switch value {
    case .known(let operand): return e.areEqual(operand, element, .member)
    case .symbol(let symbol):
      let kind = KindSet.of(element)
      if !kind.isDisjoint(with: .number), symbols.facts[symbol].kinds.contains(.number),
        !split(symbol, kinds: symbols.facts[symbol].kinds.subtracting(kind == .int ? .float : .int))
      {
        return false
      }
      if !kind.isDisjoint(with: .number), symbols.facts[symbol].kinds.isDisjoint(with: kind) { return false }
      return equal(force(value), .known(element)).isKnownTrue
    case .resource, .keys, .path, .list: return equal(value, .known(element)).isKnownTrue
    }
  }

  // MARK: order

  private mutating func ordered(
    _ comparison: Comparison, _ a: SymbolicValue, _ b: SymbolicValue, _ term: ProofTerm
  ) -> SymbolicValue {
    switch (a, b) {
    case (.known(let x), .known(let y)):
      return Rules.ordered(x, y, comparison).map { .known(.boolean($0)) } ?? fault(term)
    case (.symbol(let symbol), .known(let value)): return ordered(symbol, comparison, value, term)
    case (.known(let value), .symbol(let symbol)): return ordered(symbol, comparison.flipped, value, term)
    case (.symbol(let x), .symbol(let y)):
      let both = symbols.facts[x].kinds.intersection(symbols.facts[y].kinds)
      if x == y, both.isSubset(of: [.int, .string, .bytes, .timestamp, .duration]) {
        return .known(.boolean(comparison == .lessOrEqual || comparison == .greaterOrEqual))
      }
      return opaque(.comparison(comparison), [a, b], [.bool, .absent])
    case (.resource, _), (.keys, _), (.path, _), (.list, _), (_, .resource), (_, .keys), (_, .path),
      (_, .list):
      return fault(term)
    }
  }

  private mutating func ordered(
    _ symbol: Int, _ comparison: Comparison, _ value: Operand, _ term: ProofTerm
  ) -> SymbolicValue {
    note(symbol, comparison.asTest, value)
    let comparable = KindSet.ordered(with: value)
    guard !comparable.isEmpty, split(symbol, kinds: comparable) else { return fault(term) }
    if comparable.contains(.nan) {
      // No order holds of NaN.
      if KindSet.of(value) == .nan || !split(symbol, kinds: .number) { return .known(.boolean(false)) }
    }
    if let fixed = symbols.facts[symbol].fixed {
      return Rules.ordered(fixed, value, comparison).map { .known(.boolean($0)) } ?? fault(term)
    }
    guard value.isExactNumber else {
      return answer(.comparison(comparison), [.symbol(symbol), .known(value)])
    }
    let facts = symbols.facts[symbol]
    return .known(
      .boolean(
        split(symbol, facts.bounded(comparison, value, e), facts.bounded(comparison.negated, value, e))))
  }

  // MARK: arithmetic

  mutating func arithmetic(
    _ operation: Arithmetic, _ left: ProofTerm, _ right: ProofTerm, _ frame: SymbolicFrame?,
    _ term: ProofTerm
  ) -> SymbolicValue {
    let a = settle(value(left, frame))
    if a.isFault { return a }
    let b = settle(value(right, frame))
    if b.isFault { return b }
    if case .known(let x) = a, case .known(let y) = b {
      return .known(e.arithmetic(operation, x, y, term.number))
    }
    for (one, other) in [(a, b), (b, a)] {
      guard operation == .add, case .known(.string) = one else { continue }
      guard case .symbol(let symbol) = other, split(symbol, kinds: .string) else { return fault(term) }
      return opaque(.arithmetic(.add), [a, force(b)], .string)
    }
    return opaque(
      .arithmetic(operation), [a, b],
      [.int, .float, .nan, .string, .timestamp, .duration, .absent])
  }

  mutating func negate(_ value: SymbolicValue, _ term: ProofTerm) -> SymbolicValue {
    if case .known(let operand) = value {
      let number = Int(term.number)
      return .known(NegateNode(number, ConstantNode(number, operand)).value(e))
    }
    return opaque(.negation, [value], [.int, .float, .nan, .duration, .absent])
  }
}

extension SymbolicValue {
  var isKnownTrue: Bool {
    if case .known(let operand) = self { return operand.isTrue }
    return false
  }
}

extension Comparison {
  /// The comparison that holds where this one does not.
  var negated: Comparison {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }

  /// The test that asks the same of a field.
  var asTest: FieldTest.Comparison {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .lessThan
    case .lessOrEqual: .lessThanOrEqual
    case .greater: .greaterThan
    case .greaterOrEqual: .greaterThanOrEqual
    }
  }
}
