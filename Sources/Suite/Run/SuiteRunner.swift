/// Runs the cases of one suite, one after the other, on one stage.

internal import Access
internal import DocModel
internal import DocStore
internal import Fixtures
internal import Platform
internal import Rules
internal import YAML

struct SuiteRunner {
  let file: SuiteFile
  let options: SuiteOptions
  let stage: Stage
  /// What came of the cases so far.
  var part = SuitePart()
  private var texts: RuleTexts
  /// Of the case at hand.
  private var notes: [FailureLine] = []
  private var steps: [RecordedStep] = []
  private var cost = CaseCost(CaseLimits())
  private let frozen = FrozenDocuments()
  /// The cases of the report's results, in their order.
  private(set) var chosen: [TestCase] = []
  /// The letter that the cell at hand came to.
  private var symbol: Character?
  /// What has changed since all cases passed last; worked out for the first case that fails.
  private lazy var since = options.lastGreen.flatMap { SinceGreen.line($0, file) }

  /// - Parameter coverage: what collects coverage with other runners; nil for a collector of its own, where one is asked.
  init(
    _ file: SuiteFile, options: SuiteOptions, coverage: CoverageCollector? = nil
  ) throws(SuiteFailure) {
    self.file = file
    self.options = options
    texts = RuleTexts(file.rules)
    stage = try Stage(file, options: options, coverage: coverage)
  }

  func close() { stage.close() }

  mutating func run() throws(SuiteFailure) -> SuiteReport {
    let start = SystemClock.milliseconds
    let only = file.cases.filter { $0.isOnly }
    if let first = only.first, !options.acceptsOnly {
      let error = YAMLError("'only' hides the other cases and is not accepted here", at: first.mark)
      throw .invalid([SuiteFault(error, in: first.source)])
    }
    chosen = Self.chosen(file, options)
    try play(chosen, hides: !only.isEmpty)
    guard part.errors.isEmpty else { throw .invalid(part.errors.faults) }
    var report = SuiteReport(
      file: file.source.name, name: file.name, results: part.results, unchecked: file.unchecked,
      coverage: stage.coverage?.coverage(of: file.database, file.rules), explanations: part.explanations,
      isWhole: isWhole(part.results), gridChanges: part.gridChanges)
    check(&report)
    report.milliseconds = SystemClock.milliseconds - start
    return report
  }

  /// Plays cases one after the other.
  /// - Parameter hides: whether only those that say `only` are played.
  mutating func play(_ cases: ArraySlice<TestCase>, hides: Bool) throws(SuiteFailure) {
    for testCase in cases {
      if hides, !testCase.isOnly {
        notes = []
        cost = CaseCost(testCase.limits)
        part.results.append(result(testCase, .skipped(CaseResult.otherOnly), 0))
      } else {
        part.results.append(try run(testCase))
      }
    }
  }

  /// The gates that need no more than the cases.
  private func check(_ report: inout SuiteReport) {
    guard let requirement = file.requirement else { return }
    guard report.isWhole else {
      report.unchecked += requirement.namesOfCaseGates.map { "require: \($0) (not all cases were run)" }
      return
    }
    let coverage = report.coverage?.report()
    report.results += [
      coverage.flatMap { CoverageGate.result(requirement, $0, file: file.source.name) },
      ErrorGate.result(requirement, part.errorsSeen, file.rules, file: file.source.name),
    ].compactMap { $0 }
  }

  /// Whether every case was run that is not skipped by itself: gates look at whole files.
  private func isWhole(_ results: [CaseResult]) -> Bool {
    results.count == file.cases.count && !results.contains { $0.status == .skipped(CaseResult.otherOnly) }
  }

  /// The cases that the options ask for.
  static func chosen(_ file: SuiteFile, _ options: SuiteOptions) -> [TestCase] {
    file.cases.enumerated().filter { isChosen($0.element, $0.offset, file, options) }.map(\.element)
  }

  private static func isChosen(
    _ testCase: TestCase, _ index: Int, _ file: SuiteFile, _ options: SuiteOptions
  ) -> Bool {
    if let shard = options.shard, !shard.holds(index) { return false }
    if let tag = options.tag, !testCase.tags.contains(where: { $0.hasSameBytes(as: tag) }) { return false }
    let name = ([file.name] + testCase.names).joined(separator: " › ")
    if let names = options.names, !names.contains(name) { return false }
    return options.filter.map(name.contains) ?? true
  }

