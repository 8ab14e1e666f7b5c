/// Suites on several threads: the same report as on one.

import Rules
import RulesTools
import Testing

@testable import Suite

@Suite(.timeLimit(.minutes(5))) struct WorkerTests {
  private func report(_ name: String, _ workers: Int, change: (inout SuiteOptions) -> Void = { _ in }) throws
    -> SuiteReport
  {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast(3).joined(separator: "/")
    var options = SuiteOptions()
    options.workers = workers
    change(&options)
    return try Suite.load(path: "\(folder)/rules/\(name).rules-test.yaml", options: options).run()
  }

  /// All of a result but the time that it took.
  private func facts(_ report: SuiteReport) -> [[String]] {
    report.results.map { result in
      [
        "\(result.names)", "\(result.line)", "\(result.status)", "\(result.notes)",
        "\(String(describing: result.cell))",
      ]
    }
  }

  private func share(_ report: SuiteReport) -> String {
    String(describing: report.coverage?.report().share(scope: []))
  }

  @Test(
    "results, coverage and gates do not depend on the number of threads",
    arguments: ["yoga-studio"])
  func same(_ pack: String) throws {
    let alone = try report(pack, 1) { $0.collectsCoverage = true }
    for workers in [2, 5] {
      let together = try report(pack, workers) { $0.collectsCoverage = true }
      #expect(facts(together) == facts(alone))
      #expect(together.isWhole == alone.isWhole && together.unchecked == alone.unchecked)
      #expect(share(together) == share(alone))
    }
  }

  @Test("what is chosen and what is kept is the same")
  func chosen() throws {
    for workers in [1, 4] {
      let filtered = try report("fitcoach", workers) { $0.filter = "usage" }
      #expect(filtered.results.allSatisfy { $0.names.joined(separator: " › ").contains("usage") })
      #expect(!filtered.isWhole)
    }
    let recordings = try [1, 3].map { workers in
      try report("yoga-studio", workers) { $0.explains = true }.explanations.map { "\($0.names) \($0.title)" }
    }
    #expect(recordings[0] == recordings[1] && recordings[0].count > 1_000)
  }

  @Test("who interrupts ends all threads")
  func interrupted() {
    #expect(throws: SuiteFailure.self) {
      try report("fitcoach", 4) { $0.isInterrupted = { true } }
    }
  }
}
