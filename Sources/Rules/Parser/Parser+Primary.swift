/// Unary operators, members, calls, literals and brackets.
extension Parser {
  /// `!` may be repeated and may stand before `-`; `-` takes one operand without a sign of its own.
  mutating func parseUnary() -> ExpressionNode {
    guard at(.not) else { return parseNegation() }
    guard expressionNesting <= Parser.branchNodesMax else { return parseExpression() }
    expressionNesting += 1
    defer { expressionNesting -= 1 }
    let start = take().span
    let operand = parseUnary()
    return node(.unary(.not, operand), start.joined(with: operand.span), depth: operand.depth + 1)
  }

  private mutating func parseNegation() -> ExpressionNode {
    guard at(.minus) else { return parsePostfix() }
    let start = take().span
    if at(.minus) || at(.not) || at(.plus) {
      report(SyntaxMessages.doubleSign(text(current), at: current.span))
      return missing(start)
    }
    if at(.integer), let value = Int64("-" + text(current)), Int64(text(current)) == nil {
      let token = take()
      let literal = node(.literal(.integer(value)), start.joined(with: token.span), depth: 1)
      return parseSteps(after: literal)
    }
    let operand = parsePostfix()
    return node(.unary(.negate, operand), start.joined(with: operand.span), depth: operand.depth)
  }

  private mutating func parsePostfix() -> ExpressionNode {
    let base = parsePrimary()
    if isPanicking { return base }
    return parseSteps(after: base)
  }

  // MARK: Steps: members, indexes, calls

  private mutating func parseSteps(after base: ExpressionNode) -> ExpressionNode {
    var value = base
    while !isPanicking {
      switch current.kind {
      case .dot: value = parseMember(value)
      case .leftBracket: value = parseIndex(value)
      case .leftParen:
        report(SyntaxMessages.callOfValue(current.span))
      default: return value
      }
    }
    return value
  }

  private mutating func parseMember(_ base: ExpressionNode) -> ExpressionNode {
    take()
    let token = current
    guard
      token.kind == .identifier
        || (token.kind.isKeyword && token.kind != .service && token.kind != .rulesVersion)
    else {
      report(SyntaxMessages.expectedMember(token, text: text(token)))
      return base
    }
    take()
    let name = text(token)
    guard at(.leftParen) else {
      return node(
        .member(base: base, name: name, nameSpan: token.span), base.span.joined(with: token.span),
        depth: base.depth)
    }
    if token.kind.isKeyword {
      report(SyntaxMessages.reservedName(name, what: "the name of a method", at: token.span))
      return base
    }
    let arguments = parseArguments()
    return node(
      .methodCall(receiver: base, name: name, nameSpan: token.span, arguments: arguments),
      span(from: base.span),
      depth: max(base.depth, 1 + deepest(arguments)))
  }

  private mutating func parseIndex(_ base: ExpressionNode) -> ExpressionNode {
    take()
    var lower: ExpressionNode?
    if !at(.colon) {
      guard !at(.rightBracket) else {
        report(SyntaxMessages.emptyIndex(current.span))
        recover(to: .rightBracket)
        return base
      }
      lower = parseExpression()
    }
    var upper: ExpressionNode?
    var isSlice = false
    if !isPanicking, eat(.colon) {
      isSlice = true
      if !at(.rightBracket) { upper = parseExpression() }
    }
    close(.rightBracket, "]", "after an index")
    let inner = max(lower?.depth ?? 0, upper?.depth ?? 0)
    let depth = max(base.depth, inner + 1)
    guard !isSlice, let lower else {
      return node(.slice(base: base, lower: lower, upper: upper), span(from: base.span), depth: depth)
    }
    return node(.index(base: base, index: lower), span(from: base.span), depth: depth)
  }

  /// `(a, b)`; a comma may follow the last one.
  private mutating func parseArguments() -> [ExpressionNode] {
    take()
    var arguments: [ExpressionNode] = []
    while !at(.rightParen), !isPanicking {
      arguments.append(parseExpression())
      guard !isPanicking, eat(.comma) else { break }
    }
    close(.rightParen, ")", "after the arguments")
    return arguments
  }

  /// Takes a closing bracket, or reports and looks for it.
  mutating func close(_ closer: TokenKind, _ spelling: String, _ context: String) {
    if !isPanicking, eat(closer) { return }
    if isSpokenAbout { isPanicking = true }
    if at(.pathSegment) || at(.slash) {
      report(SyntaxMessages.slashAfterOperand(at: current.span, text: text(current)))
    } else {
      report(
        SyntaxMessages.expected(
          "`\(spelling)`", context, found: current, text: text(current), after: previousSpan))
    }
    recover(to: closer)
  }

  func deepest(_ nodes: [ExpressionNode]) -> Int { nodes.reduce(0) { max($0, $1.depth) } }

  // MARK: Primary

  private mutating func parsePrimary() -> ExpressionNode {
    let token = current
    switch token.kind {
    case .identifier: return parseName()
    case .true, .false, .null, .integer, .float, .string, .bytes: return parseLiteral()
    case .leftParen: return parseParentheses()
    case .leftBracket: return parseList()
    case .leftBrace: return parseMap()
    case .pathSegment, .slash: return parsePath()
    case .function where kind(ahead: 1) == .leftParen: return skipFunctionLiteral()
    case .let where expressionNesting > 1: return parseMisplacedLet()
    default:
      reportMissingOperand(token)
      return missing(token.span.atStart)
    }
  }

