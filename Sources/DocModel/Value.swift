/// The owned form of a value: for tests, seeds, the shell and transforms.
///
/// Requests never pass through it: reads copy encoded bytes and rules look at views. If it shows up
/// in a request's profile, that is a bug.

/// One value of a document field.
///
/// Equality is strict: the same kind and the same bytes (1 and 1.0 differ, all NaN are equal, 0.0 and
/// -0.0 differ). The other equalities of the service live in `ValueOrder`.
public indirect enum Value: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case string(String)
  case bytes([UInt8])
  /// A full resource name, `projects/P/databases/D/documents/...`.
  case reference(String)
  case geoPoint(GeoPoint)
  case array([Value])
  /// Stored as the map `{__type__: "__vector__", value: [double...]}`.
  case vector([Double])
  case map(Fields)
}

/// The kind of a value, without the value. Integers and doubles are kinds of their own although they
/// share one line in the order.
public enum ValueKind: UInt8, Sendable, CaseIterable {
  case null, boolean, integer, double, timestamp, string, bytes, reference, geoPoint, array, vector, map
}

extension Value {
  public var kind: ValueKind {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .integer: .integer
    case .double: .double
    case .timestamp: .timestamp
    case .string: .string
    case .bytes: .bytes
    case .reference: .reference
    case .geoPoint: .geoPoint
    case .array: .array
    case .vector: .vector
    case .map: .map
    }
  }
}

extension Value: Equatable {
  public static func == (left: Value, right: Value) -> Bool {
    // One at a time: the compiler takes seconds to see that a switch over pairs leaves nothing out.
    switch left {
    case .null: if case .null = right { return true }
    case .boolean(let a): if case .boolean(let b) = right { return a == b }
    case .integer(let a): if case .integer(let b) = right { return a == b }
    case .double(let a): if case .double(let b) = right { return a.isSame(as: b) }
    case .timestamp(let a): if case .timestamp(let b) = right { return a == b }
    case .string(let a): if case .string(let b) = right { return a.hasSameBytes(as: b) }
    case .bytes(let a): if case .bytes(let b) = right { return a == b }
    case .reference(let a): if case .reference(let b) = right { return a.hasSameBytes(as: b) }
    case .geoPoint(let a):
      if case .geoPoint(let b) = right {
        return a.latitude.isSame(as: b.latitude) && a.longitude.isSame(as: b.longitude)
      }
    case .array(let a): if case .array(let b) = right { return a == b }
    case .vector(let a):
      if case .vector(let b) = right { return a.elementsEqual(b) { $0.isSame(as: $1) } }
    case .map(let a): if case .map(let b) = right { return a == b }
    }
    return false
  }
}

extension Double {
  /// Same bits, or both NaN.
  @inlinable
  package func isSame(as other: Double) -> Bool {
    bitPattern == other.bitPattern || (isNaN && other.isNaN)
  }
}

extension String {
  /// Equality of the stored bytes. Swift's own `==` also equates canonically equivalent texts, which
  /// the service keeps apart.
  public func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && withBytes(of: other) { WireCursor.areEqual($0, $1) }
  }

  /// Order of the UTF-8 bytes, which is code point order and the service's order of texts.
  public func precedesInBytes(_ other: String) -> Bool {
    withBytes(of: other) { WireCursor.compare($0, $1) < 0 }
  }

  /// The bytes of both in plain memory: byte for byte through their views they would cost ten times as much.
  private func withBytes<Result>(
    of other: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var (text, other) = (self, other)
    return text.withUTF8 { text in
      other.withUTF8 { body(UnsafeRawBufferPointer(text), UnsafeRawBufferPointer($0)) }
    }
  }
}

/// Named values, in byte order of the names: a document's fields or the inside of a map.
///
/// INVARIANT: `entries` is strictly ascending by the UTF-8 bytes of `name`.
public struct Fields: Sendable, ExpressibleByDictionaryLiteral {
  public struct Entry: Sendable {
    public let name: String
    public var value: Value
  }

  public private(set) var entries: [Entry]

  public init() { entries = [] }

  /// Sorts; the last of two entries with one name wins, as at ingest.
  public init(_ pairs: some Sequence<(String, Value)>) {
    entries = []
    for (name, value) in pairs { self[name] = value }
  }

  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(elements)
  }

  public var count: Int { entries.count }
  public var isEmpty: Bool { entries.isEmpty }

  /// The value of one name; setting nil removes it.
  public subscript(name: String) -> Value? {
    get {
      let index = insertionIndex(of: name)
      return index < entries.count && entries[index].name.hasSameBytes(as: name) ? entries[index].value : nil
    }
    set {
      let index = insertionIndex(of: name)
      let isPresent = index < entries.count && entries[index].name.hasSameBytes(as: name)
      switch (isPresent, newValue) {
      case (true, .some(let value)): entries[index].value = value
      case (true, .none): entries.remove(at: index)
      case (false, .some(let value)): entries.insert(Entry(name: name, value: value), at: index)
      case (false, .none): break
      }
      if Invariants.areDue(at: entries.count) { checkInvariants() }
    }
  }

  func checkInvariants() {
    assert(
      zip(entries, entries.dropFirst()).allSatisfy { $0.name.precedesInBytes($1.name) },
      "names ascend by their bytes, each once")
  }

  private func insertionIndex(of name: String) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name.precedesInBytes(name) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Fields: Equatable {
  public static func == (left: Fields, right: Fields) -> Bool {
    left.entries.count == right.entries.count
      && zip(left.entries, right.entries).allSatisfy {
        $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value
      }
  }
}
