import DocModel
import Testing

@testable import Rules

/// Operations on two long lists, which look values up by hash: the answers must be those of comparing each with each.
@Suite("long lists")
struct EqualityIndexTests {
  /// SplitMix64.
  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }

  /// Values of which many are equal in one mode and different in another.
  private static let flat: [Value] = [
    .null, .boolean(true), .boolean(false), .integer(0), .double(0), .double(-.zero), .integer(1), .double(1),
    .double(.nan), .integer(1 << 53), .integer(1 << 53 + 1), .double(0x1p53), .integer(.max), .double(0x1p63),
    .double(.infinity), .string(""), .string("a"), .string("\u{E9}"), .string("e\u{301}"), .bytes([]),
    .bytes([97]), .timestamp(Timestamp(seconds: 1, nanoseconds: 0)), .vector([1]), .vector([.nan]),
    .vector([0]), .vector([-.zero]), .geoPoint(GeoPoint(latitude: 0, longitude: 1)),
    .geoPoint(GeoPoint(latitude: -.zero, longitude: 1)),
    .reference("projects/p/databases/(default)/documents/a/b"), .string("a/b"),
  ]

  private static func value(_ random: inout Random, _ depth: Int) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
    case 0: .integer(Int64.random(in: -300...300, using: &random))
    case 1: .string("text \(Int.random(in: 0..<300, using: &random))")
    case 2...4: flat.randomElement(using: &random) ?? .null
    case 5: .array((0..<2).map { _ in value(&random, depth - 1) })
    case 6: .map(["a": value(&random, depth - 1), "b": value(&random, depth - 1)])
    default: .map([["a", "b"].randomElement(using: &random) ?? "": value(&random, depth - 1)])
    }
  }

  /// A list, stored or computed; computed ones have sets, durations and unbound paths, too.
  private func list(
    _ e: Evaluation, _ random: inout Random, _ documents: MemoryDocuments, like other: Operand?
  ) -> Operand {
    let values = (0..<180).map { _ in Self.value(&random, 2) }
    let stored = documents.hold(["l": .array(values)]).value(named: "l").map { e.operand($0) } ?? .null
    guard let other else { return stored }
    var elements =
      e.array(stored).prefix(Int.random(in: 0...3, using: &random)) + e.array(other).shuffled(using: &random)
    if Bool.random(using: &random) {
      elements += [
        .duration(Duration(seconds: 1, nanoseconds: 0)), e.set([.integer(1), .integer(2)]), .integer(.min),
        e.set([.float(2), .float(1)]), .path(e.arena.copy([PathSegment(text: e.arena.copy("a"))]), 1),
        .path(e.arena.copy([PathSegment(name: e.arena.copy("a"), isGlob: false)]), 1),
        .map(
          e.arena.copy([
            MapEntry(key: e.arena.copy("b"), value: .null),
            MapEntry(key: e.arena.copy("a"), value: .integer(1)),
          ]), 2),
      ]
    }
    if Bool.random(using: &random) {
      elements.removeAll { !e.areEqual($0, $0, .member) }
    }
    return e.list(Array(elements))
  }

  private func contains(_ e: Evaluation, _ place: [Operand], _ value: Operand, _ mode: EqualityMode) -> Bool {
    place.contains { e.areEqual($0, value, mode) }
  }

  private func areIdentical(_ e: Evaluation, _ left: [Operand], _ right: [Operand]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { e.equalityText($0) == e.equalityText($1) }
  }

  @Test("answers are those of comparing each with each", arguments: 0..<24 as Range<UInt64>)
  func sameAnswers(seed: UInt64) {
    var random = Random(state: seed)
    let e = Evaluation()
    let documents = MemoryDocuments()
    let first = list(e, &random, documents, like: nil)
    let second = list(e, &random, documents, like: seed % 3 == 0 ? nil : first)
    for (left, right) in [(first, second), (second, first)] {
      #expect(e.areMany(left, right), "otherwise nothing is tested")
      let (a, b) = (e.array(left), e.array(right))
      for mode in [EqualityMode.member, .strict, .loose] {
        #expect(e.hasAll(left, right, mode) == b.allSatisfy { contains(e, a, $0, mode) })
        #expect(e.hasAny(left, right, mode) == b.contains { contains(e, a, $0, mode) })
        for isKept in [false, true] {
          let expected = a.filter { contains(e, b, $0, mode) == isKept }
          #expect(areIdentical(e, e.elements(left, in: right, mode, isKept: isKept), expected))
        }
      }
      var kept: [Operand] = []
      for member in a where !contains(e, kept, member, .loose) { kept.append(member) }
      #expect(areIdentical(e, e.array(e.set(a)), kept))
    }
  }

  @Test("equal values have equal hashes, and what has none equals nothing")
  func hashes() {
    var random = Random(state: 99)
    let e = Evaluation()
    let documents = MemoryDocuments()
    let stored = list(e, &random, documents, like: nil)
    let all =
      e.array(stored) + e.array(list(e, &random, documents, like: stored)) + e.array(e.set(e.array(stored)))
    for mode in [EqualityMode.direct, .member, .strict, .loose] {
      let hashes = all.map { e.equalityHash($0, mode) }
      for left in all.indices {
        for right in all.indices where e.areEqual(all[left], all[right], mode) {
          #expect(
            hashes[left] != nil && hashes[left] == hashes[right], "\(e.equalityText(all[left])) \(mode)")
        }
      }
    }
  }

  @Test(
    "two lists of 50,000 integers are compared at once",
    arguments: [
      "a.hasAll(b)", "b.hasOnly(a)", "!a.hasAny(c)", "a.removeAll(b).size() == 0", "a.toSet().hasAll(b)",
      "a.toSet() == b.toSet()", "a.toSet().difference(b.toSet()).size() == 0",
      "a.toSet().intersection(b.toSet()).size() == 50000", "a.toSet().union(b.toSet()).size() == 50000",
    ])
  func prompt(condition: String) throws {
    let count: Int64 = 50_000
    let ascending = (0..<count).map { Value.integer($0) }
    var circumstances = Circumstances()
    circumstances.data = [
      "a": .array(ascending), "b": .array(ascending.reversed()),
      "c": .array((0..<count).map { Value.integer(-1 - $0) }),
    ]
    circumstances.functions =
      "function f(d) { let a = d.a; let b = d.b; let c = d.c; return \(condition); }"
    let ruleset = try compiled(rules("f(resource.data)", functions: circumstances.functions))
    let documents = MemoryDocuments()
    #expect(ruleset.decide(circumstances.request(documents), documents: documents).isAllowed)
  }

  @Test(
    "many keys and a long list of names are compared at once",
    arguments: [
      ("d.m.keys().hasAll(d.names)", true), ("d.m.keys().hasOnly(d.names)", true),
      ("d.m.keys().hasAny(d.others)", false), ("d.m.diff({}).affectedKeys().hasOnly(d.names)", true),
      ("d.m.diff(resource.data.none).affectedKeys().hasAny(d.others)", false),
    ])
  func promptKeys(condition: String, answer: Bool) throws {
    let names = (0..<40_000).map { "key\($0)" }
    let data: Fields = [
      "m": .map(Fields(names.map { ($0, Value.null) })), "none": .map([:]),
      "names": .array(names.reversed().map { Value.string($0) }),
      "others": .array(names.map { Value.string("no \($0)") }),
    ]
    let ruleset = try compiled(
      rules("f(resource.data)", functions: "function f(d) { return (\(condition)) == \(answer); }"))
    var circumstances = Circumstances()
    circumstances.data = data
    let documents = MemoryDocuments()
    #expect(ruleset.decide(circumstances.request(documents), documents: documents).isAllowed)
  }
}

extension Evaluation {
  /// A text that tells apart what any equality tells apart.
  fileprivate func equalityText(_ operand: Operand) -> String {
    switch operand {
    case .float(let number): "float \(number)"
    case .string(let text): "string \(Array(text.buffer))"
    case .bytes(let text): "bytes \(Array(text.buffer))"
    case .array, .list: "[\(array(operand).map { equalityText($0) }.joined(separator: ", "))]"
    case .set: "set [\(array(operand).map { equalityText($0) }.joined(separator: ", "))]"
    case .document, .fields, .map:
      "{\(entries(operand).map { "\($0.key.text): \(equalityText($0.value))" }.sorted().joined(separator: ", "))}"
    case .path(let segments, let count):
      "path \((0..<count).map { "\(segments[$0].text?.text ?? "?")" }.joined(separator: "/"))"
    case .vector(let bytes): "vector \(Array(bytes.buffer))"
    case .null, .boolean, .integer, .timestamp, .duration, .latlng, .mapDiff, .constraint, .fault:
      "\(operand)"
    }
  }
}
