/// Random conditions and queries over a universe that is small enough to look at every document.

import DocModel

@testable import Rules

/// SplitMix64: the same seed gives the same pairs everywhere.
struct StrictRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  mutating func one<T>(of elements: [T]) -> T { elements[below(elements.count)] }
}

/// Every document that the tests look at: two ids, two fields.
final class StrictUniverse {
  struct Document {
    let id: String
    let fields: Fields
    let view: FieldsView
  }

  /// No twins (1 and 1.0): assumption A1 of the specification sets them aside.
  static let values: [String] = [
    "null", "true", "false", "1", "2", "5", "2.5", "NaN", "'x'", "'y'", "'me'", "''",
    "@2026-01-09T00:00:00Z", "['me']", "['x', 'y']", "[1, 'me']", "[]",
  ]

  private(set) var documents: [Document] = []
  private var held: [UnsafeMutableRawBufferPointer] = []

  init() {
    let maps: [Value] = [
      .map(["k": .string("me")]), .map(["k": .integer(1), "x": .boolean(true)]), .map([:]), .bytes([1]),
      .geoPoint(GeoPoint(latitude: 1, longitude: 2)),
    ]
    let values = Self.values.map(ListValueText.value) + maps
    let others: [Value?] = [nil, .null, .boolean(true), .integer(2), .string("me"), .array([.string("me")])]
    for a in [nil] + values.map(Optional.some) {
      for b in others {
        var fields = Fields()
        fields["a"] = a
        fields["b"] = b
        add(fields)
        if b == nil {
          fields["c"] = .integer(1)
          add(fields)
        }
      }
    }
  }

  deinit { for buffer in held { buffer.deallocate() } }

  private func add(_ fields: Fields) {
    let bytes = fields.encoded
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    buffer.copyBytes(from: bytes)
    held.append(buffer)
    let view = FieldsView(document: UnsafeRawBufferPointer(rebasing: buffer[0..<bytes.count]))
    for id in ["p", "q"] { documents.append(Document(id: id, fields: fields, view: view)) }
  }
}

/// Makes conditions.
struct StrictConditions {
  var random: StrictRandom

  static let functions = """
    function mine(v) { let who = request.auth.uid; return v == who; }
    function either(x, y) { return x || y; }
    """

  private mutating func field() -> String { random.one(of: ["rd.a", "rd.a", "rd.b", "rd['a']", "rd.a.k"]) }
  private mutating func name() -> String { random.one(of: ["'a'", "'a'", "'b'", "'c'"]) }
  private mutating func names() -> String {
    "[" + (0..<random.below(3) + 1).map { _ in name() }.joined(separator: ", ") + "]"
  }

  private mutating func constant() -> String {
    let text = random.one(of: StrictUniverse.values)
    if text == "NaN" { return "(0.0 / 0.0)" }
    if text.hasPrefix("@") { return "(request.time - duration.value(36, 'h'))" }
    return text
  }

  private mutating func number() -> String { random.one(of: ["1", "2", "3", "2.5", "5"]) }
  private mutating func text() -> String { random.one(of: ["'x'", "'y'", "'me'", "''"]) }
  private mutating func list() -> String {
    "[" + (0..<random.below(3) + 1).map { _ in constant() }.joined(separator: ", ") + "]"
  }

  private mutating func order() -> String { random.one(of: ["<", "<=", ">", ">="]) }

  mutating func condition(_ depth: Int = 3) -> String {
    guard depth > 0, random.below(4) > 0 else { return atom() }
    switch random.below(7) {
    case 0, 1: return "(\(condition(depth - 1)) && \(condition(depth - 1)))"
    case 2, 3: return "(\(condition(depth - 1)) || \(condition(depth - 1)))"
    case 4: return "!(\(condition(depth - 1)))"
    case 5: return "(\(condition(depth - 1)) ? \(condition(depth - 1)) : \(condition(depth - 1)))"
    default: return "either(\(condition(depth - 1)), \(condition(depth - 1)))"
    }
  }

