/// Lists, sets and maps, wherever they live.

internal import DocModel

/// The elements of a list or a set, encoded or computed.
struct Elements {
  private var encoded: ArrayView.Iterator
  private var computed: UnsafePointer<Operand>?
  private var rest: Int
  private let isEncoded: Bool

  /// Empty for what is neither list nor set.
  @inline(__always)
  init(_ operand: Operand) {
    switch operand {
    case .array(let bytes):
      encoded = ArrayView(bytes.buffer).makeIterator()
      computed = nil
      rest = 0
      isEncoded = true
    case .list(let start, let count), .set(let start, let count):
      encoded = ArrayView(WireCursor.empty).makeIterator()
      computed = start
      rest = count
      isEncoded = false
    default:
      encoded = ArrayView(WireCursor.empty).makeIterator()
      computed = nil
      rest = 0
      isEncoded = true
    }
  }

  @inline(__always)
  mutating func next(_ e: Evaluation) -> Operand? {
    if isEncoded { return encoded.next().map { e.operand($0) } }
    guard rest > 0, let current = computed else { return nil }
    rest -= 1
    computed = current + 1
    return current.pointee
  }
}

extension Evaluation {
  package func elementCount(_ operand: Operand) -> Int {
    switch operand {
    case .array(let bytes): return ArrayView(bytes.buffer).elementCount
    case .list(_, let count), .set(_, let count): return count
    default: return 0
    }
  }

  /// The element at an index that is known to be inside.
  package func element(_ operand: Operand, at index: Int) -> Operand {
    switch operand {
    case .array(let bytes): return ArrayView(bytes.buffer)[index].map { self.operand($0) } ?? .null
    case .list(let start, _), .set(let start, _): return start[index]
    default: return .null
    }
  }

  /// A list of new elements.
  package func list(_ elements: [Operand]) -> Operand { .list(arena.copy(elements), elements.count) }

  /// All elements, in order.
  package func array(_ operand: Operand) -> [Operand] {
    takesWalk(operand)
    var result: [Operand] = []
    var elements = Elements(operand)
    while let element = elements.next(self) { result.append(element) }
    return result
  }

  @inline(__always)
  func fieldsView(_ map: Operand) -> FieldsView? {
    switch map {
    case .document(let bytes): FieldsView(bytes.buffer, entryTag: FieldsView.documentEntryTag)
    case .fields(let bytes): FieldsView(bytes.buffer, entryTag: FieldsView.mapEntryTag)
    default: nil
    }
  }

  /// The value of a key; nil when absent or when the operand is no map.
  @inline(__always)
  package func lookup(_ map: Operand, _ key: ByteView) -> Operand? {
    switch map {
    case .document(let bytes):
      return FieldsView(bytes.buffer, entryTag: FieldsView.documentEntryTag)
        .value(keyBytes: key.buffer).map { operand($0) }
    case .fields(let bytes):
      return FieldsView(bytes.buffer, entryTag: FieldsView.mapEntryTag)
        .value(keyBytes: key.buffer).map { operand($0) }
    case .map(let start, let count):
      for index in 0..<count where start[index].key == key { return start[index].value }
      return nil
    default:
      return nil
    }
  }

  func entryCount(_ map: Operand) -> Int {
    if case .map(_, let count) = map { return count }
    return fieldsView(map)?.fieldCount ?? 0
  }

  /// All entries of a map, in its own order: sorted for encoded ones, written order otherwise.
  package func entries(_ map: Operand) -> [MapEntry] {
    if case .map(let start, let count) = map {
      return Array(UnsafeBufferPointer(start: start, count: count))
    }
    guard let view = fieldsView(map) else { return [] }
    return view.map { MapEntry(key: ByteView($0.key), value: operand($0.value)) }
  }

  /// The keys of a map as a list, sorted by code point.
  func keyList(_ map: Operand) -> Operand {
    let count = entryCount(map)
    let keys = arena.allocate(Operand.self, count: count)
    if let view = fieldsView(map) {
      for (index, entry) in view.enumerated() { keys[index] = .string(ByteView(entry.key)) }
    } else {
      let sorted = entries(map).map(\.key).sorted { WireCursor.compare($0.buffer, $1.buffer) < 0 }
      for (index, key) in sorted.enumerated() { keys[index] = .string(key) }
    }
    return .list(UnsafePointer(keys), count)
  }

  /// A set of the given members; of two that are loosely equal the first stays.
  func set(_ members: [Operand]) -> Operand {
    var kept: [Operand] = []
    guard members.count * members.count <= Self.comparisonsMax else {
      var index = EqualityIndex(self, .loose, capacity: members.count)
      for member in members where index.insertNew(member) { kept.append(member) }
      return .set(arena.copy(kept), kept.count)
    }
    for member in members where !kept.contains(where: { areEqual($0, member, .loose) }) {
      kept.append(member)
    }
    return .set(arena.copy(kept), kept.count)
  }
}
