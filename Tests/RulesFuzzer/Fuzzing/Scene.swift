/// What a condition looks at besides itself: who asks, for what, and what is stored.

public import DocModel
public import Rules

/// The circumstances of one request.
public struct Scene: Sendable {
  public var method: RuleMethod
  public var uid: String?
  /// The token's claims beside `sub` and `user_id`.
  public var claims: Fields
  /// The document before; nil when there is none.
  public var before: Fields?
  /// The document after; for create and update.
  public var after: Fields?

  /// All claims.
  public var token: Fields {
    guard let uid else { return [:] }
    var all = claims
    all["sub"] = .string(uid)
    all["user_id"] = .string(uid)
    return all
  }

  public var auth: AuthFacts? { uid.map { AuthFacts(uid: $0, claims: token) } }

  var size: Int {
    func weight(_ fields: Fields?) -> Int {
      fields.map { 1 + $0.entries.reduce(0) { $0 + 1 + weigh($1.value) } } ?? 0
    }
    func weigh(_ value: Value) -> Int {
      switch value {
      case .array(let elements): elements.reduce(1) { $0 + weigh($1) }
      case .map(let fields): weight(fields)
      case .vector(let numbers): numbers.count
      case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint: 1
      }
    }
    return weight(before) + weight(after) + weight(claims) + (uid == nil ? 0 : 1)
  }

  var reductions: [Scene] {
    var found: [Scene] = []
    func add(_ change: (inout Scene) -> Void) {
      var copy = self
      change(&copy)
      found.append(copy)
    }
    if uid != nil {
      add {
        $0.uid = nil
        $0.claims = [:]
      }
    }
    for entry in claims.entries { add { $0.claims[entry.name] = nil } }
    for entry in before?.entries ?? [] { add { $0.before?[entry.name] = nil } }
    for entry in after?.entries ?? [] { add { $0.after?[entry.name] = nil } }
    if before != nil, method == .get { add { $0.before = nil } }
    if method != .get, before != nil || method == .create {
      add {
        $0.method = .get
        $0.before = $0.before ?? $0.after
        $0.after = nil
      }
    }
    return found
  }
}

/// Documents that exist whatever is asked. Never written by a case.
public enum World {
  public static let documents: [(path: String, fields: Fields)] =
    [
      (
        "u/a",
        [
          "role": .string("admin"), "n": .integer(1), "a": .integer(1), "s": .string("x"),
          "tags": .array([.string("x"), .string("y")]),
        ]
      ),
      ("u/b", ["role": .string("user"), "n": .double(2.5), "m": .map(["a": .integer(1), "b": .null])]),
      (
        "u/me",
        [
          "role": .string("owner"),
          "t": .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_000)),
        ]
      ),
      ("u/b/v/w", [:]),
    ] + (0..<24).map { ("u/c\($0)", ["n": .integer(Int64($0))]) }
}

extension Author {
  private static let fieldNames = ["a", "b", "c", "s", "n", "l", "m", "t", "d", "size", "a.b"]

  mutating func scene(_ method: RuleMethod) -> Scene {
    var scene = Scene(method: method, uid: nil, claims: [:])
    if random.happens(700) {
      scene.uid = random.pick(["me", "alice", "a", "é"])
      if random.happens(600) { scene.claims = claims() }
    }
    if method != .create, random.happens(method == .update ? 1000 : 850) { scene.before = fields() }
    switch method {
    case .create: scene.after = fields()
    case .update: scene.after = random.happens(500) ? changed(scene.before ?? [:]) : fields()
    case .get, .list, .delete: break
    }
    note(scene.before, at: "resource.data")
    note(scene.after, at: "request.resource.data")
    return scene
  }

