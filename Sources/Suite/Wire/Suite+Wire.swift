/// Running a suite against an emulator.

internal import DocModel
internal import Rules
internal import YAML

extension Suite {
  /// Runs the cases in process and then, those that pass, against an emulator at `HOST:PORT`.
  ///
  /// The emulator gets the suite's rules, and loses the documents of the suite's database.
  public func run(against address: String) throws(SuiteFailure) -> SuiteReport {
    var runner = try SuiteRunner(file, options: options)
    defer { runner.close() }
    var report = try runner.run()
    let client: EmulatorClient
    do throws(WireFailure) { client = try EmulatorClient(address, file.database) } catch {
      throw .engine(error.message)
    }
    var wire = try WireRunner(file, client, options: options)
    defer { wire.close() }
    try wire.begin()
    var results: [CaseResult] = []
    // Gates are the rules' own, and checked in process.
    let cases = try wire.cases(like: runner.chosen)
    for (testCase, result) in zip(cases, report.results) {
      guard case .passed = result.status else {
        results.append(result)
        continue
      }
      results.append(try wire.result(of: testCase, like: result))
    }
    report.results = results
    report.unchecked += Self.notCompared(results)
    report.milliseconds = results.reduce(0) { $0 + $1.milliseconds }
    return report
  }

  /// `over the wire: because (120 cases), after (14 cases)`
  private static func notCompared(_ results: [CaseResult]) -> [String] {
    var counts: [(what: String, count: Int)] = []
    for note in results.flatMap(\.notes) where note.label == CaseResult.notComparedLabel {
      if let place = counts.firstIndex(where: { $0.what == note.text }) {
        counts[place].count += 1
      } else {
        counts.append((note.text, 1))
      }
    }
    guard !counts.isEmpty else { return [] }
    return ["over the wire: " + counts.map { "\($0.what) (\($0.count) cases)" }.joined(separator: ", ")]
  }
}
