/// A refusal as a suite would expect it, for those that write suites from what they see.

internal import DocModel
package import Rules

/// The parts of a case's `expect` that a refusal fills.
package struct RefusalFacts {
  /// The value of `deny`: `condition`, `unmatched`, `error`, `unprovable` or `limit`.
  package let kind: String
  /// `at`: the rule that refused, where only one was asked, or had no value.
  package let rule: String?
  /// `because`: the expression that decided.
  package let because: String?
  package let error: String?
  package let missing: String?

  /// LIMIT: characters of an expression that is quoted; longer ones change with every edit of the rules.
  private static let quotedMax = 100

  package init(_ explanation: Explanation, in rules: Ruleset) {
    let denial = Denial(explanation, RuleTexts(rules))
    kind = denial.kind.rawValue
    let only = explanation.allows.count == 1 ? explanation.allows.first : nil
    switch denial.kind {
    case .condition:
      rule = only?.id
      because = explanation.allows.lazy.compactMap(Self.deciding).first
      error = nil
      missing = nil
    case .error:
      let erring = explanation.allows.first { denial.kind($0) == .error }
      rule = erring?.id
      error = erring.flatMap(denial.errorKind)?.rawValue
      because = nil
      missing = nil
    case .unprovable:
      rule = nil
      because = nil
      error = nil
      missing = explanation.missingFilters.first.map { $0.text ?? $0.field }
    case .unmatched, .limit:
      (rule, because, error, missing) = (nil, nil, nil, nil)
    }
  }

  private static func deciding(_ trace: AllowTrace) -> String? {
    let simple = trace.deciding.first { !ConditionText.isCompound($0.text) }
    let text = simple?.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return text.flatMap { $0.count <= quotedMax ? $0 : nil }
  }
}
