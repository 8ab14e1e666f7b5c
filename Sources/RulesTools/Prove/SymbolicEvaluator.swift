/// Conditions over documents that nobody knows.
///
/// The three-valued logic, the operators and the order of errors are those of the plans; what is known is
/// given to the same built-ins. Where the outcome depends on what is not known, `split` chooses one case,
/// states it as a fact and comes back for the other cases in further branches.
/// Source: docs/spec/list-query-authorization.md 4.2.
///
/// INVARIANT: the cases of a split together hold every value that the facts allow (soundness rests on it).

internal import DocModel
internal import Rules

/// Parameters and lets of a running function, evaluated when they are first read.
final class SymbolicFrame {
  enum Slot {
    case pending(ProofTerm, SymbolicFrame?)
    case value(SymbolicValue)
  }

  var slots: [Slot]

  init(_ slots: [Slot]) { self.slots = slots }
}

struct SymbolicEvaluator {
  /// LIMIT: what one disjunct may cost. Source: docs/spec/list-query-authorization.md 4.2.
  static let stepsMax = 200_000
  /// LIMIT: symbols of one disjunct; more than a condition of the permitted size mentions in practice.
  static let symbolsMax = 512

  let e: Evaluation
  let plan: ProofPlan
  var symbols = SymbolTable()
  var trail = ChoiceTrail()
  /// Captures of the statement at hand.
  var captures: [SymbolicValue] = []
  /// By closed term; the values hold for the whole request.
  var closedValues: [Operand?]
  var steps = 0
  /// No value has the facts of this branch: nothing is to be proved in it.
  var isVacuous = false
  /// `resource.__name__`
  var documentName = SymbolicValue.known(.null)
  /// Questions about fields that a filter could answer; kept when somebody wants advice.
  var questions: FieldQuestions?

  init(_ e: Evaluation, _ plan: ProofPlan) {
    self.e = e
    self.plan = plan
    closedValues = Array(repeating: nil, count: plan.closedCount)
  }

  /// Forgets closed terms: `request.path` is another one.
  mutating func reopen() { closedValues = Array(repeating: nil, count: plan.closedCount) }

  var isExhausted: Bool { steps > Self.stepsMax || symbols.count > Self.symbolsMax }

  func fault(_ term: ProofTerm) -> SymbolicValue {
    .known(.fault(.undetermined, node: term.number, detail: -1))
  }

  // MARK: splitting

  /// Chooses between two cases of a symbol; true for the first.
  mutating func split(_ symbol: Int, _ first: Facts?, _ second: Facts?) -> Bool {
    let a = first.flatMap { isConsistent(symbol, $0) ? $0 : nil }
    let b = second.flatMap { isConsistent(symbol, $0) ? $0 : nil }
    switch (a, b) {
    case (.some(let a), .some(let b)):
      let isFirst = trail.choose(2) == 0
      state(symbol, isFirst ? a : b)
      return isFirst
    case (.some(let a), .none):
      state(symbol, a)
      return true
    case (.none, .some(let b)):
      state(symbol, b)
      return false
    case (.none, .none):
      isVacuous = true
      return true
    }
  }

  /// Narrows the kinds of a symbol to those wanted, or to the others; true for those wanted.
  mutating func split(_ symbol: Int, kinds: KindSet) -> Bool {
    let facts = symbols.facts[symbol]
    if facts.kinds.isSubset(of: kinds) { return true }
    if facts.kinds.isDisjoint(with: kinds) { return false }
    return split(symbol, facts.narrowed(to: kinds, e), facts.narrowed(to: facts.kinds.subtracting(kinds), e))
  }

  private mutating func state(_ symbol: Int, _ facts: Facts) {
    let old = symbols.facts[symbol].onlyKeys
    symbols.set(symbol, facts)
    guard let only = facts.onlyKeys, old == nil else { return }
    for field in symbols.fields(of: symbol) where !only.contains(where: { $0 == field.key }) {
      symbols.set(field.symbol, Facts(.absent))
    }
  }

