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
      default:
        if let found = unexpectedAtTopLevel(&services, hasVersion: version != nil) { version = found }
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

  /// Reports what does not belong at the top level and skips it. What can only be the version or the
  /// service without its keyword is read as that.
  private mutating func unexpectedAtTopLevel(_ services: inout [ServiceSyntax], hasVersion: Bool)
    -> VersionSyntax?
  {
    let start = current.span
    if !hasVersion, services.isEmpty, let literal = versionWithoutKeyword {
      report(SyntaxMessages.missingVersionKeyword(start.joined(with: tokens[literal].span)))
      index = literal + 1
      _ = eat(.semicolon)
      return VersionSyntax(text: "2", span: start.joined(with: tokens[literal].span))
    }
    report(SyntaxMessages.unexpectedAtTopLevel(text(current), at: current.span))
    if services.isEmpty, let open = serviceBrace {
      index = open
      services.append(parseServiceRest(NameSyntax(text: "", span: start.atStart), from: start))
      return nil
    }
    while !at(.endOfFile), !at(.service), !at(.function), !at(.rulesVersion), !at(.import) { take() }
    return nil
  }

  /// The index of the string of `= '2'` or `version = '2'`.
  private var versionWithoutKeyword: Int? {
    for distance in 0...1 where kind(ahead: distance) == .assign && kind(ahead: distance + 1) == .string {
      return index + distance + 1
    }
    return nil
  }

  /// The index of a `{` that opens a service's block: it comes before any statement, and one of a
  /// service's comes after it.
  private var serviceBrace: Int? {
    var position = index
    while position + 1 < tokens.count {
      let kind = tokens[position].kind
      if kind == .leftBrace {
        let next = tokens[position + 1].kind
        return next == .match || next == .function ? position : nil
      }
      if kind == .service || kind == .rulesVersion || kind == .import || kind == .match { return nil }
      position += 1
    }
    return nil
  }

  /// `rules_version = '2';`
  private mutating func parseVersion() -> VersionSyntax? {
    let start = take().span
    guard expect(.assign, "=", "after `rules_version`") else { return recoverVersion(from: start) }
    guard at(.string) else {
      report(SyntaxMessages.versionNotQuoted(text(current), at: current.span))
      return recoverVersion(from: start)
    }
    let literal = LiteralDecoder(source, span: current.span, isBytes: false)
    take()
    _ = eat(.semicolon)
    return VersionSyntax(text: String(decoding: literal.value, as: UTF8.self), span: span(from: start))
  }

  /// Skips to the end of the statement. The version is taken for the newest.
  private mutating func recoverVersion(from start: Span) -> VersionSyntax {
    let line = source.lineNumber(of: start.start)
    while !at(.endOfFile), !at(.semicolon), !current.kind.beginsStatement || at(.rulesVersion),
      source.lineNumber(of: current.span.start) == line
    {
      take()
    }
    _ = eat(.semicolon)
    isPanicking = false
    return VersionSyntax(text: "2", span: span(from: start))
  }

  /// `import` belongs to rules for other services; there is nothing to import for Firestore.
  private mutating func parseImport() {
    report(SyntaxMessages.importStatement(current.span))
    take()
    while !at(.endOfFile), !at(.semicolon), !at(.service), !at(.function), !at(.import) { take() }
    _ = eat(.semicolon)
  }

  /// Not all words of the language. Source: the official compiler, asked about each.
  private static let refusedServiceNames: Set<String> = [
    "allow", "false", "function", "if", "import", "in", "is", "match", "null", "package", "return", "service",
    "true",
  ]

  private mutating func parseService() -> ServiceSyntax {
    let start = take().span
    var name = NameSyntax(text: "", span: previousSpan.atEnd)
    if at(.serviceName) {
      let token = take()
      name = NameSyntax(text: text(token), span: token.span)
      if Self.refusedServiceNames.contains(name.text) { remark(SyntaxMessages.keywordAsServiceName(name)) }
    } else {
      report(SyntaxMessages.expectedServiceName(found: current, text: text(current)))
    }
    return parseServiceRest(name, from: start)
  }

  /// The block of a service. A missing `{` is taken as if it were there when the block follows.
  private mutating func parseServiceRest(_ name: NameSyntax, from start: Span) -> ServiceSyntax {
    var functions: [FunctionSyntax] = []
    var matches: [MatchSyntax] = []
    if at(.leftBrace) || reportMissingBrace("after the service name", followedBy: [.match, .function]) {
      let open = current.span
      _ = eat(.leftBrace)
      isPanicking = false
      parseServiceBody(open: open, &functions, &matches)
    }
    return ServiceSyntax(name: name, functions: functions, matches: matches, span: span(from: start))
  }

  /// Says that a `{` is missing, and goes to where the block begins: to the `{` if there is only
  /// something else before it on the line, or to the first statement of the block.
  mutating func reportMissingBrace(_ context: String, followedBy starts: Set<TokenKind>) -> Bool {
    report(
      SyntaxMessages.expected("`{`", context, found: current, text: text(current), after: previousSpan))
    let line = source.lineNumber(of: current.span.start)
    var position = index
    // LIMIT: a few tokens; what is farther away belongs to something else.
    while position < tokens.count, position - index <= 6 {
      let kind = tokens[position].kind
      if starts.contains(kind)
        || kind == .leftBrace && source.lineNumber(of: tokens[position].span.start) == line
      {
        index = position
        return true
      }
      if kind == .rightBrace || kind == .endOfFile || kind.beginsStatement { return false }
      position += 1
    }
    return false
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
      case _ where isPanicking && isFunctionWithoutKeyword(at: index): functions.append(parseFunctionRest())
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
    case _ where isFunctionWithoutKeyword(at: index):
      report(SyntaxMessages.missingFunctionKeyword(token.span))
    default:
      report(SyntaxMessages.unexpectedInBlock(text(token), block: block, at: token.span))
      take()
    }
    // Something foreign in front of a declaration, or instead of its keyword: the declaration is read.
    if at(.pathSegment) || at(.slash) || isFunctionWithoutKeyword(at: index) { return }
    recoverStatement()
  }

  /// `name(…) {`: a function whose keyword was forgotten.
  func isFunctionWithoutKeyword(at start: Int) -> Bool {
    guard start + 2 < tokens.count, tokens[start].kind == .identifier, tokens[start + 1].kind == .leftParen
    else { return false }
    var position = start + 2
    while position < tokens.count, tokens[position].kind == .identifier || tokens[position].kind == .comma {
      position += 1
    }
    return position + 1 < tokens.count && tokens[position].kind == .rightParen
      && tokens[position + 1].kind == .leftBrace
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
