/// What one disjunct of a query says of its results, as facts.
///
/// INVARIANT: every document that the disjunct can return satisfies the facts, except as assumptions A1 and A2 of
/// docs/spec/list-query-authorization.md 4.3 say: `f == 1` also finds `1.0`, which is taken as 1 here as there.

internal import DocModel
internal import Rules

/// Makes the facts of a disjunct the beginning of every branch.
struct DisjunctFacts {
  private let e: Evaluation
  private(set) var symbols = SymbolTable()
  /// Whether the filters contradict each other, so that nothing is returned.
  private(set) var isEmpty = false

  init(_ e: Evaluation) { self.e = e }

  mutating func add(_ tests: ArraySlice<FieldTest>) {
    for test in tests { add(test) }
  }

  /// An order finds only what has its field.
  mutating func add(_ orders: [QueryShape.Order]) {
    for order in orders where !order.field.isDocumentName {
      let field = symbol(of: order.field)
      state(field, symbols.facts[field].narrowed(to: symbols.facts[field].kinds.subtracting(.absent), e))
    }
  }

  /// The id, as a name or bounds on names say. Only names directly in the collection say something.
  mutating func addNames(_ disjunct: ListDisjunct, inCollection prefix: [UInt8]) {
    for test in disjunct.nameTests {
      guard let id = id(of: test, prefix) else { continue }
      addName(test.comparison, id)
    }
  }

  mutating func fixID(_ id: ByteView) { state(SymbolTable.id, Facts(fixed: .string(id))) }

  private mutating func state(_ symbol: Int, _ facts: Facts?) {
    guard let facts else {
      isEmpty = true
      return
    }
    symbols.state(symbol, facts)
  }

  /// The symbol of a field; everything above it is a map.
  private mutating func symbol(of path: FieldPath) -> Int {
    var current = SymbolTable.data
    for (index, name) in path.segments.enumerated() {
      if index > 0 { state(current, symbols.facts[current].narrowed(to: .map, e)) }
      current = symbols.field(e.arena.copy(name), of: current)
    }
    return current
  }

  // MARK: fields

  private mutating func add(_ test: FieldTest) {
    let field = symbol(of: test.path)
    let facts = symbols.facts[field]
    let present = facts.kinds.subtracting([.absent, .null])
    switch test.comparison {
    case .isNull: state(field, facts.narrowed(to: .null, e))
    case .isNotNull: state(field, facts.narrowed(to: present, e))
    case .isNaN: state(field, facts.narrowed(to: .nan, e))
    case .isNotNaN: state(field, facts.narrowed(to: present.subtracting(.nan), e))
    case .equal: state(field, fixed(facts, operand(test)))
    case .notEqual:
      let value = operand(test)
      var result = facts.narrowed(to: present, e)
      if value.isExactNumber, e.areEqual(value, value, .direct) { result = result?.unequal(to: value, e) }
      state(field, result)
    case .lessThan: state(field, bounded(facts, .less, operand(test)))
    case .lessThanOrEqual: state(field, bounded(facts, .lessOrEqual, operand(test)))
    case .greaterThan: state(field, bounded(facts, .greater, operand(test)))
    case .greaterThanOrEqual: state(field, bounded(facts, .greaterOrEqual, operand(test)))
    case .arrayContains: state(field, facts.narrowed(to: .list, e)?.including(operand(test), e))
    case .in, .arrayContainsAny, .notIn:
      // Split before; what is left says at least that the field is there.
      state(field, facts.narrowed(to: present, e))
    }
  }

  private func operand(_ test: FieldTest) -> Operand {
    e.operand(ValueView(e.arena.copy(test.operand).buffer))
  }

