/// How many changes of the rules a suite notices.

internal import Rules

public struct MutationReport: Sendable, Hashable {
  /// One change of the rules that matters for the report.
  public struct Change: Sendable, Hashable {
    public let file: String
    public let line: Int
    public let column: Int
    /// What stands there, on one line.
    public let before: String
    /// What stood there instead; empty when it was removed.
    public let after: String
    /// Whether any case evaluates what was changed.
    public let isReached: Bool

    /// `inspired.rules:38  a <= 80  →  a < 80`
    public var text: String {
      "\(file):\(line)  \(before)  →  \(after.isEmpty ? "(removed)" : after)\(isReached ? "" : "  no case evaluates it")"
    }
  }

  /// Changes that failed a case, and those that failed none.
  public internal(set) var killed = 0
  public internal(set) var survivors: [Change] = []
  /// Changes that change nothing.
  public internal(set) var equivalents: [Change] = []
  /// Changes that do not compile, or that were outside what was asked for.
  public internal(set) var invalidCount = 0
  /// Changes in lines that are as they were when all were noticed last.
  public internal(set) var leftOutCount = 0
  public internal(set) var milliseconds = 0.0

  public var total: Int { killed + survivors.count }
  /// 100 when there is nothing to notice.
  public var percent: Double { total == 0 ? 100 : 100 * Double(killed) / Double(total) }

  /// `mutants 41/42`
  public var summary: String {
    if total == 0, leftOutCount > 0 { return "mutants: no line changed since all were noticed" }
    let more = equivalents.isEmpty ? "" : " (\(equivalents.count) more change nothing)"
    return "mutants \(killed)/\(total)" + more
  }
}

extension MutationReport.Change {
  init(_ mutant: Mutant, in source: SourceText, isReached: Bool) {
    let position = source.position(of: mutant.focus.start)
    self.init(
      file: source.name, line: position.line, column: position.column,
      before: Self.line(source.text(of: mutant.focus)), after: Self.line(mutant.shown), isReached: isReached)
  }

  /// LIMIT: characters of a changed piece.
  private static let charactersMax = 110

  private static func line(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count <= charactersMax ? line : String(line.prefix(charactersMax - 1)) + "…"
  }
}
