/// A first suite for rules that have none: a row for each block and method, with what the rules answer now.
///
/// It is a picture to be read by somebody who knows what the rules should say; it passes as it is.

internal import Conditions
internal import DocModel
internal import Rules
internal import RulesTools

public struct SuiteSkeleton: Sendable {
  /// The suite.
  public let text: String
  /// Cells of its grids.
  public let cellCount: Int
  /// Blocks below which no document is, and requests that rules were not asked about.
  public let leftOut: [String]

  static let clock = "2026-01-01T00:00:00Z"
  static let standardState = "as it is"

  /// - Parameters:
  ///   - source: the rules.
  ///   - path: the path of their file, as the suite names it.
  ///   - database: nil for the first database of a project.
  /// - Throws: what is wrong with the rules.
  public init(rules source: [UInt8], path: String, database: String? = nil) throws(SuiteFailure) {
    let parsed = RulesParser.parse(source: source, name: path)
    let checked = RulesChecker.check(parsed)
    let errors = checked.diagnostics.filter { $0.severity == .error }
    guard errors.isEmpty else {
      throw .invalid([SuiteFault(errors, in: parsed.source)])
    }
    let draft = SkeletonDraft(RulesSurvey(parsed, checked.resolution), path: path, database: database)
    var leftOut = draft.leftOut
    var refused: Set<String> = []
    while true {
      let text = draft.text(without: refused)
      guard draft.hasRows(without: refused) else {
        throw .invalid([
          SuiteFault("`\(path)` has no block with a document, so there is nothing to test", file: path)
        ])
      }
      let (letters, failed) = try Self.letters(in: text, rules: source)
      if failed.isEmpty {
        self.text = letters.text
        cellCount = letters.cellCount
        self.leftOut = leftOut
        return
      }
      // The store has an objection of its own: rules are not asked.
      for operation in failed where refused.insert(operation).inserted { leftOut.append(operation) }
    }
  }

  /// The text with the letters that the rules come to, and the operations that come to none.
  private static func letters(
    in text: String, rules: [UInt8]
  ) throws(SuiteFailure) -> ((text: String, cellCount: Int), Set<String>) {
    // Judged with the rules in the suite, so that nothing has to be on disk; they stand at its end, where they move no line.
    let line = SkeletonDraft.rulesLine(in: text)
    let inlined =
      text.replacing(line, with: "#" + line, maxReplacements: 1)
      + "rules: \(SuiteText.quoted(String(decoding: rules, as: UTF8.self)))\n"
    let report = try Suite.load(text: inlined, name: "skeleton", options: SuiteOptions()).run()
    let updated = report.updatingGrids(in: Array(inlined.utf8))
    let text = String(decoding: updated, as: UTF8.self)
    let again = try Suite.load(text: text, name: "skeleton", options: SuiteOptions()).run()
    let failed = again.results.filter(\.hasFailed).compactMap(\.cell?.operation)
    return ((Self.withoutRules(text, line), again.results.count), Set(failed))
  }

  private static func withoutRules(_ text: String, _ line: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    lines.removeLast()
    return lines.joined(separator: "\n").replacing("#" + line, with: line, maxReplacements: 1) + "\n"
  }
}
