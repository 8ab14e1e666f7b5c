/// What two states of an array do not have in common.

internal import DocModel

/// Elements that only one of two arrays has, byte for byte.
struct ElementDifference {
  let gone: ArraySlice<ValueView>
  let come: ArraySlice<ValueView>

  /// What both begin or end with is only compared; the rest is looked up by its bytes.
  init(_ old: [ValueView], _ new: [ValueView]) {
    let shorter = min(old.count, new.count)
    var head = 0
    while head < shorter, Self.areEqual(old[head], new[head]) { head += 1 }
    var tail = 0
    while head + tail < shorter, Self.areEqual(old[old.count - 1 - tail], new[new.count - 1 - tail]) {
      tail += 1
    }
    let oldRest = old[head..<old.count - tail]
    let newRest = new[head..<new.count - tail]
    come = Self.without(oldRest, newRest)
    var gone = Self.without(newRest, oldRest)
    // One that is there several times may have stayed in front or behind.
    if !gone.isEmpty {
      let kept = Self.common(gone, new[..<head]).union(Self.common(gone, new[(new.count - tail)...]))
      if !kept.isEmpty { gone = gone.filter { !kept.contains(BytesInPlace($0.bytes)) }[...] }
    }
    self.gone = gone
  }

  private static func areEqual(_ a: ValueView, _ b: ValueView) -> Bool {
    WireCursor.areEqual(a.bytes, b.bytes)
  }

  private static func set(_ elements: ArraySlice<ValueView>) -> Set<BytesInPlace> {
    Set(elements.lazy.map { BytesInPlace($0.bytes) })
  }

  /// `elements` that are not among `others`.
  private static func without(_ others: ArraySlice<ValueView>, _ elements: ArraySlice<ValueView>)
    -> ArraySlice<ValueView>
  {
    if others.isEmpty || elements.isEmpty { return elements }
    let others = set(others)
    return elements.filter { !others.contains(BytesInPlace($0.bytes)) }[...]
  }

  private static func common(_ few: ArraySlice<ValueView>, _ many: ArraySlice<ValueView>) -> Set<BytesInPlace>
  {
    if many.isEmpty { return [] }
    let few = set(few)
    return Set(many.lazy.map { BytesInPlace($0.bytes) }.filter(few.contains))
  }
}

/// Which values may have the key of another one although their bytes differ: numbers of the two kinds, what has numbers
/// inside, and what is so long that keys hold only its beginning.
struct KeyLikeness {
  /// LIMIT: bytes of a value whose key is surely whole.
  private static let wholeBytesMax = 512

  private var integers = false
  private var doubles = false
  private var others = false

  private enum Kind { case exact, integer, double, other }

  init(_ values: ArraySlice<ValueView>) {
    for value in values {
      switch Self.kind(value) {
      case .exact: continue
      case .integer: integers = true
      case .double: doubles = true
      case .other: others = true
      }
    }
  }

  /// Whether the value may have the key of one of those.
  func includes(_ value: ValueView) -> Bool {
    switch Self.kind(value) {
    case .exact: false
    // Two integers with one key have the same bytes.
    case .integer: doubles
    case .double: integers || doubles
    case .other: others
    }
  }

  private static func kind(_ value: ValueView) -> Kind {
    switch value.kind {
    case .null, .boolean, .timestamp: .exact
    case .string, .bytes, .reference: value.bytes.count <= wholeBytesMax ? .exact : .other
    case .integer: .integer
    case .double: .double
    case .geoPoint, .array, .map, .vector: .other
    }
  }
}
