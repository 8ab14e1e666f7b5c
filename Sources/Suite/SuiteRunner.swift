/// Runs the cases of one suite, one after the other, on one stage.

internal import Access
internal import DocModel
internal import DocStore
internal import Fixtures
internal import Rules
internal import YAML

struct SuiteRunner {
  private let file: SuiteFile
  private let options: SuiteOptions
  private let stage: Stage
  private var errors = SuiteErrors()
  /// Of the case at hand.
  private var notes: [FailureLine] = []
  private var explanations: [ExplainedRequest] = []

  init(_ file: SuiteFile, options: SuiteOptions) throws(SuiteFailure) {
    self.file = file
    self.options = options
    stage = try Stage(file, options: options)
  }

  mutating func run() throws(SuiteFailure) -> SuiteReport {
    defer { stage.close() }
    let only = file.cases.filter { $0.isOnly }
    if let first = only.first, !options.acceptsOnly {
      let error = YAMLError("'only' hides the other cases and is not accepted here", at: first.mark)
      throw .invalid([first.source.diagnostic(for: error).description])
    }
    var results: [CaseResult] = []
    for testCase in file.cases where isChosen(testCase) {
      if !only.isEmpty, !testCase.isOnly {
        notes = []
        results.append(result(testCase, .skipped(CaseResult.otherOnly), 0))
      } else {
        results.append(try run(testCase))
      }
    }
    guard errors.isEmpty else { throw .invalid(errors.texts) }
    let coverage = stage.coverage?.coverage(of: file.database, file.rules)
    var unchecked = file.unchecked
    if let requirement = file.requirement, let coverage {
      if isWhole(results) {
        results += [CoverageGate.result(requirement, coverage.report(), file: file.source.name)].compactMap {
          $0
        }
      } else if requirement.coverage != nil {
        unchecked.append("require: coverage (not all cases were run)")
      }
    }
    return SuiteReport(
      file: file.source.name, name: file.name, results: results, unchecked: unchecked, coverage: coverage,
      explanations: explanations)
  }

  /// Whether every case was run that is not skipped by itself: gates look at whole files.
  private func isWhole(_ results: [CaseResult]) -> Bool {
    results.count == file.cases.count && !results.contains { $0.status == .skipped(CaseResult.otherOnly) }
  }

  private func isChosen(_ testCase: TestCase) -> Bool {
    if let tag = options.tag, !testCase.tags.contains(where: { $0.hasSameBytes(as: tag) }) { return false }
    guard let filter = options.filter else { return true }
    return ([file.name] + testCase.names).joined(separator: " › ").contains(filter)
  }

  private mutating func run(_ testCase: TestCase) throws(SuiteFailure) -> CaseResult {
    notes = []
    if case .skip(let reason) = testCase.exception { return result(testCase, .skipped(reason), 0) }
    var milliseconds = 0.0
    do throws(StageError) {
      let lines: [FailureLine]
      switch testCase.body {
      case .steps(let steps): lines = try run(steps, of: testCase, &milliseconds)
      case .property(let runs): lines = try run(runs, of: testCase, &milliseconds)
      }
      if case .todo(let reason) = testCase.exception {
        return result(testCase, lines.isEmpty ? .todoPasses(reason) : .todo(reason), milliseconds)
      }
      return result(testCase, lines.isEmpty ? .passed : .failed(lines), milliseconds)
    } catch {
      switch error {
      case .suite(let error, let source): errors.add(error, in: source)
      case .store(let error): throw .store("\(file.source.name): the store failed: \(error.message)")
      }
      return result(testCase, .failed([]), milliseconds)
    }
  }

  /// Keeps what proofs of queries have to say, each thing once.
  private mutating func note(_ outcome: Outcome) {
    for judgement in outcome.judgements {
      guard let proof = judgement.explanation.proof, let label = proof.label, let body = proof.body else {
        continue
      }
      let line = FailureLine(label: label, text: body)
      if !notes.contains(line) { notes.append(line) }
    }
  }

  private func result(
    _ testCase: TestCase, _ status: CaseResult.Status, _ milliseconds: Double
  ) -> CaseResult {
    CaseResult(
      kind: testCase.kind == .cell ? .cell : .single, names: testCase.names, file: testCase.source.name,
      line: Int(testCase.mark.line), tags: testCase.tags, status: status, milliseconds: milliseconds,
      notes: notes)
  }

  private mutating func explain(_ outcome: Outcome, _ request: Request, _ testCase: TestCase) {
    guard options.explains else { return }
    explanations.append(
      ExplainedRequest(
        names: testCase.names, title: "\(request.persona.name): \(request.title)",
        decisions: outcome.judgements.compactMap(\.detailed)))
  }

  // MARK: sequences

  private mutating func run(
    _ steps: [Request], of testCase: TestCase, _ milliseconds: inout Double
  ) throws(StageError) -> [FailureLine] {
    try stage.prepare(testCase.given)
    var runner = RequestRunner(stage)
    for (index, step) in steps.enumerated() {
      let outcome = try runner.run(step)
      milliseconds += outcome.milliseconds
      note(outcome)
      explain(outcome, step, testCase)
      var lines = Verdict.lines(step, outcome, testCase.limits, rules: file.rules.source)
      if lines.isEmpty, outcome.end == .allowed, let after = step.after {
        lines = try AfterCheck(stage: stage, request: step).lines(after)
      }
      guard lines.isEmpty else {
        guard steps.count > 1 else { return lines }
        let text =
          "\(index + 1) of \(steps.count), line \(step.mark.line): \(step.persona.name), \(step.title)"
        return [FailureLine(label: "step", text: text)] + lines
      }
    }
    return []
  }

  // MARK: properties

  private mutating func run(
    _ runs: [TestCase.Run], of testCase: TestCase, _ milliseconds: inout Double
  ) throws(StageError) -> [FailureLine] {
    for run in runs {
      var verdicts: [String] = []
      var ends: [Outcome.End] = []
      var costs: [FailureLine] = []
      for request in run.requests {
        try stage.prepare(joined(testCase.given, run.given))
        var runner = RequestRunner(stage)
        let outcome = try runner.run(request)
        milliseconds += outcome.milliseconds
        note(outcome)
        explain(outcome, request, testCase)
        ends.append(outcome.end)
        let text = OutcomeText(outcome, file.rules.source)
        verdicts.append("\(request.persona.name), \(request.title): \(text.summary)")
        costs += Verdict.lines(request, outcome, testCase.limits, rules: file.rules.source)
      }
      let isSame = ends.allSatisfy { $0 == ends[0] }
      guard isSame, costs.isEmpty else {
        let reasons = isSame ? costs : verdicts.map { FailureLine(label: "got", text: $0) }
        return [
          FailureLine(label: "with", text: run.title),
          FailureLine(label: "expected", text: isSame ? "no more cost" : "the same verdict for all"),
        ] + reasons
      }
    }
    return []
  }

  private func joined(_ first: Overlay?, _ second: Overlay?) -> Overlay? {
    guard let first, let second else { return first ?? second }
    return first + second
  }
}

extension TestCase {
  fileprivate var isOnly: Bool {
    if case .only = exception { return true }
    return false
  }
}
