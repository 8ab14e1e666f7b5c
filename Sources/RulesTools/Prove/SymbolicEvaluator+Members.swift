/// Fields, elements, path literals and document accesses over values that are not known.

internal import DocModel
internal import Rules

extension SymbolicEvaluator {
  /// LIMIT: elements of a known map or list that an open index is tried against.
  private static var indexTriesMax: Int { 32 }

  /// `base.key`; the base has been forced.
  mutating func member(_ base: SymbolicValue, _ key: ByteView, _ term: ProofTerm) -> SymbolicValue {
    switch base {
    case .known(let operand): return .known(e.member(operand, key, term.number))
    case .symbol(let symbol):
      // A stored reference has no named segments, so only maps have members.
      return split(symbol, kinds: .map) ? field(symbol, key) : fault(term)
    case .resource:
      if key.buffer.elementsEqual("data".utf8) { return .symbol(SymbolTable.data) }
      if key.buffer.elementsEqual("id".utf8) { return .symbol(SymbolTable.id) }
      return key.buffer.elementsEqual("__name__".utf8) ? documentName : fault(term)
    case .keys, .path, .list: return fault(term)
    }
  }

  /// A field of a map; it may turn out to be absent when it is used.
  private mutating func field(_ map: Int, _ key: ByteView) -> SymbolicValue {
    if let fixed = symbols.facts[map].fixed {
      return .known(e.lookup(fixed, key) ?? .fault(.undefinedProperty, node: 0, detail: -1))
    }
    return .symbol(symbols.field(key, of: map))
  }

  // MARK: elements

  /// `base[index]`; both have been forced, and the base is no fault.
  mutating func element(_ base: SymbolicValue, _ index: SymbolicValue, _ term: ProofTerm) -> SymbolicValue {
    if index.isFault { return index }
    switch (base, index) {
    case (.known(let operand), .known(let position)):
      let number = Int(term.number)
      let node = IndexNode(number, ConstantNode(number, operand), ConstantNode(number, position))
      return .known(node.value(e))
    case (.known(let operand), .symbol(let symbol)): return element(operand, symbol, term)
    case (.symbol(let symbol), .known(.string(let key))):
      return split(symbol, kinds: .map) ? field(symbol, key) : fault(term)
    case (.symbol(let symbol), .known(.integer)):
      guard split(symbol, kinds: [.list, .string, .path]) else { return fault(term) }
      return opaque(.index, [base, index], [.computed, .absent])
    case (.symbol, .known): return fault(term)
    case (.resource, .known(.string(let key))): return member(base, key, term)
    case (.path(let segments), .known(.integer(let position))):
      return segment(segments, position, term) ?? opaque(.index, [base, index], [.string, .absent])
    case (.list(let elements), .known(.integer(let position))):
      guard position >= 0, position < elements.count else { return fault(term) }
      return elements[Int(position)]
    case (.known, _), (.symbol, _), (.resource, _), (.keys, _), (.path, _), (.list, _):
      return opaque(.index, [base, index], [.computed, .absent])
    }
  }

  /// A known map or list at an open index: one case for each of its entries.
  private mutating func element(_ base: Operand, _ symbol: Int, _ term: ProofTerm) -> SymbolicValue {
    switch base.kind {
    case .map:
      guard split(symbol, kinds: .string) else { return fault(term) }
      let entries = e.entries(base)
      guard entries.count <= Self.indexTriesMax else { break }
      for entry in entries where equals(symbol, .string(entry.key)) { return .known(entry.value) }
      return fault(term)
    case .list:
      guard split(symbol, kinds: .int) else { return fault(term) }
      let count = e.elementCount(base)
      guard count <= Self.indexTriesMax else { break }
      for index in 0..<count where equals(symbol, .integer(Int64(index))) {
        return .known(e.element(base, at: index))
      }
      return fault(term)
    case .string, .path: break
    case .null, .bool, .int, .float, .bytes, .timestamp, .duration, .latlng, .set, .mapDiff, .vector,
      .constraint, .fault:
      return fault(term)
    }
    return opaque(.index, [.known(base), .symbol(symbol)], [.computed, .absent])
  }

