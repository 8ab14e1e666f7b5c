/// `docsh rules`: tools on rules files.

import ArgumentParser
import Rules

struct RulesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Tools on security rules.",
    discussion: "docsh rules check firestore.rules",
    subcommands: [RulesCheckCommand.self])
}

/// `docsh rules check`: every mistake in a rules file, as `file:line:column` with a caret.
struct RulesCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report mistakes in rules files.",
    discussion: """
      Errors refuse a ruleset; warnings do not. Example:

        docsh rules check rules/inspired.rules

      Ends with 0 when no file has an error, with 2 otherwise.
      """)

  @Argument(help: "Rules files.", completion: .file(extensions: ["rules"]))
  var files: [String]

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  func run() async throws {
    var errors = 0
    var warnings = 0
    for file in files {
      let compilation = try RulesFile.compile(file)
      let report = RulesFile.report(compilation)
      if !report.isEmpty { Terminal.report(report) }
      errors += compilation.diagnostics.count { $0.severity == .error }
      warnings += compilation.diagnostics.count { $0.severity == .warning }
    }
    Terminal.say(Self.summary(files: files.count, errors: errors, warnings: warnings))
    if errors > 0 || (strict && warnings > 0) { throw ExitCode(ExitStatus.badInput) }
  }

  private static func summary(files: Int, errors: Int, warnings: Int) -> String {
    let checked = files == 1 ? "1 file checked" : "\(files) files checked"
    return "\(checked), \(count(errors, "error")), \(count(warnings, "warning"))"
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}
