/// The file and the service.
extension Parser {
  mutating func parseRuleset() -> RulesetSyntax {
    var version: VersionSyntax?
    var functions: [FunctionSyntax] = []
    var services: [ServiceSyntax] = []
    if at(.rulesVersion) { version = parseVersion() }
    if at(.endOfFile), !source.bytes.isEmpty || diagnostics.isEmpty {
      report(SyntaxMessages.emptyFile(isBlank: !source.bytes.isEmpty, at: current.span))
    }
    while !at(.endOfFile) {
      let before = index
      switch current.kind {
      case .function: functions.append(parseFunction())
      case .service: services.append(parseService())
      case .import: parseImport()
      case .rulesVersion:
        report(SyntaxMessages.misplacedVersion(isRepeated: version != nil, at: current.span))
        let misplaced = parseVersion()
        version = version ?? misplaced
      case .match:
        report(SyntaxMessages.outsideService("match", at: current.span))
        isPanicking = true
        skipMatch()
      default: unexpectedAtTopLevel()
      }
      isPanicking = false
      if index == before { take() }
    }
    return RulesetSyntax(
      version: version, functions: functions, services: services, comments: comments,
      expressionCount: expressionCount, functionCount: functionCount, matchCount: matchCount,
      allowCount: allowCount)
  }

  /// Reads a block that is no part of the tree. What it declares gets no numbers: everything that is
  /// numbered is found in the tree, and the checker's tables rely on it.
  private mutating func skipMatch() {
    let numbers = (functionCount, matchCount, allowCount)
    _ = parseMatch()
    (functionCount, matchCount, allowCount) = numbers
  }

  private mutating func unexpectedAtTopLevel() {
    report(SyntaxMessages.unexpectedAtTopLevel(text(current), at: current.span))
    while !at(.endOfFile), !at(.service), !at(.function), !at(.rulesVersion), !at(.import) { take() }
  }

  /// `rules_version = '2';`
  private mutating func parseVersion() -> VersionSyntax? {
    let start = take().span
    guard expect(.assign, "=", "after `rules_version`") else {
      recoverVersion()
      return nil
    }
    guard at(.string) else {
      report(SyntaxMessages.versionNotQuoted(text(current), at: current.span))
      recoverVersion()
      return nil
    }
    let literal = LiteralDecoder(source, span: current.span, isBytes: false)
    take()
    _ = eat(.semicolon)
    return VersionSyntax(text: String(decoding: literal.value, as: UTF8.self), span: span(from: start))
  }

  private mutating func recoverVersion() {
    if at(.integer) || at(.string) || at(.bytes) || at(.float) || at(.colon) { take() }
    if at(.string) { take() }
    _ = eat(.semicolon)
    isPanicking = false
  }

  /// `import` belongs to rules for other services; there is nothing to import for Firestore.
  private mutating func parseImport() {
    report(SyntaxMessages.importStatement(current.span))
    take()
    while !at(.endOfFile), !at(.semicolon), !at(.service), !at(.function), !at(.import) { take() }
    _ = eat(.semicolon)
  }

  private mutating func parseService() -> ServiceSyntax {
    let start = take().span
    var name = NameSyntax(text: "", span: previousSpan.atEnd)
    if at(.serviceName) {
      let token = take()
      name = NameSyntax(text: text(token), span: token.span)
    } else {
      report(SyntaxMessages.expectedServiceName(found: current, text: text(current)))
    }
    var functions: [FunctionSyntax] = []
    var matches: [MatchSyntax] = []
    let open = current.span
    guard expect(.leftBrace, "{", "after the service name") else {
      if at(.leftBrace) || kind(ahead: 1) == .leftBrace {
        while !eat(.leftBrace) { take() }
      } else {
        return finish()
      }
      return finish()
    }
    parseServiceBody(open: open, &functions, &matches)
    return finish()

    func finish() -> ServiceSyntax {
      ServiceSyntax(name: name, functions: functions, matches: matches, span: span(from: start))
    }
  }

  private mutating func parseServiceBody(
    open: Span, _ functions: inout [FunctionSyntax], _ matches: inout [MatchSyntax]
  ) {
    let errorsBefore = diagnostics.count
    while !at(.rightBrace), !at(.endOfFile), !at(.service) {
      let before = index
      switch current.kind {
      case .function: functions.append(parseFunction())
      case .match: matches.append(parseMatch())
      case .pathSegment, .slash: matches.append(parseMatchWithoutKeyword())
      default: unexpectedInBlock("service")
      }
      if index == before { take() }
    }
    if at(.rightBrace), functions.isEmpty, matches.isEmpty, diagnostics.count == errorsBefore {
      remark(SyntaxMessages.emptyBody("service", closing: current.span))
    }
    closeBlock("service", open: open)
  }

  /// Takes the `}` of a block; at the end of the file says which `{` is open.
  mutating func closeBlock(_ what: String, open: Span) {
    if eat(.rightBrace) {
      isPanicking = false
      return
    }
    let suspect = blockWithWrongIndentation(openAt: open)
    report(
      SyntaxMessages.unclosedBlock(what, open: suspect ?? open, end: current.span, isSuspect: suspect != nil))
  }

  /// Reports what does not belong into a `service` or `match` block and skips it.
  mutating func unexpectedInBlock(_ block: String) {
    let token = current
    switch token.kind {
    case .allow where block == "service":
      report(SyntaxMessages.allowOutsideMatch(token.span))
      take()
    case .leftBrace:
      report(SyntaxMessages.strayBrace(token.span))
      take()
      // The stray block is read as if its braces were not there: skip to its end.
      var depth = 1
      while depth > 0, !at(.endOfFile) {
        if at(.leftBrace) { depth += 1 }
        if at(.rightBrace) { depth -= 1 }
        take()
      }
      isPanicking = false
      return
    case .let, .return:
      report(SyntaxMessages.onlyInFunction(text(token), at: token.span))
      take()
    case .if:
      report(SyntaxMessages.statementNotInLanguage("if", at: token.span))
      take()
    default:
      report(SyntaxMessages.unexpectedInBlock(text(token), block: block, at: token.span))
      take()
    }
    recoverStatement()
  }

  /// For a file that ends too early: the first block whose closing brace is indented less than the
  /// line that opened it, which is where a `}` was forgotten. Nil if indentation tells nothing.
  private func blockWithWrongIndentation(openAt open: Span) -> Span? {
    var stack: [Span] = []
    for token in tokens {
      if token.kind == .leftBrace { stack.append(token.span) }
      guard token.kind == .rightBrace, let opened = stack.popLast(), isFirstOnLine(token.span) else {
        continue
      }
      let openLine = source.lineNumber(of: opened.start)
      let closeLine = source.lineNumber(of: token.span.start)
      if openLine != closeLine, indentation(ofLine: closeLine) < indentation(ofLine: openLine) {
        return opened
      }
    }
    return nil
  }

  private func isFirstOnLine(_ span: Span) -> Bool {
    let position = source.position(of: span.start)
    return indentation(ofLine: position.line) == position.column - 1
  }

  private func indentation(ofLine line: Int) -> Int {
    source.line(line).utf8.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
  }
}
