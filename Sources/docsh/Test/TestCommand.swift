/// `docsh test`: rules suites, run in process or against an emulator.

import Access
import ArgumentParser
import Suite

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run rules tests.",
    discussion: """
      Runs suites (files whose names end in .rules-test.yaml) against the \
      rules they name, in process: no server is needed. docs/rules-tests.md \
      describes the format. Examples:

        docsh test
        docsh test rules
        docsh test rules/inspired.rules-test.yaml --filter "reads a profile"
        docsh test rules -v
        docsh test rules --watch
        docsh test rules --mutate
        docsh test rules --update
        docsh test rules --engine wire --host 127.0.0.1:8080
        docsh test rules --shard 2/4 --format junit > report.xml
        docsh test rules --coverage
        docsh test rules --coverage=term,lcov,html --coverage-out coverage --min-coverage 95

      Ends with 0 when everything passed, with 1 when a case failed, with 2 \
      when a suite or its rules are invalid or no case was found, and with 3 \
      when all cases passed and a gate was missed (require, --min-coverage); \
      with 69 when the emulator of --host cannot be asked. \
      Where the environment has CI set, 'only' is refused.
      """)

  @Argument(
    help:
      "Suites, or folders with suites in them; without any, those of the project that this folder belongs to.",
    completion: .file(extensions: ["yaml"]))
  var paths: [String] = []

  @Option(
    help: "The format of the results: pretty, tap, junit, json or github.",
    completion: .list(ReportFormat.allCases.map(\.rawValue)), transform: Self.format)
  var format = ReportFormat.pretty

  @Flag(name: .shortAndLong, help: "Say of each failure why it came to it; so it is when a single case runs.")
  var verbose = false

  @Option(help: "Run only cases whose full name contains this text.")
  var filter: String?

  @Option(help: "Run only cases with this tag.")
  var tag: String?

  @Option(
    help: ArgumentHelp("Run one part of the cases, as 2/4 of four.", valueName: "part/parts"),
    transform: Self.shard)
  var shard: Shard?

  @Flag(help: "Rewrite the cells of grids to the actual results; cases stay as they are.")
  var update = false

  @Flag(
    help: "Keep running: after each save of a suite, its rules or its imports, run what the save can affect.")
  var watch = false

  @Option(
    help: ArgumentHelp(
      """
      Change the rules one spot at a time and tell which changes no case notices: all spots (--mutate), or only \
      lines that changed since all were noticed (--mutate=changed).
      """, valueName: "all|changed"))
  var mutate: MutantChoice?

  @Option(help: "Where cases run: in this process, or also on the emulator of --host.")
  var engine = TestEngine.process

  @Option(
    name: [.customLong("host"), .customLong("server")],
    help: ArgumentHelp(
      """
      An emulator, ours or the official one, for --engine wire. It gets the suites' rules and loses the \
      documents of their databases.
      """, valueName: "host:port"))
  var host: String?

  @Option(
    help:
      "Whose limit of a ruleset's size holds: the production service's, or none, as in the official emulator."
  )
  var profile = ProfileName.production

  @Option(
    help: ArgumentHelp(
      "Report which parts of the rules the cases cover (--coverage), or in other formats than term: any of term, json, html, lcov.",
      valueName: "formats"))
  var coverage: CoverageFormats?

  @Option(
    help:
      "Where the coverage is written, otherwise to standard output; a folder when there are several formats.",
    completion: .file())
  var coverageOut: String?

  @Option(help: "The coverage of the rules that is required, in percent.")
  var minCoverage: Double?

  func validate() throws {
    try CoverageOutput.validate(minCoverage, "--min-coverage")
    if update, mutate != nil { throw ValidationError("--update and --mutate exclude each other") }
    if (engine == .wire) != (host != nil) {
      throw ValidationError("--engine wire needs --host, and --host needs it")
    }
    if engine == .wire, watch || update || mutate != nil {
      throw ValidationError("--engine wire runs cases only: no --watch, --update, --mutate")
    }
    if watch, update || mutate != nil || coverage != nil || minCoverage != nil {
      throw ValidationError("--watch runs cases only: no --update, --mutate, --coverage, --min-coverage")
    }
  }

  func run() async throws {
    let files = try files()
    if watch { return try startWatching() }
    var run = TestRun(options: suiteOptions, mutants: mutate, host: host, format: format)
    for file in files { await run.add(file, updatesGrids: update) }
    let reports = run.reports
    if reports.contains(where: { !$0.results.isEmpty }) {
      Terminal.say(
        String(
          format.text(reports, isTimed: true, isColored: Terminal.isInteractive, isBrief: !verbose).dropLast()
        ))
    }
    try writeCoverage(reports)
    if run.isInvalid { throw ExitCode(ExitStatus.badInput) }
    if run.isUnreachable { throw ExitCode(ExitStatus.unavailable) }
    guard reports.contains(where: { !$0.results.isEmpty }) else {
      // With fewer cases than parts some parts are empty, which is no mistake of theirs.
      if shard != nil, run.caseCount > 0 { return Terminal.complain("no case falls into this part") }
      throw Terminal.end(ExitStatus.badInput, "no cases found")
    }
    if reports.haveFailedCases { throw ExitCode(ExitStatus.failure) }
    let isCovered = CoverageOutput.reaches(minCoverage, CoverageOutput.reports(reports))
    if reports.haveMissedGates || !isCovered { throw ExitCode(ExitStatus.gateMissed) }
  }

  private func startWatching() throws {
    do throws(FileWatchError) {
      let loop = try WatchLoop(
        paths.isEmpty ? [ProjectFiles.suitesFolder()] : paths, suiteOptions, format, isBrief: !verbose)
      try loop.run()
    } catch {
      throw Terminal.end(ExitStatus.failure, error.description)
    }
  }

  private var suiteOptions: SuiteOptions {
    var options = SuiteOptions(
      filter: filter, tag: tag, acceptsOnly: Environment.acceptsOnly)
    options.limitsRulesSource = ServiceProfile(profile).limitsRulesSource
    options.collectsCoverage = coverage != nil || coverageOut != nil || minCoverage != nil
    options.shard = shard
    return options
  }

  private func writeCoverage(_ reports: [SuiteReport]) throws {
    guard coverage != nil || coverageOut != nil, !reports.isEmpty else { return }
    let formats = coverage?.formats ?? [.text]
    let found = CoverageOutput.reports(reports)
    if formats.count == 1 { return try CoverageOutput.write(found, as: formats[0], to: coverageOut) }
    try CoverageOutput.write(found, as: formats, into: coverageOut ?? "coverage")
  }

  private static func format(_ text: String) throws -> ReportFormat {
    guard let format = ReportFormat(rawValue: text) else {
      throw ValidationError("'\(text)' is no format; there are pretty, tap, junit, json and github")
    }
    return format
  }

  private static func shard(_ text: String) throws -> Shard {
    guard let shard = Shard(text) else {
      throw ValidationError("'\(text)' is no part of parts, such as 2/4")
    }
    return shard
  }

  private func files() throws -> [String] {
    if paths.isEmpty { return try foundFiles() }
    if let rules = paths.first(where: { $0.hasSuffix(".rules") }) {
      throw Terminal.end(
        ExitStatus.badInput,
        "`\(rules)` is a rules file; a suite's name ends in \(ProjectFiles.suiteSuffix). A first one: docsh init \(rules)"
      )
    }
    let files = try SuiteFiles.find(paths)
    guard !files.isEmpty else {
      throw Terminal.end(
        ExitStatus.badInput, "no suites found; their names end in \(ProjectFiles.suiteSuffix)")
    }
    return files
  }

  /// Suites that nobody has named. The line about them is no part of a report.
  private func foundFiles() throws -> [String] {
    let folder = ProjectFiles.suitesFolder()
    let files = try SuiteFiles.find([folder])
    let place = folder == "." ? "this folder" : folder
    guard !files.isEmpty else {
      throw Terminal.end(
        ExitStatus.badInput,
        "no suites found: looked for \(ProjectFiles.sought) from here upwards, and for *\(ProjectFiles.suiteSuffix) below "
          + "\(place). `docsh init` writes a first suite; `docsh test PATH` runs others")
    }
    let names = files.count == 1 ? files[0] : "\(files.count) suites below \(place)"
    Terminal.complain("found \(names)")
    return files
  }
}
