/// `in`, methods and literals of collections over values that are not known.

internal import DocModel
internal import Rules

extension SymbolicEvaluator {
  // MARK: literals

  mutating func list(_ elements: [ProofTerm], _ frame: SymbolicFrame?) -> SymbolicValue {
    var values: [SymbolicValue] = []
    for element in elements {
      let value = settle(value(element, frame))
      if value.isFault { return value }
      values.append(value)
    }
    return allKnown(values).map { .known(e.list($0)) } ?? .list(values)
  }

  mutating func map(
    _ keys: [ProofTerm], _ values: [ProofTerm], _ frame: SymbolicFrame?, _ term: ProofTerm
  ) -> SymbolicValue {
    var parts: [SymbolicValue] = []
    for (index, part) in (keys + values).enumerated() {
      let value = settle(value(part, frame))
      if value.isFault { return value }
      if index < keys.count, case .known(let key) = value, key.kind != .string { return fault(term) }
      parts.append(value)
    }
    guard let known = allKnown(parts) else {
      return opaque(.literal(term.number), parts, [.map, .absent])
    }
    let number = Int(term.number)
    let nodes = known.map { ConstantNode(number, $0) }
    let node = MapNode(number, keys: Array(nodes[..<keys.count]), values: Array(nodes[keys.count...]))
    return .known(node.value(e))
  }

  // MARK: in

  /// `element in collection`: the collection is evaluated first.
  mutating func isIn(
    _ element: ProofTerm, _ collection: ProofTerm, _ frame: SymbolicFrame?, _ term: ProofTerm
  ) -> SymbolicValue {
    let place = settle(value(collection, frame))
    if place.isFault { return place }
    let wanted = settle(value(element, frame))
    if wanted.isFault { return wanted }
    switch (place, wanted) {
    case (.known(let operand), .known(let value)): return .known(e.isIn(value, operand, term.number))
    case (.known(let operand), _): return isIn(wanted, operand, term)
    case (.symbol(let symbol), _): return isIn(wanted, symbol, term)
    case (.keys(let map, _), .known(let value)):
      guard case .string(let key) = value else { return .known(.boolean(false)) }
      return .known(.boolean(has(key, in: map)))
    case (.list(let elements), _): return .known(.boolean(contains(elements, wanted)))
    case (.resource, .known(.string(let key))):
      let isMember = ["data", "id", "__name__"].contains { key.buffer.elementsEqual($0.utf8) }
      return .known(.boolean(isMember))
    case (.path, _): return fault(term)
    case (.keys, _), (.resource, _): return opaque(.membership, [place, wanted], [.bool, .absent])
    }
  }

  /// In a known collection.
  private mutating func isIn(
    _ wanted: SymbolicValue, _ place: Operand, _ term: ProofTerm
  ) -> SymbolicValue {
    switch place.kind {
    case .list:
      if case .symbol(let symbol) = wanted { note(symbol, .in, place) }
      // The question was asked as a whole.
      let asked = questions
      questions = nil
      defer { questions = asked }
      for element in e.array(place) where memberEqual(force(wanted), element) {
        return .known(.boolean(true))
      }
      return .known(.boolean(false))
    case .set:
      // Members of sets are compared more loosely than `==` does, which shows in NaN and in containers.
      let members = e.array(place)
      let isPlain = members.allSatisfy { ![KindSet.nan, .list, .map, .set].contains(KindSet.of($0)) }
      guard isPlain else { return answer(.membership, [wanted, .known(place)]) }
      for member in members where equal(force(wanted), .known(member)).isKnownTrue {
        return .known(.boolean(true))
      }
      return .known(.boolean(false))
    case .map:
      guard case .symbol(let symbol) = wanted, split(symbol, kinds: .string) else { return fault(term) }
      for entry in e.entries(place) where equal(force(wanted), .known(.string(entry.key))).isKnownTrue {
        return .known(.boolean(true))
      }
      return .known(.boolean(false))
    case .null, .bool, .int, .float, .string, .bytes, .timestamp, .duration, .latlng, .path, .mapDiff,
      .vector,
      .constraint, .fault:
      return fault(term)
    }
  }

  /// In a collection that is not known.
  private mutating func isIn(_ wanted: SymbolicValue, _ place: Int, _ term: ProofTerm) -> SymbolicValue {
    guard split(place, kinds: [.list, .map, .set]) else { return fault(term) }
    guard case .known(let value) = wanted else {
      return opaque(.membership, [.symbol(place), wanted], [.bool, .absent])
    }
    note(place, .arrayContains, value)
    let isSurelyMap = symbols.facts[place].kinds == .map
    if split(place, kinds: .list) { return .known(.boolean(has(value, in: place))) }
    guard split(place, kinds: .map) else { return opaque(.membership, [.symbol(place), wanted], .bool) }
    guard case .string(let key) = value else { return fault(term) }
    return .known(.boolean(has(key, in: place, isNoted: isSurelyMap)))
  }

