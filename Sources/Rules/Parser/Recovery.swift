/// How the parser finds its feet after a mistake.
///
/// Two kinds of firm ground: the closing bracket of the innermost bracketed construct, and the start
/// of the next statement. Both searches skip balanced brackets and never pass a statement keyword,
/// so a mistake in one `allow` does not swallow the next.
extension Parser {
  /// Skips to the closer that belongs to the innermost open bracket and takes it. If there is none
  /// before the end of the statement, stays where the search began and goes on panicking.
  mutating func recover(to closer: TokenKind) {
    var depth = 0
    var position = index
    while position < tokens.count {
      let kind = tokens[position].kind
      if depth == 0, kind == closer {
        index = position + 1
        isPanicking = false
        return
      }
      if kind == .semicolon || kind == .endOfFile || (kind.beginsStatement && !isMemberName(position)) {
        return
      }
      switch kind {
      case .leftParen, .leftBracket, .leftBrace: depth += 1
      case .rightParen, .rightBracket, .rightBrace:
        depth -= 1
        if depth < 0 { return }
      default: break
      }
      position += 1
    }
  }

  /// Skips the rest of a statement: past its `;`, or up to the `}` or keyword that ends it.
  mutating func recoverStatement() {
    guard isPanicking else { return }
    var depth = 0
    while true {
      let kind = current.kind
      switch kind {
      case .endOfFile: break
      case .semicolon where depth == 0:
        take()
      case .rightBrace where depth == 0: break
      case _ where kind.beginsStatement && !isMemberName(index): break
      case .leftBrace:
        depth += 1
        take()
        continue
      case .rightBrace:
        depth -= 1
        take()
        continue
      default:
        take()
        continue
      }
      break
    }
    isPanicking = false
  }

  /// Skips to the `}` that closes the block the parser is in and takes it.
  mutating func skipBlock() {
    var depth = 0
    while !at(.endOfFile) {
      if at(.leftBrace) { depth += 1 }
      if at(.rightBrace) {
        if depth == 0 { break }
        depth -= 1
      }
      take()
    }
    isPanicking = false
    _ = eat(.rightBrace)
  }

  private func isMemberName(_ position: Int) -> Bool {
    position > 0 && tokens[position - 1].kind == .dot
  }
}
