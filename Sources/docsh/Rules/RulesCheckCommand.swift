/// `docsh rules check`: every mistake in rules files, as `file:line:column` with a caret.

import Access
import ArgumentParser
import CDiagnosticPages
import Rules

struct RulesCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report mistakes in rules files.",
    discussion: """
      Errors refuse a ruleset. Warnings do not: something in it does not do what was probably meant. \
      Remarks are for readers. Examples:

        docsh rules check                              the rules of the project of this folder
        docsh rules check rules/inspired.rules
        docsh rules check --format github rules        every *.rules below a folder
        git show HEAD:firestore.rules | docsh rules check -
        docsh rules check --explain rules-missing-if   what a message means

      Ends with 0 when no file has an error, with 2 otherwise or when a file cannot be read.
      """)

  /// How findings are written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, github
  }

  @Argument(
    help: ArgumentHelp(
      "Rules files, folders with them, or - for standard input; the project's rules where none is named.",
      valueName: "files"),
    completion: .file(extensions: ["rules"]))
  var files: [String] = []

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Flag(help: "Leave out remarks.")
  var noRemarks = false

  @Option(help: "text on standard error, json on standard output, or github for its annotations.")
  var format: Format = .text

  @Option(
    help:
      "Whose limit of a ruleset's size holds: the production service's, or none, as in the official emulator."
  )
  var profile = ProfileName.production

  @Option(help: ArgumentHelp("Print what a diagnostic means and how to repair it.", valueName: "id"))
  var explain: String?

  func run() async throws {
    if let explain { return try Self.explain(explain) }
    var report = RulesReport(
      format: format, limitsSource: ServiceProfile(profile).limitsRulesSource)
    for file in try files.isEmpty ? ProjectFiles.rulesFiles() : files {
      for path in report.expanded(file) {
        guard let compilation = report.compile(path) else { continue }
        report.add(compilation, withRemarks: !noRemarks)
      }
    }
    report.finish()
    if report.isBad(strict: strict) { throw ExitCode(ExitStatus.badInput) }
  }

  private static func explain(_ id: String) throws {
    guard let name = DiagnosticID(rawValue: id), let page = diagnostic_page(name.rawValue) else {
      throw Terminal.end(
        ExitStatus.badInput, "no diagnostic is called `\(id)`; docs/diagnostics lists them all")
    }
    Terminal.write(Array(String(cString: page).utf8))
  }
}
