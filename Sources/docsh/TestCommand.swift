/// `docsh test`: rules suites, run in process.

import Access
import ArgumentParser
import Suite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run rules tests.",
    discussion: """
      Runs suites (files whose names end in .rules-test.yaml) against the
      rules they name, in process: no server is needed. docs/rules-tests.md
      describes the format. Examples:

        docsh test rules
        docsh test rules/inspired.rules-test.yaml --filter "reads a profile"
        docsh test rules --format junit > report.xml
        docsh test rules --coverage
        docsh test rules --coverage=html --coverage-out coverage.html --min-coverage 95

      Ends with 0 when everything passed, with 1 when a case failed, and
      with 2 when a suite or its rules are invalid or no case was found.
      Where the environment has CI set, 'only' is refused.
      """)

  @Argument(
    help: "Suites, or folders with suites in them.", completion: .file(extensions: ["yaml"]))
  var paths: [String]

  @Option(
    help: "How the results are written: pretty, tap, junit or json.",
    completion: .list(ReportFormat.allCases.map(\.rawValue)), transform: Self.format)
  var format = ReportFormat.pretty

  @Option(help: "Run only cases whose full name holds this text.")
  var filter: String?

  @Option(help: "Run only cases with this tag.")
  var tag: String?

  @Option(help: "Take rules as the production service does, or as the official emulator does.")
  var profile = ProfileName.production

  @Option(
    defaultAsFlag: CoverageFormat.text,
    help: "Tell what the cases see of the rules: text, json, html or lcov; text when nothing is said.")
  var coverage: CoverageFormat?

  @Option(help: "Where the coverage is written; otherwise to standard output.", completion: .file())
  var coverageOut: String?

  @Option(help: "Percent of the rules that must be covered.")
  var minCoverage: Double?

  static let suffix = ".rules-test.yaml"

  func run() async throws {
    var options = SuiteOptions(
      filter: filter, tag: tag, acceptsOnly: getenv("CI").map { $0.pointee == 0 } ?? true)
    options.limitsRulesSource = ServiceProfile(profile).limitsRulesSource
    options.collectsCoverage = coverage != nil || coverageOut != nil || minCoverage != nil
    var reports: [SuiteReport] = []
    var isInvalid = false
    for file in try files() {
      do throws(SuiteFailure) {
        reports.append(try Suite.load(path: file, options: options).run())
      } catch {
        Terminal.report(error.description)
        isInvalid = true
      }
    }
    if reports.contains(where: { !$0.results.isEmpty }) {
      Terminal.say(String(format.text(reports).dropLast()))
    }
    try writeCoverage(reports)
    if isInvalid { throw ExitCode(ExitStatus.badInput) }
    guard reports.contains(where: { !$0.results.isEmpty }) else {
      Terminal.complain("no cases found")
      throw ExitCode(ExitStatus.badInput)
    }
    let isCovered = CoverageOutput.reaches(minCoverage, CoverageOutput.reports(reports))
    if reports.contains(where: { $0.failedCount > 0 }) || !isCovered { throw ExitCode(ExitStatus.failure) }
  }

  private func writeCoverage(_ reports: [SuiteReport]) throws {
    guard coverage != nil || coverageOut != nil, !reports.isEmpty else { return }
    try CoverageOutput.write(CoverageOutput.reports(reports), as: coverage ?? .text, to: coverageOut)
  }

  private static func format(_ text: String) throws -> ReportFormat {
    guard let format = ReportFormat(rawValue: text) else {
      throw ValidationError("'\(text)' is no format; there are pretty, tap, junit and json")
    }
    return format
  }

  private func files() throws -> [String] {
    var files: [String] = []
    for path in paths {
      do {
        files += try FileAccess.files(below: path, suffix: Self.suffix)
      } catch {
        Terminal.complain(error.description)
        throw ExitCode(ExitStatus.badInput)
      }
    }
    guard !files.isEmpty else {
      Terminal.complain("no suites found; their names end in \(Self.suffix)")
      throw ExitCode(ExitStatus.badInput)
    }
    return files
  }
}
