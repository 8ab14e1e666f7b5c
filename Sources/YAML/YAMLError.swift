/// What is wrong with a YAML file, and where.

/// A place in a file, from 1, columns counted in characters (Unicode scalars).
public struct YAMLMark: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let line: Int32
  public let column: Int32

  public init(line: Int, column: Int) {
    self.line = Int32(clamping: line)
    self.column = Int32(clamping: column)
  }

  /// The first character of a file.
  public static let start = YAMLMark(line: 1, column: 1)

  public var description: String { "line \(line), column \(column)" }

  public static func < (left: YAMLMark, right: YAMLMark) -> Bool {
    left.line != right.line ? left.line < right.line : left.column < right.column
  }
}

/// A file refused at one place. `YAMLSource.diagnostic(for:)` turns it into text with the source line.
public struct YAMLError: Error, Hashable, Sendable {
  public let mark: YAMLMark
  /// Lower case, one line, no full stop.
  public let message: String
  /// Where the place was used, innermost last: `in users/bob`, `from template profile`. Shown in
  /// parentheses after the message.
  public var notes: [String]

  public init(_ message: String, at mark: YAMLMark, notes: [String] = []) {
    self.mark = mark
    self.message = message
    self.notes = notes
  }

  /// The message with its notes.
  public var text: String {
    notes.isEmpty ? message : "\(message) (\(notes.joined(separator: ", ")))"
  }
}

/// An error ready to be shown: `file:line:column: error: message`, the source line, a caret.
public struct YAMLDiagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  public let mark: YAMLMark
  public let message: String
  /// The line at `mark`, without its line break; empty when it could not be read.
  public let sourceLine: String

  public init(file: String, mark: YAMLMark, message: String, sourceLine: String) {
    self.file = file
    self.mark = mark
    self.message = message
    self.sourceLine = sourceLine
  }

  /// `file:line:column: error: message`
  public var headline: String { "\(file):\(mark.line):\(mark.column): error: \(message)" }

  public var description: String {
    guard !sourceLine.isEmpty else { return headline }
    let (excerpt, caret) = window()
    return "\(headline)\n  \(excerpt)\n  \(caret)^"
  }

  /// LIMIT: characters of a long line that are shown around the caret.
  private static let excerptCharacters = 160

  /// The part of the line that is shown, and the blanks that bring a caret under the column.
  private func window() -> (excerpt: String, blanks: String) {
    let scalars = Array(sourceLine.unicodeScalars)
    let column = min(Int(mark.column) - 1, scalars.count)
    var start = 0
    if scalars.count > Self.excerptCharacters, column > Self.excerptCharacters / 2 {
      start = min(column - Self.excerptCharacters / 2, scalars.count - Self.excerptCharacters)
    }
    let end = min(scalars.count, start + Self.excerptCharacters)
    var excerpt = String.UnicodeScalarView()
    if start > 0 { excerpt.append(contentsOf: "...".unicodeScalars) }
    excerpt.append(contentsOf: scalars[start..<end])
    if end < scalars.count { excerpt.append(contentsOf: "...".unicodeScalars) }
    // Tabs stay tabs, so that the caret stands right whatever their width is.
    var blanks = start > 0 ? "   " : ""
    for scalar in scalars[start..<max(start, column)] { blanks.append(scalar == "\t" ? "\t" : " ") }
    return (String(excerpt), blanks)
  }
}
