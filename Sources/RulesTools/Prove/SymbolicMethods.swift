/// The methods whose outcome facts can decide; every other one is opaque.

internal import DocModel
internal import Rules

/// What is known of a method without its receiver.
enum SymbolicMethods {
  /// The kinds of values that have it.
  static func owners(of name: MethodName) -> KindSet { table[name.number].owners }

  static func argumentCount(of name: MethodName) -> Int { table[name.number].argumentCount }

  private static let table: [(owners: KindSet, argumentCount: Int)] = MethodName.allCases.map { name in
    var owners: KindSet = []
    var count = 0
    for kind in OperandKind.allCases where kind != .constraint {
      guard let method = MethodTable.shared.method(kind, name) else { continue }
      owners.insert(KindSet(kind))
      if kind == .float { owners.insert(.nan) }
      count = method.pointee.signature.argumentCount
    }
    return (owners, count)
  }

  /// The kinds of its results.
  static func results(of name: MethodName) -> KindSet {
    switch name {
    case .size: .int
    case .matches, .hasAll, .hasAny, .hasOnly: [.bool, .absent]
    case .lower, .upper, .trim: .string
    case .replace, .join, .toBase64, .toHexString: [.string, .absent]
    case .toUtf8: [.bytes, .absent]
    case .split, .concat, .removeAll, .keys, .values: [.list, .absent]
    case .toSet, .union, .difference, .intersection: [.set, .absent]
    case .addedKeys, .removedKeys, .changedKeys, .unchangedKeys, .affectedKeys: [.set, .absent]
    case .diff: [.mapDiff, .absent]
    case .year, .month, .day, .hours, .minutes, .seconds, .nanos, .dayOfWeek, .dayOfYear, .toMillis:
      [.int, .absent]
    case .date: [.timestamp, .absent]
    case .time: [.duration, .absent]
    case .latitude, .longitude, .distance: [.float, .nan, .absent]
    case .bind: [.path, .absent]
    case .get: [.computed, .absent]
    }
  }
}

extension SymbolicEvaluator {
  /// Nil when the method is opaque. Receiver and arguments have been forced and are no faults; something of
  /// them is not known.
  mutating func collectionMethod(
    _ receiver: SymbolicValue, _ name: MethodName, _ arguments: [SymbolicValue], _ term: ProofTerm
  ) -> SymbolicValue? {
    switch name {
    case .keys:
      guard case .symbol(let map) = receiver else { return nil }
      return .keys(map, isSet: false)
    case .toSet:
      guard case .keys(let map, false) = receiver else { return nil }
      return .keys(map, isSet: true)
    case .size:
      switch receiver {
      case .keys(let map, _): return opaque(.method(.size, argumentCount: 0), [.symbol(map)], .int)
      case .list(let elements): return .known(.integer(Int64(elements.count)))
      case .known, .symbol, .resource, .path: return nil
      }
    case .get: return get(receiver, arguments, term)
    case .hasAll, .hasAny, .hasOnly: return question(receiver, name, arguments[0], term)
    case .matches, .replace, .split, .lower, .upper, .trim, .toUtf8, .concat, .removeAll, .join, .values,
      .diff,
      .union, .difference, .intersection, .addedKeys, .removedKeys, .changedKeys, .unchangedKeys,
      .affectedKeys, .toBase64, .toHexString, .year, .month, .day, .hours, .minutes, .seconds, .nanos,
      .dayOfWeek, .dayOfYear, .toMillis, .date, .time, .latitude, .longitude, .distance, .bind:
      return nil
    }
  }

  // MARK: get

  /// `map.get(key, default)` and `map.get([a, b], default)`.
  private mutating func get(
    _ receiver: SymbolicValue, _ arguments: [SymbolicValue], _ term: ProofTerm
  ) -> SymbolicValue? {
    switch arguments[0] {
    case .known(.string(let key)):
      switch receiver {
      case .symbol(let map): return get(map, key) ?? arguments[1]
      case .known(let map): return e.lookup(map, key).map { .known($0) } ?? arguments[1]
      case .resource, .keys, .path, .list: return nil
      }
    case .known(let keys):
      guard keys.kind == .list else { return fault(term) }
      let steps = e.array(keys)
      guard steps.allSatisfy({ $0.kind == .string }) else { return fault(term) }
      return walk(receiver, steps, otherwise: arguments[1])
    case .symbol(let symbol):
      guard case .known(let map) = receiver, map.kind == .map, split(symbol, kinds: .string) else {
        return nil
      }
      for entry in e.entries(map) where equal(force(.symbol(symbol)), .known(.string(entry.key))).isKnownTrue
      {
        return .known(entry.value)
      }
      return arguments[1]
    case .resource, .keys, .path, .list: return nil
    }
  }

  /// The field; nil where it is absent.
  private mutating func get(_ map: Int, _ key: ByteView) -> SymbolicValue? {
    guard has(key, in: map) else { return nil }
    if let fixed = symbols.facts[map].fixed { return e.lookup(fixed, key).map { .known($0) } }
    return force(.symbol(symbols.field(key, of: map)))
  }

  private mutating func walk(
    _ start: SymbolicValue, _ steps: [Operand], otherwise: SymbolicValue
  ) -> SymbolicValue {
    var current = start
    for step in steps {
      guard case .string(let key) = step else { return otherwise }
      switch force(current) {
      case .known(let operand):
        guard let next = e.lookup(operand, key) else { return otherwise }
        current = .known(next)
      case .symbol(let symbol):
        guard split(symbol, kinds: .map), let next = get(symbol, key) else { return otherwise }
        current = next
      case .resource, .keys, .path, .list: return otherwise
      }
    }
    return current
  }