  /// Whether facts of a map agree with those of its fields.
  private func isConsistent(_ symbol: Int, _ facts: Facts) -> Bool {
    if let fixed = facts.fixed, fixed.kind == .map {
      return symbols.fields(of: symbol).allSatisfy { field in
        let known = symbols.facts[field.symbol]
        guard let value = e.lookup(fixed, field.key) else { return known.kinds.contains(.absent) }
        return known.admits(value, e)
      }
    }
    guard let only = facts.onlyKeys else { return true }
    return symbols.fields(of: symbol).allSatisfy { field in
      symbols.facts[field.symbol].kinds.contains(.absent) || only.contains { $0 == field.key }
    }
  }

  /// What an operation uses: absence is a fault, a symbol of which one value is left is that value.
  mutating func force(_ value: SymbolicValue) -> SymbolicValue {
    guard case .symbol(let symbol) = value else { return value }
    if let fixed = symbols.facts[symbol].fixed { return .known(fixed) }
    if symbols.facts[symbol].kinds.contains(.absent) {
      let kinds = symbols.facts[symbol].kinds.subtracting(.absent)
      guard split(symbol, kinds: kinds), !kinds.isEmpty else {
        return .known(.fault(.undefinedProperty, node: 0, detail: -1))
      }
      if let fixed = symbols.facts[symbol].fixed { return .known(fixed) }
    }
    return value
  }

  /// `force`, and a number of which only the kind is open gets it.
  mutating func settle(_ value: SymbolicValue) -> SymbolicValue {
    let forced = force(value)
    guard case .symbol(let symbol) = forced else { return forced }
    let facts = symbols.facts[symbol]
    guard facts.kinds == .number, let low = facts.low, let high = facts.high,
      ordered(low.value, high.value, .equal) == true
    else { return forced }
    _ = split(symbol, kinds: .int)
    return force(forced)
  }

  /// A term that is not known, of one of `kinds`.
  mutating func opaque(
    _ operation: Operation, _ operands: [SymbolicValue], _ kinds: KindSet
  ) -> SymbolicValue {
    .symbol(symbols.term(operation, operands, kinds, e))
  }

  // MARK: terms

  mutating func value(_ term: ProofTerm, _ frame: SymbolicFrame?) -> SymbolicValue {
    steps += 1
    if isExhausted || isVacuous { return fault(term) }
    switch term.kind {
    case .closed(let node, let place): return .known(closed(node, place))
    case .constant(let operand): return .known(operand)
    case .fault: return fault(term)
    case .slot(let slot): return read(slot, frame, term)
    case .capture(let index): return index < captures.count ? captures[index] : fault(term)
    case .resource: return .resource
    case .member(let base, let key): return member(force(value(base, frame)), key, term)
    case .index(let base, let index):
      let base = settle(value(base, frame))
      if base.isFault { return base }
      return element(base, settle(value(index, frame)), term)
    case .slice(let base, let lower, let upper): return slice(base, lower, upper, frame, term)
    case .call(let function, let arguments): return call(function, arguments, frame)
    case .access(let kind, let path): return access(kind, settle(value(path, frame)), term)
    case .library(let name, let function, let arguments):
      return library(name, function, arguments, frame, term)
    case .method(let receiver, let name, let arguments):
      return method(settle(value(receiver, frame)), name, arguments, frame, term)
    case .not(let operand): return not(value(operand, frame), term)
    case .negate(let operand): return negate(settle(value(operand, frame)), term)
    case .and(let left, let right): return and(left, right, frame, term)
    case .or(let left, let right): return or(left, right, frame, term)
    case .comparison(let comparison, let left, let right):
      return compare(comparison, value(left, frame), right, frame, term)
    case .isIn(let element, let collection): return isIn(element, collection, frame, term)
    case .arithmetic(let operation, let left, let right):
      return arithmetic(operation, left, right, frame, term)
    case .typeTest(let operand, let kinds): return typeTest(force(value(operand, frame)), kinds)
    case .ternary(let condition, let then, let otherwise):
      let test = logical(value(condition, frame), term)
      if test.isTrue { return value(then, frame) }
      return test.isFalse ? value(otherwise, frame) : .known(test)
    case .list(let elements): return list(elements, frame)
    case .map(let keys, let values): return map(keys, values, frame, term)
    case .path(let segments): return path(segments, frame, term)
    }
  }

