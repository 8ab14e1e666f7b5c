/// Text to syntax tree: the entry.

/// What parsing gives. There is always a tree.
public struct ParseResult: Sendable {
  public let syntax: RulesetSyntax
  public let source: SourceText
  /// In the order of the source.
  public let diagnostics: [Diagnostic]
}

/// Parses rulesets.
public enum RulesParser {
  /// LIMIT: a longer text is not even looked at; offsets are 32 bits and nobody writes 16 MiB of
  /// rules by hand. The service's own limit is `RulesChecker.Limits.sourceBytesMax`.
  static let readableBytesMax = 16 << 20

  /// Parses a ruleset. `name` is what messages call the file; without `repairs` the consequences of a
  /// mistake may be told beside it, which saves up to a hundred parses of a broken text.
  public static func parse(source text: String, name: String, repairs: Bool = true) -> ParseResult {
    parse(source: Array(text.utf8), name: name, repairs: repairs)
  }

  /// Parses a ruleset from UTF-8. Bytes that are not UTF-8 are an error, reported once.
  public static func parse(source bytes: [UInt8], name: String, repairs: Bool = true) -> ParseResult {
    guard bytes.count <= readableBytesMax else {
      let source = SourceText(name: name, bytes: [])
      return ParseResult(
        syntax: Parser(source, lexer: Lexer.run(source)).emptyRuleset, source: source,
        diagnostics: [SyntaxMessages.unreadablyLong(byteCount: bytes.count)])
    }
    let (repaired, firstBad) = repairUTF8(bytes)
    let source = SourceText(name: name, bytes: repaired)
    let lexer = Lexer.run(source)
    var parser = Parser(source, lexer: lexer)
    var syntax = parser.parseRuleset()
    var diagnostics = parser.diagnostics
    if repairs, diagnostics.count(where: { $0.severity == .error }) > 1 {
      var repair = SyntaxRepair(source, lexer)
      (syntax, diagnostics) = repair.run()
    }
    diagnostics = onePerPlace(diagnostics)
    if let firstBad {
      diagnostics.append(SyntaxMessages.notUTF8(Span(start: Int32(firstBad), end: Int32(firstBad))))
    }
    return ParseResult(syntax: syntax, source: source, diagnostics: diagnostics.sortedBySource())
  }

  /// Without what was said about a place where an error had been found already.
  private static func onePerPlace(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    var places: Set<Int32> = []
    let first = diagnostics.filter { diagnostic in
      guard diagnostic.severity == .error, let span = diagnostic.span else { return true }
      return places.insert(span.start).inserted
    }
    // An unclosed comment that turned out to be an error is no warning as well.
    return first.filter { diagnostic in
      guard diagnostic.severity != .error, let span = diagnostic.span else { return true }
      return !places.contains(span.start)
    }
  }

  /// The text as valid UTF-8, and where the first bad byte was.
  private static func repairUTF8(_ bytes: [UInt8]) -> (bytes: [UInt8], firstBad: Int?) {
    if String(validating: bytes, as: UTF8.self) != nil { return (bytes, nil) }
    let repaired = Array(String(decoding: bytes, as: UTF8.self).utf8)
    let firstBad = zip(bytes, repaired).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return (repaired, firstBad ?? min(bytes.count, repaired.count))
  }
}
