/// Why something was denied: kinds, rules, expressions, errors, filters.

internal import Access
internal import DocModel
internal import Rules

/// A refusal, taken apart.
struct Denial {
  let explanation: Explanation
  private let rules: RuleTexts

  init(_ explanation: Explanation, _ rules: RuleTexts) {
    self.explanation = explanation
    self.rules = rules
  }

  var kind: DenialKind {
    switch explanation.decision.reason {
    case .granted, .condition: .condition
    case .unmatched: .unmatched
    case .unprovable: .unprovable
    case .budget: .limit
    case .fault: explanation.allows.contains { kind($0) == .limit } ? .limit : .error
    }
  }

  /// How one `allow` ended.
  func kind(_ trace: AllowTrace) -> DenialKind {
    if explanation.decision.reason == .unprovable { return .unprovable }
    switch trace.outcome {
    case .granted, .refused: return .condition
    case .fault(let fault):
      switch fault.code {
      case .budget, .accessLimit: return .limit
      default: return .error
      }
    }
  }

  func traces(_ rule: String) -> [AllowTrace] {
    explanation.allows.filter { rules.id(of: $0).hasSameBytes(as: rule) }
  }

  func errorKind(_ trace: AllowTrace) -> ErrorKind? {
    guard case .fault(let fault) = trace.outcome else { return nil }
    return ErrorKind(fault, in: rules.source)
  }

  /// Whether the text stands in an expression that decided, however both are laid out: formatting rules
  /// must not change what tests of them say. Conjunctions, disjunctions and choices do not count: they
  /// hold much that did not decide.
  func decided(_ trace: AllowTrace, by text: String) -> Bool {
    let wanted = String(decoding: Self.withoutBlanks(text), as: UTF8.self)
    return (trace.deciding + trace.beside + trace.falseLeaves).contains { expression in
      let text = rules.text(of: expression)
      return !ConditionText.isCompound(text)
        && String(decoding: Self.withoutBlanks(text), as: UTF8.self).contains(wanted)
    }
  }

  func lacks(_ filter: String) -> Bool {
    let wanted = Self.withoutBlanks(filter)
    return explanation.missingFilters.contains { missing in
      missing.text.map(Self.withoutBlanks) == wanted || missing.field.utf8.elementsEqual(filter.utf8)
    }
  }

  /// Without blanks and line breaks, and with one kind of quotes.
  private static func withoutBlanks(_ text: String) -> [UInt8] {
    text.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.map {
      $0 == UInt8(ascii: "'") ? UInt8(ascii: "\"") : $0
    }
  }
}
