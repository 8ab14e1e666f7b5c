/// Running a suite and then its rules' mutants.

internal import Platform
internal import Rules
internal import YAML

/// Which mutants are made.
public struct MutationScope: Sendable {
  /// The text of the rules at which all mutants were noticed last: only lines that changed since are mutated.
  public var unchangedSince: [UInt8]?
  /// Threads that judge.
  public var workers: Int

  public init(workers: Int, unchangedSince: [UInt8]? = nil) {
    self.workers = workers
    self.unchangedSince = unchangedSince
  }
}

extension Suite {
  /// Runs the cases and, when all pass, every mutant of the rules against them.
  public func run(mutating scope: MutationScope) async throws(SuiteFailure) -> SuiteReport {
    var options = options
    options.recordsRequests = true
    var runner = try SuiteRunner(file, options: options)
    defer { runner.close() }
    var report = try runner.run()
    guard report.failedCount == 0 || report.results.allSatisfy({ !$0.hasFailed || $0.kind == .gate }) else {
      report.unchecked.append("mutants: cases fail that must pass first")
      return report
    }
    let start = SystemClock.milliseconds
    let mutants = chosen(scope)
    let run = MutationRun(file, runner.recorded, mutants)
    let fates = try await run.run(workers: scope.workers)
    var mutation = MutationReport()
    for (mutant, fate) in zip(mutants, fates) {
      switch fate {
      case .killed: mutation.killed += 1
      case .invalid: mutation.invalidCount += 1
      case .survived: mutation.survivors.append(change(mutant, run))
      case .equivalent: mutation.equivalents.append(change(mutant, run))
      }
    }
    mutation.milliseconds = SystemClock.milliseconds - start
    report.mutation = mutation
    check(&report, mutation, isWhole: scope.unchangedSince == nil)
    return report
  }

  private func change(_ mutant: Mutant, _ run: MutationRun) -> MutationReport.Change {
    MutationReport.Change(mutant, in: file.rules.source, isReached: run.isReached(mutant))
  }

  private func chosen(_ scope: MutationScope) -> [Mutant] {
    let rules = file.rules
    let blocks = RuleScope(file.requirement?.scope ?? [], rules)
    var mutants = MutantMaker.mutants(of: rules).filter { blocks.holds($0.owner) }
    if let before = scope.unchangedSince {
      let changed = Set(ChangedLines.numbers(from: before, to: rules.source.bytes))
      mutants = mutants.filter { mutant in
        let first = rules.source.lineNumber(of: mutant.edit.span.start)
        let last = rules.source.lineNumber(of: max(mutant.edit.span.start, mutant.edit.span.end - 1))
        return (first...last).contains(where: changed.contains)
      }
    }
    return mutants
  }

  private func check(_ report: inout SuiteReport, _ mutation: MutationReport, isWhole: Bool) {
    report.unchecked.removeAll { $0 == SuiteReader.mutationUnchecked }
    guard let requirement = file.requirement, requirement.mutation != nil else { return }
    guard isWhole, report.isWhole else {
      let why = isWhole ? "not all cases were run" : "only changed lines were mutated"
      report.unchecked.append("require: mutation (\(why))")
      return
    }
    if let result = MutationGate.result(requirement, mutation, file: file.source.name) {
      report.results.append(result)
    }
  }
}
