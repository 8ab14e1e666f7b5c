/// A diagnostic in the shape of the official compiler's JSON.
///
/// Source: observed. Line and column count from one, offsets from zero in code points, and
/// `endOffset` is that of the last character. An issue about the whole file has no position; a
/// field that is zero is left out of the JSON, which the writer of the JSON must do.
public struct OfficialIssue: Sendable, Hashable {
  /// Where the issue is.
  public struct Position: Sendable, Hashable {
    public let line: Int
    public let column: Int
    public let currentOffset: Int
    /// Of the last character, so one less than `currentOffset` for an empty place.
    public let endOffset: Int
  }

  /// `ERROR` or `WARNING`.
  public let severity: String
  public let description: String
  public let position: Position?

  /// The issues of a compilation, in the order of the source. Our own errors that the official
  /// compiler has no words for go out with our words, because a refusal without a reason helps
  /// nobody; our own warnings stay at home.
  public static func issues(of diagnostics: [Diagnostic], in source: SourceText) -> [OfficialIssue] {
    diagnostics.compactMap { diagnostic in
      guard let text = diagnostic.officialText ?? fallback(diagnostic) else { return nil }
      let span = diagnostic.officialSpan ?? diagnostic.span
      return OfficialIssue(
        severity: diagnostic.severity == .error ? "ERROR" : "WARNING", description: text,
        position: span.map { position(of: $0, in: source) })
    }
  }

  /// What the official compiler says of rules that it refuses.
  public static func refusal(_ compilation: Compilation) -> String {
    let issues = issues(of: compilation.diagnostics, in: compilation.source)
    // There is no place in nothing.
    if compilation.source.bytes.isEmpty {
      return "Error compiling rules:\nL0:0 Rules content empty. Compilation aborted."
    }
    return "Error compiling rules:"
      + issues.filter { $0.severity == "ERROR" }.map { issue in
        "\nL\(issue.position?.line ?? 0):\(issue.position?.column ?? 0) \(issue.description)"
      }.joined()
  }

  private static func fallback(_ diagnostic: Diagnostic) -> String? {
    diagnostic.severity == .error ? diagnostic.message : nil
  }

  private static func position(of span: Span, in source: SourceText) -> Position {
    let place = source.position(of: span.start)
    return Position(
      line: place.line, column: place.column, currentOffset: source.characterOffset(of: span.start),
      endOffset: source.characterOffset(of: span.end) - 1)
  }
}

extension Diagnostic {
  /// The official compiler's words without their full stop, if people know them: what its generated
  /// parser says (`Unexpected ';'.`) fits every mistake and explains none.
  var familiarText: String? {
    guard let text = officialText, !Self.noise.contains(where: text.hasPrefix) else { return nil }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  private static let noise = [
    "Unexpected '", "mismatched input", "missing ';'", "token recognition error",
    "An unsupported type identifier",
    "Forward slash", "Missing a closing",
  ]
}
