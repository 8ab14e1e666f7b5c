/// What a denied user is told.

internal import DocModel
internal import Rules

/// How much a denial says. Source: spec/production-differences.md F4.
public enum DenialDetail: String, Sendable, CaseIterable {
  /// Production's bare sentence.
  case terse
  /// The sentence, and then what the official emulator says: each `allow` tried, with its line; which
  /// expression decided; and where a limit of the language ended an evaluation, which one, and where. A query
  /// is told what would make it pass.
  case explained
  /// What the official emulator says, as it says it.
  case official
}

/// The words of denials.
public enum DenialText {
  /// Production's text of every denial. Source: spec/rules-language.md 8.1.
  public static let bare = "Missing or insufficient permissions."

  private static let noStatements = "\nNo matching allow statements"

  /// Of a database that has no rules.
  static func withoutRules(_ database: DatabaseID, _ detail: DenialDetail) -> String {
    switch detail {
    case .terse, .official: return bare
    case .explained:
      let isFirst = database.database == "(default)"
      return bare
        + " No rules are loaded for database `\(database.database)` of project `\(database.project)`;"
        + " start with --rules \(isFirst ? "" : "\(database.database)=")FILE,"
        + " or with --open to allow everything."
    }
  }

  /// Of an operation that its rules refuse.
  static func refused(_ detail: DenialDetail, _ explanation: @autoclosure () -> Explanation) -> String {
    switch detail {
    case .terse: return bare
    case .official:
      let message = explanation().message
      // The official emulator begins a new line before reasons, not before the absence of any.
      return message == noStatements ? String(message.dropFirst()) : message
    case .explained:
      let explanation = explanation()
      let limits = explanation.limits.map { "\n\($0.description)" }
      let reasons = explanation.reasonLines.map { "\n  \($0)" }
      let advice = explanation.advice.map { "\n\($0)" } ?? ""
      return bare + explanation.message + reasons.joined() + limits.joined() + advice
    }
  }
}
