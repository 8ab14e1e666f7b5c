import JSON
import Testing

@Suite("JSON that is written")
struct JSONWriterTests {
  @Test(
    "Texts in quotes",
    arguments: [
      ("", #""""#), ("a", #""a""#), (#"a "b" \c/"#, #""a \"b\" \\c/""#), ("a\nb\rc\td", #""a\nb\rc\td""#),
      ("\r\n", #""\r\n""#), ("\u{0}\u{8}\u{1F}", #""\u0000\u0008\u001f""#), ("\u{7F}", #""\u007f""#),
      ("\u{80}\u{2028}", "\"\u{80}\u{2028}\""), ("\u{1F600}e\u{301}", "\"\u{1F600}e\u{301}\""),
    ])
  func quoted(_ text: String, _ quoted: String) {
    #expect(JSONWriter.quoted(text).utf8.elementsEqual(quoted.utf8))
  }

  @Test("Only where it is asked for is more escaped than must be")
  func escapes() {
    let text = "<é\u{1F600}>"
    #expect(written(JSONWriter()) { $0.string(text) } == "\"<é\u{1F600}>\"")
    #expect(written(JSONWriter(.ascii)) { $0.string(text) } == #""<\u00e9\ud83d\ude00>""#)
    #expect(written(JSONWriter(.markup)) { $0.string(text) } == "\"\\u003cé\u{1F600}>\"")
    // Half of a pair, as string literals of rules may hold it.
    #expect(
      written(JSONWriter()) { $0.stringWithSurrogates([0x61, 0xED, 0xA0, 0xBD, 0x0A]) } == #""a\ud83d\n""#)
  }

  @Test("Values that are written whole, as literals say them")
  func literals() {
    let value: JSONValue = ["b": [1, "x", .null, .double(.nan)], "a": [:], "c": .boolean(true)]
    #expect(
      String(decoding: JSONWriter.bytes(of: value), as: UTF8.self)
        == #"{"b":[1,"x",null,"NaN"],"a":{},"c":true}"#)
  }

  @Test("Blanks and lines where they are asked for")
  func layout() {
    let spaced = written(JSONWriter(isSpaced: true)) { writer in
      writer.object { object in
        object.member("a") { $0.array([1, 2]) { $0.integer($1) } }
        object.member(named: "b\"") { $0.array([1, 2], separator: ",\n", edge: "\n") { $0.integer($1) } }
        object.member("c") { $0.json([0x30]) }
      }
    }
    #expect(spaced == "{\"a\": [1, 2], \"b\\\"\": [\n1,\n2\n], \"c\": 0}")
  }

  private func written(_ writer: JSONWriter, _ body: (inout JSONWriter) -> Void) -> String {
    var writer = writer
    body(&writer)
    return writer.text
  }
}
