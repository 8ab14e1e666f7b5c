/// Formats rules files.
///
/// What may change is layout: blanks, line breaks, semicolons that end statements, a comma behind the
/// last element of a list. Names, literals, operators and comments stay as they are written.
///
/// INVARIANT: what is returned parses to the tree of what was given, holds all its comments in their
/// order, and is returned unchanged when it is given. `FormatProof` checks the first two every time;
/// for the third, formatting goes on until nothing changes.

public import Rules

/// Why a text was not formatted.
public enum FormatRefusal: Error, Sendable {
  /// It has mistakes of syntax, or a `/*` that no `*/` follows stands where a comment would have to move behind
  /// it, which would make it a comment; of the diagnostics at least one is an error.
  case syntax(diagnostics: [Diagnostic], source: SourceText)
  /// The formatter's own result was not the same program. A mistake of ours: the text is left alone.
  case unproven(FormatDamage)
}

/// Formats rules files.
public enum RulesFormatter {
  /// LIMIT: rounds until nothing changes. A comment that stood where no line can end moves in the
  /// first round and may join lines that fit without it in the second.
  static let roundsMax = 6

  /// The text in the style of the house. `name` is what messages call the file.
  public static func format(source text: String, name: String) throws(FormatRefusal) -> [UInt8] {
    try format(source: Array(text.utf8), name: name)
  }

  /// The text in the style of the house, from UTF-8.
  public static func format(source bytes: [UInt8], name: String) throws(FormatRefusal) -> [UInt8] {
    let parsed = RulesParser.parse(source: bytes, name: name)
    // Blanks that are none, and a byte order mark, are the one mistake that formatting repairs.
    guard !parsed.diagnostics.contains(where: { $0.severity == .error && $0.kind != .wideBlank }) else {
      throw .syntax(diagnostics: parsed.diagnostics, source: parsed.source)
    }
    var text = withLineFeeds(bytes)
    for _ in 0..<roundsMax {
      let formatted = try layOut(text, name: name)
      if formatted == text { return formatted }
      text = formatted
    }
    throw .unproven(FormatDamage(kind: .unstable, line: 1))
  }

  /// One round.
  private static func layOut(_ bytes: [UInt8], name: String) throws(FormatRefusal) -> [UInt8] {
    let before = RulesParser.parse(source: bytes, name: name)
    let lexer = Lexer.run(before.source)
    var builder = LayoutBuilder(lexer)
    builder.ruleset(before.syntax)
    var printer = LayoutPrinter(builder.layout, lexer)
    printer.run()
    if let damage = FormatProof.damage(from: before, to: printer.bytes) {
      guard let open = before.diagnostics.first(where: { $0.kind == .openComment })?.span else {
        throw .unproven(damage)
      }
      throw .syntax(diagnostics: [SyntaxMessages.unclosedComment(open)], source: before.source)
    }
    return printer.bytes
  }

  /// Line ends as line feeds, without the mark of the byte order.
  private static func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard text.contains(UInt8(ascii: "\r")) else { return Array(text) }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for index in text.indices {
      guard text[index] == UInt8(ascii: "\r") else {
        result.append(text[index])
        continue
      }
      if index + 1 == text.endIndex || text[index + 1] != UInt8(ascii: "\n") {
        result.append(UInt8(ascii: "\n"))
      }
    }
    return result
  }
}
