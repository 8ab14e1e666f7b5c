internal import DocModel
internal import Rules

/// Where two tokens would become other tokens if no blank stood between them.
///
/// The lexer takes the longest token, so `1 .size()` without its blank begins with a number `1.`, and
/// `/a .b()` with a path segment `/a.b`.
enum Adjacency {
  /// Whether a blank must stay between a token and the text of the next.
  static func needsBlank(_ token: Token, _ next: ArraySlice<UInt8>, in source: SourceText) -> Bool {
    guard let first = next.first else { return false }
    switch token.kind {
    case .pathSegment: return first.isSegmentCharacter || first == UInt8(ascii: "%")
    case .slash:
      return first.isSegmentCharacter || first == UInt8(ascii: "%") || first == UInt8(ascii: "(")
        || first == UInt8(ascii: "/")
    case .integer: return first == UInt8(ascii: ".") || first.isNamePart
    case .float: return first.isNamePart
    case .question: return first == UInt8(ascii: ".") || first == UInt8(ascii: "?")
    case .dot: return first.isDigit
    case .minus: return first == UInt8(ascii: "-")
    case .identifier, .serviceName: return first.isNamePart || isBytesPrefix(token, first, in: source)
    case _ where token.kind.isKeyword: return first.isNamePart
    default: return false
    }
  }

  /// `b` directly before a quote begins a bytes literal.
  private static func isBytesPrefix(_ token: Token, _ next: UInt8, in source: SourceText) -> Bool {
    guard next == UInt8(ascii: "'") || next == UInt8(ascii: "\"") else { return false }
    return source.slice(of: token.span).elementsEqual([UInt8(ascii: "b")])
      || source.slice(of: token.span).elementsEqual([UInt8(ascii: "B")])
  }
}
