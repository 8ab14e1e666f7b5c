/// The suites of one call of `docsh test`, one after the other.

import Platform
import Suite

struct TestRun {
  let options: SuiteOptions
  /// Which mutants are made; nil for none.
  let mutants: MutantChoice?
  /// The emulator that judges; nil for none.
  let host: String?
  let format: ReportFormat
  private(set) var reports: [SuiteReport] = []
  /// Whether a suite or its rules could not be read.
  private(set) var isInvalid = false
  /// Whether the emulator could not be asked.
  private(set) var isUnreachable = false
  /// Cases of all suites, those included that the options leave out.
  private(set) var caseCount = 0

  /// Runs one suite; what is wrong with it is said at once.
  mutating func add(_ path: String, updatesGrids: Bool) async {
    let state = TestState(of: path)
    var options = options
    options.lastGreen = state.lastGreen
    options.workers = Self.processorCount
    do throws(SuiteFailure) {
      var suite = try Suite.load(path: path, options: options)
      if updatesGrids, try update(suite, path) { suite = try Suite.load(path: path, options: options) }
      caseCount += suite.caseCount
      let report = try await run(suite, state, path)
      if host == nil { state.keep(report, suite, path) }
      reports.append(report)
    } catch {
      // The workflow reads standard output.
      if format == .github { Terminal.say(error.annotations(of: path)) }
      Terminal.report(error.description)
      if case .engine = error { isUnreachable = true } else { isInvalid = true }
    }
  }

  private func run(_ suite: Suite, _ state: TestState, _ path: String) async throws(SuiteFailure)
    -> SuiteReport
  {
    if let host { return try suite.run(against: host) }
    guard let mutants else { return try suite.run() }
    var scope = MutationScope(workers: Self.processorCount)
    if mutants == .changed { scope.unchangedSince = state.mutatedRules(by: suite, path) }
    return try await suite.run(mutating: scope)
  }

  private static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Rewrites the letters of a suite's grids; true when there was something to rewrite.
  private func update(_ suite: Suite, _ path: String) throws(SuiteFailure) -> Bool {
    let report = try suite.run()
    guard report.gridChangeCount > 0 else { return false }
    do throws(FileError) {
      try FileAccess.replace(path, with: report.updatingGrids(in: try FileAccess.contents(of: path)))
    } catch {
      throw .unreadable(error.description)
    }
    Terminal.say("\(path): \(report.gridChangeCount) letters of its grids rewritten")
    return true
  }
}
