import DocModel
import Testing

@Suite("field paths")
struct FieldPathTests {
  @Test(
    "text is read into segments",
    arguments: [
      ("a", ["a"]), ("a.b", ["a", "b"]), ("_", ["_"]), ("a1", ["a1"]), ("__x__", ["__x__"]),
      ("`a.b`.c", ["a.b", "c"]),
      ("a.`b`", ["a", "b"]), ("`\u{E9}`", ["\u{E9}"]), ("`a\\`b`", ["a`b"]), ("`a\\\\b`", ["a\\b"]),
      ("`\n`", ["\n"]),
      ("`a\u{0}b`", ["a\u{0}b"]), ("`\\n\\t\\r\\a\\b\\f\\v`", ["\n\t\r\u{7}\u{8}\u{C}\u{B}"]),
      ("`\\'\\\"\\?`", ["'\"?"]),
      ("`\u{1F600}`", ["\u{1F600}"]), ("`1`.`2`", ["1", "2"]),
    ])
  func parsed(text: String, segments: [String]) throws {
    let path = try FieldPath.parse(text)
    #expect(path.segments.map { Array($0.utf8) } == segments.map { Array($0.utf8) })
  }

  @Test(
    "malformed text is refused",
    arguments: [
      "a..b", ".a", "a.", "1a", "\u{E9}", "`a", "a`", "``", "`a`b", "`a``b`", "`a\\`", "a b", "a-b", "*",
      "a\n", "`a`\n",
      "`a`.", "`\\\n`", "`\\\u{E9}`", "`\\1`", "`\\.`", "`\\ `", "`\\\u{0}`", "\\a", "`\\", "`", ".",
    ])
  func malformed(text: String) {
    let expected =
      "Invalid property path \"\(text)\". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), "
      + #"and quoted property paths must match regex (`(?:[^`\\]|(?:\\.))+`)"#
    #expect(throws: InvalidArgument(expected)) { try FieldPath.parse(text) }
  }

  @Test("the empty text is refused with a text of its own")
  func empty() {
    #expect(throws: InvalidArgument("Invalid empty property path string.")) { try FieldPath.parse("") }
  }

  @Test("a path's text is read back into the same path")
  func roundTrip() throws {
    var values = RandomValues(.forThisRun())
    let extra = ["a", "_1", "1", "`", "\\", "\\`", "a.b", " ", "__name__", "\u{E9}", "\n", "A9_"]
    for _ in 0..<20_000 {
      let segments = (0...values.random.below(3)).map { _ in
        values.random.once(in: 2) ? values.random.pick(extra) : values.fieldName()
      }
      let path = try #require(FieldPath(segments: segments))
      guard try FieldPath.parse(path.text) == path else {
        Issue.record("\(segments) became \(path.text), SEED=\(values.random.seed)")
        return
      }
    }
  }

  @Test("only segments that are no identifiers are quoted")
  func text() throws {
    #expect(FieldPath(segments: ["a", "b.c", "`", "\\", "1"])?.text == #"a.`b.c`.`\``.`\\`.`1`"#)
    #expect(FieldPath(segments: []) == nil)
    #expect(FieldPath(segments: ["a", ""]) == nil)
    #expect(FieldPath.field("a.b")?.segments == ["a.b"])
    #expect(try FieldPath.parse("__name__").isDocumentName)
    #expect(try !FieldPath.parse("a.__name__").isDocumentName)
  }

  @Test("equal means the same bytes; order and prefixes go segment by segment")
  func comparisons() throws {
    let composed = try #require(FieldPath.field("\u{E9}"))
    let decomposed = try #require(FieldPath.field("e\u{301}"))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    let ascending = try ["`A`", "a", "a.b", "a.c", "`a.b`", "aa", "b", "`\u{FF5E}`", "`\u{10000}`"].map(
      FieldPath.parse)
    for (i, left) in ascending.enumerated() {
      for (j, right) in ascending.enumerated() {
        #expect((left < right) == (i < j), "\(left.text) and \(right.text)")
      }
    }
    #expect(ascending[1].isPrefix(of: ascending[2]))
    #expect(ascending[1].isPrefix(of: ascending[1]))
    #expect(!ascending[2].isPrefix(of: ascending[1]))
    #expect(!ascending[1].isPrefix(of: ascending[4]))
  }

  @Test("a lookup goes through maps and stops at everything else")
  func lookup() throws {
    let fields: Fields = ["m": .map(["k": .map(["x": .integer(1)]), "v": .vector([1])]), "s": .string("t")]
    func kind(_ text: String) throws -> ValueKind? {
      let path = try FieldPath.parse(text)
      return fields.encoded.withUnsafeBytes { FieldsView(document: $0).value(at: path)?.kind }
    }
    #expect(try kind("m.k.x") == .integer)
    #expect(try kind("m.k") == .map)
    #expect(try kind("m.v") == .vector)
    #expect(try kind("m.v.value") == nil)
    #expect(try kind("s.x") == nil)
    #expect(try kind("m.missing") == nil)
    #expect(try kind("z") == nil)
  }
}
