/// From lines to statements: what is a comment, and whether a statement goes on in the next line.
///
/// A line that ends in an open bracket, `|`, `,` or an operator continues. `-- ` and `#` at the start of a
/// line begin comments.

/// Collects lines until they are a statement.
struct StatementAssembler {
  /// LIMIT: bytes of one statement.
  static let statementBytesMax = 16 << 20

  private var lines: [String] = []
  /// Lines taken so far, and the first one of the statement under way.
  private(set) var lineNumber = 0
  private(set) var firstLine = 1
  private var byteCount = 0

  /// Whether a statement has begun.
  var isOpen: Bool { !lines.isEmpty }

  /// A whole statement, once its last line is there. Empty lines and comments give none.
  mutating func take(_ line: String) -> String? {
    lineNumber += 1
    let kept = InputScanner.withoutComment(line)
    if lines.isEmpty {
      if kept.allSatisfy({ $0 == " " || $0 == "\t" || $0 == "\r" }) { return nil }
      firstLine = lineNumber
    }
    lines.append(kept)
    byteCount += kept.utf8.count + 1
    let text = lines.joined(separator: "\n")
    guard InputScanner.isComplete(text) || byteCount > Self.statementBytesMax else { return nil }
    clear()
    return text
  }

  /// What is there when no more lines come.
  mutating func takeRest() -> String? {
    guard isOpen else { return nil }
    defer { clear() }
    return lines.joined(separator: "\n")
  }

  mutating func clear() {
    lines = []
    byteCount = 0
  }
}

enum InputScanner {
  /// A line without its comment.
  static func withoutComment(_ line: String) -> String {
    let bytes = Array(line.utf8)
    let first = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 }
    if let first, bytes[first] == UInt8(ascii: "#") { return "" }
    // What goes to a program of the system is its own.
    if let first, bytes[first...].starts(with: ":!".utf8) { return line }
    var quote: UInt8?
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") {
        quote = byte
      } else if byte == UInt8(ascii: "-"), index + 1 < bytes.count, bytes[index + 1] == byte,
        index == 0 || bytes[index - 1] == 0x20 || bytes[index - 1] == 0x09,
        index + 2 == bytes.count || bytes[index + 2] == 0x20
      {
        return String(decoding: bytes[..<index], as: UTF8.self)
      }
      index += 1
    }
    return line
  }

  /// Whether a statement ends with this text.
  static func isComplete(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var depth = 0
    var quote: UInt8?
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == UInt8(ascii: "\\") { index += 1 }
        // A text ends with its line, so that a lone apostrophe does not swallow all that follows.
        if byte == open || byte == 0x0A { quote = nil }
      } else {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): quote = byte
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
      }
      index += 1
    }
    if isSystemCommand(bytes) { return true }
    return depth <= 0 && !endsOpen(bytes)
  }

  private static func isSystemCommand(_ bytes: [UInt8]) -> Bool {
    bytes.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: ":!".utf8)
  }

  /// Whether the last sign wants more. Commands are one line.
  private static func endsOpen(_ bytes: [UInt8]) -> Bool {
    let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    if let first = bytes.first(where: { !blanks.contains($0) }), ":.\\".utf8.contains(first) { return false }
    guard let last = bytes.last(where: { !blanks.contains($0) }) else { return false }
    return "|,=<>&".utf8.contains(last)
  }
}
