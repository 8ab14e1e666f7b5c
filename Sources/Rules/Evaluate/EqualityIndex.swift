/// Finding values among many, by hash instead of one comparison after the other.
///
/// An end user's list of a megabyte has hundreds of thousands of elements; compared with another such list one by
/// one, a single method call would take hours.
///
/// INVARIANT: the answer is the one that comparing with every element gives. `areEqual` decides; the hash only
/// leaves out what cannot be equal.

internal import DocModel

/// The elements of a list or a set, by hash.
struct EqualityIndex {
  private let e: Evaluation
  private let mode: EqualityMode
  private var elements: [Operand] = []
  private var hashes: [Int] = []
  /// Of each element the one before it in the same bucket; -1 at the end.
  private var previous: [Int32] = []
  private var buckets: [Int32]

  /// What hashing an element and putting it in its place takes beside its bytes.
  private static let stepsPerElement = 32
  /// What a comparison with an element of the same hash takes at least.
  private static let stepsPerComparison = 32

  /// An empty index with room for `capacity` elements.
  init(_ e: Evaluation, _ mode: EqualityMode, capacity: Int) {
    self.e = e
    self.mode = mode
    var size = 16
    while size < capacity { size *= 2 }
    buckets = Array(repeating: -1, count: size)
    elements.reserveCapacity(capacity)
    hashes.reserveCapacity(capacity)
    previous.reserveCapacity(capacity)
  }

  init(_ e: Evaluation, _ mode: EqualityMode, of collection: Operand) {
    let count = e.elementCount(collection)
    self.init(e, mode, capacity: count)
    e.takes(count &* Self.stepsPerElement)
    e.takesWalk(collection)
    var rest = Elements(collection)
    while !e.isOverworked, let element = rest.next(e) { insert(element) }
  }

  /// Whether some element is equal to `value`.
  func contains(_ value: Operand) -> Bool {
    e.takesWalk(value)
    guard e.takes(Self.stepsPerElement), let hash = e.equalityHash(value, mode) else { return false }
    return contains(value, hash)
  }

  /// Inserts a value unless an element is equal to it.
  mutating func insertNew(_ value: Operand) -> Bool {
    // What equals nothing is never found: it needs no place.
    e.takesWalk(value)
    guard e.takes(Self.stepsPerElement), let hash = e.equalityHash(value, mode) else { return true }
    guard !contains(value, hash) else { return false }
    append(value, hash)
    return true
  }

  /// Inserts an element of a collection. The same thing twice is kept once, as far as that is certain: what
  /// is the same kind of thing in all of it is equal to the same values.
  private mutating func insert(_ element: Operand) {
    guard let hash = e.equalityHash(element, mode) else { return }
    var place = buckets[hash & (buckets.count - 1)]
    while place >= 0, e.takes(Self.stepsPerComparison) {
      if hashes[Int(place)] == hash, e.areSame(elements[Int(place)], element) { return }
      place = previous[Int(place)]
    }
    append(element, hash)
  }

  private func contains(_ value: Operand, _ hash: Int) -> Bool {
    var place = buckets[hash & (buckets.count - 1)]
    while place >= 0, e.takes(Self.stepsPerComparison) {
      if hashes[Int(place)] == hash, e.areEqual(elements[Int(place)], value, mode) { return true }
      place = previous[Int(place)]
    }
    return false
  }

  private mutating func append(_ element: Operand, _ hash: Int) {
    let bucket = hash & (buckets.count - 1)
    previous.append(buckets[bucket])
    buckets[bucket] = Int32(elements.count)
    elements.append(element)
    hashes.append(hash)
  }
}

extension Evaluation {
  /// LIMIT: comparisons one by one. More are looked up in an index, which allocates.
  static let comparisonsMax = 4_096

  /// Whether comparing each element of one collection with each of the other is too much.
  ///
  /// The first test needs no walk; it is all that ordinary lists pay.
  @inline(__always)
  func areMany(_ left: Operand, _ right: Operand) -> Bool {
    elementsAtMost(left) &* elementsAtMost(right) > 4 * Self.comparisonsMax && areReallyMany(left, right)
  }

  /// How many elements or fields there can be: an encoded one has four bytes or more.
  @inline(__always)
  private func elementsAtMost(_ collection: Operand) -> Int {
    switch collection {
    case .array(let bytes), .document(let bytes), .fields(let bytes): bytes.count &>> 2
    case .list(_, let count), .set(_, let count), .map(_, let count): count
    default: 0
    }
  }

  @inline(never)
  private func areReallyMany(_ left: Operand, _ right: Operand) -> Bool {
    (elementCount(left) + entryCount(left)) * (elementCount(right) + entryCount(right)) > Self.comparisonsMax
  }

  /// Whether an index may keep only one of two equal elements: the same bytes of a document or the same flat
  /// value. In doubt no.
  fileprivate func areSame(_ left: Operand, _ right: Operand) -> Bool {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.null, .null), (.boolean, .boolean), (.string, .string), (.bytes, .bytes), (.timestamp, .timestamp),
      (.duration, .duration), (.latlng, .latlng), (.path, .path):
      areEqual(left, right, .strict)
    case (.array(let a), .array(let b)), (.document(let a), .document(let b)),
      (.fields(let a), .fields(let b)),
      (.vector(let a), .vector(let b)):
      a == b
    case (.list(let a, let aCount), .list(let b, let bCount)): a == b && aCount == bCount
    case (.map(let a, let aCount), .map(let b, let bCount)): a == b && aCount == bCount
    case (.set(let a, let aCount), .set(let b, let bCount)): a == b && aCount == bCount
    default: false
    }
  }
}