  private mutating func reportMissingOperand(_ token: Token) {
    switch token.kind {
    case .plusPlus, .minusMinus: report(SyntaxMessages.increment(text(token), at: token.span))
    case .reserved where text(token) == "not": report(SyntaxMessages.wordOperator("not", at: token.span))
    case .reserved: report(SyntaxMessages.reservedName(text(token), what: "a variable", at: token.span))
    default: report(SyntaxMessages.expectedExpression(token, text: text(token), after: previousSpan))
    }
  }

  /// `function(r) { … }` as a value: said once and skipped whole.
  private mutating func skipFunctionLiteral() -> ExpressionNode {
    let start = take().span
    remark(SyntaxMessages.functionLiteral(start))
    skipBalanced(.leftParen, .rightParen)
    if at(.leftBrace) { skipBalanced(.leftBrace, .rightBrace) }
    return missing(span(from: start))
  }

  private mutating func skipBalanced(_ opener: TokenKind, _ closer: TokenKind) {
    var depth = 0
    repeat {
      if at(opener) { depth += 1 }
      if at(closer) { depth -= 1 }
      take()
    } while depth > 0 && !at(.endOfFile)
  }

  /// `(let d = get(p); d.x)`: said once, and read as the last value.
  private mutating func parseMisplacedLet() -> ExpressionNode {
    let start = take().span
    remark(SyntaxMessages.letInExpression(start))
    if at(.identifier), kind(ahead: 1) == .assign {
      take()
      take()
    }
    if at(.rightParen) || at(.rightBracket) || at(.comma) { return missing(previousSpan.atEnd) }
    let value = parseExpression()
    guard !isPanicking, at(.semicolon), !kind(ahead: 1).beginsStatement, kind(ahead: 1) != .rightBrace else {
      return value
    }
    take()
    return parseExpression()
  }

  private mutating func parseName() -> ExpressionNode {
    let token = take()
    // Put in by a repair: it may be anything.
    if token.span.isEmpty { return missing(token.span) }
    let name = text(token)
    guard at(.leftParen) else {
      return node(.identifier(name), token.span, depth: 1)
    }
    let arguments = parseArguments()
    return node(
      .call(name: name, nameSpan: token.span, arguments: arguments), span(from: token.span),
      depth: 1 + deepest(arguments))
  }

  private mutating func parseLiteral() -> ExpressionNode {
    let token = take()
    // A literal that cannot be read has any value, so that nothing else is said about it.
    return node(literalValue(token).map { .literal($0) } ?? .missing, token.span, depth: 1)
  }

  private mutating func literalValue(_ token: Token) -> LiteralSyntax? {
    switch token.kind {
    case .true: return .boolean(true)
    case .false: return .boolean(false)
    case .integer:
      if let value = Int64(text(token)) { return .integer(value) }
      remark(SyntaxMessages.integerOutOfRange(text(token), at: token.span))
      return nil
    case .float:
      // `5.` and `.5` are written without one of the digits that Double wants.
      return .float(Double("0" + text(token) + "0") ?? .infinity)
    case .string: return decode(token, isBytes: false).map { .string($0) }
    case .bytes: return decode(token, isBytes: true).map { .bytes($0) }
    default: return .null
    }
  }

  private mutating func decode(_ token: Token, isBytes: Bool) -> [UInt8]? {
    let literal = LiteralDecoder(source, span: token.span, isBytes: isBytes)
    guard let first = literal.badEscapes.first else { return literal.value }
    remark(
      SyntaxMessages.badEscape(
        first, others: literal.badEscapes.dropFirst(), literal: text(token), at: token.span))
    return nil
  }

  private mutating func parseParentheses() -> ExpressionNode {
    let start = take().span
    let inner = parseExpression()
    close(.rightParen, ")", "to close the parenthesis")
    return node(.parenthesized(inner), span(from: start), depth: inner.depth + 1)
  }

  private mutating func parseList() -> ExpressionNode {
    let start = take().span
    var elements: [ExpressionNode] = []
    while !at(.rightBracket), !isPanicking {
      elements.append(parseExpression())
      guard !isPanicking, eat(.comma) else { break }
    }
    close(.rightBracket, "]", "after the elements of a list")
    return node(.list(elements), span(from: start), depth: 1 + deepest(elements))
  }

  private mutating func parseMap() -> ExpressionNode {
    let start = take().span
    if at(.leftBrace) {
      reportTemplatePlaceholder(start)
    }
    var entries: [MapEntrySyntax] = []
    while !at(.rightBrace), !isPanicking {
      let key = parseExpression()
      guard !isPanicking else { break }
      guard expect(.colon, ":", "after the key of a map") else { break }
      let value = parseExpression()
      entries.append(MapEntrySyntax(key: key, value: value))
      guard !isPanicking, eat(.comma) else { break }
    }
    close(.rightBrace, "}", "after the entries of a map")
    let depth = entries.reduce(0) { max($0, $1.key.depth, $1.value.depth) }
    return node(.map(entries), span(from: start), depth: 1 + depth)
  }

  /// `{{NAME}}` is what template engines replace; a map as the key of a map never works.
  private mutating func reportTemplatePlaceholder(_ start: Span) {
    guard isAdjacent(), kind(ahead: 1) == .identifier, kind(ahead: 2) == .rightBrace,
      kind(ahead: 3) == .rightBrace
    else { return }
    report(SyntaxMessages.templatePlaceholder(start.joined(with: tokens[index + 3].span)))
  }
}
