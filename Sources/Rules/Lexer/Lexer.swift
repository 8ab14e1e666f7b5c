/// Text to tokens, over UTF-8 bytes.
///
/// The longest possible token wins, as in the official compiler, which has consequences a reader
/// would not guess: a slash directly followed by a segment character is a path segment even where a
/// division was meant (`4/2`), and `/*` is a comment only if `*/` follows somewhere.
///
/// Source: observed, see Tests/RulesTests/LexerTests.swift.
/// INVARIANT: every step consumes at least one byte.

internal import DocModel

package struct Lexer {
  package let source: SourceText
  let bytes: [UInt8]
  var offset = 0
  package var tokens: [Token] = []
  package var comments: [CommentSyntax] = []
  var diagnostics: [Diagnostic] = []
  /// Whether the fence of a Markdown block was seen.
  private var isFenced = false
  /// Blanks that are none, in runs.
  private var wideBlanks: [Span] = []
  /// Offset from which `*/` is known not to occur any more.
  private var noCommentEndFrom = Int.max

  init(_ source: SourceText) {
    self.source = source
    bytes = source.bytes
    tokens.reserveCapacity(bytes.count / 4 + 1)
  }

  /// Lexes the whole text.
  package static func run(_ source: SourceText) -> Lexer {
    var lexer = Lexer(source)
    lexer.skipByteOrderMark()
    while lexer.offset < lexer.bytes.count { lexer.step() }
    lexer.reportWideBlanks()
    lexer.append(.endOfFile, from: lexer.bytes.count)
    lexer.checkInvariants()
    return lexer
  }

  /// Of all tokens, and of their comments.
  func checkInvariants() {
    assert(
      zip(tokens, tokens.dropFirst()).allSatisfy { before, after in
        before.span.end <= after.span.start && before.commentsBefore <= after.commentsBefore
      }, "tokens are in the order of the text and do not overlap")
    assert(tokens.last?.kind == .endOfFile, "the last token says that the text ends")
    assert(
      tokens.allSatisfy { $0.span.start <= $0.span.end && Int($0.span.end) <= bytes.count },
      "tokens lie in the text")
  }

  func peek(_ distance: Int = 0) -> UInt8 {
    let index = offset + distance
    return index < bytes.count ? bytes[index] : 0
  }

  func span(from start: Int) -> Span { Span(start: Int32(start), end: Int32(offset)) }

  mutating func append(_ kind: TokenKind, from start: Int) {
    tokens.append(Token(kind: kind, span: span(from: start), commentsBefore: Int32(comments.count)))
  }

  private mutating func skipByteOrderMark() {
    guard bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    offset = 3
    diagnostics.append(SyntaxMessages.byteOrderMark(span(from: 0)))
  }

  private mutating func step() {
    let start = offset
    let byte = bytes[offset]
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0C:
      offset += 1
    case UInt8(ascii: "/"):
      slash(from: start)
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      quoted(.string, from: start)
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      number(from: start)
    case UInt8(ascii: ".") where peek(1).isDigit:
      number(from: start)
    case _ where byte.isNameStart:
      word(from: start)
    default:
      if let (kind, length) = punctuation() {
        offset += length
        append(kind, from: start)
      } else {
        unknownCharacters(from: start)
      }
    }
  }

  // MARK: Words

  private mutating func word(from start: Int) {
    let first = bytes[start]
    if first == UInt8(ascii: "b") || first == UInt8(ascii: "B"),
      peek(1) == UInt8(ascii: "'") || peek(1) == UInt8(ascii: "\"")
    {
      offset += 1
      quoted(.bytes, from: start)
      return
    }
    while offset < bytes.count, bytes[offset].isNamePart { offset += 1 }
    if offset == start + 1, first == UInt8(ascii: "$") {
      append(.dollar, from: start)
      return
    }
    let keyword = TokenKind(keyword: bytes[start..<offset])
    append(keyword ?? .identifier, from: start)
    if keyword == .service { serviceName() }
  }

  /// After `service` the official compiler reads a name in which dots, digits and hyphens are
  /// letters and underscores are none; comments are not known.
  private mutating func serviceName() {
    var begin = offset
    while begin < bytes.count, bytes[begin].isBlank { begin += 1 }
    guard begin < bytes.count, bytes[begin].isServiceNamePart else { return }
    offset = begin
    while offset < bytes.count, bytes[offset].isServiceNamePart { offset += 1 }
    append(.serviceName, from: begin)
  }

  // MARK: Slashes: comments, path segments, division

  private mutating func slash(from start: Int) {
    if peek(1) == UInt8(ascii: "/") {
      while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n"), bytes[offset] != UInt8(ascii: "\r") {
        offset += 1
      }
      comments.append(CommentSyntax(span: span(from: start), isBlock: false))
      return
    }
    if peek(1) == UInt8(ascii: "*") {
      if let end = commentEnd(after: offset + 2) {
        offset = end
        comments.append(CommentSyntax(span: span(from: start), isBlock: true))
        return
      }
      diagnostics.append(SyntaxMessages.openComment(Span(start: Int32(start), end: Int32(start + 2))))
    }
    offset += 1
    if peek() == UInt8(ascii: "("), parenthesizedSegment() {
      append(.pathSegment, from: start)
      return
    }
    while let length = segmentCharacter(at: offset) { offset += length }
    append(offset > start + 1 ? .pathSegment : .slash, from: start)
  }

  private mutating func commentEnd(after begin: Int) -> Int? {
    guard begin < noCommentEndFrom else { return nil }
    var index = begin
    while index + 1 < bytes.count {
      if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
      index += 1
    }
    noCommentEndFrom = begin
    return nil
  }

  /// `/(default)`: segment characters in parentheses, without blanks.
  private mutating func parenthesizedSegment() -> Bool {
    var index = offset + 1
    let first = index
    while let length = segmentCharacter(at: index) { index += length }
    guard index > first, index < bytes.count, bytes[index] == UInt8(ascii: ")") else { return false }
    offset = index + 1
    return true
  }

  /// Length of the path segment character at an index: one, three for `%20`, nil if there is none.
  private func segmentCharacter(at index: Int) -> Int? {
    guard index < bytes.count else { return nil }
    let byte = bytes[index]
    if byte.isSegmentCharacter { return 1 }
    if byte == UInt8(ascii: "%"), index + 2 < bytes.count, bytes[index + 1].hexValue != nil,
      bytes[index + 2].hexValue != nil
    {
      return 3
    }
    return nil
  }

  // MARK: Everything else

  private mutating func unknownCharacters(from start: Int) {
    if wideBlankLength(at: start) > 0 {
      repeat { offset += wideBlankLength(at: offset) } while wideBlankLength(at: offset) > 0
      wideBlanks.append(span(from: start))
      return
    }
    if foreignLine(from: start) || curlyQuoted(from: start) { return }
    repeat { offset += 1 } while offset < bytes.count && bytes[offset] & 0xC0 == 0x80
    // One message for a run of foreign characters, as a pasted sentence makes.
    while offset < bytes.count, bytes[offset] >= 0x80, wideBlankLength(at: offset) == 0 { offset += 1 }
    append(.unknown, from: start)
    diagnostics.append(
      SyntaxMessages.unknownCharacter(source.text(of: span(from: start)), at: span(from: start)))
  }

  /// `# comment` and the fence of a Markdown block: said once, and the line is left out.
  private mutating func foreignLine(from start: Int) -> Bool {
    let isFence = bytes[start...].starts(with: [0x60, 0x60, 0x60])
    guard isFence || bytes[start] == UInt8(ascii: "#") else { return false }
    offset += isFence ? 3 : 1
    // The fence at the end belongs to the one at the beginning.
    if !isFence || !isFenced {
      let place = span(from: start)
      diagnostics.append(SyntaxMessages.unknownCharacter(source.text(of: place), at: place))
    }
    isFenced = isFenced || isFence
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n"), bytes[offset] != UInt8(ascii: "\r") {
      offset += 1
    }
    return true
  }

  /// A string in the quotes of a word processor, taken whole so that it is one mistake.
  private mutating func curlyQuoted(from start: Int) -> Bool {
    guard let opening = quoteLength(at: start) else { return false }
    var index = start + opening
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n"), bytes[index] != UInt8(ascii: "\r") {
      if let closing = quoteLength(at: index) {
        let inside = source.text(of: Span(start: Int32(start + opening), end: Int32(index)))
        offset = index + closing
        append(.unknown, from: start)
        diagnostics.append(SyntaxMessages.curlyQuotes(inside, at: span(from: start)))
        return true
      }
      index += 1
    }
    return false
  }

  /// Length of a quote that is none in rules: a bent one, or a back-tick.
  private func quoteLength(at index: Int) -> Int? {
    if bytes[index] == UInt8(ascii: "`") { return 1 }
    guard bytes[index] == 0xE2, index + 2 < bytes.count, bytes[index + 1] == 0x80 else { return nil }
    return [0x98, 0x99, 0x9C, 0x9D].contains(bytes[index + 2]) ? 3 : nil
  }

  /// A pasted file has them on each of its lines: they are one mistake.
  private mutating func reportWideBlanks() {
    guard let first = wideBlanks.first else { return }
    let isFullWidth = bytes[Int(first.start)] == 0xE3
    diagnostics.append(
      SyntaxMessages.wideBlanks(isFullWidth ? "\u{3000}" : "\u{A0}", at: wideBlanks, first: first))
  }

  /// No-break and full-width blanks are refused, as by the official compiler, and then taken for blanks.
  private func wideBlankLength(at index: Int) -> Int {
    guard index < bytes.count, bytes[index] >= 0xC2 else { return 0 }
    if bytes[index...].starts(with: [0xC2, 0xA0]) { return 2 }
    if bytes[index...].starts(with: [0xE3, 0x80, 0x80]) { return 3 }
    return 0
  }
}
