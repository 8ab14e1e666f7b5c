/// What came of a suite.

public import Rules

public struct CaseResult: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// A cell of a grid.
    case cell
    case single
    /// What `require` asks of the file as a whole.
    case gate
  }

  public enum Status: Sendable, Hashable {
    case passed
    case failed([FailureLine])
    /// Not run; why.
    case skipped(String)
    /// Fails, as the suite says it does; why.
    case todo(String)
    /// Marked as failing, and passes.
    case todoPasses(String)
  }

  /// Why a case was not run when another one says `only`.
  static let otherOnly = "another case says 'only'"

  public let kind: Kind
  /// Below the suite's name, outermost first.
  public let names: [String]
  public let file: String
  public let line: Int
  public let tags: [String]
  public let status: Status
  /// What its requests took; preparing documents is not counted.
  public let milliseconds: Double
  /// What was noticed without failing the case: queries that leak, or that the service refuses in vain.
  /// The labels are `warning` and `note`.
  public let notes: [FailureLine]

  /// What a cell of a grid says and came to.
  public struct Cell: Sendable, Hashable {
    /// Nil in a grid without states.
    let state: String?
    let operation: String
    let persona: String
    /// The letter that is written.
    let expected: Character
    /// Nil when no letter says what came.
    let got: Character?

    func isInRow(of other: Cell) -> Bool { state == other.state && operation == other.operation }
  }

  /// Of cells.
  var cell: Cell?
  /// Of cases in which rules judged something.
  var cost: CaseCost?

  /// Notes with this label say what an emulator's answers do not tell; reports for people add them up.
  static let notComparedLabel = "not compared"

  func replacing(status: Status, notes: [FailureLine], milliseconds: Double) -> CaseResult {
    CaseResult(
      kind: kind, names: names, file: file, line: line, tags: tags, status: status,
      milliseconds: milliseconds,
      notes: notes, cell: cell, cost: cost)
  }

  public var hasFailed: Bool {
    if case .failed = status { return true }
    return false
  }

  public var isSkipped: Bool {
    switch status {
    case .skipped, .todo: true
    case .passed, .failed, .todoPasses: false
    }
  }
}

public struct SuiteReport: Sendable {
  public let file: String
  public let name: String
  public internal(set) var results: [CaseResult]
  /// Sections that were read and not checked.
  public internal(set) var unchecked: [String]
  /// When it was collected.
  public let coverage: RuleCoverage?
  /// Every request, when the options ask for explanations.
  public let explanations: [ExplainedRequest]
  /// Whether every case was run that is not skipped by itself: gates look at whole files.
  public let isWhole: Bool
  /// Cells of grids that came to another letter than is written, todo ones included.
  let gridChanges: [GridChange]
  /// When the rules were mutated.
  public internal(set) var mutation: MutationReport?
  /// What running the cases took, from opening the store to the last verdict.
  public internal(set) var milliseconds = 0.0

  public var failedCount: Int { results.count { $0.hasFailed } }
  public var skippedCount: Int { results.count { $0.isSkipped } }
  public var passedCount: Int { results.count - failedCount - skippedCount }
}

/// One request of a case and every decision on it.
public struct ExplainedRequest: Sendable {
  /// Of the case, below the suite's name.
  public let names: [String]
  /// Who asks for what.
  public let title: String
  /// None when rules were not asked.
  public let decisions: [DetailedExplanation]
}

extension Sequence<SuiteReport> {
  /// What running the cases took, and what mutants took.
  var took: String {
    let cases = reduce(0) { $0 + $1.milliseconds }
    let mutants = reduce(0) { $0 + ($1.mutation?.milliseconds ?? 0) }
    return "\(Decimals.text((cases * 10).rounded() / 10)) ms"
      + (mutants > 0 ? ", mutants in \(Decimals.text((mutants / 10).rounded() / 100)) s" : "")
  }

  /// Whether a case failed, gates left out.
  public var haveFailedCases: Bool { contains { $0.results.contains { $0.kind != .gate && $0.hasFailed } } }

  /// Whether a gate was missed.
  public var haveMissedGates: Bool { contains { $0.results.contains { $0.kind == .gate && $0.hasFailed } } }

  /// `N passed, N failed`, and what was skipped.
  public var closingLine: String {
    var passed = 0
    var failed = 0
    var skipped = 0
    for report in self {
      passed += report.passedCount
      failed += report.failedCount
      skipped += report.skippedCount
    }
    return "\(passed) passed, \(failed) failed" + (skipped > 0 ? ", \(skipped) skipped" : "")
  }
}

/// How reports can be written.
public enum ReportFormat: String, CaseIterable, Sendable {
  case pretty, tap, junit, json, github

  /// All reports as one text, with a line break at its end.
  ///
  /// - Parameters:
  ///   - isTimed: whether `pretty` says what the cases took.
  ///   - isColored: whether `pretty` goes to a terminal that shows colours.
  ///   - isBrief: whether `pretty` leaves out why cases fail. The others are for machines and leave out nothing.
  public func text(
    _ reports: [SuiteReport], isTimed: Bool = false, isColored: Bool = false, isBrief: Bool = false
  ) -> String {
    switch self {
    case .pretty where isBrief: BriefReport.text(reports, isTimed: isTimed, isColored: isColored)
    case .pretty: PrettyReport.text(reports, isTimed: isTimed, isColored: isColored)
    case .tap: TAPReport.text(reports)
    case .junit: JUnitReport.text(reports)
    case .json: JSONReport.text(reports)
    case .github: GitHubReport.text(reports)
    }
  }
}
