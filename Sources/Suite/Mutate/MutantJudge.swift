/// Whether a case notices a mutant: what was recorded is judged again, in memory. Only where a verdict changes
/// that more judgements would have followed is the case run on a store.
///
/// INVARIANT: answers what running the case with the mutant's rules would; MutationTests hold it to that.

internal import Access
internal import Rules

struct MutantJudge {
  private let file: SuiteFile
  private let documents = FrozenDocuments()
  private var runner: SuiteRunner?

  init(_ file: SuiteFile) { self.file = file }

  func close() { runner?.close() }

  /// Whether a case fails with other rules.
  mutating func fails(_ recorded: RecordedCase, _ rules: Ruleset, _ texts: RuleTexts) throws(SuiteFailure)
    -> Bool
  {
    var ends: [Outcome.End] = []
    var run = 0
    for step in recorded.steps {
      if step.run != run {
        if Self.differ(ends) { return true }
        ends = []
        run = step.run
      }
      switch outcome(of: step, rules, texts) {
      case .asBefore: ends.append(step.end)
      case .fails: return true
      case .turned(let end): ends.append(end)
      case .unknown: return try runs(recorded.testCase, rules, texts)
      }
    }
    if case .property = recorded.testCase.body { return Self.differ(ends) }
    return false
  }

  private static func differ(_ ends: [Outcome.End]) -> Bool { ends.contains { $0 != ends[0] } }

  private enum Change {
    case asBefore
    case fails
    /// The verdict of a request without expectation.
    case turned(Outcome.End)
    case unknown
  }

  private func outcome(of step: RecordedStep, _ rules: Ruleset, _ texts: RuleTexts) -> Change {
    var wantsReasons = step.tellsReasons
    documents.begin(step.before)
    for judgement in step.judged {
      documents.proceed(to: judgement)
      let decision = rules.decide(judgement.ruleRequest, documents: documents)
      if decision.isAllowed != judgement.decision.isAllowed {
        if step.hasSeveralOperations { return .unknown }
        return turned(step, decision)
      }
      if decision.reason != judgement.decision.reason || decision.accesses != judgement.decision.accesses {
        wantsReasons = true
      }
      if let most = step.limits.expressions, decision.expressions > most { wantsReasons = true }
    }
    guard wantsReasons, !step.judged.isEmpty else { return .asBefore }
    let lines = Verdict.lines(step.request, explained(step, rules), step.limits, rules: texts)
    return lines.isEmpty ? .asBefore : .fails
  }

  /// A single judgement that became the opposite.
  private func turned(_ step: RecordedStep, _ decision: Decision) -> Change {
    switch step.request.expectation.verdict {
    case .allow, .deny: return .fails
    case .anything:
      // What the store would have said, and what later steps find, only the store knows.
      let writes: Bool = if case .commit = step.request.action { true } else { false }
      return writes ? .unknown : .turned(decision.isAllowed ? .allowed : .denied)
    }
  }

  private func explained(_ step: RecordedStep, _ rules: Ruleset) -> Outcome {
    documents.begin(step.before)
    let judgements = step.judged.map { judgement in
      documents.proceed(to: judgement)
      return Judgement(
        method: judgement.request.method, path: judgement.request.path,
        explanation: rules.explain(judgement.ruleRequest, documents: documents))
    }
    return Outcome(end: step.end, judgements: judgements, returned: step.returned, milliseconds: 0)
  }

  private mutating func runs(
    _ testCase: TestCase, _ rules: Ruleset, _ texts: RuleTexts
  ) throws(SuiteFailure) -> Bool {
    if runner == nil { runner = try SuiteRunner(file, options: SuiteOptions()) }
    return try runner?.fails(testCase, rules, texts) ?? false
  }
}
