import DocModel
import Testing

@Suite("Quotes and brackets")
struct NestingScanTests {
  /// Under each byte: `.` for an outermost one that is no quote or bracket, a digit for one so deep in brackets,
  /// `-` behind brackets that close nothing, and a blank for quotes, what is in them, and brackets.
  private static func map(_ text: String, backticks: Bool) -> String {
    var scan = NestingScan(quotesWithBackticks: backticks)
    return text.utf8.map { byte in
      if byte == 0x0A { scan.endLine() }
      guard scan.take(byte) else { return " " }
      if scan.depth > 0 { return "\(scan.depth)" }
      return scan.depth < 0 ? "-" : "."
    }.joined()
  }

  @Test(
    "Which bytes stand where",
    arguments: [
      (#"a"b"c"#, ".   ."), (#"a'b"c'd"#, ".     ."), ("a(b[c{d}])e", ". 1 2 3   ."),
      (#"(a")"b)c"#, " 1   1 ."), (#"'a\'b'c"#, "      ."), (#"'a\\'c"#, "     ."), (#"\'a'b"#, ".   ."),
      ("a)b(c", ". - ."), ("'a\nb'c", "  ..  "), ("'a\\\nb'c", "      ."), ("", ""),
    ])
  func bytes(_ text: String, _ map: String) {
    #expect(Self.map(text, backticks: false) == map)
    #expect(Self.map(text, backticks: true) == map)
  }

  @Test("A backtick is a quote where it is said to be")
  func backticks() {
    #expect(Self.map("a`(`b", backticks: true) == ".   .")
    #expect(Self.map("a`(`b", backticks: false) == ".. 11")
  }

  @Test("Outermost is what no quotes and no brackets hold")
  func outermost() {
    var scan = NestingScan(quotesWithBackticks: true)
    var found: [Bool] = []
    for byte in "('a')`)`)".utf8 {
      scan.take(byte)
      found.append(scan.isOutermost)
      #expect(scan.isInQuotes == [2, 3, 6, 7].contains(found.count))
    }
    #expect(found == [false, false, false, false, true, false, false, true, true])
  }
}
