/// The comments between two neighbouring tokens, and how the author placed them.
///
/// Comments are not in the tree. What the formatter knows about one is the gap between tokens in
/// which it stands and the line breaks around it; from these it decides what the comment belongs to.

internal import Rules

/// A comment in its gap.
struct GapComment {
  /// How a comment stands to its neighbours.
  enum Placement {
    /// `f(/* this */ x)`: a block comment on one line, directly before its token on the same line.
    case inline
    /// On the line of what comes before it, and the last thing there.
    case trailing
    /// On a line of its own.
    case ownLine
  }

  let number: Int
  let span: Span
  let isBlock: Bool
  var placement: Placement
  /// Whether an empty line comes before it.
  var hasBlankBefore: Bool
  /// Whether it stands at the start of its line although it is `inline`.
  let beginsLine: Bool
  /// Whether it begins on a later line than the token before it ends on, as an `// @id` must.
  let isBelowToken: Bool
}

/// What lies between a token and the one before it.
struct CommentGap {
  /// Those that are `inline` come last.
  var comments: [GapComment] = []
  /// Line breaks between the last comment, or the token before, and the token.
  var breaksBeforeToken = 0
  /// Whether the gap has a line break anywhere.
  var hasBreak = false

  /// Whether some comment needs a line to end after it.
  var breaksLine: Bool { comments.contains { $0.placement != .inline } }
}

/// Finds gaps.
///
/// INVARIANT: the source has no carriage returns outside of tokens; `RulesFormatter` replaces them.
struct GapReader {
  let source: SourceText
  let tokens: [Token]
  let comments: [CommentSyntax]

  /// The gap before a token.
  func gap(before index: Int) -> CommentGap {
    let token = tokens[index]
    let first = index > 0 ? Int(tokens[index - 1].commentsBefore) : 0
    var place = index > 0 ? Int(tokens[index - 1].span.end) : 0
    var gap = CommentGap()
    for number in first..<Int(token.commentsBefore) {
      let comment = comments[number]
      let breaks = breakCount(from: place, to: Int(comment.span.start))
      let beginsLine = breaks > 0 || number == 0 && index == 0
      let isMultiline = comment.isBlock && breakCount(of: comment.span) > 0
      gap.comments.append(
        GapComment(
          number: number, span: comment.span, isBlock: comment.isBlock,
          placement: beginsLine ? .ownLine : .trailing, hasBlankBefore: breaks > 1, beginsLine: beginsLine,
          isBelowToken: beginsLine || gap.hasBreak))
      if breaks > 0 || isMultiline || !comment.isBlock { gap.hasBreak = true }
      place = Int(comment.span.end)
    }
    gap.breaksBeforeToken = breakCount(from: place, to: Int(token.span.start))
    if gap.breaksBeforeToken > 0 { gap.hasBreak = true }
    if token.kind != .endOfFile { markInline(&gap) }
    return gap
  }

  /// Block comments that are followed by the token on the same line.
  private func markInline(_ gap: inout CommentGap) {
    guard gap.breaksBeforeToken == 0 else { return }
    for index in gap.comments.indices.reversed() {
      let comment = gap.comments[index]
      guard comment.isBlock, breakCount(of: comment.span) == 0 else { return }
      gap.comments[index].placement = .inline
      if comment.beginsLine { return }
    }
  }

  private func breakCount(of span: Span) -> Int { breakCount(from: Int(span.start), to: Int(span.end)) }

  private func breakCount(from start: Int, to end: Int) -> Int {
    var count = 0
    for byte in source.bytes[start..<end] where byte == UInt8(ascii: "\n") { count += 1 }
    return count
  }
}
