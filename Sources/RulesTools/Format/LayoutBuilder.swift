internal import Rules

/// Builds a layout: the steps that all constructs are made of.
///
/// The builder walks the tree and the tokens side by side: the tree says how things group, the tokens
/// and the gaps between them are what is printed. So nothing but semicolons can be added, and nothing
/// but a last comma can be lost, whatever the tree looks like.
///
/// Where a line may end, the gap's comments are drained before the line (`drain`), so they stay with
/// what they follow. Where none may end well, they wait for the next line (`take`).
///
/// INVARIANT: `drained` comments and `index` tokens have been put into the layout, in their order.
struct LayoutBuilder {
  let gaps: GapReader
  var layout = Layout()
  /// The next token.
  var index = 0
  /// The next comment.
  var drained = 0
  private var openGroups: [Int32] = []

  init(_ lexer: Lexer) {
    gaps = GapReader(source: lexer.source, tokens: lexer.tokens, comments: lexer.comments)
  }

  // MARK: Looking

  var current: Token { gaps.tokens[index] }

  func at(_ kind: TokenKind) -> Bool { current.kind == kind }

  func gap(ahead distance: Int = 0) -> CommentGap {
    gaps.gap(before: min(index + distance, gaps.tokens.count - 1))
  }

  /// The number of the token that ends at an offset.
  func token(endingAt offset: Int32) -> Int {
    var low = 0
    var high = gaps.tokens.count - 1
    while low < high {
      let middle = (low + high) / 2
      if gaps.tokens[middle].span.end < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Tokens

  mutating func add(_ piece: Layout.Piece) { layout.pieces.append(piece) }

  /// Puts the next token, with the comments before it that are still to be placed.
  mutating func take() {
    placeGap()
    add(.token(Int32(index)))
    index += 1
  }

  /// A token with a blank behind it.
  mutating func takeWord() {
    take()
    add(.blank)
  }

  /// The comments before the next token; those that end a line move to where the next line ends.
  private mutating func placeGap() {
    for comment in gap().comments where comment.number >= drained {
      if comment.placement == .inline {
        placeInline(comment)
      } else {
        place(comment, isRelocated: true)
      }
    }
  }

  private mutating func placeInline(_ comment: GapComment) {
    let isBehindOpener = index > 0 && gaps.tokens[index - 1].kind.isOpener
    if !isBehindOpener { add(.blank) }
    layout.comments.append(Layout.Comment(comment: comment, isRelocated: true))
    add(.inlineComment(Int32(layout.comments.count - 1)))
    drained = comment.number + 1
    if !current.kind.hugsLeft { add(.blank) }
  }

  /// Puts a comment that ends its line.
  mutating func place(_ comment: GapComment, isRelocated: Bool) {
    layout.comments.append(Layout.Comment(comment: comment, isRelocated: isRelocated))
    add(.comment(Int32(layout.comments.count - 1)))
    drained = comment.number + 1
    forceBreak()
  }

  // MARK: Gaps where a line may end

  /// Puts the comments of the gap before a token that end lines. With `isFirst`, nothing is before
  /// them in their block, so no empty line is either.
  mutating func drain(ahead distance: Int = 0, isFirst: Bool = false) {
    var isFirst = isFirst
    for var comment in gap(ahead: distance).comments where comment.number >= drained {
      guard comment.placement != .inline else { return }
      if isFirst { comment.hasBlankBefore = false }
      isFirst = false
      place(comment, isRelocated: false)
    }
  }

  /// Puts all comments before a closing bracket.
  mutating func drainBeforeCloser() {
    for var comment in gap().comments where comment.number >= drained {
      if comment.placement == .inline, comment.beginsLine { comment.placement = .ownLine }
      if comment.placement == .inline {
        placeInline(comment)
      } else {
        place(comment, isRelocated: false)
      }
    }
  }

  /// Whether an empty line comes before what is left of the gap.
  func hasBlankLine(ahead distance: Int = 0) -> Bool {
    let gap = gap(ahead: distance)
    if let next = gap.comments.first(where: { $0.number >= drained }) { return next.hasBlankBefore }
    return gap.breaksBeforeToken > 1
  }

  // MARK: Groups

  mutating func open(_ shape: Layout.Group.Shape = .plain) -> Int32 {
    let group = Int32(layout.groups.count)
    layout.groups.append(Layout.Group(shape: shape))
    openGroups.append(group)
    add(.open(group))
    return group
  }

  mutating func close(_ group: Int32) {
    openGroups.removeLast()
    layout.groups[Int(group)].end = layout.pieces.count
    add(.close(group))
  }

  /// Breaks all groups that are open.
  mutating func forceBreak() {
    for group in openGroups { force(group) }
  }

  /// Breaks a group and those around it.
  mutating func forceBreak(outwardFrom outermost: Int32) {
    for group in openGroups where group <= outermost { force(group) }
  }

  private mutating func force(_ group: Int32) {
    layout.groups[Int(group)].isForced = true
    if !layout.groups[Int(group)].isInsideHugged { layout.groups[Int(group)].isForcedOutside = true }
  }

  mutating func line(_ group: Int32, isSoft: Bool = false, hasBlankLine: Bool = false) {
    add(.line(group: group, isSoft: isSoft, hasBlankLine: hasBlankLine))
  }

  // MARK: Marks that end things

  /// The semicolon of a statement, whether the source has it or not.
  mutating func semicolon() {
    if at(.semicolon) { take() } else { add(.mark(UInt8(ascii: ";"))) }
  }
}

extension TokenKind {
  var isOpener: Bool { self == .leftParen || self == .leftBracket || self == .leftBrace }

  /// Whether no blank belongs between an inline comment and this token.
  var hugsLeft: Bool {
    switch self {
    case .rightParen, .rightBracket, .comma, .semicolon: true
    default: false
    }
  }
}
