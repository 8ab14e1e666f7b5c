/// What the service cannot decide in a rule, and what to write instead.

internal import DocModel
internal import Rules

struct ProofRewriting {
  private let ruleset: Ruleset
  private let e: Evaluation

  init(_ ruleset: Ruleset, _ e: Evaluation) {
    self.ruleset = ruleset
    self.e = e
  }

  /// - Parameter open: makes the refused disjunct the thing to be judged.
  func find(_ open: () -> Void) -> ListRewriting? {
    open()
    e.isTracing = true
    defer { e.isTracing = false }
    var tracer = Tracer(ruleset, e)
    tracer.traceMatches(disjunct: 0)
    for allow in tracer.allows {
      // A negated comparison is the whole negation's affair.
      let chain = allow.deciding.reversed()
      guard let last = chain.first else { continue }
      let negation = chain.dropFirst().first { $0.span.start < last.span.start && $0.text.hasPrefix("!") }
      let decided = negation ?? last
      return ListRewriting(
        span: decided.span, text: oneLine(decided.text),
        line: ruleset.source.lineNumber(of: decided.span.start), replacement: replacement(decided.span))
    }
    return nil
  }

  private func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// `!(a == b)` is `a != b` wherever both have a value, and a fault in both otherwise.
  private func replacement(_ span: Span) -> String? {
    guard let node = node(at: span), case .unary(.not, let inner) = node.kind,
      case .binary(let symbol, _, let left, let right) = inner.unwrapped.kind,
      let opposite = Self.opposite(symbol)
    else { return nil }
    let text = { (node: ExpressionNode) in oneLine(ruleset.source.text(of: node.span)) }
    return "\(text(left)) \(opposite) \(text(right))"
  }

  private static func opposite(_ symbol: BinaryOperator) -> String? {
    switch symbol {
    case .equal: "!="
    case .notEqual: "=="
    case .less: ">="
    case .lessOrEqual: ">"
    case .greater: "<="
    case .greaterOrEqual: "<"
    case .or, .and, .isIn, .add, .subtract, .multiply, .divide, .remainder: nil
    }
  }

  private func node(at span: Span) -> ExpressionNode? {
    let functions = ruleset.resolution.functions.flatMap { $0.lets.map(\.value) + [$0.result] }
    let conditions = ruleset.resolution.matches.flatMap { $0.allows.compactMap(\.condition) }
    for root in functions + conditions where root.span.start <= span.start && span.end <= root.span.end {
      if let found = node(at: span, in: root) { return found }
    }
    return nil
  }

  private func node(at span: Span, in root: ExpressionNode) -> ExpressionNode? {
    if root.span == span, case .unary = root.kind { return root }
    for child in root.children where child.span.start <= span.start && span.end <= child.span.end {
      if let found = node(at: span, in: child) { return found }
    }
    return nil
  }
}
