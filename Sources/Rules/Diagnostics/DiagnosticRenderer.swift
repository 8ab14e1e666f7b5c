/// Diagnostics as text for people: place and message, the source line, a caret underline, notes and
/// the fix.
///
///     firestore.rules:6:21: error: Missing 'if' before conditional expression [rules-missing-if]
///        6 |       allow read: request.auth != null;
///          |                   ^~~~~~~ expected `if` before the condition
///          = fix: write `if`
///
/// The official compiler's words come first where people know them, ours stand at the place; where
/// the official words are a parser's noise or there are none, ours come first.
///
/// Tabs before the underline are repeated, so it stands under its text at any tab width.
public struct DiagnosticRenderer: Sendable {
  /// LIMIT: longer source lines are cut around the place, so a minified file does not flood a terminal.
  static let lineCharactersMax = 160

  private let source: SourceText

  public init(source: SourceText) { self.source = source }

  /// All of them, separated by line breaks.
  public func render(_ diagnostics: [Diagnostic]) -> String {
    diagnostics.map(render).joined(separator: "\n")
  }

  /// One diagnostic, without a line break at its end.
  public func render(_ diagnostic: Diagnostic) -> String {
    var lines = [headline(diagnostic)]
    let width = gutterWidth(diagnostic)
    let (_, label) = Self.words(of: diagnostic)
    if let span = diagnostic.span {
      lines += excerpt(span, label: label, width: width)
    } else if let label {
      lines.append(gutter(width) + "= note: \(visible(label))")
    }
    for note in diagnostic.notes {
      lines.append(gutter(width) + "= note: \(visible(note.message))")
      if let span = note.span { lines += excerpt(span, label: nil, width: width) }
    }
    if let fix = diagnostic.fix { lines.append(gutter(width) + "= fix: \(visible(fix.message))") }
    return lines.joined(separator: "\n")
  }

  private func headline(_ diagnostic: Diagnostic) -> String {
    let tail =
      "\(diagnostic.severity.rawValue): \(visible(Self.words(of: diagnostic).headline)) [\(diagnostic.id)]"
    guard let span = diagnostic.span else { return "\(source.name): \(tail)" }
    let place = source.position(of: span.start)
    return "\(source.name):\(place.line):\(place.column): \(tail)"
  }

  /// What is said first, and what is said at the place.
  public static func words(of diagnostic: Diagnostic) -> (headline: String, label: String?) {
    guard let known = diagnostic.familiarText else { return (diagnostic.message, diagnostic.label) }
    return (known, diagnostic.message + (diagnostic.label.map { "; \($0)" } ?? ""))
  }

  private func gutterWidth(_ diagnostic: Diagnostic) -> Int {
    let spans = [diagnostic.span] + diagnostic.notes.map(\.span)
    let lines = spans.compactMap { $0.map { source.lineNumber(of: $0.start) } }
    return max(4, String(lines.max() ?? 0).utf8.count)
  }

  private func gutter(_ width: Int) -> String { String(repeating: " ", count: width) + " " }

  private func excerpt(_ span: Span, label: String?, width: Int) -> [String] {
    let place = source.position(of: span.start)
    let characters = Array(source.line(place.line).unicodeScalars)
    let start = min(place.column - 1, characters.count)
    let marked = underlineLength(span, from: start, lineLength: characters.count)
    let first = start > Self.lineCharactersMax / 2 ? start - Self.lineCharactersMax / 2 : 0
    let last = min(characters.count, first + Self.lineCharactersMax)
    let number = String(place.line)
    let padded = String(repeating: " ", count: width - number.utf8.count) + number
    var indent = String.UnicodeScalarView()
    for scalar in characters[first..<start] { indent.append(scalar == "\t" ? "\t" : " ") }
    let shown = min(marked, max(last - start, 1))
    let underline = "^" + String(repeating: "~", count: max(shown - 1, 0))
    var text = String.UnicodeScalarView()
    text.append(contentsOf: characters[first..<last])
    return [
      "\(padded) | \(first > 0 ? "…" : "")\(visible(String(text)))\(last < characters.count ? "…" : "")",
      "\(gutter(width))| \(first > 0 ? " " : "")\(String(indent))\(underline)\(label.map { " \($0)" } ?? "")",
    ]
  }

  private func underlineLength(_ span: Span, from start: Int, lineLength: Int) -> Int {
    let length = source.characterOffset(of: span.end) - source.characterOffset(of: span.start)
    return max(1, min(length, lineLength - start))
  }

  /// The text without control characters, which would disturb the terminal.
  private func visible(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = (scalar.value < 0x20 && scalar != "\t") || (0x7F...0x9F).contains(scalar.value)
      shown.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(shown)
  }
}
