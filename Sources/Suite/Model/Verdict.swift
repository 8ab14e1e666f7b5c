/// What was expected against what came.

internal import Access
internal import DocModel
internal import Fixtures
internal import Rules
internal import YAML

/// A line of a failure's report.
public struct FailureLine: Sendable, Hashable {
  /// `expected`, `got`, `because` and so on.
  public let label: String
  public let text: String
}

struct Verdict {
  let request: Request
  let outcome: Outcome
  let limits: CaseLimits
  let rules: RuleTexts
  private var lines: [FailureLine] = []

  private init(_ request: Request, _ outcome: Outcome, _ limits: CaseLimits, _ rules: RuleTexts) {
    self.request = request
    self.outcome = outcome
    self.limits = limits
    self.rules = rules
  }

  /// What is wrong; empty when everything is as expected.
  static func lines(
    _ request: Request, _ outcome: Outcome, _ limits: CaseLimits, rules: RuleTexts
  ) -> [FailureLine] {
    var verdict = Verdict(request, outcome, limits, rules)
    verdict.judge()
    return verdict.lines
  }

  private mutating func judge() {
    if case .failed(let message) = outcome.end {
      // Neither allowed nor denied: no expectation is met, not even `~`.
      note("expected", request.expectation.text)
      note("got", "neither: \(message)")
      return
    }
    switch request.expectation.verdict {
    case .anything: break
    case .allow: judgeAllowed()
    case .deny(let kinds): judgeDenied(kinds)
    }
    judgeCost()
  }

  private mutating func note(_ label: String, _ text: String) {
    lines.append(FailureLine(label: label, text: text))
  }

  private mutating func noteVerdict() {
    note("expected", request.expectation.text)
    let namesWrite = request.expectation.write != nil
    note("got", OutcomeText(outcome, rules, namesWrite: namesWrite).summary)
    for line in OutcomeText(outcome, rules).reasons { note("because", line) }
  }

  // MARK: allowed

  private mutating func judgeAllowed() {
    guard outcome.end == .allowed else { return noteVerdict() }
    if let rule = request.expectation.rule {
      let granting = outcome.judgements.compactMap { $0.explanation.granting.map(rules.id) }
      if !granting.contains(where: { $0.hasSameBytes(as: rule) }) { noteVerdict() }
    }
    switch request.expectation.returned {
    case .none: break
    case .paths(let paths):
      if paths != outcome.returned {
        note("expected", "documents [\(paths.joined(separator: ", "))]")
        note("got", "documents [\(outcome.returned.joined(separator: ", "))]")
      }
    case .count(let count):
      if count != outcome.returned.count {
        note("expected", "\(count) documents")
        note("got", "\(outcome.returned.count) documents")
      }
    }
  }

  // MARK: denied

  private mutating func judgeDenied(_ kinds: [DenialKind]) {
    guard outcome.end == .denied else { return noteVerdict() }
    guard let last = outcome.judgements.indices.last else {
      // Denied without a judgement: there are no rules, which the reader does not let through.
      return noteVerdict()
    }
    let denial = Denial(outcome.judgements[last].explanation, rules)
    let expectation = request.expectation
    if let write = expectation.write, outcome.writeIndex(of: last) != write { return noteVerdict() }
    let traces = expectation.rule.map(denial.traces) ?? denial.explanation.allows
    if expectation.rule != nil, traces.isEmpty { return noteVerdict() }
    if !kinds.isEmpty {
      let found = expectation.rule == nil ? [denial.kind] : traces.map(denial.kind)
      if !found.contains(where: kinds.contains) { return noteVerdict() }
    }
    if let because = expectation.because, !traces.contains(where: { denial.decided($0, by: because) }) {
      return noteVerdict()
    }
    if let error = expectation.error, !traces.contains(where: { denial.errorKind($0) == error }) {
      return noteVerdict()
    }
    if let missing = expectation.missing, !denial.lacks(missing) { noteVerdict() }
  }

  // MARK: cost

  private mutating func judgeCost() {
    let paths = outcome.lookups
    let list = paths.isEmpty ? "none" : paths.joined(separator: ", ")
    if let lookups = request.expectation.lookups, lookups != paths.count {
      note("expected", "\(lookups) lookups")
      note("got", "\(paths.count) lookups: \(list)")
    }
    if let most = limits.lookups, paths.count > most {
      note("limit", "\(paths.count) lookups, at most \(most): \(list)")
    }
    if let most = limits.expressions, outcome.expressions > most {
      note("limit", "\(outcome.expressions) expressions, at most \(most)")
    }
    if let most = limits.milliseconds, outcome.milliseconds > most {
      note("limit", "\(Decimals.text(outcome.milliseconds)) ms, at most \(Decimals.text(most)) ms")
    }
  }
}
