/// Which files are accepted, and where the others are refused.

import Testing
import YAML

@Suite("accepted and refused files")
struct AcceptanceTests {
  @Test(
    "a well-formed file is read",
    arguments: [
      ("a: 1\nb: [x, \"y\"]\n", "{a: int 1, b: [str \"x\", str \"y\"]}"),
      ("a: 1\r\nb:\r\n  - 2\r\n", "{a: int 1, b: [int 2]}"),
      ("\u{FEFF}a: 1\n", "{a: int 1}"),
      ("---\na: 1\n...\n", "{a: int 1}"),
      ("%YAML 1.2\n---\na: 1\n", "{a: int 1}"),
      ("# only\na: {b: {}, c: []}\n", "{a: {b: {}, c: []}}"),
      ("? long key\n: 1\n", "{long key: int 1}"),
      ("a:\tb\n", "{a: str \"b\"}"),
      (
        "data: {stats.likeCount: {$inc: \"${delta}\"}}", "{data: {stats.likeCount: {$inc: str \"${delta}\"}}}"
      ),
      ("path: users/${owner}/notes/note_${i:03}", "{path: str \"users/${owner}/notes/note_${i:03}\"}"),
      ("where: [__name__ == /users/alice]", "{where: [str \"__name__ == /users/alice\"]}"),
    ])
  func accepted(source: String, expected: String) throws {
    #expect(shape(try parse(source)) == expected)
  }

  @Test(
    "a broken file is refused at its place",
    arguments: [
      ("", "1:1 the file is empty"),
      ("# nothing\n", "1:1 the file is empty"),
      ("a: 1\n\tb: 2\n", "2:1 not valid YAML: tabs cannot indent; use spaces"),
      ("a:\n\t- 1\n", "2:1 not valid YAML: tabs cannot indent; use spaces"),
      ("a: 'x\nb: 2\n", "1:4 not valid YAML: found unexpected end of stream, while scanning a quoted scalar"),
      ("a: \"x\\q\"\n", "1:6 not valid YAML: found unknown escape character, while parsing a quoted scalar"),
      (
        "a: [1, 2\nb: 3\n",
        "2:2 not valid YAML: did not find expected ',' or ']', while parsing a flow sequence that begins at line 1"
      ),
      ("a: b: c\n", "1:5 not valid YAML: mapping values are not allowed in this context"),
      (
        "a: @x\n",
        "1:4 not valid YAML: found character that cannot start any token, while scanning for the next token"
      ),
      ("a: 1\nb\n", "2:1 not valid YAML: could not find expected ':', while scanning a simple key"),
      ("a: 1\n---\nb: 2\n", "2:1 a second document begins here; a file holds one"),
      ("a: !x 1\n", "1:4 tags are not supported"),
      ("a: !!str 1\n", "1:4 tags are not supported"),
      ("a: &x 1\nb:\n  <<: *x\n", "3:3 merge keys are not supported"),
      ("a: *x\n", "1:4 no anchor is called 'x' before this place"),
      ("a: &x [*x]\n", "1:8 no anchor is called 'x' before this place"),
      ("[a]: 1\n", "1:1 a key must be a text"),
      ("a: 1\nb: 2\na: 3\n", "3:1 the key 'a' is already in this map, at line 1"),
      ("m: {b: 1, \"b\": 2}\n", "1:11 the key 'b' is already in this map, at line 1"),
    ])
  func refused(source: String, expected: String) {
    #expect(refusal(source) == expected)
  }

  @Test(
    "bytes that are no text are refused at their place",
    arguments: [
      ([0x61, 0x3A, 0x20, 0xFF], "1:4 not valid YAML: invalid leading UTF-8 octet"),
      (
        [0xEF, 0xBB, 0xBF, 0x61, 0x3A, 0x0A, 0xC3, 0xA9, 0x3A, 0x20, 0x01],
        "2:4 not valid YAML: control characters are not allowed"
      ),
      ([0x61, 0x3A, 0x20, 0xC3], "1:4 not valid YAML: incomplete UTF-8 octet sequence"),
      ([0xFF, 0xFE, 0x61, 0x00], "1:1 the file is not UTF-8: it begins with the mark of UTF-16 or UTF-32"),
    ] as [([UInt8], String)])
  func badBytes(bytes: [UInt8], expected: String) {
    #expect(refusal(bytes) == expected)
  }

  @Test("seeds refuse anchors, aliases and tags with advice")
  func seeds() {
    #expect(
      refusal("a: &x 1\n", dialect: .seeds)
        == "1:4 anchors are not supported in seeds: use templates and $like")
    #expect(
      refusal("a: *x\n", dialect: .seeds) == "1:4 aliases are not supported in seeds: use templates and $like"
    )
    #expect(refusal("a: !t 1\n", dialect: .seeds) == "1:4 tags are not supported in seeds: use the $ forms")
  }

  @Test("composed and decomposed letters are two keys")
  func canonicalEquivalence() throws {
    #expect(try parse("\"\u{E9}\": 1\n\"e\u{301}\": 2\n").entries().count == 2)
  }

  @Test("a map of many keys finds a repeated one")
  func manyKeys() {
    let text = (0..<500).map { "k\($0): \($0)\n" }.joined()
    #expect(refusal(text) == nil)
    #expect(refusal(text + "k400: 1\n") == "501:1 the key 'k400' is already in this map, at line 401")
    #expect(refusal(text + "k4: 1\n") == "501:1 the key 'k4' is already in this map, at line 5")
  }
}

@Suite("bounds")
struct BoundTests {
  @Test("aliases are expanded")
  func aliases() throws {
    #expect(shape(try parse("a: &x {b: 1}\nc: [*x, *x]\n")) == "{a: {b: int 1}, c: [{b: int 1}, {b: int 1}]}")
  }

  @Test("a file that multiplies itself through aliases is refused soon")
  func billionLaughs() {
    var text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
    for level in 1...12 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    let duration = ContinuousClock().measure {
      #expect(
        refusal(text)?.hasSuffix("the file is too large: more than 1000000 values and keys in one place")
          == true)
    }
    #expect(duration < .seconds(5))
  }

  @Test("64 levels are read, 65 are refused at the 65th")
  func depth() {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(refusal(nested(64)) == nil)
    #expect(refusal(nested(65)) == "1:65 lists and maps nest more than 64 levels deep")
    #expect(refusal(String(repeating: "[", count: 100_000))?.hasPrefix("1:65 ") == true)
  }
}