  // MARK: hasAll, hasAny, hasOnly

  private mutating func question(
    _ receiver: SymbolicValue, _ name: MethodName, _ argument: SymbolicValue, _ term: ProofTerm
  ) -> SymbolicValue? {
    switch (receiver, argument) {
    case (.keys(let map, let isSet), .known(let wanted)):
      guard wanted.kind == .list || (isSet && wanted.kind == .set) else { return fault(term) }
      return keyQuestion(map, name, e.array(wanted))
    case (.symbol(let list), .known(let wanted)):
      // An opaque set counts numbers of different kinds as equal, and so does not keep elements as facts.
      guard symbols.facts[list].kinds == .list else { return nil }
      guard wanted.kind == .list else { return fault(term) }
      return listQuestion(list, name, e.array(wanted))
    case (.known(let known), .keys(let map, _)):
      guard known.kind == .list else { return nil }
      let elements = e.array(known)
      switch name {
      case .hasAll: return keyQuestion(map, .hasOnly, elements)
      case .hasOnly: return keyQuestion(map, .hasAll, elements)
      default: return keyQuestion(map, .hasAny, elements)
      }
    case (.known(let known), .symbol(let list)):
      guard known.kind == .list else { return nil }
      guard split(list, kinds: .list) else { return fault(term) }
      let elements = e.array(known)
      switch name {
      case .hasAll: return listQuestion(list, .hasOnly, elements)
      case .hasOnly: return listQuestion(list, .hasAll, elements)
      default: return listQuestion(list, .hasAny, elements)
      }
    case (.list(let elements), .known(let wanted)):
      guard wanted.kind == .list else { return fault(term) }
      return literalQuestion(elements, name, e.array(wanted))
    case (.known, _), (.symbol, _), (.keys, _), (.list, _), (.resource, _), (.path, _): return nil
    }
  }

  private mutating func literalQuestion(
    _ elements: [SymbolicValue], _ name: MethodName, _ wanted: [Operand]
  ) -> SymbolicValue {
    switch name {
    case .hasAll:
      for value in wanted where !contains(elements, .known(value)) { return .known(.boolean(false)) }
      return .known(.boolean(true))
    case .hasOnly:
      for element in elements {
        if !wanted.contains(where: { memberEqual(force(element), $0) }) { return .known(.boolean(false)) }
      }
      return .known(.boolean(true))
    default:
      for value in wanted where contains(elements, .known(value)) { return .known(.boolean(true)) }
      return .known(.boolean(false))
    }
  }

  private mutating func keyQuestion(
    _ map: Int, _ name: MethodName, _ wanted: [Operand]
  ) -> SymbolicValue {
    let names = wanted.compactMap { if case .string(let key) = $0 { key } else { nil } }
    switch name {
    case .hasAll:
      guard names.count == wanted.count else { return .known(.boolean(false)) }
      for key in names where !has(key, in: map) { return .known(.boolean(false)) }
      return .known(.boolean(true))
    case .hasOnly: return .known(.boolean(hasOnly(names, map)))
    default:
      for key in names where has(key, in: map) { return .known(.boolean(true)) }
      return .known(.boolean(false))
    }
  }

  /// Whether a map has no other keys: false when a field that is there is another one, otherwise open,
  /// because nobody knows what other fields there are.
  private mutating func hasOnly(_ keys: [ByteView], _ map: Int) -> Bool {
    let facts = symbols.facts[map]
    if let fixed = facts.fixed {
      return e.entries(fixed).allSatisfy { entry in keys.contains { $0 == entry.key } }
    }
    let isOutsider = { (key: ByteView) in !keys.contains { $0 == key } }
    for field in symbols.fields(of: map) where isOutsider(field.key) {
      if symbols.facts[field.symbol].isPresent { return false }
    }
    if let only = facts.onlyKeys, !only.contains(where: isOutsider) { return true }
    var restricted = facts
    restricted.onlyKeys = facts.onlyKeys.map { only in only.filter { !isOutsider($0) } } ?? keys
    let names = e.list(keys.map { .string($0) })
    let question = symbols.term(
      .method(.hasOnly, argumentCount: 1), [.keys(map, isSet: false), .known(names)], .bool, e)
    if let answer = symbols.facts[question].fixed { return answer.isTrue }
    let answers = symbols.facts[question]
    guard split(question, answers.equal(to: .boolean(true), e), answers.equal(to: .boolean(false), e)) else {
      return false
    }
    _ = split(map, restricted.close(e) ? restricted : nil, nil)
    return true
  }

  private mutating func listQuestion(
    _ list: Int, _ name: MethodName, _ wanted: [Operand]
  ) -> SymbolicValue {
    switch name {
    case .hasAll:
      for element in wanted where !has(element, in: list) { return .known(.boolean(false)) }
      return .known(.boolean(true))
    case .hasAny:
      note(list, .arrayContainsAny, e.list(wanted))
      for element in wanted where has(element, in: list) { return .known(.boolean(true)) }
      return .known(.boolean(false))
    default:
      let facts = symbols.facts[list]
      if let fixed = facts.fixed { return .known(.boolean(e.hasAll(e.list(wanted), fixed, .member))) }
      if facts.has.contains(where: { element in !wanted.contains { e.areEqual($0, element, .member) } }) {
        return .known(.boolean(false))
      }
      let term = symbols.term(
        .method(.hasOnly, argumentCount: 1), [.symbol(list), .known(e.list(wanted))], .bool, e)
      return .known(logical(.symbol(term), ProofTerm(0, .fault)))
    }
  }
}