  /// Whether a map has a key.
  mutating func has(_ key: ByteView, in map: Int, isNoted: Bool = true) -> Bool {
    if let fixed = symbols.facts[map].fixed { return e.lookup(fixed, key) != nil }
    let field = symbols.field(key, of: map)
    if isNoted { note(field, .isNotNull, .null) }
    return !split(field, kinds: .absent)
  }

  /// Whether a list has an element.
  mutating func has(_ element: Operand, in list: Int) -> Bool {
    let facts = symbols.facts[list]
    if let fixed = facts.fixed { return e.contains(fixed, element, .member) }
    if facts.has.contains(where: { e.areEqual($0, element, .member) }) { return true }
    if facts.lacks.contains(where: { e.areEqual($0, element, .member) }) { return false }
    // Nothing has an element that is unequal to itself.
    if !e.areEqual(element, element, .member) { return false }
    return split(list, facts.including(element, e), facts.lacking(element, e))
  }

  mutating func contains(_ elements: [SymbolicValue], _ wanted: SymbolicValue) -> Bool {
    for element in elements {
      switch (force(element), force(wanted)) {
      case (let one, .known(let value)): if memberEqual(one, value) { return true }
      case (.known(let value), let other): if memberEqual(other, value) { return true }
      case (let one, let other): if answer(.membership, [one, other]).isKnownTrue { return true }
      }
    }
    return false
  }

  // MARK: methods and functions

  /// Arguments from left to right; nil and the fault when one faults.
  private mutating func evaluate(
    _ arguments: [ProofTerm], _ frame: SymbolicFrame?
  ) -> (values: [SymbolicValue], fault: SymbolicValue?) {
    var values: [SymbolicValue] = []
    for argument in arguments {
      let value = settle(value(argument, frame))
      if value.isFault { return (values, value) }
      values.append(value)
    }
    return (values, nil)
  }

  mutating func library(
    _ name: String, _ function: LibraryFunction, _ arguments: [ProofTerm], _ frame: SymbolicFrame?,
    _ term: ProofTerm
  ) -> SymbolicValue {
    let (values, fault) = evaluate(arguments, frame)
    if let fault { return fault }
    guard values.count == function.signature.argumentCount else { return self.fault(term) }
    // What a proof tries out is nobody's debug output.
    if name == "debug" { return values[0] }
    guard let known = allKnown(values) else { return opaque(.library(name), values, Self.kinds(of: name)) }
    let call = CallArguments(start: e.arena.copy(known), node: term.number)
    return function.body(e, call).map { .known($0) } ?? self.fault(term)
  }

  private static func kinds(of function: String) -> KindSet {
    switch function {
    case "int": [.int, .absent]
    case "float": [.float, .nan, .absent]
    case "string": [.string, .absent]
    default: [.computed, .absent]
    }
  }

  /// `receiver.name(arguments)`; the receiver has been forced.
  mutating func method(
    _ receiver: SymbolicValue, _ name: MethodName, _ arguments: [ProofTerm], _ frame: SymbolicFrame?,
    _ term: ProofTerm
  ) -> SymbolicValue {
    if receiver.isFault { return receiver }
    let owners = SymbolicMethods.owners(of: name)
    let owner: OperandKind
    switch receiver {
    case .known(let operand): owner = operand.kind
    case .symbol(let symbol):
      guard split(symbol, kinds: owners) else { return fault(term) }
      return method(of: symbol, name, arguments, frame, term)
    case .keys(_, let isSet): owner = isSet ? .set : .list
    case .list: owner = .list
    case .path: owner = .path
    case .resource: owner = .map
    }
    guard let implementation = MethodTable.shared.method(owner, name) else { return fault(term) }
    let (values, fault) = evaluate(arguments, frame)
    if let fault { return fault }
    guard values.count == implementation.pointee.signature.argumentCount else { return self.fault(term) }
    if case .known(let operand) = receiver, let known = allKnown(values) {
      let call = CallArguments(start: e.arena.copy(known), node: term.number)
      return implementation.pointee.body(e, operand, call).map { .known($0) } ?? self.fault(term)
    }
    return collectionMethod(receiver, name, values, term)
      ?? opaque(
        .method(name, argumentCount: values.count), [receiver] + values, SymbolicMethods.results(of: name))
  }

  private mutating func method(
    of symbol: Int, _ name: MethodName, _ arguments: [ProofTerm], _ frame: SymbolicFrame?, _ term: ProofTerm
  ) -> SymbolicValue {
    let (values, fault) = evaluate(arguments, frame)
    if let fault { return fault }
    guard values.count == SymbolicMethods.argumentCount(of: name) else { return self.fault(term) }
    let receiver = force(.symbol(symbol))
    // Evaluating the arguments may have fixed it.
    if case .known(let operand) = receiver, let known = allKnown(values) {
      guard let implementation = MethodTable.shared.method(operand.kind, name) else {
        return self.fault(term)
      }
      let call = CallArguments(start: e.arena.copy(known), node: term.number)
      return implementation.pointee.body(e, operand, call).map { .known($0) } ?? self.fault(term)
    }
    return collectionMethod(receiver, name, values, term)
      ?? opaque(
        .method(name, argumentCount: values.count), [receiver] + values, SymbolicMethods.results(of: name))
  }
}