  private func fixed(_ facts: Facts, _ value: Operand) -> Facts? {
    guard var result = facts.narrowed(to: KindSet.of(value), e) else { return nil }
    if result.fixed == nil {
      guard result.admits(value, e) else { return nil }
      result.fixed = value
      result.isFixedLoosely = hasNumber(value)
    }
    // Two equalities: nothing satisfies both unless they are one.
    guard let known = result.fixed, KindSet.of(value) == .nan || e.areEqual(known, value, .loose) else {
      return nil
    }
    return result
  }

  private func hasNumber(_ value: Operand) -> Bool {
    switch value.kind {
    case .list:
      return e.array(value).contains { $0.kind == .int || $0.kind == .float || hasNumber($0) }
    case .map:
      return e.entries(value).contains {
        $0.value.kind == .int || $0.value.kind == .float || hasNumber($0.value)
      }
    case .null, .bool, .int, .float, .string, .bytes, .timestamp, .duration, .latlng, .path, .set, .mapDiff,
      .vector, .constraint, .fault:
      return false
    }
  }

  /// A range never crosses kinds, and NaN is in none.
  private func bounded(_ facts: Facts, _ comparison: Comparison, _ value: Operand) -> Facts? {
    let present = facts.kinds.subtracting([.absent, .null, .nan])
    let kind = KindSet.of(value)
    if kind == .nan || kind == .null { return facts.narrowed(to: facts.kinds.subtracting(.absent), e) }
    let isNumber = !kind.isDisjoint(with: .number)
    let narrowed = facts.narrowed(to: present.intersection(isNumber ? .number : kind), e)
    guard !KindSet.ordered(with: value).isEmpty, value.isExactNumber, hasOneOrder(value) else {
      return narrowed
    }
    return narrowed?.bounded(comparison, value, e)
  }

  /// The store orders strings by code point, rules by UTF-16 unit; below U+E000 that is the same.
  private func hasOneOrder(_ value: Operand) -> Bool {
    guard case .string(let text) = value else { return true }
    return text.buffer.allSatisfy { $0 < 0xEE }
  }

  // MARK: names

  /// The id that a filter's reference has in the collection; nil when it lies elsewhere.
  private func id(of test: FieldTest, _ prefix: [UInt8]) -> ByteView? {
    guard !test.operand.isEmpty else { return nil }
    let name = e.arena.copy(test.operand)
    let parts = ValueView(name.buffer).reference.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count > 5 else { return nil }
    let path = Array(parts[5...].joined(separator: [UInt8(ascii: "/")]))
    guard path.count > prefix.count, path.starts(with: prefix) else { return nil }
    let id = Array(path.dropFirst(prefix.count))
    return id.contains(UInt8(ascii: "/")) ? nil : e.arena.copy(id)
  }

  private mutating func addName(_ comparison: FieldTest.Comparison, _ id: ByteView) {
    let facts = symbols.facts[SymbolTable.id]
    let value = Operand.string(id)
    let isPlain = hasOneOrder(value)
    switch comparison {
    case .notEqual: state(SymbolTable.id, facts.unequal(to: value, e))
    case .greaterThan: if isPlain { state(SymbolTable.id, facts.bounded(.greater, value, e)) }
    case .greaterThanOrEqual: if isPlain { state(SymbolTable.id, facts.bounded(.greaterOrEqual, value, e)) }
    // Numeric ids (`__id7__`) are ordered before all others, so an upper bound must be above their text.
    case .lessThan:
      if isPlain, isAboveNumericIDs(id) { state(SymbolTable.id, facts.bounded(.less, value, e)) }
    case .lessThanOrEqual:
      if isPlain, isAboveNumericIDs(id) { state(SymbolTable.id, facts.bounded(.lessOrEqual, value, e)) }
    case .equal, .arrayContains, .in, .arrayContainsAny, .notIn, .isNull, .isNotNull, .isNaN, .isNotNaN: break
    }
  }

  private func isAboveNumericIDs(_ id: ByteView) -> Bool {
    id.buffer.first.map { $0 > UInt8(ascii: "_") } ?? false
  }
}
