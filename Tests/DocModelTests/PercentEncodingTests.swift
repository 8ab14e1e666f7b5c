import DocModel
import Testing

@Suite("Parts of addresses")
struct PercentEncodingTests {
  @Test(
    "Whatever divides parts is escaped",
    arguments: [
      ("", ""), ("aZ09-._~", "aZ09-._~"), ("(default)", "(default)"), ("a/b", "a%2Fb"),
      ("a?b#c", "a%3Fb%23c"),
      ("a&b=c+d", "a%26b%3Dc%2Bd"), ("100%", "100%25"), ("a b", "a%20b"), ("a:b@c", "a%3Ab%40c"),
      ("\u{E9}", "%C3%A9"), ("\u{1F600}", "%F0%9F%98%80"), ("\n\u{0}\u{7F}", "%0A%00%7F"), ("[]", "%5B%5D"),
      // Steps to other folders, which some senders would take.
      (".", "%2E"), ("..", "%2E%2E"), ("...", "..."), ("a..", "a.."), ("../a", "..%2Fa"),
    ])
  func part(_ text: String, _ part: String) {
    #expect(PercentEncoding.part(text) == part)
  }
}
