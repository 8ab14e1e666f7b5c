internal import Rules

/// Comparisons that contradict each other or say nothing, by their text alone.
struct ConditionLint {
  private let syntax: RulesetSyntax

  init(_ syntax: RulesetSyntax) { self.syntax = syntax }

  func diagnostics() -> [Diagnostic] {
    var found: [Diagnostic] = []
    for root in roots { visit(root, &found) }
    return found
  }

  /// Every expression that stands alone.
  private var roots: [ExpressionNode] {
    var roots: [ExpressionNode] = []
    func take(_ functions: [FunctionSyntax]) {
      for function in functions { roots += function.lets.map(\.value) + [function.result] }
    }
    func visit(_ match: MatchSyntax) {
      take(match.functions)
      roots += match.allows.compactMap(\.condition)
      match.matches.forEach(visit)
    }
    take(syntax.functions)
    for service in syntax.services {
      take(service.functions)
      service.matches.forEach(visit)
    }
    return roots
  }

  private func visit(_ node: ExpressionNode, _ found: inout [Diagnostic]) {
    if case .binary(let operation, let place, let left, let right) = node.kind {
      if operation == .and || operation == .or {
        // A chain is looked at from its top, once.
        let parts = Self.chain(node, operation)
        report(parts, operation, &found)
        for part in parts { visit(part, &found) }
        return
      }
      if operation.isComparison, Self.isName(left), ExpressionKey.text(left) == ExpressionKey.text(right) {
        found.append(
          LintMessages.warning(
            .sameOperands, place, "both sides are the same: this compares a value with itself"))
      }
    }
    for child in node.children { visit(child, &found) }
  }

  /// `x == 'a' && x == 'b'` and `x != 'a' || x != 'b'`.
  private func report(_ parts: [ExpressionNode], _ chain: BinaryOperator, _ found: inout [Diagnostic]) {
    var seen: [String: (value: LiteralSyntax, span: Span)] = [:]
    for part in parts {
      guard case .binary(let operation, _, let left, let right) = part.unwrapped.kind,
        operation == (chain == .and ? .equal : .notEqual), Self.isName(left),
        case .literal(let value) = right.unwrapped.kind
      else { continue }
      let name = ExpressionKey.text(left)
      guard let first = seen[name] else {
        seen[name] = (value, part.span)
        continue
      }
      if first.value == value { continue }
      let note = Diagnostic.Note("and here with another value", at: first.span)
      found.append(
        chain == .and
          ? LintMessages.warning(
            .contradiction, part.span, "`\(name)` cannot equal two values: this is never true", notes: [note],
            fix: Diagnostic.Fix("write `||`, or `\(name) in [one, other]`"))
          : LintMessages.warning(
            .tautology, part.span, "`\(name)` always differs from one of the two: this is always true",
            notes: [note], fix: Diagnostic.Fix("write `&&`, or `!(\(name) in [one, other])`")))
    }
  }

  /// `a`, `b`, `c` of `a && b && c`, through parentheses.
  static func chain(_ node: ExpressionNode, _ operation: BinaryOperator) -> [ExpressionNode] {
    var parts: [ExpressionNode] = []
    var rest = [node]
    while let next = rest.popLast() {
      if case .binary(operation, _, let left, let right) = next.unwrapped.kind {
        rest.append(right)
        rest.append(left)
      } else {
        parts.append(next)
      }
    }
    return parts
  }

  /// A name, a member or an element: what has the same value each time it is written.
  private static func isName(_ node: ExpressionNode) -> Bool {
    switch node.kind {
    case .identifier: true
    case .member(let base, _, _): isName(base)
    case .index(let base, _): isName(base)
    default: false
    }
  }
}
