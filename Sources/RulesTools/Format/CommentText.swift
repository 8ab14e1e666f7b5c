internal import Rules

/// The text of a comment as it is printed.
///
/// Blanks at the ends of lines go. A block comment that begins a line moves as a whole: its lines keep
/// their distance from the first, or their column of stars.
struct CommentText {
  private let lines: [ArraySlice<UInt8>]
  private let isBlock: Bool
  /// Blanks before the comment in its line.
  private let column: Int

  init(_ comment: GapComment, in source: SourceText) {
    isBlock = comment.isBlock
    lines = source.slice(of: comment.span)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map(\.withoutTrailingBlanks)
    var start = Int(comment.span.start)
    while start > 0, source.bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    column = source.bytes[start..<Int(comment.span.start)].leadingWidth
  }

  /// `// @id name` names the statement below it.
  var isID: Bool {
    guard !isBlock, let text = lines.first?.dropFirst(2) else { return false }
    return text.drop(while: \.isBlank).starts(with: "@id".utf8)
  }

  var isMultiline: Bool { lines.count > 1 }

  /// As it is written.
  var verbatim: [UInt8] { Array(lines.joined(separator: CollectionOfOne(UInt8(ascii: "\n")))) }

  /// As lines of its own.
  func indented(by indent: Int) -> [UInt8] {
    let rest = lines.dropFirst()
    let hasStars = rest.allSatisfy { $0.drop(while: \.isBlank).first == UInt8(ascii: "*") }
    var text: [UInt8] = blanks(indent)
    text += lines.first ?? []
    for line in rest {
      text.append(UInt8(ascii: "\n"))
      let words = line.drop(while: \.isBlank)
      if words.isEmpty { continue }
      text += blanks(hasStars ? indent + 1 : max(0, line.leadingWidth + indent - column))
      text += words
    }
    return text
  }

  private func blanks(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: " "), count: count) }

  /// What must survive formatting: the words of every line.
  static func words(of comment: CommentSyntax, in source: SourceText) -> [ArraySlice<UInt8>] {
    source.slice(of: comment.span)
      .split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .map { $0.drop(while: \.isBlank).withoutTrailingBlanks }
  }
}

extension ArraySlice<UInt8> {
  var withoutTrailingBlanks: ArraySlice<UInt8> {
    var text = self
    while let last = text.last, last.isBlank { text.removeLast() }
    return text
  }

  /// Columns of the blanks it begins with. A tab is one step of indentation.
  fileprivate var leadingWidth: Int {
    prefix(while: \.isBlank).reduce(0) { $0 + ($1 == UInt8(ascii: "\t") ? LayoutPrinter.indentation : 1) }
  }
}
