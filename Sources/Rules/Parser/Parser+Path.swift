/// Path literals: `/databases/$(database)/documents/users/{id}`
///
/// A segment directly behind its slash is one token; `/$(…)` and `/{name}` are put together here. A
/// slash that is followed by neither ends the path and is a division.
extension Parser {
  mutating func parsePath() -> ExpressionNode {
    let start = current.span
    var segments: [PathSegmentSyntax] = []
    while !isPanicking, let segment = parsePathSegment() { segments.append(segment) }
    if segments.isEmpty || (at(.slash) && !isDivision) {
      report(SyntaxMessages.emptySegment(current.span, isPattern: false))
    }
    let depth = segments.reduce(0) { depth, segment in
      if case .interpolation(let value) = segment.kind { max(depth, value.depth) } else { depth }
    }
    return node(.path(segments), span(from: start), depth: 1 + depth)
  }

  /// Whether the slash behind a path may divide: something that can be divided by must follow.
  private var isDivision: Bool {
    switch kind(ahead: 1) {
    case .leftBracket: isList(at: index + 1)
    case .rightParen, .rightBracket, .rightBrace, .comma, .semicolon, .colon, .question, .dot,
      .equal,
      .notEqual, .and, .or, .in, .is, .slash, .pathSegment, .minus, .endOfFile:
      false
    default: true
    }
  }

  /// LIMIT: brackets inside each other that are looked through; no expression that compiles has more. So texts full of
  /// brackets that nothing closes are looked through a hundred times at most.
  private static let bracketsMax = 100

  /// Whether brackets hold what only a list does: nothing, or a comma. One value, or a range, is an index of the path, which
  /// then ends with a slash. Source: the official compiler.
  private func isList(at start: Int) -> Bool {
    var depth = 0
    for position in start..<tokens.count {
      switch tokens[position].kind {
      case .leftBracket, .leftParen, .leftBrace:
        depth += 1
        guard depth <= Self.bracketsMax else { return false }
      case .rightBracket, .rightParen, .rightBrace:
        depth -= 1
        if depth == 0 { return position == start + 1 }
      case .comma where depth == 1: return true
      case .semicolon, .endOfFile: return false
      default: break
      }
    }
    return false
  }

  private mutating func parsePathSegment() -> PathSegmentSyntax? {
    if at(.pathSegment) {
      let token = take()
      let name = source.text(of: Span(start: token.span.start + 1, end: token.span.end))
      return PathSegmentSyntax(kind: .literal(name), span: token.span)
    }
    guard at(.slash) else { return nil }
    if kind(ahead: 1) == .dollar, kind(ahead: 2) == .leftParen { return parseInterpolation() }
    if kind(ahead: 1) == .leftBrace, kind(ahead: 2) == .identifier {
      if kind(ahead: 3) == .rightBrace { return parseVariable(tokenCount: 4) }
      if kind(ahead: 3) == .assign, kind(ahead: 4) == .star || kind(ahead: 4) == .starStar,
        kind(ahead: 5) == .rightBrace
      {
        return parseVariable(tokenCount: 6)
      }
    }
    return nil
  }

  private mutating func parseInterpolation() -> PathSegmentSyntax {
    let start = take().span
    take()
    take()
    if at(.rightParen) {
      report(SyntaxMessages.emptyInterpolation(start.joined(with: current.span)))
      recover(to: .rightParen)
      return PathSegmentSyntax(kind: .interpolation(missing(previousSpan.atStart)), span: span(from: start))
    }
    let value = parseExpression()
    close(.rightParen, ")", "after the expression in `$( )`")
    return PathSegmentSyntax(kind: .interpolation(value), span: span(from: start))
  }

  private mutating func parseVariable(tokenCount: Int) -> PathSegmentSyntax {
    let start = current.span
    let name = text(tokens[index + 2])
    let isGlob = tokenCount > 4 && kind(ahead: 4) == .starStar
    index += tokenCount
    return PathSegmentSyntax(kind: .variable(name), isGlob: isGlob, span: span(from: start))
  }
}
