/// One mistake, one message, also where a mistake makes the parser lose its way.
///
/// A forgotten or doubled bracket or keyword can make everything after it look wrong. When a text gives
/// several errors, the smallest changes at the first one are tried (a token left out, put in, or
/// replaced), and the text is parsed again with each. A change that makes at least one further error
/// disappear shows that it was a consequence: the first error is told alone, and the tree is that of the
/// changed text, so that the rest of the file is still checked.
///
/// INVARIANT: only texts with several errors are changed, and they are refused anyway.
/// INVARIANT: tokens put in are empty, so every span still lies in the source.
struct SyntaxRepair {
  /// LIMIT: errors of a text that is looked at; one with more is not rules with a mistake in them.
  private static let errorsMax = 25
  /// LIMIT: repairs of one text.
  private static let repairsMax = 3
  /// LIMIT: tokens parsed in all while trying; some tens of milliseconds.
  private static let tokensMax = 300_000

  private let source: SourceText
  private let lexer: Lexer
  private var tokens: [Token]
  private var told: [Diagnostic] = []
  private var budget = SyntaxRepair.tokensMax

  init(_ source: SourceText, _ lexer: Lexer) {
    self.source = source
    self.lexer = lexer
    tokens = lexer.tokens
  }

  /// The tree and what is wrong with it.
  mutating func run() -> (syntax: RulesetSyntax, diagnostics: [Diagnostic]) {
    var best = parse(tokens)
    for _ in 0..<Self.repairsMax {
      let errors = best.errors
      guard errors.count > 1, errors.count <= Self.errorsMax, let first = errors.min(by: Self.isEarlier),
        let repair = repair(of: first, errorCount: errors.count)
      else { break }
      told.append(repair.message)
      tokens = repair.tokens
      best = repair.attempt
    }
    return (best.syntax, lexer.diagnostics + told + best.diagnostics)
  }

  // MARK: Attempts

  /// A parse of changed tokens.
  private struct Attempt {
    let syntax: RulesetSyntax
    /// Without those of the lexer.
    let diagnostics: [Diagnostic]

    var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
  }

  private mutating func parse(_ tokens: [Token]) -> Attempt {
    budget -= tokens.count
    var parser = Parser(source, tokens: tokens, lexer: lexer)
    let syntax = parser.parseRuleset()
    return Attempt(syntax: syntax, diagnostics: Array(parser.diagnostics.dropFirst(lexer.diagnostics.count)))
  }

  private static func place(_ diagnostic: Diagnostic) -> Int32 {
    (diagnostic.officialSpan ?? diagnostic.span)?.start ?? .max
  }

  private static func isEarlier(_ left: Diagnostic, _ right: Diagnostic) -> Bool {
    place(left) < place(right)
  }

  private struct Repair {
    let message: Diagnostic
    let tokens: [Token]
    let attempt: Attempt
  }

  /// The change at an error after which the fewest others are left.
  private mutating func repair(of error: Diagnostic, errorCount: Int) -> Repair? {
    let place = Self.place(error)
    let index = tokens.firstIndex { $0.span.start >= place } ?? tokens.count - 1
    var best: Repair?
    var fewest = errorCount - 1
    for change in Self.changes where budget > 0 {
      guard let changed = apply(change, at: index) else { continue }
      let attempt = parse(changed)
      let count = attempt.errors.count
      guard count < fewest else { continue }
      fewest = count
      best = Repair(message: message(error, change, at: index), tokens: changed, attempt: attempt)
      if count == 0 { break }
    }
    return best
  }

  // MARK: Changes

  private enum Change {
    case leaveOut(Int)
    case putIn(TokenKind, Int)
    case replace(Int, TokenKind)
  }

  /// In the order in which they are preferred; places count from the token of the error.
  private static let changes: [Change] = {
    let kinds: [TokenKind] = [
      .rightBrace, .leftBrace, .rightParen, .leftParen, .rightBracket, .leftBracket, .semicolon, .colon, .if,
      .identifier, .comma, .match, .function, .return, .assign, .and,
    ]
    var changes: [Change] = [.leaveOut(0), .leaveOut(-1)]
    changes += kinds.map { .replace(0, $0) }
    changes += kinds.map { .putIn($0, 0) }
    changes += [.leaveOut(-2), .leaveOut(1)]
    changes += kinds.map { .replace(-1, $0) }
    changes += kinds.map { .putIn($0, -1) }
    return changes
  }()

  /// Nil where there is no such place, or nothing would change.
  private func apply(_ change: Change, at index: Int) -> [Token]? {
    var changed = tokens
    let last = tokens.count - 1
    switch change {
    case .leaveOut(let distance):
      guard index + distance >= 0, index + distance < last else { return nil }
      changed.remove(at: index + distance)
    case .putIn(let kind, let distance):
      guard index + distance >= 0, index + distance <= last else { return nil }
      changed.insert(empty(kind, before: tokens[index + distance]), at: index + distance)
    case .replace(let distance, let kind):
      guard index + distance >= 0, index + distance < last, tokens[index + distance].kind != kind else {
        return nil
      }
      changed[index + distance] = empty(kind, before: tokens[index + distance])
    }
    return changed
  }

  private func empty(_ kind: TokenKind, before token: Token) -> Token {
    Token(kind: kind, span: token.span.atStart, commentsBefore: token.commentsBefore)
  }

  /// What to say: the parser's words, unless the change shows that a brace is the mistake.
  private func message(_ error: Diagnostic, _ change: Change, at index: Int) -> Diagnostic {
    guard case .leaveOut(let distance) = change else { return error }
    let token = tokens[index + distance]
    guard token.kind == .rightBrace || token.kind == .leftBrace else { return error }
    var message = SyntaxMessages.strayBrace(token.span, isClosing: token.kind == .rightBrace)
    message.officialText = error.officialText
    message.officialSpan = error.officialSpan ?? error.span
    return message
  }
}
