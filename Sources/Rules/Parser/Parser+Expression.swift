/// Operators, by precedence climbing.
///
/// Tightest first: `* / %`, `+ -`, `< <= > >=`, `== !=`, `is`, `in`, `&&`, `||`, `?:`.
/// All are left-associative but `?:`.
/// Source: observed through the official compiler's type warnings: `1 in [1] == true` and
/// `1 in [1] is bool` complain about the right side of `in`, `true == 1 is int` about `==`.
extension Parser {
  /// A whole expression as a statement has it.
  mutating func parseFullExpression() -> ExpressionNode {
    complexityReported = false
    diagnosticsBefore = diagnostics.count
    return parseExpression()
  }

  /// An expression inside another. Deeper than any tree may be, it only skips.
  mutating func parseExpression() -> ExpressionNode {
    guard expressionNesting <= Parser.branchNodesMax else { return skipTooDeep() }
    expressionNesting += 1
    defer { expressionNesting -= 1 }
    let condition = parseBinary(minimum: 1)
    guard at(.question), !isPanicking else { return condition }
    return parseTernary(condition)
  }

  private mutating func skipTooDeep() -> ExpressionNode {
    let start = current.span
    reportComplexity(start)
    var depth = 0
    while !at(.endOfFile), !at(.semicolon) {
      let kind = current.kind
      if kind == .leftParen || kind == .leftBracket || kind == .leftBrace { depth += 1 }
      if kind == .rightParen || kind == .rightBracket || kind == .rightBrace { depth -= 1 }
      if depth < 0 || (depth == 0 && (kind == .comma || kind == .colon || kind.beginsStatement)) { break }
      take()
    }
    return missing(span(from: start))
  }

  private mutating func parseTernary(_ condition: ExpressionNode) -> ExpressionNode {
    let question = take()
    if isAdjacent(), at(.dot) || at(.question) {
      report(
        SyntaxMessages.foreignOperator(
          "?" + text(current), at: span(from: question.span).joined(with: current.span)))
      return condition
    }
    let then = parseExpression()
    if isPanicking { return condition }
    guard expect(.colon, ":", "between the two values of `? :`") else { return condition }
    let otherwise = parseExpression()
    let depth = 1 + max(condition.depth, then.depth, otherwise.depth)
    return node(
      .ternary(condition: condition, then: then, otherwise: otherwise),
      condition.span.joined(with: otherwise.span),
      depth: depth)
  }

  private mutating func parseBinary(minimum: Int) -> ExpressionNode {
    var left = parseUnary()
    while !isPanicking {
      if at(.is) {
        guard minimum <= Precedence.typeTest else { break }
        left = parseTypeTest(left)
        continue
      }
      guard let (found, precedence) = Precedence.of(current.kind), precedence >= minimum else {
        reportForeignOperator()
        break
      }
      let token = take()
      remarkOnStrictEquality(token)
      let right = parseBinary(minimum: precedence + 1)
      left = node(
        .binary(found, operatorSpan: token.span, left, right), left.span.joined(with: right.span),
        depth: 1 + max(left.depth, right.depth))
    }
    return left
  }

  private mutating func remarkOnStrictEquality(_ token: Token) {
    guard token.kind == .strictEqual || token.kind == .strictNotEqual else { return }
    let replacement = token.kind == .strictEqual ? "==" : "!="
    remark(SyntaxMessages.strictEquality(text(token), replacement: replacement, at: token.span))
  }

  /// Operators of other languages in operator position.
  private mutating func reportForeignOperator() {
    switch current.kind {
    case .plusPlus, .minusMinus: report(SyntaxMessages.increment(text(current), at: current.span))
    case .assign: report(SyntaxMessages.assignment(current.span))
    case .arrow: report(SyntaxMessages.foreignOperator(text(current), at: current.span))
    case .not where kind(ahead: 1) == .in:
      report(SyntaxMessages.notIn(current.span.joined(with: tokens[index + 1].span)))
    case .identifier where ["and", "or"].contains(text(current).lowercased()),
      .reserved where text(current) == "not":
      report(SyntaxMessages.wordOperator(text(current), at: current.span))
    default: break
    }
  }

  private mutating func parseTypeTest(_ value: ExpressionNode) -> ExpressionNode {
    take()
    if at(.reserved), text(current) == "not" {
      report(SyntaxMessages.isNot(current.span))
      return value
    }
    guard at(.identifier) else {
      report(SyntaxMessages.expectedType(found: current, text: text(current), official: current.span))
      if at(.string) || at(.true) || at(.false) || at(.null) || at(.integer) { take() }
      return value
    }
    let type = take()
    if at(.dot) || at(.leftBracket) || at(.leftParen) {
      report(SyntaxMessages.afterType(text(current), at: current.span))
    }
    return node(
      .typeTest(value, typeName: text(type), typeSpan: type.span), value.span.joined(with: type.span),
      depth: value.depth + 1)
  }
}

/// How tightly operators bind; higher is tighter.
enum Precedence {
  static let typeTest = 4

  static func of(_ kind: TokenKind) -> (BinaryOperator, Int)? {
    switch kind {
    case .or: (.or, 1)
    case .and: (.and, 2)
    case .in: (.isIn, 3)
    case .equal, .strictEqual: (.equal, 5)
    case .notEqual, .strictNotEqual: (.notEqual, 5)
    case .less: (.less, 6)
    case .lessOrEqual: (.lessOrEqual, 6)
    case .greater: (.greater, 6)
    case .greaterOrEqual: (.greaterOrEqual, 6)
    case .plus: (.add, 7)
    case .minus: (.subtract, 7)
    case .star: (.multiply, 8)
    case .slash: (.divide, 8)
    case .percent: (.remainder, 8)
    default: nil
    }
  }
}
