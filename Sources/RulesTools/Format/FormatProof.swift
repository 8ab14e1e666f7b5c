/// Proof that formatting kept a program: its tokens, its comments, its tree.

internal import Rules

/// What formatting would have damaged.
public struct FormatDamage: Sendable, Hashable {
  /// What was lost.
  public enum Kind: String, Sendable {
    case tokens = "its tokens would not be the same"
    case comments = "its comments would not be the same"
    case tree = "its tree would not be the same"
    case unstable = "formatting it again and again does not come to an end"
  }

  public let kind: Kind
  /// The line of the given text where the damage begins.
  public let line: Int
}

enum FormatProof {
  /// What is not the same in the formatted text; nil if all is.
  static func damage(from before: ParseResult, to bytes: [UInt8]) -> FormatDamage? {
    let after = RulesParser.parse(source: bytes, name: before.source.name)
    let old = Lexer.run(before.source)
    let new = Lexer.run(after.source)
    if let place = firstDifference(
      essentials(old.tokens), essentials(new.tokens),
      by: { $0.kind == $1.kind && before.source.slice(of: $0.span) == after.source.slice(of: $1.span) })
    {
      return FormatDamage(kind: .tokens, line: before.source.lineNumber(of: place.span.start))
    }
    if let place = firstDifference(
      old.comments, new.comments,
      by: {
        $0.isBlock == $1.isBlock
          && CommentText.words(of: $0, in: before.source) == CommentText.words(of: $1, in: after.source)
      })
    {
      return FormatDamage(kind: .comments, line: before.source.lineNumber(of: place.span.start))
    }
    guard !after.diagnostics.containsError,
      SyntaxOutline(before).structureJSON() == SyntaxOutline(after).structureJSON()
    else { return FormatDamage(kind: .tree, line: 1) }
    return nil
  }

  /// Tokens without those that formatting may add or drop. The tree proves that these were right.
  private static func essentials(_ tokens: [Token]) -> [Token] {
    var kept: [Token] = []
    kept.reserveCapacity(tokens.count)
    for token in tokens where token.kind != .semicolon {
      if token.kind.isCloser, kept.last?.kind == .comma { kept.removeLast() }
      kept.append(token)
    }
    return kept
  }

  /// The first element of `old` that has no equal in its place.
  private static func firstDifference<Element>(
    _ old: [Element], _ new: [Element], by areEqual: (Element, Element) -> Bool
  ) -> Element? {
    for (left, right) in zip(old, new) where !areEqual(left, right) { return left }
    if old.count == new.count { return nil }
    return old.count > new.count ? old[new.count] : old.last ?? new.first
  }
}

extension TokenKind {
  fileprivate var isCloser: Bool { self == .rightParen || self == .rightBracket || self == .rightBrace }
}
