import DocModel
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
}