  private mutating func run(_ testCase: TestCase) throws(SuiteFailure) -> CaseResult {
    if options.isInterrupted?() == true { throw .interrupted }
    notes = []
    steps = []
    cost = CaseCost(testCase.limits)
    symbol = nil
    if case .skip(let reason) = testCase.exception { return result(testCase, .skipped(reason), 0) }
    var milliseconds = 0.0
    do throws(StageError) {
      let lines = try lines(of: testCase, &milliseconds)
      if case .todo(let reason) = testCase.exception {
        return result(testCase, lines.isEmpty ? .todoPasses(reason) : .todo(reason), milliseconds)
      }
      if options.recordsRequests, lines.isEmpty {
        part.recorded.append(RecordedCase(testCase, steps, rules: file.rules, frozen))
      }
      if lines.isEmpty { return result(testCase, .passed, milliseconds) }
      return result(testCase, .failed(lines + [since].compactMap { $0 }), milliseconds)
    } catch {
      switch error {
      case .suite(let error, let source): part.errors.add(error, in: source)
      case .store(let error): throw .store("\(file.source.name): the store failed: \(error.message)")
      }
      return result(testCase, .failed([]), milliseconds)
    }
  }

  private mutating func lines(
    of testCase: TestCase, _ milliseconds: inout Double
  ) throws(StageError) -> [FailureLine] {
    switch testCase.body {
    case .steps(let steps): try run(steps, of: testCase, &milliseconds)
    case .property(let runs): try run(runs, of: testCase, &milliseconds)
    }
  }

  /// Whether a case fails with other rules, whose texts are read as `texts` says.
  mutating func fails(
    _ testCase: TestCase, _ rules: Ruleset, _ texts: RuleTexts
  ) throws(SuiteFailure) -> Bool {
    stage.use(rules)
    self.texts = texts
    notes = []
    var untimed = testCase
    untimed.limits.milliseconds = nil
    var milliseconds = 0.0
    do throws(StageError) {
      return try !lines(of: untimed, &milliseconds).isEmpty
    } catch {
      switch error {
      // A write that other rules let pass may leave what the next step cannot be made of.
      case .suite: return true
      case .store(let error): throw .store("\(file.source.name): the store failed: \(error.message)")
      }
    }
  }

  /// Keeps what a request asked of the rules.
  private mutating func keep(_ outcome: Outcome, _ request: Request, _ testCase: TestCase, run: Int = 0) {
    note(outcome)
    cost.add(outcome, texts)
    if file.requirement?.refusesErrors == true {
      part.errorsSeen += ErrorGate.seen(outcome, in: testCase, texts)
    }
    if options.explains { explain(outcome, request, testCase) }
    if testCase.kind == .cell { symbol = GridChange.symbol(outcome, texts) }
    if testCase.kind == .cell, let change = GridChange(outcome, request, at: testCase.mark, texts) {
      part.gridChanges.append(change)
    }
    guard let before = outcome.before else { return }
    var limits = testCase.limits
    limits.milliseconds = nil
    steps.append(
      RecordedStep(
        request: request, limits: limits, run: run, before: before,
        judged: outcome.judgements.compactMap { judgement in
          judgement.request.map { RecordedJudgement($0, judgement.explanation.decision) }
        }, end: outcome.end, returned: outcome.returned))
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
      notes: notes, cell: cell(testCase), cost: cost.isEmpty ? nil : cost)
  }

  private func cell(_ testCase: TestCase) -> CaseResult.Cell? {
    guard let place = testCase.place, case .steps(let steps) = testCase.body, let request = steps.first,
      let expected = request.expectation.text.first
    else { return nil }
    return CaseResult.Cell(
      state: place.state, operation: place.operation, persona: request.persona.name, expected: expected,
      got: symbol)
  }

  private mutating func explain(_ outcome: Outcome, _ request: Request, _ testCase: TestCase) {
    part.explanations.append(
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
      keep(outcome, step, testCase)
      var lines = Verdict.lines(step, outcome, testCase.limits, rules: texts)
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
    for (index, run) in runs.enumerated() {
      var verdicts: [String] = []
      var ends: [Outcome.End] = []
      var costs: [FailureLine] = []
      for request in run.requests {
        try stage.prepare(joined(testCase.given, run.given))
        var runner = RequestRunner(stage)
        let outcome = try runner.run(request)
        milliseconds += outcome.milliseconds
        keep(outcome, request, testCase, run: index)
        ends.append(outcome.end)
        let text = OutcomeText(outcome, texts)
        verdicts.append("\(request.persona.name), \(request.title): \(text.summary)")
        costs += Verdict.lines(request, outcome, testCase.limits, rules: texts)
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
