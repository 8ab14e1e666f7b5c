/// What the cases of a suite asked of its rules, so that other rules can be asked the same without a store.

internal import Access
internal import DocModel
internal import Rules

/// One request of a case and how it was judged.
struct RecordedStep: Sendable {
  let request: Request
  let limits: CaseLimits
  /// Which run of a property it belongs to.
  let run: Int
  let before: Snapshot
  let judged: [RecordedJudgement]
  let end: Outcome.End
  let returned: [String]

  /// Whether the same verdict can be another outcome: the expectation says why.
  var tellsReasons: Bool {
    let expectation = request.expectation
    return expectation.rule != nil || expectation.because != nil || expectation.error != nil
      || expectation.missing != nil || expectation.lookups != nil
  }

  /// Whether other rules could be asked for more than was recorded, because the first refusal ends a request.
  var hasSeveralOperations: Bool {
    request.action.hasSeveralOperations || judged.count > 1
  }
}

/// One case, recorded.
struct RecordedCase: Sendable {
  let testCase: TestCase
  let steps: [RecordedStep]
  /// Numbers of the expressions that were evaluated for it.
  let touched: Set<Int>

  init(_ testCase: TestCase, _ steps: [RecordedStep], rules: Ruleset, _ documents: FrozenDocuments) {
    self.testCase = testCase
    self.steps = steps
    var touched: Set<Int> = []
    for step in steps {
      documents.begin(step.before)
      for judgement in step.judged {
        documents.proceed(to: judgement)
        let request = judgement.ruleRequest
        _ = rules.decide(request, documents: documents)
        rules.forEachTouchedExpression(request, documents: documents) { touched.insert($0) }
      }
    }
    self.touched = touched
  }
}
