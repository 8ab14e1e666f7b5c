/// What a denied user is told. Source: docs/denials.md.

internal import DocModel
internal import Rules

/// How much a denial says. Source: docs/spec/production-differences.md F4.
public enum DenialDetail: String, Sendable, CaseIterable {
  /// Production's bare sentence.
  case terse
  /// The sentence, and then each `allow` tried, with its line; which expression decided; and where a limit of the
  /// language ended an evaluation, which one, and where. A query is told what would make it pass. All of it is made of
  /// what the client sent, of its token and of the rules' text: see docs/denials.md.
  case explained
  /// What the official emulator says, as it says it: also values of documents that the client may not read.
  case official
}

/// The words of denials.
public enum DenialText {
  /// Production's text of every denial. Source: docs/spec/rules-language.md 8.1.
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

  /// Of an operation that its rules refuse: the one place that decides what the client is told.
  ///
  /// INVARIANT: no value of a document is in it unless the operator asked for the official words, which may hold some.
  static func refused(
    _ detail: DenialDetail, official: @autoclosure () -> String, reasons: @autoclosure () -> ClientReasons
  ) -> String {
    switch detail {
    case .terse: return bare
    case .official:
      let message = official()
      // The official emulator begins a new line before reasons, not before the absence of any.
      return message == noStatements ? String(message.dropFirst()) : message
    case .explained:
      return bare + reasons().text
    }
  }
}
