/// Rules tests, run in this process.

import Platform
import Rules
internal import RulesTools

enum SuiteCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["test"], .rules, "test [FILE …]", "run rules tests: those given, or the suite beside the rules",
      ":test rules/inspired.rules-test.yaml"
    ) {
      (session, arguments) throws(ShellError) in
      let run = try run(session, arguments, collectsCoverage: false)
      show(run.text(asJSON: session.settings.style.mode == .json), session)
      try demandSuccess(run)
    },
    ShellCommand(
      ["coverage"], .rules, "coverage [FILE …]", "what such tests see of the rules",
      ":coverage rules/inspired.rules-test.yaml"
    ) {
      (session, arguments) throws(ShellError) in
      let run = try run(session, arguments, collectsCoverage: true)
      show(CoverageText.text(run.coverage, isColored: false), session)
      try demandSuccess(run)
    },
  ]

  private static func show(_ text: String, _ session: Session) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    session.show(lines.map { TextEscape.printable(String($0)) })
  }

  private static func demandSuccess(_ run: any ShellSuiteRun) throws(ShellError) {
    guard run.caseCount > 0 else { throw .usage("no cases found") }
    if let failure = run.failure { throw ShellError(.assertion, failure) }
  }

  private static func run(
    _ session: Session, _ arguments: CommandArguments, collectsCoverage: Bool
  ) throws(ShellError) -> any ShellSuiteRun {
    guard let suites = session.tools.suites else {
      throw .failed("this shell runs no rules tests; `docsh test` does")
    }
    let loaded = try session.backend.rules()
    var files = arguments.words
    if files.isEmpty {
      guard let name = loaded?.name, access(name + "-test.yaml", R_OK) == 0 else {
        throw .usage("there is no suite beside the loaded rules; say which: ':test FILE'")
      }
      files = [name + "-test.yaml"]
    }
    let run = suites.run(collectsCoverage) { Interruption.isRaised }
    for file in files {
      try Interruption.check()
      do throws(ShellToolFailure) {
        try run.add(file) { tested in
          if let loaded, tested.bytes != loaded.source {
            session.console.note("\(file) tests \(tested.name), which is not what is loaded")
          }
        }
      } catch {
        try Interruption.check()
        throw ShellError(.failed(code: "INVALID_ARGUMENT"), error.message)
      }
      // The last case may have ended early.
      try Interruption.check()
    }
    return run
  }
}