  private mutating func atom() -> String {
    switch random.below(30) {
    case 0, 1, 2: "\(field()) == \(constant())"
    case 3, 4: "\(field()) != \(constant())"
    case 5, 6: "\(field()) \(order()) \(number())"
    case 7: "\(field()) \(order()) \(text())"
    case 8: "\(field()) \(order()) request.time"
    case 9, 10: "\(field()) in \(list())"
    case 11: "\(constant()) in \(field())"
    case 12: "\(field()).\(random.one(of: ["hasAny", "hasAll", "hasOnly"]))(\(list()))"
    case 13: "\(list()).\(random.one(of: ["hasAny", "hasAll", "hasOnly"]))(\(field()))"
    case 14: "\(name()) in rd"
    case 15: "rd.keys().\(random.one(of: ["hasAny", "hasAll", "hasOnly"]))(\(names()))"
    case 16: "rd.get(\(name()), \(constant())) == \(constant())"
    case 17: "rd.get(['a', 'k'], \(constant())) == \(constant())"
    case 18:
      "\(field()) is \(random.one(of: ["int", "float", "number", "string", "bool", "list", "map", "timestamp"]))"
    case 19: field()
    case 20: "rd.a == rd.b"
    case 21: "rd.a \(order()) rd.b"
    case 22: "\(field()).size() \(order()) \(random.below(3))"
    case 23: "id \(random.one(of: ["==", "!=", "<", ">="])) \(random.one(of: ["'p'", "'q'"]))"
    case 24: "mine(\(field()))"
    case 25: "exists($doc/docs/$(\(field())))"
    case 26: "\(field()) + \(random.one(of: ["1", "'z'"])) \(order()) \(random.one(of: ["2", "'x'"]))"
    case 27: "{'x': true, 'me': false}[\(field())]"
    case 28: "\(field()) in {'x': 1, 'me': 2}"
    default: random.one(of: ["true", "false", "rd.a == rd.a", "rd.size() == 1", "rd.a[0] == 'me'", "rd.zz"])
    }
  }
}

/// Makes queries on `posts`.
struct StrictQueries {
  var random: StrictRandom

  private mutating func field() -> String { random.one(of: ["a", "a", "a", "b", "c", "a.k"]) }

  private mutating func filter() -> String {
    let value = random.one(of: StrictUniverse.values)
    switch random.below(16) {
    case 0, 1, 2, 3: return "\(field()) == \(value)"
    case 4: return "\(field()) != \(value)"
    case 5, 6:
      return "\(field()) \(random.one(of: ["<", "<=", ">", ">="])) \(random.one(of: ["1", "2", "2.5", "5"]))"
    case 7: return "\(field()) \(random.one(of: ["<", ">="])) \(random.one(of: ["'me'", "'x'", "true"]))"
    case 8: return "\(field()) < @2026-01-09T12:00:00Z"
    case 9, 10: return "\(field()) array-contains \(random.one(of: ["'me'", "'x'", "1"]))"
    case 11: return "\(field()) array-contains-any ['me', 'x']"
    case 12, 13: return "\(field()) in [\(value), \(random.one(of: StrictUniverse.values))]"
    case 14: return "\(field()) not-in [\(value), 'x']"
    default: return "__name__ \(random.one(of: [">=", "<", "!="])) 'q'"
    }
  }

  private mutating func filters() -> [String] { (0..<random.below(3)).map { _ in filter() } }

  mutating func query() -> String {
    var text = "posts"
    if random.below(6) == 0 {
      let disjuncts = (0..<2).map { _ in ([filter()] + filters()).joined(separator: " & ") }
      text += " where or(\(disjuncts.joined(separator: ", ")))"
    } else {
      let all = filters()
      if !all.isEmpty { text += " where " + all.joined(separator: ", ") }
    }
    if random.below(6) == 0 { text += " order \(random.one(of: ["a", "b", "a.k"])) asc" }
    return text
  }
}
