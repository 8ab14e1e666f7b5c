/// What is known of a disagreement beside the two answers.

internal import DocModel
internal import Rules

/// How our engine is asked, and what it met.
///
/// Used by one worker, for one trial.
public final class Witness {
  /// Judges as official emulators before 1.22: `get` of a missing document fails.
  let failsAtMissingDocuments: Bool
  /// Judges each write of a commit by itself: none profits from what another one asked for.
  let isSideBySide: Bool
  /// What `request.time` is.
  let time: Timestamp
  /// Texts of floats as the official emulator prints them; nil for our own.
  private let floats: FloatTexts?
  /// Floats of which a text was wanted that `floats` does not know yet.
  private(set) var unknownFloats: [Double] = []
  /// Whether every expression is looked at.
  private let isThorough: Bool
  /// An error inside a list literal, before its last element, or inside a path literal. Only if thorough.
  private(set) var metBrokenLiteral = false
  /// `is set` was true. Only if thorough.
  private(set) var metSet = false

  /// A replacement that names no group of its pattern. Only if thorough.
  private(set) var metReplacement = false

  init(
    failsAtMissingDocuments: Bool = false, isSideBySide: Bool = false, isThorough: Bool = false,
    time: Timestamp = Clock.now,
    floats: FloatTexts? = nil
  ) {
    self.failsAtMissingDocuments = failsAtMissingDocuments
    self.isSideBySide = isSideBySide
    self.isThorough = isThorough
    self.time = time
    self.floats = floats
  }

  /// The text of a float; nil for our own.
  func text(of number: Double) -> String? {
    guard let floats, number.isFinite, number != 0 else { return nil }
    let text = floats.text(of: number)
    if text == nil, !unknownFloats.contains(number) { unknownFloats.append(number) }
    return text
  }

  /// Looks at what each expression of the conditions came to.
  func look(at ruleset: Ruleset, _ request: borrowing RuleRequest, _ documents: DocumentAccess) {
    guard isThorough else { return }
    for rule in ruleset.explainInDetail(request, documents: documents).rules {
      if let condition = rule.condition { look(at: condition) }
    }
  }

  private func look(at expression: ExplainedExpression) {
    let broken = expression.operands.map(Self.isBroken)
    if expression.kind == "list", broken.dropLast().contains(true) { metBrokenLiteral = true }
    if expression.kind == "path", broken.contains(true) { metBrokenLiteral = true }
    if expression.kind == "is", expression.text.hasSuffix("set"),
      case .value(.boolean(true)) = expression.outcome
    {
      metSet = true
    }
    if case .value(.error(let fault)) = expression.outcome, fault.message.hasPrefix("The replacement names ")
    {
      metReplacement = true
    }
    for operand in expression.operands { look(at: operand) }
    guard let call = expression.call else { return }
    for binding in call.lets { look(at: binding.value) }
    look(at: call.result)
  }

  private static func isBroken(_ expression: ExplainedExpression) -> Bool {
    if case .value(.error) = expression.outcome { true } else { false }
  }
}
