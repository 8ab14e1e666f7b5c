/// What a seed or a suite says a field holds: a value, or something that only a commit turns into one.

public import DocModel

/// The outcome of evaluating one value of a file.
public indirect enum TypedValue: Sendable, Equatable {
  /// A value with no marker anywhere inside.
  case plain(Value)
  /// A map with at least one marker inside, at any depth. Lists never hold markers.
  case map(TypedMap)
  case marker(Marker)

  public static let emptyMap = TypedValue.plain(.map(Fields()))
}

/// Something that stands where a value would, and is decided by the commit.
public enum Marker: Sendable, Equatable {
  /// The time of the commit.
  case serverTime
  /// No value: the entry is left out, or removed by an update.
  case absent
  case increment(Value)
  case maximum(Value)
  case minimum(Value)
  case union([Value])
  case remove([Value])

  /// The form that writes it.
  public var formName: String {
    switch self {
    case .serverTime: "$serverTime"
    case .absent: "$absent"
    case .increment: "$inc"
    case .maximum: "$max"
    case .minimum: "$min"
    case .union: "$union"
    case .remove: "$remove"
    }
  }
}

/// Named typed values.
///
/// INVARIANT: strictly ascending by the bytes of `name`; no value is `absent`.
public struct TypedMap: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    public let name: String
    public var value: TypedValue

    public static func == (left: Entry, right: Entry) -> Bool {
      left.name.hasSameBytes(as: right.name) && left.value == right.value
    }
  }

  public private(set) var entries: [Entry]

  init(_ pairs: [(name: String, value: TypedValue)]) {
    entries = pairs.map { Entry(name: $0.name, value: $0.value) }
    entries.sort { $0.name.precedesInBytes($1.name) }
    checkInvariants()
  }

  init(_ fields: Fields) {
    entries = fields.entries.map { Entry(name: $0.name, value: .plain($0.value)) }
  }

  /// The value of one name; setting nil removes it.
  subscript(name: String) -> TypedValue? {
    get { entries.first { $0.name.hasSameBytes(as: name) }?.value }
    set {
      let index = entries.firstIndex { !$0.name.precedesInBytes(name) } ?? entries.count
      let isPresent = index < entries.count && entries[index].name.hasSameBytes(as: name)
      switch (isPresent, newValue) {
      case (true, .some(let value)): entries[index].value = value
      case (true, .none): entries.remove(at: index)
      case (false, .some(let value)): entries.insert(Entry(name: name, value: value), at: index)
      case (false, .none): break
      }
      checkInvariants()
    }
  }

  func checkInvariants() {
    if !Invariants.areDue(at: entries.count) { return }
    assert(
      zip(entries, entries.dropFirst()).allSatisfy { $0.name.precedesInBytes($1.name) },
      "names ascend by their bytes, each once")
    assert(entries.allSatisfy { $0.value != .marker(.absent) }, "what is absent is not there")
  }

  /// The map as a value, plain when no marker is left in it.
  var typed: TypedValue {
    var pairs: [(String, Value)] = []
    for entry in entries {
      guard case .plain(let value) = entry.value else { return .map(self) }
      pairs.append((entry.name, value))
    }
    return .plain(.map(Fields(pairs)))
  }
}

extension TypedValue {
  /// What the value is, for messages: `a list`.
  public var kindName: String {
    switch self {
    case .marker(let marker): return marker.formName
    case .map: return "a map"
    case .plain(let value):
      switch value {
      case .null: return "null"
      case .boolean: return "true or false"
      case .integer: return "an integer"
      case .double: return "a double"
      case .timestamp: return "a timestamp"
      case .string: return "a text"
      case .bytes: return "bytes"
      case .reference: return "a reference"
      case .geoPoint: return "a geo point"
      case .array: return "a list"
      case .vector: return "a vector"
      case .map: return "a map"
      }
    }
  }

  public var isMap: Bool {
    switch self {
    case .map, .plain(.map): true
    case .plain, .marker: false
    }
  }

  var isAbsent: Bool { self == .marker(.absent) }

  /// The value at a path through maps; nil when a step is missing or no map.
  public func value(at path: some Sequence<String>) -> TypedValue? {
    var found = self
    for segment in path {
      switch found {
      case .plain(.map(let fields)):
        guard let next = fields[segment] else { return nil }
        found = .plain(next)
      case .map(let map):
        guard let next = map[segment] else { return nil }
        found = next
      case .plain, .marker: return nil
      }
    }
    return found
  }

  /// Whether the value written out takes more than `bytes`. Stops there: values share their parts, so a
  /// small file can describe something that does not fit the machine.
  public func isLarger(than bytes: Int) -> Bool {
    var left = bytes
    return !Self.takes(&left, self)
  }

  /// Takes the size of a value from `left`; false when there is not enough.
  private static func takes(_ left: inout Int, _ value: TypedValue) -> Bool {
    switch value {
    case .marker: left -= 8
    case .plain(let value): return takes(&left, value)
    case .map(let map):
      for entry in map.entries {
        left -= entry.name.utf8.count + 1
        guard takes(&left, entry.value) else { return false }
      }
    }
    return left >= 0
  }

  private static func takes(_ left: inout Int, _ value: Value) -> Bool {
    switch value {
    case .null, .boolean: left -= 1
    case .integer, .double, .timestamp: left -= 8
    case .geoPoint: left -= 16
    case .string(let text), .reference(let text): left -= text.utf8.count + 1
    case .bytes(let bytes): left -= bytes.count
    case .vector(let elements): left -= elements.count * 8
    case .array(let elements):
      for element in elements {
        guard takes(&left, element) else { return false }
      }
    case .map(let fields):
      for entry in fields.entries {
        left -= entry.name.utf8.count + 1
        guard takes(&left, entry.value) else { return false }
      }
    }
    return left >= 0
  }

  /// This value with `new` at `path`; nil removes what stands there.
  ///
  /// As an update with a field mask does it: maps on the way are created, and what is no map gives way
  /// to one; removing creates nothing.
  public func replacing(_ path: ArraySlice<String>, with new: TypedValue?) -> TypedValue {
    guard let head = path.first else { return new ?? self }
    let rest = path.dropFirst()
    var replacement = new
    if !rest.isEmpty {
      let inner = value(at: [head])
      if new == nil, inner?.isMap != true { return self }
      let base = inner.flatMap { $0.isMap ? $0 : nil } ?? .emptyMap
      replacement = base.replacing(rest, with: new)
    }
    if case .plain(.map(var fields)) = self {
      switch replacement {
      case .none:
        fields[head] = nil
        return .plain(.map(fields))
      case .plain(let value):
        fields[head] = value
        return .plain(.map(fields))
      case .map, .marker: break
      }
    }
    var map = typedMap
    map[head] = replacement
    return map.typed
  }

  /// The entries of a map, none of anything else.
  private var typedMap: TypedMap {
    switch self {
    case .map(let map): map
    case .plain(.map(let fields)): TypedMap(fields)
    case .plain, .marker: TypedMap([])
    }
  }
}
