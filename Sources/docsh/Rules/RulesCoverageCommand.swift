/// `docsh rules coverage`: what suites see of a rules file.

import ArgumentParser
import Rules
import Suite

struct RulesCoverageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage",
    abstract: "Show which parts of a rules file the tests cover.",
    discussion: """
      Runs the suites that test the file and tells which expressions they saw both true and false, which \
      `allow`s they saw grant and refuse, and what they never reached. docs/coverage.md describes the \
      reports. Examples:

        docsh rules coverage rules/inspired.rules --suite rules
        docsh rules coverage rules/inspired.rules --suite rules --format html --out coverage.html
        docsh rules coverage rules/inspired.rules --suite rules --min 95

      Ends with 0; with 1 when less is covered than --min says or a case failed; with 2 when a suite or the \
      rules are invalid, or when no suite tests the file.
      """)

  @Argument(help: "The rules file.", completion: .file(extensions: ["rules"]))
  var file: String

  @Option(help: "Suites, or folders with suites in them; may be repeated.")
  var suite: [String]

  @Option(help: "The format: text, json (the official emulator's), html or lcov.")
  var format = CoverageFormat.text

  @Option(help: "The file to write to; standard output without it.", completion: .file())
  var out: String?

  @Option(help: "The coverage that is required, in percent.")
  var min: Double?

  func validate() throws {
    guard !suite.isEmpty else { throw ValidationError("say which suites to run: --suite rules") }
    try CoverageOutput.validate(min, "--min")
  }

  func run() async throws {
    let rules = try RulesFile.load(file)
    var options = SuiteOptions()
    options.collectsCoverage = true
    let suites = try SuiteFiles.load(suite, options).filter { $0.rules.source.bytes == rules.source.bytes }
    guard !suites.isEmpty else {
      throw Terminal.end(ExitStatus.badInput, "no suite of \(suite.joined(separator: ", ")) tests `\(file)`")
    }
    let reports = try SuiteFiles.run(suites)
    let merged = RuleCoverage(rules)
    for coverage in reports.compactMap(\.coverage) { merged.merge(coverage) }
    try CoverageOutput.write([merged.report()], as: format, to: out)
    if reports.contains(where: { $0.failedCount > 0 }) {
      throw Terminal.end(
        ExitStatus.failure,
        "\(reports.closingLine); see them with: docsh test \(suite.joined(separator: " "))")
    }
    if !CoverageOutput.reaches(min, [merged.report()]) { throw ExitCode(ExitStatus.failure) }
  }
}

/// Suites as commands find, load and run them; what is invalid is reported and ends the command.
enum SuiteFiles {
  /// Suites, and those in folders.
  static func find(_ paths: [String]) throws -> [String] {
    do throws(FileError) {
      var files: [String] = []
      for path in paths { files += try FileAccess.files(below: path, suffix: ProjectFiles.suiteSuffix) }
      return files
    } catch {
      throw Terminal.end(ExitStatus.badInput, error.description)
    }
  }

  static func load(_ paths: [String], _ options: SuiteOptions) throws -> [Suite] {
    try find(paths).map { path in
      try valid { () throws(SuiteFailure) in try Suite.load(path: path, options: options) }
    }
  }

  static func run(_ suites: [Suite]) throws -> [SuiteReport] {
    try suites.map { suite in try valid { () throws(SuiteFailure) in try suite.run() } }
  }

  private static func valid<Result>(_ body: () throws(SuiteFailure) -> Result) throws -> Result {
    do throws(SuiteFailure) { return try body() } catch {
      Terminal.report(error.description)
      throw ExitCode(ExitStatus.badInput)
    }
  }
}
