import Testing

@testable import Rules

@Suite("texts in units of UTF-16")
struct UTF16TextTests {
  @Test("a text has as many units as it has in UTF-16, whatever its length and where its characters lie")
  func sizes() {
    let characters = ["a", "é", "한", "😀", "\u{7FF}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"]
    var random = SystemRandomNumberGenerator()
    for length in 0..<300 {
      let text = (0..<length % 40).map { _ in characters.randomElement(using: &random) ?? "" }.joined()
      let bytes = Array(text.utf8)
      let size = bytes.withUnsafeBytes { UTF16Text.size(ByteView($0)) }
      #expect(size == text.utf16.count, "\(text)")
    }
  }
}
