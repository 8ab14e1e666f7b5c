/// What masks and projections show. Source: docs/spec/protocol.md 1.5 and 5.7; rows asked of the official
/// emulator.

import DocModel
import DocStore
import Testing

@Suite struct QueryMaskTests {
  static let document: Fields = [
    "a": .map([
      "b": .integer(1), "c": .map(["d": .integer(1), "e": .string(String(repeating: "x", count: 300))]),
    ]),
    "a.b": .integer(8), "e": .integer(1), "x": .map(["y": .map([:])]), "v": .vector([1]), "z": .integer(5),
  ]

  static let table: [(paths: [String], shown: Fields)] = [
    ([], [:]),
    (["__name__"], [:]),
    (["q"], [:]),
    (["z"], ["z": .integer(5)]),
    (["z", "z", "e"], ["e": .integer(1), "z": .integer(5)]),
    (["`a.b`"], ["a.b": .integer(8)]),
    (["a.b"], ["a": .map(["b": .integer(1)])]),
    (["a.q"], [:]),
    (["a.c.q"], [:]),
    (["a.c.d"], ["a": .map(["c": .map(["d": .integer(1)])])]),
    (["a.b.c"], [:]),
    (["a.b", "a.c.d"], ["a": .map(["b": .integer(1), "c": .map(["d": .integer(1)])])]),
    (["x.y"], ["x": .map(["y": .map([:])])]),
    (["x.y.z"], [:]),
    (["z.q"], [:]),
    (["v.value"], [:]),
    (["v"], ["v": .vector([1])]),
  ]

  @Test("a mask shows these fields", arguments: table)
  func mask(_ row: (paths: [String], shown: Fields)) throws {
    let mask = try FieldMask(parsing: row.paths)
    let shown = Self.document.encoded.withUnsafeBytes { mask.project(FieldsView(document: $0)) }
    #expect(Fields(encoded: shown) == row.shown)
    #expect(shown == row.shown.encoded)
  }

  @Test("a path beside its child shows the whole field")
  func overlap() throws {
    for paths in [["a", "a.b"], ["a.b", "a"], ["a.c.d", "a.b", "a"]] {
      let mask = try FieldMask(parsing: paths)
      let shown = Self.document.encoded.withUnsafeBytes { mask.project(FieldsView(document: $0)) }
      #expect(Fields(encoded: shown) == Fields([("a", Self.document["a"] ?? .null)]))
    }
  }

  @Test("a mask of very many paths is made ready in the time of sorting them, and prunes as few do")
  func manyPaths() throws {
    let clock = ContinuousClock()
    let names = (0..<100_000).map { "f\($0)" }.shuffled()
    let paths = names + names.map { $0 + ".x" } + ["a.b", "z"]
    var shown: [UInt8] = []
    let duration = try clock.measure {
      let mask = try FieldMask(parsing: paths)
      shown = Self.document.encoded.withUnsafeBytes { mask.project(FieldsView(document: $0)) }
    }
    #expect(shown == (["a": .map(["b": .integer(1)]), "z": .integer(5)] as Fields).encoded)
    // Comparing each path with each name took hours of a debug build.
    #expect(duration < .seconds(60))
  }

  @Test("a path deeper than any document shows nothing, however deep it is")
  func deepPath() throws {
    for depth in [35, 36, 40, 500_000] {
      let deep = Array(repeating: "a", count: depth).joined(separator: ".")
      let mask = try FieldMask(parsing: [deep, "e"])
      let shown = Self.document.encoded.withUnsafeBytes { mask.project(FieldsView(document: $0)) }
      #expect(shown == (["e": .integer(1)] as Fields).encoded)
    }
  }

  @Test("masks are equal for the same paths")
  func equality() throws {
    #expect(try FieldMask(parsing: ["a", "b.c"]) == FieldMask(parsing: ["a", "b.c"]))
    #expect(try FieldMask(parsing: ["a"]) != FieldMask(parsing: ["b"]))
    #expect(try FieldMask(parsing: ["__name__"]).showsNothing)
  }

  @Test("long maps keep their lengths right")
  func lengths() throws {
    let mask = try FieldMask(parsing: ["a.c.e"])
    let shown = Self.document.encoded.withUnsafeBytes { mask.project(FieldsView(document: $0)) }
    let expected: Fields = ["a": .map(["c": .map(["e": .string(String(repeating: "x", count: 300))])])]
    #expect(shown == expected.encoded)
  }
}
