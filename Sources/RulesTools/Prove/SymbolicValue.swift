/// Values of terms when the document is not known.

internal import DocModel
internal import Rules

/// A part of a path.
enum SymbolicSegment {
  case known(ByteView)
  /// The text of a symbol.
  case open(Int)
  /// Any number of segments: the parents of a collection group.
  case parents
}

/// What a term comes to: a value (or the fault that there is none), or something that stands for one.
indirect enum SymbolicValue {
  case known(Operand)
  /// A value about which facts are known, by its number in `SymbolTable`.
  case symbol(Int)
  /// `resource`, which always exists.
  case resource
  /// `keys()` of the map that is a symbol; with `isSet` as a set.
  case keys(Int, isSet: Bool)
  case path([SymbolicSegment])
  /// A list of which some elements are not known. None of them faults.
  case list([SymbolicValue])

  var isFault: Bool {
    if case .known(let operand) = self { return operand.isFault }
    return false
  }
}

/// Where a symbol comes from.
enum SymbolOrigin {
  /// `resource.data`
  case data
  /// The id of the document.
  case id
  /// A field of a map.
  case field(parent: Int, key: ByteView)
  /// An operation on something that is not known: any answer is possible, and the same operation has the
  /// same answer.
  case term(Operation, [SymbolicValue])
  /// A segment of a path that nobody knows.
  case segment
}

/// What is done in an opaque term.
enum Operation: Equatable {
  case method(MethodName, argumentCount: Int)
  case library(String)
  case arithmetic(Arithmetic)
  case negation
  case comparison(Comparison)
  case membership
  case index
  case slice
  case access(AccessKind)
  case literal(Int32)
}

/// Symbols of one proof and what is known of them in the branch at hand.
///
/// Symbols are found again by where they come from, in every branch, so facts can be reset by position.
struct SymbolTable {
  static let data = 0
  static let id = 1

  private(set) var origins: [SymbolOrigin] = [.data, .id]
  /// At the beginning of every branch.
  private(set) var initial: [Facts] = [Facts(.map), Facts(.string)]
  /// In the branch at hand.
  private(set) var facts: [Facts] = [Facts(.map), Facts(.string)]

  var count: Int { origins.count }

  /// Forgets the branch.
  mutating func reset() { facts = initial }

  @inline(__always)
  mutating func set(_ symbol: Int, _ new: Facts) { facts[symbol] = new }

  /// States facts of the disjunct, for all branches.
  mutating func state(_ symbol: Int, _ new: Facts) {
    initial[symbol] = new
    facts[symbol] = new
  }

  func find(field key: ByteView, of parent: Int) -> Int? {
    for index in origins.indices {
      if case .field(let p, let k) = origins[index], p == parent, k == key { return index }
    }
    return nil
  }

  mutating func field(_ key: ByteView, of parent: Int) -> Int {
    if let known = find(field: key, of: parent) { return known }
    add(.field(parent: parent, key: key), Facts(KindSet.stored.union(.absent)))
    // A map that has only certain keys, in this branch.
    if let only = facts[parent].onlyKeys, !only.contains(where: { $0 == key }) {
      facts[count - 1] = Facts(.absent)
    }
    return count - 1
  }

  mutating func term(
    _ operation: Operation, _ operands: [SymbolicValue], _ kinds: KindSet, _ e: Evaluation
  ) -> Int {
    for index in origins.indices {
      if case .term(let o, let values) = origins[index], o == operation, areSame(values, operands, e) {
        return index
      }
    }
    var facts = Facts(kinds)
    if case .method(.size, _) = operation { facts.low = Bound(value: .integer(0), isInclusive: true) }
    return add(.term(operation, operands), facts)
  }

  mutating func segment() -> Int { add(.segment, Facts(.string)) }

  @discardableResult
  private mutating func add(_ origin: SymbolOrigin, _ facts: Facts) -> Int {
    origins.append(origin)
    initial.append(facts)
    self.facts.append(facts)
    return origins.count - 1
  }

  /// The fields of a symbol that somebody asked for.
  func fields(of parent: Int) -> [(key: ByteView, symbol: Int)] {
    origins.indices.compactMap { index in
      if case .field(let p, let key) = origins[index], p == parent { return (key, index) }
      return nil
    }
  }

  /// The path of a field of the document; nil for other symbols.
  func fieldPath(of symbol: Int) -> FieldPath? {
    var names: [String] = []
    var current = symbol
    while case .field(let parent, let key) = origins[current] {
      names.append(key.text)
      current = parent
    }
    guard case .data = origins[current] else { return nil }
    return FieldPath(segments: names.reversed())
  }

  private func areSame(_ left: [SymbolicValue], _ right: [SymbolicValue], _ e: Evaluation) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { areSame($0, $1, e) }
  }

  private func areSame(_ left: SymbolicValue, _ right: SymbolicValue, _ e: Evaluation) -> Bool {
    switch (left, right) {
    case (.known(let a), .known(let b)): a.kind == b.kind && e.areEqual(a, b, .strict)
    case (.symbol(let a), .symbol(let b)): a == b
    case (.resource, .resource): true
    case (.keys(let a, let x), .keys(let b, let y)): a == b && x == y
    case (.list(let a), .list(let b)): areSame(a, b, e)
    case (.path(let a), .path(let b)):
      a.count == b.count
        && zip(a, b).allSatisfy { x, y in
          switch (x, y) {
          case (.known(let p), .known(let q)): p == q
          case (.open(let p), .open(let q)): p == q
          case (.parents, .parents): true
          case (.known, _), (.open, _), (.parents, _): false
          }
        }
    case (.known, _), (.symbol, _), (.resource, _), (.keys, _), (.list, _), (.path, _): false
    }
  }
}
