/// Rules with one thing changed: what a good suite notices.

internal import Rules

/// One replacement in a text.
struct SourceEdit: Sendable, Hashable {
  let span: Span
  let replacement: [UInt8]

  init(_ span: Span, _ replacement: String) {
    self.span = span
    self.replacement = Array(replacement.utf8)
  }

  func applied(to bytes: [UInt8]) -> [UInt8] {
    bytes[..<Int(span.start)] + replacement + bytes[Int(span.end)...]
  }

  /// Where a piece of the changed text stood before; what lies in the replacement stood in what it replaced.
  func original(of changed: Span) -> Span {
    let end = span.start + Int32(replacement.count)
    let growth = Int32(replacement.count) - Int32(span.byteCount)
    let first =
      changed.start < span.start ? changed.start : changed.start < end ? span.start : changed.start - growth
    let last = changed.end <= span.start ? changed.end : changed.end <= end ? span.end : changed.end - growth
    return Span(start: first, end: max(first, last))
  }
}

/// One change of the rules.
struct Mutant: Sendable {
  /// What holds the change.
  enum Owner: Sendable, Hashable {
    case allow(Int)
    case function(Int)
    case match(Int)
  }

  let edit: SourceEdit
  /// The piece that a report shows unchanged.
  let focus: Span
  /// The same piece changed; empty when it is removed.
  let shown: String
  let owner: Owner
  /// The expression that is changed and those around it, innermost first, by number; empty when the change is
  /// outside all conditions, so that it may concern every request.
  let expressions: [Int]
}

/// Texts of rules as a suite reads them. Those of a mutant are read as the rules they were made from: a suite
/// that quotes a condition must not notice its mutant for the spelling.
struct RuleTexts: Sendable {
  let source: SourceText
  private let change: Change?

  private struct Change: Sendable {
    let edit: SourceEdit
    let original: SourceText
    let ids: [String]
  }

  init(_ rules: Ruleset) {
    source = rules.source
    change = nil
  }

  init(_ mutant: Ruleset, from original: Ruleset, by edit: SourceEdit) {
    source = mutant.source
    change = Change(edit: edit, original: original.source, ids: original.allowIDs)
  }

  func text(of expression: DecidingExpression) -> String {
    guard let change else { return expression.text }
    return change.original.text(of: change.edit.original(of: expression.span))
  }

  func id(of trace: AllowTrace) -> String {
    guard let change, change.ids.indices.contains(trace.allow) else { return trace.id }
    return change.ids[trace.allow]
  }
}
