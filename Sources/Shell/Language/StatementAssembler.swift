/// From lines to statements.
///
/// A line that ends in an open bracket, `|`, `,` or an operator goes on in the next one; so does a line before one that
/// begins with a clause, `|` or what else can begin no statement. A blank line ends a statement that is complete.

import DocModel

/// Collects lines until they are a statement.
struct StatementAssembler {
  /// LIMIT: bytes of one statement.
  static let statementBytesMax = 16 << 20

  struct Piece: Equatable {
    let text: String
    /// Where it begins, from 1.
    let line: Int
  }

  private var lines: [String] = []
  private var shape = StatementShape()
  private var lineNumber = 0
  private var firstLine = 1
  private var byteCount = 0

  /// Whether a statement has begun.
  var isOpen: Bool { !lines.isEmpty }
  /// Whether what is there is a statement, if no line goes on with it.
  var isComplete: Bool { isOpen && shape.isComplete }

  /// The statement before, once the line does not go on with it. Empty lines and comments give none of their own.
  mutating func take(_ line: String) -> Piece? {
    lineNumber += 1
    let kept = InputScanner.withoutComment(line)
    if kept.allSatisfy({ $0 == " " || $0 == "\t" || $0 == "\r" }) {
      if !isOpen { return nil }
      // A comment may stand between a statement and its clauses.
      if isComplete { return kept.utf8.count == line.utf8.count ? takeRest() : nil }
    }
    var before: Piece?
    if isComplete, !StatementContinuation.begins(kept, after: lines[0]) || byteCount > Self.statementBytesMax
    {
      before = takeRest()
    }
    if lines.isEmpty { firstLine = lineNumber } else { shape.endLine() }
    shape.take(kept)
    lines.append(kept)
    byteCount += kept.utf8.count + 1
    if byteCount > Self.statementBytesMax, before == nil { return takeRest() }
    return before
  }

  /// What is there when no more lines come.
  mutating func takeRest() -> Piece? {
    guard isOpen else { return nil }
    defer { clear() }
    return Piece(text: lines.joined(separator: "\n"), line: firstLine)
  }

  mutating func clear() {
    lines = []
    shape = StatementShape()
    byteCount = 0
  }

  /// The statements of a whole text.
  static func pieces(_ text: String) -> [Piece] {
    var assembler = StatementAssembler()
    var pieces = TextLines.of(text).compactMap { assembler.take($0) }
    if let rest = assembler.takeRest() { pieces.append(rest) }
    return pieces
  }
}

/// Lines that are no statements of their own.
enum StatementContinuation {
  /// Whether a line goes on with a statement that could end before it. Collections may be called as clauses are: what
  /// no clause can be, such as the word alone, is a statement.
  static func begins(_ line: String, after first: String) -> Bool {
    let line = line.drop { $0 == " " || $0 == "\t" }
    let start = first.drop { $0 == " " || $0 == "\t" }
    // A command is one line.
    if start.hasPrefix(":") || start.hasPrefix("\\") || (start.hasPrefix(".") && !start.hasPrefix("./")) {
      return false
    }
    if line.hasPrefix("|") || line.hasPrefix("&&") || line.hasPrefix(">") { return true }
    if line.hasPrefix(".") { return start.contains("(") && isCall(line.dropFirst()) }
    let words = line.split(maxSplits: 3, whereSeparator: { " \t\r".contains($0) }).map { $0.lowercased() }
    guard words.count > 1 else { return false }
    let verb = start.prefix { $0.isLetter }.lowercased()
    switch words[0] {
    case "where", "and", "or", "limit", "offset", "orderby", "limittolast", "startat", "startafter", "endat",
      "endbefore":
      return true
    case "order", "group": return words[1] == "by"
    case "start": return words[1] == "at" || words[1] == "after"
    case "end": return words[1] == "at" || words[1] == "before"
    case "near": return words.count > 2 && words[2].hasPrefix("vector")
    case "select": return !line.lowercased().split(separator: " ").contains("from")
    case "from": return verb == "select" || verb == "delete"
    case "set": return verb == "update" && !words[1].contains("/")
    case "values": return verb == "insert"
    default: return false
    }
  }

  /// `where("a", "==", 1)`, behind its dot.
  private static func isCall(_ text: Substring) -> Bool {
    let name = text.prefix { $0.isLetter }
    return !name.isEmpty && text.dropFirst(name.count).hasPrefix("(")
  }
}
