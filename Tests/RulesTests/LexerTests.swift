import Rules
import Testing

@Suite("literals and lexing")
struct LexerTests {
  @Test(
    "string escapes",
    arguments: [
      (#"'\\ \' \" \n\r\t\b\f'"#, Array("\\ ' \" \n\r\t\u{08}\u{0C}".utf8)),
      (#"'a\x41b'"#, Array("aAb".utf8)), (#"'\xe9'"#, Array("é".utf8)), (#"'\1011'"#, Array("A1".utf8)),
      (#"'\377'"#, Array("ÿ".utf8)), (#"'\u00e9'"#, Array("é".utf8)), (#"'\ud83d\ude00'"#, Array("😀".utf8)),
      (#""it's""#, Array("it's".utf8)), (#"'\ud83dx'"#, [0xED, 0xA0, 0xBD, 0x78]),
      (#"'\ude00'"#, [0xED, 0xB8, 0x80]), ("'\u{7F}\t'", [0x7F, 0x09]), ("''", []),
    ] as [(String, [UInt8])])
  func strings(source: String, bytes: [UInt8]) {
    guard case .literal(.string(let found))? = Sample.condition(source)?.kind else {
      Issue.record("no string: \(Sample.tree(source))")
      return
    }
    #expect(found == bytes)
  }

  @Test(
    "bytes literals",
    arguments: [
      (#"b'\xff\101'"#, [0xFF, 0x41]), (#"B"é""#, [0xC3, 0xA9]), (#"b'\n\\'"#, [0x0A, 0x5C]), ("b''", []),
    ] as [(String, [UInt8])])
  func bytes(source: String, bytes: [UInt8]) {
    guard case .literal(.bytes(let found))? = Sample.condition(source)?.kind else {
      Issue.record("no bytes: \(Sample.tree(source))")
      return
    }
    #expect(found == bytes)
  }

  @Test(
    "numbers",
    arguments: [
      ("0", "0"), ("5.", "5.0"), (".5", "0.5"), ("1.50", "1.5"),
      ("-9223372036854775808", "-9223372036854775808"),
      ("- 9223372036854775808", "-9223372036854775808"), ("9223372036854775807", "9223372036854775807"),
      ("-1", "(- 1)"),
      ("1..a", "(. 1.0 a)"), ("a ?.5:.5", "(? a 0.5 0.5)"),
    ] as [(String, String)])
  func numbers(source: String, tree: String) { #expect(Sample.tree(source) == tree) }

  @Test(
    "a slash with a segment behind it is a path, with a blank it divides",
    arguments: [
      ("4 / 2", "(/ 4 2)"), ("4/ 2", "(/ 4 2)"), ("4//2\n / 2", "(/ 4 2)"), ("/a /b", "(path /a /b)"),
      ("/a/b.c-d~e%20:f&'g", "(path /a /b.c-d~e%20:f&'g)"), ("/a/(default)/b", "(path /a /(default) /b)"),
      ("/a/$(b)/{c}", "(path /a /$b /{c})"), ("/a/ b", "(/ (path /a) b)"),
      ("/a/{b: 1}", "(/ (path /a) (map b 1))"),
      ("/a/$ (b)", "(path /a /$b)"), ("/$(a).b", "(. (path /$a) b)"), ("/a/$b", "(/ (path /a) $b)"),
      ("a*/b", "(* a (path /b))"), ("/a/*", "(path /a /*)"),
    ] as [(String, String)])
  func slashes(source: String, tree: String) { #expect(Sample.tree(source) == tree) }

  @Test("comments are kept with their places")
  func comments() {
    let parsed = RulesParser.parse(source: "// one\n/* two */ service /* not one */", name: "f")
    #expect(
      parsed.syntax.comments.map { parsed.source.text(of: $0.span) } == [
        "// one", "/* two */", "/* not one */",
      ])
    #expect(parsed.syntax.comments.map(\.isBlock) == [false, true, true])
  }

  @Test("columns and offsets count code points, tabs one")
  func positions() {
    let source = SourceText(name: "f", bytes: Array("a\r\n\té😀x\n".utf8))
    #expect(source.position(of: 0) == SourcePosition(line: 1, column: 1))
    #expect(source.position(of: 10) == SourcePosition(line: 2, column: 4))
    #expect(source.characterOffset(of: 10) == 6)
    #expect(source.line(1) == "a")
    #expect(source.line(2) == "\té😀x")
    #expect(source.line(3) == "")
    #expect(source.line(4) == "")
  }

  @Test(
    "bytes that are not UTF-8 are one error, wherever they are",
    arguments: [
      [0xFF], Array("rules_version = '\u{7F}".utf8) + [0xC3, 0x28], Array("// ".utf8) + [0xED, 0xA0, 0xBD],
    ] as [[UInt8]])
  func notUTF8(bytes: [UInt8]) {
    let parsed = RulesParser.parse(source: bytes, name: "f")
    #expect(parsed.diagnostics.filter { $0.id == "rules-not-utf8" }.count == 1)
  }
}
