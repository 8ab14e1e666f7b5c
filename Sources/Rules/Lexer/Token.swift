/// Tokens of the rules language.
///
/// INVARIANT: tokens are in source order and do not overlap; the last one is `endOfFile`, empty, at
/// the end of the text.
package struct Token: Sendable {
  package let kind: TokenKind
  package let span: Span
  /// How many comments the file has before this token: those between two neighbours belong to the
  /// second one.
  package let commentsBefore: Int32
}

/// What a token is.
package enum TokenKind: UInt8, Sendable {
  case identifier, integer, float, string, bytes
  /// A slash with the literal segment that follows it without a blank: `/users`, `/(default)`.
  case pathSegment
  /// The dotted name after `service`.
  case serviceName

  case allow, function, `if`, `import`, `in`, `is`, `let`, match, `return`, rulesVersion, service
  case `true`, `false`, null
  /// A word that the language keeps for itself without using it: `for`, `var`, `not`, `default`.
  case reserved

  case leftParen, rightParen, leftBracket, rightBracket, leftBrace, rightBrace
  case comma, semicolon, colon, dot, question, assign, dollar, slash
  case or, and, equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  case plus, minus, star, starStar, percent, not

  /// Not in the language; lexed whole so that the parser can say so once.
  case plusPlus, minusMinus, strictEqual, strictNotEqual, arrow
  /// A character that cannot be in a program; the lexer has reported it.
  case unknown
  case endOfFile
}

extension TokenKind {
  /// The keyword a name is, if any. Names of methods (`read`) are ordinary identifiers.
  init?(keyword bytes: ArraySlice<UInt8>) {
    guard bytes.count <= 13, let found = TokenKind.keywords[String(decoding: bytes, as: UTF8.self)] else {
      return nil
    }
    self = found
  }

  private static let keywords: [String: TokenKind] = [
    "allow": .allow, "function": .function, "if": .if, "import": .import, "in": .in, "is": .is,
    "let": .let, "match": .match, "return": .return, "rules_version": .rulesVersion,
    "service": .service, "true": .true, "false": .false, "null": .null,
    "default": .reserved, "else": .reserved, "for": .reserved, "while": .reserved, "do": .reserved,
    "switch": .reserved, "case": .reserved, "break": .reserved, "continue": .reserved, "var": .reserved,
    "extends": .reserved, "package": .reserved, "not": .reserved, "goto": .reserved, "each": .reserved,
    "then": .reserved, "deny": .reserved, "arguments": .reserved,
  ]

  /// Whether the word is reserved everywhere an identifier may stand.
  package var isKeyword: Bool {
    switch self {
    case .allow, .function, .if, .import, .in, .is, .let, .match, .return, .rulesVersion, .service,
      .true, .false, .null, .reserved:
      true
    case .identifier, .integer, .float, .string, .bytes, .pathSegment, .serviceName, .leftParen,
      .rightParen, .leftBracket, .rightBracket, .leftBrace, .rightBrace, .comma, .semicolon, .colon,
      .dot, .question, .assign, .dollar, .slash, .or, .and, .equal, .notEqual, .less, .lessOrEqual,
      .greater, .greaterOrEqual, .plus, .minus, .star, .starStar, .percent, .not, .plusPlus,
      .minusMinus, .strictEqual, .strictNotEqual, .arrow, .unknown, .endOfFile:
      false
    }
  }

  /// Words that begin a declaration or a statement: where the parser picks up after a mistake.
  var beginsStatement: Bool {
    switch self {
    case .allow, .function, .match, .service, .let, .return, .rulesVersion: true
    default: false
    }
  }
}
