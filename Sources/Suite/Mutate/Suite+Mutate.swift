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
    let all = required
    let mutants = chosen(all, scope)
    let run = MutationRun(file, runner.part.recorded, mutants)
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
    mutation.leftOutCount = all.count - mutants.count
    mutation.milliseconds = SystemClock.milliseconds - start
    report.mutation = mutation
    check(&report, mutation)
    return report
  }

  private func change(_ mutant: Mutant, _ run: MutationRun) -> MutationReport.Change {
    MutationReport.Change(mutant, in: file.rules.source, isReached: run.isReached(mutant))
  }

  /// The mutants of all blocks that `require` looks at.
  private var required: [Mutant] {
    let blocks = RuleScope(file.requirement?.scope ?? [], file.rules)
    return MutantMaker.mutants(of: file.rules).filter { blocks.holds($0.owner) }
  }

  private func chosen(_ mutants: [Mutant], _ scope: MutationScope) -> [Mutant] {
    guard let before = scope.unchangedSince else { return mutants }
    let source = file.rules.source
    let changed = Set(ChangedLines.numbers(from: before, to: source.bytes))
    return mutants.filter { mutant in
      let first = source.lineNumber(of: mutant.edit.span.start)
      let last = source.lineNumber(of: max(mutant.edit.span.start, mutant.edit.span.end - 1))
      return (first...last).contains(where: changed.contains)
    }
  }

  /// Mutants of lines that did not change are taken for noticed, as they were at the run that the changes are counted from:
  /// when even so too few are noticed, the gate is missed; else only a whole run can tell.
  private func check(_ report: inout SuiteReport, _ mutation: MutationReport) {
    report.unchecked.removeAll { $0 == SuiteReader.mutationUnchecked }
    guard let requirement = file.requirement, let gate = requirement.mutation else { return }
    guard report.isWhole else {
      report.unchecked.append("require: mutation (not all cases were run)")
      return
    }
    var assumed = mutation
    assumed.killed += mutation.leftOutCount
    if mutation.leftOutCount > 0, assumed.percent >= gate.least {
      report.unchecked.append("require: mutation (only changed lines were mutated)")
    } else if let result = MutationGate.result(requirement, assumed, file: file.source.name) {
      report.results.append(result)
    }
  }
}