  /// The ordinary plan's value, outside the budget.
  private mutating func closed(_ node: PlanNode, _ place: Int) -> Operand {
    if let known = closedValues[place] { return known }
    e.spent = 0
    let value = node.value(e)
    closedValues[place] = value
    return value
  }

  private mutating func read(_ slot: Int, _ frame: SymbolicFrame?, _ term: ProofTerm) -> SymbolicValue {
    guard let frame, slot < frame.slots.count else { return fault(term) }
    switch frame.slots[slot] {
    case .value(let value): return value
    case .pending(let pending, let outer):
      let value = value(pending, outer)
      frame.slots[slot] = .value(value)
      return value
    }
  }

  private mutating func call(
    _ number: Int, _ arguments: [ProofTerm], _ frame: SymbolicFrame?
  ) -> SymbolicValue {
    let function = plan.functions[number]
    if arguments.isEmpty, function.lets.isEmpty { return value(function.body, nil) }
    let inner = SymbolicFrame(arguments.map { .pending($0, frame) })
    // A let sees those before it, in the same frame, which it therefore holds until it is read.
    inner.slots += function.lets.map { .pending($0, inner) }
    let result = value(function.body, inner)
    inner.slots.removeAll()
    return result
  }

  // MARK: logic

  /// The value as a condition: a boolean or a fault.
  mutating func logical(_ value: SymbolicValue, _ term: ProofTerm) -> Operand {
    switch force(value) {
    case .known(let operand): return e.logical(operand, term.number)
    case .symbol(let symbol):
      note(symbol, .equal, .boolean(true))
      guard split(symbol, kinds: .bool) else { break }
      if let fixed = symbols.facts[symbol].fixed { return fixed }
      let facts = symbols.facts[symbol]
      let isTrue = split(
        symbol, facts.equal(to: .boolean(true), e), facts.equal(to: .boolean(false), e))
      return .boolean(isTrue)
    case .resource, .keys, .path, .list: break
    }
    return .fault(.type, node: term.number, detail: -1)
  }

  private mutating func not(_ value: SymbolicValue, _ term: ProofTerm) -> SymbolicValue {
    let operand = logical(value, term)
    if case .boolean(let flag) = operand { return .known(.boolean(!flag)) }
    return .known(operand)
  }

  private mutating func and(
    _ left: ProofTerm, _ right: ProofTerm, _ frame: SymbolicFrame?, _ term: ProofTerm
  ) -> SymbolicValue {
    let a = logical(value(left, frame), term)
    if a.isFalse { return .known(a) }
    let b = logical(value(right, frame), term)
    return .known(a.isTrue || b.isFalse ? b : a)
  }

  private mutating func or(
    _ left: ProofTerm, _ right: ProofTerm, _ frame: SymbolicFrame?, _ term: ProofTerm
  ) -> SymbolicValue {
    let a = logical(value(left, frame), term)
    if a.isTrue { return .known(a) }
    let b = logical(value(right, frame), term)
    return .known(a.isFalse || b.isTrue ? b : a)
  }

  private mutating func typeTest(_ value: SymbolicValue, _ kinds: KindSet) -> SymbolicValue {
    switch value {
    case .known(let operand):
      return operand.isFault ? value : .known(.boolean(!kinds.isDisjoint(with: KindSet.of(operand))))
    case .symbol(let symbol): return .known(.boolean(split(symbol, kinds: kinds)))
    case .resource: return .known(.boolean(kinds.contains(.map)))
    case .keys(_, let isSet): return .known(.boolean(kinds.contains(isSet ? .set : .list)))
    case .path: return .known(.boolean(kinds.contains(.path)))
    case .list: return .known(.boolean(kinds.contains(.list)))
    }
  }
}
