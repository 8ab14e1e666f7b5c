/// Rules tests, run in this process.

import Platform
import Rules
internal import RulesTools
import Suite

enum SuiteCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["test"], .rules, "test [FILE …]", "run rules tests: those given, or the suite beside the rules",
      ":test rules/inspired.rules-test.yaml"
    ) {
      (session, arguments) throws(ShellError) in
      let reports = try reports(session, arguments, collectsCoverage: false)
      let format: ReportFormat = session.settings.style.mode == .json ? .json : .pretty
      show(format.text(reports), session)
      try demandSuccess(reports)
    },
    ShellCommand(
      ["coverage"], .rules, "coverage [FILE …]", "what such tests see of the rules",
      ":coverage rules/inspired.rules-test.yaml"
    ) {
      (session, arguments) throws(ShellError) in
      let reports = try reports(session, arguments, collectsCoverage: true)
      show(
        CoverageText.text(
          reports.compactMap { $0.coverage?.report() }, isColored: false), session)
      try demandSuccess(reports)
    },
  ]

  private static func show(_ text: String, _ session: Session) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    session.show(lines.map { TextEscape.printable(String($0)) })
  }

  private static func demandSuccess(_ reports: [SuiteReport]) throws(ShellError) {
    guard reports.contains(where: { !$0.results.isEmpty }) else { throw .usage("no cases found") }
    if reports.haveFailedCases || reports.haveMissedGates {
      throw ShellError(.assertion, reports.closingLine)
    }
  }

  private static func reports(
    _ session: Session, _ arguments: CommandArguments, collectsCoverage: Bool
  ) throws(ShellError) -> [SuiteReport] {
    let loaded = try session.backend.rules()
    var files = arguments.words
    if files.isEmpty {
      guard let name = loaded?.name, access(name + "-test.yaml", R_OK) == 0 else {
        throw .usage("there is no suite beside the loaded rules; say which: ':test FILE'")
      }
      files = [name + "-test.yaml"]
    }
    // As `docsh test` does: where CI is set, `only` would hide cases.
    var options = SuiteOptions(acceptsOnly: getenv("CI").map { $0.pointee == 0 } ?? true)
    options.collectsCoverage = collectsCoverage
    options.isInterrupted = { Interruption.isRaised }
    var reports: [SuiteReport] = []
    for file in files {
      try Interruption.check()
      do throws(SuiteFailure) {
        let suite = try Suite.load(path: file, options: options)
        if let loaded, suite.rules.source.bytes != loaded.source {
          session.console.note("\(file) tests \(suite.rules.source.name), which is not what is loaded")
        }
        reports.append(try suite.run())
      } catch {
        try Interruption.check()
        throw ShellError(.failed(code: "INVALID_ARGUMENT"), error.description)
      }
      // The last case may have ended early.
      try Interruption.check()
    }
    return reports
  }
}
