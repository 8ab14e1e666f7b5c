import RulesTools
import Testing

@testable import Rules

/// Formats many texts and asks of each what must hold of all.
@Suite("the formatter on many texts")
struct FormatterBulkTests {
  /// Every text of the tables that parses.
  static let texts: [String] = {
    let rows = ParserVerdicts.tables.flatMap { ParserVerdicts.rows($0.text) }.map(\.source)
    return (rows + [ParserFuzzTests.valid] + FormatterStyleSample.texts).filter { source in
      !RulesParser.parse(source: source, name: "f").diagnostics.containsError
    }
  }()

  /// Formats a text and compares: the same tree, the same comments, and nothing left to do.
  private func examine(_ source: String, _ place: String) {
    do throws(FormatRefusal) {
      let formatted = try RulesFormatter.format(source: source, name: "f")
      let before = RulesParser.parse(source: source, name: "f")
      let after = RulesParser.parse(source: formatted, name: "f")
      let isSameTree = SyntaxOutline(before).structureJSON() == SyntaxOutline(after).structureJSON()
      #expect(isSameTree, "\(place): the tree of\n\(source)")
      #expect(words(before) == words(after), "\(place): the comments of\n\(source)")
      let again = try RulesFormatter.format(source: formatted, name: "f")
      #expect(again == formatted, "\(place): twice\n\(source)")
      let lines = formatted.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      #expect(lines.last?.isEmpty == true && !formatted.starts(with: [0x0A]), "\(place): ends of\n\(source)")
      #expect(!lines.contains { $0.last == UInt8(ascii: " ") }, "\(place): blanks at line ends\n\(source)")
    } catch {
      Issue.record("\(place): \(error)\n\(source)")
    }
  }

  private func words(_ parsed: ParseResult) -> [String] {
    parsed.syntax.comments.map { comment in
      String(decoding: parsed.source.slice(of: comment.span).filter { !$0.isBlank }, as: UTF8.self)
    }
  }

  @Test("every text of the tables that compiles")
  func tables() {
    #expect(Self.texts.count > 600)
    for text in Self.texts { examine(text, "as it is") }
  }

  @Test("comments and line ends between any two tokens", arguments: 0..<8 as Range<UInt64>)
  func mangled(block: UInt64) {
    // `/*` is a path segment only as long as no comment ends behind it.
    let texts = Self.texts.filter { text in
      !Lexer.run(SourceText(name: "f", bytes: Array(text.utf8))).tokens.contains { token in
        token.kind == .pathSegment && text.utf8.dropFirst(Int(token.span.start)).starts(with: "/*".utf8)
      }
    }
    for (number, text) in texts.enumerated() where number % 16 == 2 * Int(block) {
      let seed = UInt64(number)
      examine(Mangler(seed: seed, density: 1 << (number / 16 % 4)).mangle(text), "seed \(seed)")
    }
  }

  @Test("as deep and as wide as an expression may be")
  func extremes() {
    func nested(_ open: String, _ close: String, _ count: Int) -> String {
      String(repeating: open, count: count) + "a" + String(repeating: close, count: count)
    }
    for condition in [
      nested("(", ")", 95), nested("[b, ", ", c]", 95), nested("f(b, [", "])", 45), nested("{'k': ", "}", 95),
      nested("b && (c || ", ")", 30), nested("b == ", "", 95), nested("/p/$(", ")", 90), nested("!", "", 95),
      nested("b ? c : ", "", 95), nested("", ".b", 590), nested("", ".b()\n", 300),
      nested("f(\n", "// c\n)", 90),
      "[" + Array(repeating: "'element'", count: 3_000).joined(separator: ",") + "]",
      Array(repeating: "a == 'b'", count: 95).joined(separator: "&&// c\n"),
    ] {
      examine(Sample.file(condition: condition), "\(condition.prefix(20))")
    }
  }

  @Test("a file as people write it is what formatting gives", arguments: FormatterStyleSample.texts)
  func unchanged(text: String) { #expect(Formatted.text(text) == text) }
}

/// Writes the tokens of a text again with other blanks and with comments between them.
private struct Mangler {
  private var random: ParserFuzzTests.Random
  /// One gap of so many has a comment.
  private let density: Int
  private var count = 0

  init(seed: UInt64, density: Int) {
    random = ParserFuzzTests.Random(state: seed)
    self.density = density
  }

  func mangle(_ text: String) -> String {
    var copy = self
    return copy.mangled(text)
  }

  private mutating func mangled(_ text: String) -> String {
    let source = SourceText(name: "f", bytes: Array(text.utf8))
    var result = ""
    for token in Lexer.run(source).tokens {
      // The name of a service follows its keyword without comments.
      result += token.kind == .serviceName ? " " : gap()
      result += source.text(of: token.span)
    }
    return result
  }

  private mutating func gap() -> String {
    var gap = blank()
    while Int.random(in: 0..<density, using: &random) == 0, gap.utf8.count < 60 {
      gap += comment() + blank()
    }
    return gap
  }

  private mutating func blank() -> String {
    let blanks = [" ", " ", " ", "  ", "\n", "\n\n", "\t", " \n\n\n  ", "\r\n", "\n\t\t"]
    return blanks[Int.random(in: 0..<blanks.count, using: &random)]
  }

  private mutating func comment() -> String {
    count += 1
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1: return "// c\(count)\n"
    case 2, 3: return "/* c\(count) */"
    case 4: return "/* c\(count)\n     rest\n\tand more */"
    case 5: return "/**\n   * c\(count)\n   */"
    default: return "// @id c\(count)\n"
    }
  }
}
