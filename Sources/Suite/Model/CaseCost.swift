/// How near a case comes to what the service allows one operation.

internal import Access
internal import Rules

/// The dearest operations of a case; those that went beyond a limit are denied and say so themselves.
struct CaseCost: Sendable, Hashable {
  /// Of `RulesetLimits.expressionsMax`.
  private(set) var expressions = 0
  private(set) var lookups = 0
  /// What the operation with those lookups may have.
  private(set) var lookupsMax = RulesetLimits.lookupsMax(.get)
  /// A case with limits of its own knows what it takes.
  private(set) var hasOwnExpressions = false
  private(set) var hasOwnLookups = false

  init(_ limits: CaseLimits) {
    hasOwnExpressions = limits.expressions != nil
    hasOwnLookups = limits.lookups != nil
  }

  /// Whether no operation was judged.
  var isEmpty: Bool { expressions == 0 && lookups == 0 }

  mutating func add(_ outcome: Outcome, _ texts: RuleTexts) {
    for judgement in outcome.judgements where Denial(judgement.explanation, texts).kind != .limit {
      let decision = judgement.explanation.decision
      expressions = max(expressions, decision.expressions)
      let most = RulesetLimits.lookupsMax(judgement.method)
      guard decision.accesses * lookupsMax > lookups * most else { continue }
      (lookups, lookupsMax) = (decision.accesses, most)
    }
  }
}

extension SuiteReport {
  /// From this share of a limit on, in percent, every report warns: one more condition may be too many.
  private static let nearLimit = 80

  private struct Dearest {
    let text: String
    let percent: Int
    let isKnown: Bool
  }

  /// What the dearest operations took, with the cases that they are of.
  var dearestOperations: [String] { dearest.map(\.text) }
  /// Those of them that come near a limit.
  var operationsNearLimits: [String] {
    dearest.filter { $0.percent >= Self.nearLimit && !$0.isKnown }.map(\.text)
  }

  private var dearest: [Dearest] {
    let judged = results.compactMap { result in result.cost.map { (cost: $0, result: result) } }
    let spent = judged.max { $0.cost.expressions < $1.cost.expressions }
    let read = judged.max { $0.cost.lookups * $1.cost.lookupsMax < $1.cost.lookups * $0.cost.lookupsMax }
    return [
      spent.flatMap { (cost, result) in
        dearest(
          cost.expressions, of: RulesetLimits.expressionsMax, "expressions", result,
          isKnown: cost.hasOwnExpressions)
      },
      read.flatMap { (cost, result) in
        dearest(cost.lookups, of: cost.lookupsMax, "lookups", result, isKnown: cost.hasOwnLookups)
      },
    ].compactMap { $0 }
  }

  private func dearest(
    _ count: Int, of most: Int, _ what: String, _ result: CaseResult, isKnown: Bool
  ) -> Dearest? {
    guard count > 0 else { return nil }
    let title = result.names.joined(separator: " › ")
    return Dearest(
      text: "\(count) of \(most) \(what): \(title)  \(result.file):\(result.line)",
      percent: count * 100 / most, isKnown: isKnown)
  }
}