  /// Makes the stored fields known to `leaf`.
  mutating func note(_ fields: Fields?, at place: String) {
    for entry in fields?.entries ?? [] {
      let isName = entry.name.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A }
      let text = isName && !random.happens(200) ? "\(place).\(entry.name)" : "\(place)['\(entry.name)']"
      stored.append((text, Self.kind(of: entry.value)))
    }
  }

  static func kind(of value: Value) -> Kind {
    switch value {
    case .null: .null
    case .boolean: .bool
    case .integer: .int
    case .double: .float
    case .timestamp: .timestamp
    case .string: .string
    case .bytes: .bytes
    case .reference: .path
    case .geoPoint: .latlng
    case .array: .list
    case .vector, .map: .map
    }
  }

  /// A document's fields.
  mutating func fields() -> Fields {
    var fields: Fields = [:]
    for _ in 0..<random.below(5) { fields[random.pick(Self.fieldNames)] = value(depth: 2) }
    return fields
  }

  private mutating func changed(_ fields: Fields) -> Fields {
    var copy = fields
    if let entry = fields.entries.first, random.happens(400) { copy[entry.name] = nil }
    if random.happens(700) { copy[random.pick(Self.fieldNames)] = value(depth: 1) }
    return copy
  }

  mutating func value(depth: Int) -> Value {
    switch random.below(depth > 0 ? 15 : 11) {
    case 0: return .null
    case 1: return .boolean(random.happens(500))
    case 2, 3: return .integer(random.pick([0, 1, 2, 7, -1, .max, .min, 1 << 53 + 1]))
    case 4:
      return .double(
        random.pick([0, -0.0, 1, 2.5, .nan, .infinity, 1e300, .leastNonzeroMagnitude, 1e7, -1.5]))
    case 5:
      return .timestamp(
        Timestamp(microseconds: random.pick([0, -1, 1_700_000_000_123_456, -62_135_596_800_000_000])))
    case 6, 7: return .string(random.pick(["", "a", "b", "x", "me", "é", "😀a", "A b", "a,b", "7", "u/a"]))
    case 8: return .bytes(random.pick([[], [0xFF, 0], Array("a".utf8)]))
    case 9: return .reference("§root/" + random.pick(["u/a", "u/none", "x/y/z/w"]))
    case 10:
      return .geoPoint(
        random.pick([GeoPoint(latitude: 0, longitude: 0), GeoPoint(latitude: 37.42, longitude: -122.08)]))
    case 11, 12: return .array(array(depth: depth - 1))
    case 13:
      return random.happens(150)
        ? .vector([1, 2.5])
        : .map(
          Fields((0..<random.below(3)).map { _ in (random.pick(Self.fieldNames), value(depth: depth - 1)) }))
    default:
      return .map(
        Fields((0..<random.below(4)).map { _ in (random.pick(Self.fieldNames), value(depth: depth - 1)) }))
    }
  }

  /// Elements that are no arrays, as the store demands.
  private mutating func array(depth: Int) -> [Value] {
    (0..<random.below(4)).map { _ in
      let element = value(depth: depth)
      switch element {
      case .array, .vector: return .integer(1)
      case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint, .map:
        return element
      }
    }
  }

  /// Claims as JSON can say them. Numbers without fraction are integers to the emulator.
  private mutating func claims() -> Fields {
    var claims: Fields = [:]
    for _ in 0..<random.below(5) {
      let name = random.pick(["s", "n", "l", "m", "email", "role", "admin", "a", "b"])
      switch random.below(8) {
      case 0: claims[name] = .null
      case 1: claims[name] = .boolean(random.happens(500))
      case 2: claims[name] = .integer(random.pick([0, 1, 7, -3]))
      case 3: claims[name] = .double(random.pick([0.5, 2.5, -1.25]))
      case 4: claims[name] = .array([.string("a"), .integer(1)])
      case 5: claims[name] = .map(["a": .integer(1), "b": .string("x")])
      default: claims[name] = .string(random.pick(["a", "x", "me", "admin", ""]))
      }
    }
    return claims
  }
}
