/// Numbers, quoted literals and punctuation.

internal import DocModel

extension Lexer {
  /// `0`, `12`, `1.5`, `5.`, `.5`. No leading zeros, no exponent: what follows is another token,
  /// which the parser then finds out of place.
  mutating func number(from start: Int) {
    if bytes[offset] == UInt8(ascii: "0") {
      offset += 1
    } else {
      while peek().isDigit { offset += 1 }
    }
    guard peek() == UInt8(ascii: ".") else {
      append(.integer, from: start)
      return
    }
    offset += 1
    while peek().isDigit { offset += 1 }
    append(.float, from: start)
  }

  /// A string or bytes literal; `offset` is at the quote. Escapes are only skipped here, and judged
  /// when the literal's value is made. An unclosed literal ends at the end of its line.
  mutating func quoted(_ kind: TokenKind, from start: Int) {
    let quote = bytes[offset]
    offset += 1
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
      offset += 1
      if byte == quote {
        append(kind, from: start)
        return
      }
      if byte == UInt8(ascii: "\\"), offset < bytes.count, bytes[offset] != UInt8(ascii: "\n"),
        bytes[offset] != UInt8(ascii: "\r")
      {
        offset += 1
      }
    }
    let quoteText = quote == UInt8(ascii: "'") ? "'" : "\""
    diagnostics.append(SyntaxMessages.unclosedString(quote: quoteText, at: span(from: start)))
    append(kind, from: start)
  }

  /// The longest operator or mark at the offset, with its length.
  func punctuation() -> (TokenKind, Int)? {
    let next = peek(1)
    switch bytes[offset] {
    case UInt8(ascii: "("): return (.leftParen, 1)
    case UInt8(ascii: ")"): return (.rightParen, 1)
    case UInt8(ascii: "["): return (.leftBracket, 1)
    case UInt8(ascii: "]"): return (.rightBracket, 1)
    case UInt8(ascii: "{"): return (.leftBrace, 1)
    case UInt8(ascii: "}"): return (.rightBrace, 1)
    case UInt8(ascii: ","): return (.comma, 1)
    case UInt8(ascii: ";"): return (.semicolon, 1)
    case UInt8(ascii: ":"): return (.colon, 1)
    case UInt8(ascii: "."): return (.dot, 1)
    case UInt8(ascii: "?"): return (.question, 1)
    case UInt8(ascii: "%"): return (.percent, 1)
    case UInt8(ascii: "*"): return next == UInt8(ascii: "*") ? (.starStar, 2) : (.star, 1)
    case UInt8(ascii: "+"): return next == UInt8(ascii: "+") ? (.plusPlus, 2) : (.plus, 1)
    case UInt8(ascii: "-"): return next == UInt8(ascii: "-") ? (.minusMinus, 2) : (.minus, 1)
    case UInt8(ascii: "<"): return next == UInt8(ascii: "=") ? (.lessOrEqual, 2) : (.less, 1)
    case UInt8(ascii: ">"): return next == UInt8(ascii: "=") ? (.greaterOrEqual, 2) : (.greater, 1)
    case UInt8(ascii: "="):
      if next == UInt8(ascii: ">") { return (.arrow, 2) }
      guard next == UInt8(ascii: "=") else { return (.assign, 1) }
      return peek(2) == UInt8(ascii: "=") ? (.strictEqual, 3) : (.equal, 2)
    case UInt8(ascii: "!"):
      guard next == UInt8(ascii: "=") else { return (.not, 1) }
      return peek(2) == UInt8(ascii: "=") ? (.strictNotEqual, 3) : (.notEqual, 2)
    case UInt8(ascii: "&"): return next == UInt8(ascii: "&") ? (.and, 2) : nil
    case UInt8(ascii: "|"): return next == UInt8(ascii: "|") ? (.or, 2) : nil
    default: return nil
    }
  }
}

extension UInt8 {
  /// `$` is a letter in names, as in Java.
  var isNameStart: Bool { isNamePart && !isDigit }

  package var isNamePart: Bool { isWordByte || self == UInt8(ascii: "$") }

  package var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\n")
      || self == UInt8(ascii: "\r") || self == 0x0C
  }

  var isServiceNamePart: Bool {
    isLetter || isDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
  }

  /// Characters of a literal path segment, found by asking the official compiler about each.
  package var isSegmentCharacter: Bool {
    if isLetter || isDigit { return true }
    switch self {
    case UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "_"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }
}
