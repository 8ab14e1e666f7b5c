import Rules
import RulesTools
import Testing

@Suite("trees for programs outside")
struct SyntaxOutlineTests {
  static let source = """
    rules_version = '2';
    // head
    service cloud.firestore {
      match /databases/{database}/documents {
        // @id a
        match /a/{b}/{c=**} {
          function f(x) { let y = x.z[0]; return y == math.abs(-1) && x is map; }
          // @id a.read
          allow read, nonsense: if f(b) || 'é\\ud83d' in ['x'] ? true : get(/a/$(b)/{d}).data.q[1:] != {'k': b'\\x01'};
          allow write;
        }
      }
    }
    """

  private func outline(_ source: String) -> (outline: SyntaxOutline, parsed: ParseResult) {
    let parsed = RulesParser.parse(source: source, name: "f.rules")
    return (SyntaxOutline(parsed, resolution: RulesChecker.check(parsed).resolution), parsed)
  }

  private func json(_ source: String) -> String {
    String(decoding: outline(source).outline.json(), as: UTF8.self)
  }

  @Test("JSON that a reader takes, whatever the text")
  func wellFormed() {
    let texts = FormatterBulkTests.texts.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)
    for text in texts + [Self.source, Sample.file(condition: "a &&"), ""] {
      #expect(JSONShape.isValid(outline(text).outline.json()), "\(text)")
      #expect(JSONShape.isValid(outline(text).outline.structureJSON()), "\(text)")
    }
    #expect(!JSONShape.isValid(Array("{\"a\":1,}".utf8)) && !JSONShape.isValid(Array("[\"\\ud8\"]".utf8)))
  }

  @Test(
    "nodes have their kind, value, spelling, place, what they refer to and their types",
    arguments: [
      #"{"kind":"ruleset","span":{"start":{"offset":0,"line":1,"column":1},"#,
      #""file":"f.rules","languageVersion":2,"rulesVersion":{"kind":"rulesVersion","#,
      #"{"kind":"comment","span":{"start":{"offset":21,"line":2,"column":1},"end":{"offset":28,"line":2,"column":8}},"isBlock":false,"text":"// head"}"#,
      #""id":{"kind":"name","#, #""text":"a.read""#, #"{"kind":"capture","#, #"{"kind":"globCapture","#,
      #""text":"nonsense","method":null}"#, #""text":"read","method":"read"}"#,
      #""type":"string","value":"é\ud83d","text":"'é\\ud83d'","types":["string"]"#,
      #""type":"bytes","value":[1],"text":"b'\\x01'""#,
      #""name":"x","refersTo":{"kind":"parameter","position":0},"types":null"#,
      #""name":"y","refersTo":{"kind":"let","position":0}"#,
      #""name":"b","refersTo":{"kind":"capture","match":1,"segment":1},"types":["string"]"#,
      #""refersTo":{"kind":"function","number":0},"types":["bool"]"#,
      #""refersTo":{"kind":"libraryFunction","name":"math.abs"}"#,
      #""refersTo":{"kind":"libraryFunction","name":"get"}"#,
      #""operator":"&&","left":{"kind":"binary","#, #""condition":null}"#, #""upper":null"#,
    ])
  func members(part: String) { #expect(json(Self.source).contains(part), "\(json(Self.source))") }

  @Test("places count characters as the diagnostics do, also in one long line")
  func places() {
    let text = Sample.file(condition: String(repeating: "'é😀' == 'ü' && ", count: 40) + "last")
    let parsed = RulesParser.parse(source: text, name: "f")
    let offset = Array(text.utf8).count - Array("last;\n}}}\n".utf8).count
    let place = parsed.source.position(of: Int32(offset))
    #expect(json(text).contains(#"{"offset":\#(offset),"line":\#(place.line),"column":\#(place.column)}"#))
  }

  @Test("the structure tells programs apart, and layouts not")
  func structure() {
    func structure(_ source: String) -> [UInt8] { outline(source).outline.structureJSON() }
    #expect(
      structure(Sample.file(condition: "a/* x */&&b // y\n")) == structure(Sample.file(condition: "a\n && b"))
    )
    for (one, other) in [
      ("a && b", "b && a"), ("(a)", "a"), ("1", "1.0"), ("'a'", "b'a'"), ("a.b", "a['b']"), ("-1", "1"),
      ("'\\ud83d'", "'\\ud83e'"), ("/a/$(b)", "/a/{b}"), ("a[1]", "a[1:]"),
    ] {
      #expect(structure(Sample.file(condition: one)) != structure(Sample.file(condition: other)), "\(one)")
    }
    #expect(
      structure("service a { // @id b\n match /c { allow read; } }")
        == structure("service a { match /c { allow read; } }"))
    #expect(
      structure("service a {\n// @id b\n match /c { allow read; } }")
        != structure("service a { match /c { allow read; } }"))
  }

  @Test("as text, a line for each node")
  func text() {
    let text = outline(Sample.file(condition: "id in ['a']")).outline.text()
    #expect(
      text.hasSuffix(
        """
                      allows
                        allow 3:1
                          methods
                            method get get 3:7
                          condition: binary in 3:15 [bool]
                            left: identifier id 3:15 -> capture 1 1 [string]
                            right: list 3:21 [list]
                              elements
                                literal 'a' 3:22 [string]

        """), "\(text)")
  }
}

/// Whether bytes are JSON.
private struct JSONShape {
  private var rest: ArraySlice<UInt8>

  static func isValid(_ bytes: [UInt8]) -> Bool {
    var reader = JSONShape(rest: bytes[...])
    return reader.value() && reader.rest.isEmpty && String(validating: bytes, as: UTF8.self) != nil
  }

  private mutating func eat(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  private mutating func value() -> Bool {
    if eat("null") || eat("true") || eat("false") { return true }
    if eat("{") { return eat("}") || members(closer: "}") { $0.string() && $0.eat(":") && $0.value() } }
    if eat("[") { return eat("]") || members(closer: "]") { $0.value() } }
    return rest.first == UInt8(ascii: "\"") ? string() : number()
  }

  private mutating func members(closer: String, _ member: (inout JSONShape) -> Bool) -> Bool {
    repeat { if !member(&self) { return false } } while eat(",")
    return eat(closer)
  }

  private mutating func number() -> Bool {
    let text = String(decoding: rest.prefix { "+-.eE0123456789".utf8.contains($0) }, as: UTF8.self)
    return eat(text) && Double(text) != nil && !text.hasPrefix("+") && !text.hasPrefix(".")
  }

  private mutating func string() -> Bool {
    guard eat("\"") else { return false }
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return true }
      if byte < 0x20 { return false }
      guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else { continue }
      guard "\"\\/bfnrtu".utf8.contains(escaped) else { return false }
      guard escaped == UInt8(ascii: "u") else { continue }
      let digits = rest.prefix(4)
      guard digits.count == 4, digits.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) }) else {
        return false
      }
      rest = rest.dropFirst(4)
    }
    return false
  }
}
