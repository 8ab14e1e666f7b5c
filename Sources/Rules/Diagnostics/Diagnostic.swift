/// What the compiler has to say about a place in a ruleset.
///
/// Diagnostics are values and are collected; nothing is thrown. Each has an id that stays the same
/// between versions, our own wording, and, where the official compiler says something too, its
/// exact text, which goes out over the emulator's protocol.
public struct Diagnostic: Sendable, Hashable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable, CaseIterable {
    /// The ruleset is refused.
    case error
    /// The ruleset is accepted, and something in it probably does not do what was meant.
    case warning
    /// The ruleset does what it says; a reader may want to know something about it.
    case remark
  }

  /// A second place or a remark.
  public struct Note: Sendable, Hashable {
    public let span: Span?
    public let message: String

    public init(_ message: String, at span: Span? = nil) {
      self.message = message
      self.span = span
    }
  }

  /// A change that would repair it.
  public struct Fix: Sendable, Hashable {
    /// What the change is, as an order: "write `==`".
    public let message: String
    public let edits: [Edit]

    public init(_ message: String, edits: [Edit] = []) {
      self.message = message
      self.edits = edits
    }
  }

  /// Replaces a span of the source.
  public struct Edit: Sendable, Hashable {
    public let span: Span
    public let replacement: String

    public init(replace span: Span, with replacement: String) {
      self.span = span
      self.replacement = replacement
    }
  }

  public let kind: DiagnosticID
  /// Stable, for example `rules-unknown-variable`.
  public var id: String { kind.rawValue }
  public let severity: Severity
  /// Nil for remarks about the whole file.
  public let span: Span?
  /// Lower case, no full stop, the user's text in back-ticks.
  public let message: String
  /// The cause in a few words, shown beside the underline.
  public var label: String?
  public var notes: [Note]
  public var fix: Fix?
  /// The official compiler's text; nil where it says nothing.
  public var officialText: String?
  /// Where the official compiler puts it, if elsewhere.
  public var officialSpan: Span?

  public init(
    id kind: DiagnosticID, severity: Severity, span: Span?, message: String, label: String? = nil,
    notes: [Note] = [], fix: Fix? = nil, officialText: String? = nil, officialSpan: Span? = nil
  ) {
    self.kind = kind
    self.severity = severity
    self.span = span
    self.message = message
    self.label = label
    self.notes = notes
    self.fix = fix
    self.officialText = officialText
    self.officialSpan = officialSpan
  }
}

extension Sequence<Diagnostic> {
  /// Whether the ruleset is refused.
  public var containsError: Bool { contains { $0.severity == .error } }

  /// In the order of the source; those about the whole file come last.
  ///
  /// LIMIT: of more than 500 the rest is dropped, remarks first, errors last. Nobody reads them, and a
  /// file of rubbish must not cost more than a good one.
  public func sortedBySource() -> [Diagnostic] {
    let kept = Diagnostic.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
    return kept.prefix(500).enumerated().sorted { left, right in
      let leftStart = left.element.span?.start ?? .max
      let rightStart = right.element.span?.start ?? .max
      return (leftStart, left.offset) < (rightStart, right.offset)
    }.map(\.element)
  }
}
