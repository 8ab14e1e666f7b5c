/// Functions: `function name(parameters) { let …; return …; }`
extension Parser {
  mutating func parseFunction() -> FunctionSyntax {
    let start = take().span
    return parseFunction(from: start)
  }

  /// A function whose keyword is missing, which has been said.
  mutating func parseFunctionRest() -> FunctionSyntax {
    isPanicking = false
    return parseFunction(from: current.span)
  }

  private mutating func parseFunction(from start: Span) -> FunctionSyntax {
    let number = functionCount
    functionCount += 1
    let name = parseFunctionName()
    let parameters = isPanicking ? [] : parseParameters()
    var lets: [LetSyntax] = []
    var result: ExpressionNode?
    recoverToFunctionBody()
    let open = current.span
    if eat(.leftBrace) {
      isPanicking = false
      result = parseFunctionBody(open: open, &lets)
    } else if reportMissingBrace("before the body of a function", followedBy: [.let, .return]) {
      _ = eat(.leftBrace)
      isPanicking = false
      result = parseFunctionBody(open: open, &lets)
    } else {
      recoverStatement()
    }
    return FunctionSyntax(
      number: number, name: name, parameters: parameters, lets: lets,
      result: result ?? missing(previousSpan.atEnd),
      span: span(from: start))
  }

  private mutating func parseFunctionName() -> NameSyntax {
    if at(.leftParen) {
      report(SyntaxMessages.missingFunctionName(current.span))
      return NameSyntax(text: "", span: current.span.atStart)
    }
    let place = current.span.atStart
    return expectName("the name of the function") ?? NameSyntax(text: "", span: place)
  }

  private mutating func parseParameters() -> [NameSyntax] {
    var parameters: [NameSyntax] = []
    guard at(.leftParen) else {
      report(SyntaxMessages.missingSignature(current.span))
      return parameters
    }
    take()
    if eat(.rightParen) { return parameters }
    while true {
      if at(.rightParen), !parameters.isEmpty {
        report(SyntaxMessages.trailingParameterComma(previousSpan, official: current.span))
        break
      }
      guard let name = expectName("the name of a parameter") else { break }
      parameters.append(name)
      if eat(.comma) { continue }
      if !at(.rightParen) {
        report(SyntaxMessages.afterParameter(current, text: text(current)))
      }
      break
    }
    if isPanicking { recover(to: .rightParen) } else { expect(.rightParen, ")", "after the parameters") }
    return parameters
  }

  /// After a mistake in the signature: to the `{` if it comes before anything else.
  private mutating func recoverToFunctionBody() {
    guard isPanicking else { return }
    var position = index
    while position < tokens.count {
      let kind = tokens[position].kind
      if kind == .leftBrace {
        index = position
        return
      }
      if kind == .endOfFile || kind == .semicolon || kind == .rightBrace || kind.beginsStatement { return }
      position += 1
    }
  }

  private mutating func parseFunctionBody(open: Span, _ lets: inout [LetSyntax]) -> ExpressionNode? {
    let errorsBefore = diagnostics.count
    while at(.let) { lets.append(parseLet()) }
    guard at(.return) else {
      reportMissingReturn()
      skipBlock()
      return nil
    }
    take()
    if at(.return) {
      report(SyntaxMessages.repeatedReturn(current.span))
      take()
      isPanicking = false
    }
    let result = parseReturnValue()
    if !isPanicking, !at(.rightBrace) {
      if at(.semicolon) {
        take()
      } else if !at(.return), !at(.let) {
        if isSpokenAbout { isPanicking = true }
        if at(.pathSegment) || at(.slash) {
          report(SyntaxMessages.slashAfterOperand(at: current.span, text: text(current)))
        } else {
          report(SyntaxMessages.unexpectedAfterExpression(current, text: text(current), statement: "return"))
        }
      }
    }
    recoverStatement()
    if at(.rightBrace) {
      take()
    } else if at(.endOfFile) || at(.function) || at(.match) || at(.allow) || at(.service) {
      closeBlock("function", open: open)
      isPanicking = at(.endOfFile)
    } else {
      if diagnostics.count == errorsBefore {
        report(SyntaxMessages.afterReturn(text(current), at: current.span))
      }
      skipBlock()
    }
    return result
  }

  private mutating func parseReturnValue() -> ExpressionNode {
    guard !at(.semicolon), !at(.rightBrace), !at(.endOfFile) else {
      report(SyntaxMessages.returnWithoutValue(current.span))
      return missing(previousSpan.atEnd)
    }
    return parseFullExpression()
  }

  private mutating func parseLet() -> LetSyntax {
    let start = take().span
    let place = current.span.atStart
    let name = expectName("the name of the variable") ?? NameSyntax(text: "", span: place)
    if at(.equal) || at(.colon) {
      report(SyntaxMessages.assignmentInLet(text(current), at: current.span))
    } else if !isPanicking || at(.assign) {
      expect(.assign, "=", "after the name of a variable")
    }
    let value = isPanicking ? missing(previousSpan.atEnd) : parseFullExpression()
    let end = span(from: start)
    if !isPanicking, !eat(.semicolon) {
      if isSpokenAbout { isPanicking = true }
      if at(.return) || at(.let) {
        remark(SyntaxMessages.letWithoutSemicolon(after: previousSpan, official: current.span))
      } else if at(.pathSegment) || at(.slash) {
        report(SyntaxMessages.slashAfterOperand(at: current.span, text: text(current)))
      } else {
        expect(.semicolon, ";", "after the value of a `let`")
      }
    }
    recoverStatement()
    return LetSyntax(name: name, value: value, span: end)
  }

  private mutating func reportMissingReturn() {
    let token = current
    switch token.kind {
    case .if: report(SyntaxMessages.statementNotInLanguage("if", at: token.span))
    case .function: report(SyntaxMessages.nestedFunction(token.span))
    case .identifier where text(token) == "const", .reserved where text(token) == "var":
      report(SyntaxMessages.foreignDeclaration(text(token), at: token.span))
    case .reserved where ["for", "while", "do", "switch"].contains(text(token)):
      report(SyntaxMessages.statementNotInLanguage(text(token), at: token.span))
    default:
      report(SyntaxMessages.missingReturn(text(token), isEmpty: token.kind == .rightBrace, at: token.span))
    }
  }
}