  /// Whether a symbol equals a value, which may have become known meanwhile.
  private mutating func equals(_ symbol: Int, _ value: Operand) -> Bool {
    equal(force(.symbol(symbol)), .known(value)).isKnownTrue
  }

  /// Nil when nobody knows which segment it is.
  private func segment(_ segments: [SymbolicSegment], _ index: Int64, _ term: ProofTerm) -> SymbolicValue? {
    guard index >= 0 else { return fault(term) }
    for (position, segment) in segments.enumerated() {
      switch segment {
      case .parents: return nil
      case .known(let text): if position == index { return .known(.string(text)) }
      case .open(let symbol):
        guard symbols.facts[symbol].kinds == .string else { return nil }
        if position == index { return .symbol(symbol) }
      }
    }
    return fault(term)
  }

  mutating func slice(
    _ base: ProofTerm, _ lower: ProofTerm?, _ upper: ProofTerm?, _ frame: SymbolicFrame?, _ term: ProofTerm
  ) -> SymbolicValue {
    var parts = [settle(value(base, frame))]
    if parts[0].isFault { return parts[0] }
    for bound in [lower, upper] {
      parts.append(bound.map { settle(value($0, frame)) } ?? .known(.null))
      if parts[parts.count - 1].isFault { return parts[parts.count - 1] }
    }
    guard let known = allKnown(parts) else { return opaque(.slice, parts, [.computed, .absent]) }
    let number = Int(term.number)
    let nodes = known.map { ConstantNode(number, $0) }
    return .known(
      SliceNode(number, nodes[0], lower == nil ? nil : nodes[1], upper == nil ? nil : nodes[2]).value(e))
  }

  // MARK: paths

  mutating func path(
    _ parts: [ProofTerm.Segment], _ frame: SymbolicFrame?, _ term: ProofTerm
  ) -> SymbolicValue {
    var segments: [SymbolicSegment] = []
    var isKnown = true
    for part in parts {
      switch part {
      case .literal(let text): segments.append(.known(text))
      case .placeholder: return opaque(.literal(term.number), [], [.path, .absent])
      case .value(let inner):
        let value = settle(value(inner, frame))
        guard append(value, to: &segments) else { return value.isFault ? value : fault(term) }
      }
    }
    var known: [PathSegment] = []
    for segment in segments {
      if case .known(let text) = segment { known.append(PathSegment(text: text)) } else { isKnown = false }
    }
    return isKnown ? .known(.path(e.arena.copy(known), known.count)) : .path(segments)
  }

  /// Adds what is inserted; false when it has no text.
  private mutating func append(_ value: SymbolicValue, to segments: inout [SymbolicSegment]) -> Bool {
    switch value {
    case .known(.path(let start, let count)):
      for index in 0..<count {
        guard let text = start[index].text else { return false }
        segments.append(.known(text))
      }
    case .known(let operand):
      guard let text = Conversions.text(operand, e) else { return false }
      segments.append(.known(text))
    case .symbol(let symbol):
      guard split(symbol, kinds: .texts) else { return false }
      // A stored reference would be spliced in.
      segments.append(symbols.facts[symbol].kinds.contains(.path) ? .parents : .open(symbol))
    case .path(let inner): segments += inner
    case .resource, .keys, .list: return false
    }
    return true
  }

  /// `get`, `exists` and the like; the path has been forced.
  mutating func access(_ kind: AccessKind, _ path: SymbolicValue, _ term: ProofTerm) -> SymbolicValue {
    switch path {
    case .known(let operand):
      let number = Int(term.number)
      e.spent = 0
      return .known(AccessNode(number, kind, ConstantNode(number, operand)).value(e))
    case .symbol, .path:
      return opaque(.access(kind), [path], kind.wantsDocument ? [.map, .null, .absent] : [.bool, .absent])
    case .resource, .keys, .list: return fault(term)
    }
  }

  /// The values, when all are known.
  func allKnown(_ values: [SymbolicValue]) -> [Operand]? {
    var known: [Operand] = []
    for value in values {
      guard case .known(let operand) = value else { return nil }
      known.append(operand)
    }
    return known
  }
}
