/// `match` blocks and `allow` statements.
extension Parser {
  mutating func parseMatch() -> MatchSyntax {
    let id = idComment(above: index)
    let start = take().span
    return parseMatch(from: start, id: id)
  }

  /// `/a/{b} { … }`: the keyword was forgotten.
  mutating func parseMatchWithoutKeyword() -> MatchSyntax {
    let start = current.span
    if text(current).hasPrefix("/*") {
      // Where a declaration may begin it can only be a comment, and all the rest is in it.
      report(SyntaxMessages.unclosedComment(Span(start: start.start, end: start.start + 2)))
      isCutOff = true
      index = tokens.count - 1
      return parseMatch(from: start, id: nil)
    }
    remark(SyntaxMessages.missingMatchKeyword(start))
    return parseMatch(from: start, id: nil)
  }

  private mutating func parseMatch(from start: Span, id: NameSyntax?) -> MatchSyntax {
    let number = matchCount
    matchCount += 1
    matchNesting += 1
    defer { matchNesting -= 1 }
    let pattern = parsePattern()
    let patternSpan = pattern.isEmpty ? previousSpan.atEnd : span(from: pattern[0].span)
    var functions: [FunctionSyntax] = []
    var matches: [MatchSyntax] = []
    var allows: [AllowSyntax] = []
    let open = current.span
    if isPanicking { recoverToMatchBody() }
    if at(.leftBrace) {
      take()
      isPanicking = false
      parseMatchBody(open: open, &functions, &matches, &allows)
    } else if reportMissingBrace("after the path of a `match`", followedBy: [.allow, .match, .function]) {
      _ = eat(.leftBrace)
      isPanicking = false
      parseMatchBody(open: open, &functions, &matches, &allows)
    } else {
      recoverStatement()
    }
    return MatchSyntax(
      number: number, pattern: pattern, patternSpan: patternSpan, functions: functions, matches: matches,
      allows: allows, id: id, span: span(from: start))
  }

  private mutating func parseMatchBody(
    open: Span, _ functions: inout [FunctionSyntax], _ matches: inout [MatchSyntax],
    _ allows: inout [AllowSyntax]
  ) {
    guard matchNesting <= Parser.matchNestingMax else {
      remark(SyntaxMessages.matchesTooDeep(open))
      skipBlock()
      return
    }
    let errorsBefore = diagnostics.count
    while !at(.rightBrace), !at(.endOfFile), !at(.service) {
      let before = index
      switch current.kind {
      case .allow: allows.append(parseAllow())
      case .match: matches.append(parseMatch())
      case .function: functions.append(parseFunction())
      case .pathSegment, .slash: matches.append(parseMatchWithoutKeyword())
      case _ where isPanicking && isFunctionWithoutKeyword(at: index): functions.append(parseFunctionRest())
      default: unexpectedInBlock("match")
      }
      if index == before { take() }
    }
    let isEmpty = functions.isEmpty && matches.isEmpty && allows.isEmpty
    if at(.rightBrace), isEmpty, diagnostics.count == errorsBefore {
      remark(SyntaxMessages.emptyBody("match", closing: current.span))
    }
    closeBlock("match", open: open)
  }

  /// After a mistake in a pattern: to the `{` of the body if the line has one.
  private mutating func recoverToMatchBody() {
    var position = index
    let line = source.lineNumber(of: current.span.start)
    while position < tokens.count, source.lineNumber(of: tokens[position].span.start) == line {
      let kind = tokens[position].kind
      if kind == .endOfFile || kind == .semicolon || kind == .allow || kind == .match { return }
      // A brace directly behind a slash or a segment is a capture that did not parse.
      if kind == .leftBrace, position + 1 < tokens.count,
        tokens[position].span.start > tokens[position - 1].span.end
      {
        index = position
        return
      }
      position += 1
    }
  }

  // MARK: Patterns

