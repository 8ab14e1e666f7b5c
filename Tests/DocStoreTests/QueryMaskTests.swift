/// What masks and projections show. Source: spec/protocol.md 1.5 and 5.7; rows asked of the official
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

  @Test("long maps keep their lengths right")
  func lengths() throws {
    let mask = try FieldMask(parsing: ["a.c.e"])
    let shown = Self.document.encoded.withUnsafeBytes { mask.project(FieldsView(document: $0)) }
    let expected: Fields = ["a": .map(["c": .map(["e": .string(String(repeating: "x", count: 300))])])]
    #expect(shown == expected.encoded)
  }
}
