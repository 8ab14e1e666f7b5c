/// The parser's state and its smallest steps.
///
/// The protocol every parsing function keeps: `mutating` means that it may consume tokens; `at`
/// asks, `eat` takes if it is there, `expect` takes or reports. Nothing throws. A function that
/// cannot find its construct reports and returns a tree with `missing` in it.
///
/// One mistake gives one message: a report sets `isPanicking`, which silences all others until the
/// parser has found firm ground again (Recovery.swift).
///
/// INVARIANT: every loop either consumes a token in each round or ends.
struct Parser {
  /// LIMIT: nodes on a branch of an expression, as the service counts them.
  /// Source: docs/spec/production-differences.md 1.9, the depth of an expression tree.
  static let branchNodesMax = 99
  /// LIMIT: real height of a tree, chains of `.a.b` included, which the service does not count.
  /// The official compiler overflows its stack at 608 to 861; ours says so instead.
  static let treeHeightMax = 600
  /// LIMIT: `match` blocks inside each other that are parsed at all. The service allows 11.
  static let matchNestingMax = 40

  let source: SourceText
  let tokens: [Token]
  let comments: [CommentSyntax]
  var diagnostics: [Diagnostic]
  var index = 0
  var isPanicking = false
  /// Whether the rest of the text is in a comment that never ends, which has been said.
  var isCutOff = false

  /// How deep `parseExpression` is inside itself.
  var expressionNesting = 0
  /// Whether the expression being parsed has been called too complex already.
  var complexityReported = false
  /// How many `match` blocks are open.
  var matchNesting = 0

  var expressionCount = 0
  var functionCount = 0
  var matchCount = 0
  var allowCount = 0

  init(_ source: SourceText, lexer: Lexer) { self.init(source, tokens: lexer.tokens, lexer: lexer) }

  /// A parser of other tokens than those of the text (SyntaxRepair.swift).
  init(_ source: SourceText, tokens: [Token], lexer: Lexer) {
    self.source = source
    self.tokens = tokens
    comments = lexer.comments
    diagnostics = lexer.diagnostics
  }

  // MARK: Looking

  var current: Token { tokens[index] }

  /// The kind of a token ahead; past the end it is `endOfFile`.
  func kind(ahead distance: Int = 0) -> TokenKind {
    let position = index + distance
    return position < tokens.count ? tokens[position].kind : .endOfFile
  }

  func at(_ kind: TokenKind) -> Bool { tokens[index].kind == kind }

  /// Whether the current token follows the one before it without a blank.
  func isAdjacent(_ distance: Int = 0) -> Bool {
    let position = index + distance
    guard position > 0, position < tokens.count else { return false }
    return tokens[position - 1].span.end == tokens[position].span.start
  }

  func text(_ token: Token) -> String { source.text(of: token.span) }

  /// Whether an identifier reads so.
  func at(word: String) -> Bool { at(.identifier) && text(current) == word }

  var previousSpan: Span { index > 0 ? tokens[index - 1].span : Span(start: 0, end: 0) }

  func span(from start: Span) -> Span {
    Span(start: start.start, end: max(start.end, previousSpan.end))
  }

  // MARK: Taking

  @discardableResult
  mutating func take() -> Token {
    let token = tokens[index]
    if token.kind != .endOfFile { index += 1 }
    return token
  }

  mutating func eat(_ kind: TokenKind) -> Bool {
    guard at(kind) else { return false }
    index += 1
    return true
  }

  /// Takes the token or reports that it is missing. The report says what it was expected for.
  @discardableResult
  mutating func expect(_ kind: TokenKind, _ spelling: String, _ context: String) -> Bool {
    if eat(kind) { return true }
    report(
      SyntaxMessages.expected(
        "`\(spelling)`", context, found: current, text: text(current), after: previousSpan))
    return false
  }

  /// Takes a name. Keywords are refused with a hint.
  mutating func expectName(_ what: String) -> NameSyntax? {
    if at(.identifier) {
      let token = take()
      return NameSyntax(text: text(token), span: token.span)
    }
    if current.kind.isKeyword {
      report(SyntaxMessages.reservedName(text(current), what: what, at: current.span))
      // Only where the word is used like a name; elsewhere it begins the next statement.
      if !current.kind.beginsStatement || kind(ahead: 1) == .leftParen { take() }
      return nil
    }
    report(SyntaxMessages.expected(what, "", found: current, text: text(current), after: previousSpan))
    return nil
  }

  // MARK: Reporting

  /// Adds an error unless the parser has not yet recovered from the last one.
  mutating func report(_ diagnostic: Diagnostic) {
    defer { isPanicking = true }
    // The lexer has spoken about an unknown character already.
    let besideUnknown = at(.unknown) || (index > 0 && tokens[index - 1].kind == .unknown)
    if !isPanicking, !besideUnknown, !isCutOff { diagnostics.append(diagnostic) }
  }

  /// How many diagnostics there were when the expression being parsed began.
  var diagnosticsBefore = 0

  /// Whether something has been said about the expression being parsed: a bracket that seems to be
  /// missing afterwards is then a consequence.
  var isSpokenAbout: Bool { diagnostics.count > diagnosticsBefore }

  /// Adds a remark after which parsing goes on as if nothing had been wrong.
  mutating func remark(_ diagnostic: Diagnostic) {
    if !isPanicking, !isCutOff { diagnostics.append(diagnostic) }
  }

  // MARK: Nodes

  /// Makes a node. `depth` counts as the complexity limit does; past the limit the node becomes
  /// `missing`, so trees stay shallow whatever the text is.
  mutating func node(_ kind: ExpressionKind, _ span: Span, depth: Int) -> ExpressionNode {
    let height = ExpressionNode.height(of: kind)
    guard depth <= Parser.branchNodesMax, height <= Parser.treeHeightMax else {
      reportComplexity(span)
      return node(.missing, span, depth: 1)
    }
    defer { expressionCount += 1 }
    return ExpressionNode(number: expressionCount, kind: kind, span: span, depth: depth, height: height)
  }

  mutating func missing(_ span: Span) -> ExpressionNode { node(.missing, span, depth: 1) }

  mutating func reportComplexity(_ span: Span) {
    guard !complexityReported else { return }
    complexityReported = true
    remark(SyntaxMessages.tooComplex(span))
  }

  var emptyRuleset: RulesetSyntax {
    RulesetSyntax(
      version: nil, functions: [], services: [], comments: [], expressionCount: 0, functionCount: 0,
      matchCount: 0, allowCount: 0)
  }
}