  private mutating func parsePattern() -> [PatternSegmentSyntax] {
    var segments: [PatternSegmentSyntax] = []
    while true {
      if at(.pathSegment) {
        let token = take()
        let name = Span(start: token.span.start + 1, end: token.span.end)
        segments.append(
          PatternSegmentSyntax(kind: .literal(source.text(of: name)), span: token.span, nameSpan: name))
      } else if at(.slash) {
        guard let segment = parseCapture() else { return segments }
        segments.append(segment)
      } else if let segment = parseBrokenCapture(isFirst: segments.isEmpty) {
        segments.append(segment)
      } else if at(.assign), !segments.isEmpty, kind(ahead: 1) == .starStar, kind(ahead: 2) == .rightBrace {
        // `/rest=**}`
        report(SyntaxMessages.braceInPattern(tokens[index + 2].span))
        index += 3
      } else if at(.rightBrace), !segments.isEmpty, isPathContinued {
        // `/{a}}/b` and `/a}/b`
        report(SyntaxMessages.braceInPattern(current.span))
        take()
      } else {
        break
      }
    }
    if segments.isEmpty {
      report(SyntaxMessages.expectedPath(found: current, text: text(current), after: previousSpan))
    }
    return segments
  }

  /// Whether the pattern goes on behind a brace that does not belong to it.
  private var isPathContinued: Bool {
    guard kind(ahead: 1) == .pathSegment || kind(ahead: 1) == .slash || kind(ahead: 1) == .leftBrace else {
      return false
    }
    return source.lineNumber(of: current.span.start) == source.lineNumber(of: tokens[index + 1].span.start)
  }

  /// `/a{b}`: a slash is missing. Nil if a capture does not follow directly.
  private mutating func parseBrokenCapture(isFirst: Bool) -> PatternSegmentSyntax? {
    guard !isFirst, at(.leftBrace), isAdjacent(), kind(ahead: 1) == .identifier,
      kind(ahead: 2) == .rightBrace || kind(ahead: 2) == .assign
    else { return nil }
    report(SyntaxMessages.missingSlash(current.span))
    let start = current.span.atStart
    return parseCaptureRest(from: start)
  }

  /// `/{name}`, `/{name=*}`, `/{name=**}`
  private mutating func parseCapture() -> PatternSegmentSyntax? {
    let start = take().span
    guard at(.leftBrace), kind(ahead: 1) == .identifier else {
      if at(.dollar) || (at(.identifier) && text(current).hasPrefix("$")) {
        report(SyntaxMessages.interpolationInPattern(current.span))
      } else if at(.leftBrace), kind(ahead: 1).isKeyword, kind(ahead: 2) == .rightBrace {
        let keyword = tokens[index + 1]
        report(SyntaxMessages.reservedName(text(keyword), what: "the name of a capture", at: keyword.span))
      } else if at(.leftBrace), kind(ahead: 1) == .star || kind(ahead: 1) == .starStar {
        report(SyntaxMessages.namelessGlob(tokens[index + 1].span))
      } else {
        report(SyntaxMessages.emptySegment(start, isPattern: true))
        // `/{ {name}`: one brace too many.
        if at(.leftBrace), kind(ahead: 1) == .leftBrace, kind(ahead: 2) == .identifier {
          take()
          return parseCaptureRest(from: start)
        }
      }
      return nil
    }
    return parseCaptureRest(from: start)
  }

  /// `{name}` behind the slash.
  private mutating func parseCaptureRest(from start: Span) -> PatternSegmentSyntax {
    take()
    let nameToken = take()
    let name = text(nameToken)
    var kind = PatternSegmentSyntax.Kind.capture(name)
    if eat(.assign) {
      if eat(.starStar) {
        kind = .globCapture(name)
      } else if !eat(.star) {
        report(SyntaxMessages.expectedGlob(found: current, text: text(current)))
        recover(to: .rightBrace)
        return PatternSegmentSyntax(kind: kind, span: span(from: start), nameSpan: nameToken.span)
      }
    }
    if !eat(.rightBrace) {
      report(
        SyntaxMessages.expected(
          "`}`", "after the name of a capture", found: current, text: text(current), after: previousSpan))
      recover(to: .rightBrace)
    }
    return PatternSegmentSyntax(kind: kind, span: span(from: start), nameSpan: nameToken.span)
  }

  // MARK: Allow

  private mutating func parseAllow() -> AllowSyntax {
    let id = idComment(above: index)
    let number = allowCount
    allowCount += 1
    let start = take().span
    let methods = parseMethods()
    var condition: ExpressionNode?
    if !isPanicking { condition = parseAllowCondition() }
    let end = span(from: start)
    if !isPanicking, !eat(.semicolon), !at(.rightBrace), !current.kind.beginsStatement, !at(.endOfFile) {
      if condition != nil, isSpokenAbout { isPanicking = true }
      if at(.pathSegment) || at(.slash), condition != nil {
        report(SyntaxMessages.slashAfterOperand(at: current.span, text: text(current)))
      } else {
        report(SyntaxMessages.unexpectedAfterExpression(current, text: text(current), statement: "allow"))
      }
    }
    recoverStatement()
    return AllowSyntax(number: number, methods: methods, condition: condition, id: id, span: end)
  }

  private mutating func parseMethods() -> [MethodSyntax] {
    var methods: [MethodSyntax] = []
    guard at(.identifier) else {
      report(SyntaxMessages.expectedMethod(found: current, text: text(current)))
      return methods
    }
    while at(.identifier) {
      let token = take()
      methods.append(MethodSyntax(name: NameSyntax(text: text(token), span: token.span)))
      guard at(.comma) else { break }
      guard kind(ahead: 1) == .identifier else {
        report(SyntaxMessages.methodAfterComma(current.span))
        if kind(ahead: 1).isKeyword, kind(ahead: 2) == .colon || kind(ahead: 2) == .comma { index += 2 }
        break
      }
      take()
    }
    if at(.identifier), !isPanicking {
      report(
        SyntaxMessages.commaBetweenMethods(before: current.span, text: text(current), after: previousSpan))
    }
    return methods
  }

  private mutating func parseAllowCondition() -> ExpressionNode? {
    if at(.if) {
      remark(SyntaxMessages.colonBeforeIf(current.span, after: previousSpan))
      take()
      return parseCondition()
    }
    guard eat(.colon) else { return nil }
    if eat(.if) { return parseCondition() }
    let keyword = current
    if keyword.kind == .semicolon || keyword.kind == .rightBrace || keyword.kind == .endOfFile
      || keyword.kind.beginsStatement
    {
      report(SyntaxMessages.nothingAfterColon(keyword, text: text(keyword)))
      return nil
    }
    remark(SyntaxMessages.missingIf(text(keyword), at: keyword.span))
    if keyword.kind == .identifier, text(keyword).lowercased() == "if" { take() }
    isPanicking = false
    return parseFullExpression()
  }

  private mutating func parseCondition() -> ExpressionNode? {
    let kind = current.kind
    if kind == .semicolon || kind == .rightBrace || kind == .endOfFile || kind == .allow || kind == .match {
      report(SyntaxMessages.missingCondition(current.span))
      return missing(previousSpan.atEnd)
    }
    return parseFullExpression()
  }

  // MARK: Ids

  /// The name in an `// @id name` comment in the lines directly above a token.
  private func idComment(above position: Int) -> NameSyntax? {
    let token = tokens[position]
    let first = position > 0 ? Int(tokens[position - 1].commentsBefore) : 0
    var line = source.lineNumber(of: token.span.start)
    let previousLine = position > 0 ? source.lineNumber(of: previousEnd(position)) : 0
    for comment in comments[first..<Int(token.commentsBefore)].reversed() {
      let start = source.lineNumber(of: comment.span.start)
      guard !comment.isBlock, start == line - 1, start > previousLine else { return nil }
      if let name = ruleID(in: comment.span) { return name }
      line = start
    }
    return nil
  }

  private func previousEnd(_ position: Int) -> Int32 { max(tokens[position - 1].span.end - 1, 0) }

  private func ruleID(in span: Span) -> NameSyntax? {
    let bytes = source.bytes
    var start = Int(span.start) + 2
    let end = Int(span.end)
    while start < end, bytes[start].isBlank { start += 1 }
    guard bytes[start..<end].starts(with: Array("@id".utf8)) else { return nil }
    start += 3
    let afterMark = start
    while start < end, bytes[start].isBlank { start += 1 }
    var stop = start
    while stop < end, !bytes[stop].isBlank { stop += 1 }
    guard start > afterMark, stop > start else { return nil }
    let name = Span(start: Int32(start), end: Int32(stop))
    return NameSyntax(text: source.text(of: name), span: name)
  }
}
