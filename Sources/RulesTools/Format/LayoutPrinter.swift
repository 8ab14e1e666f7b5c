internal import Rules

/// Prints a layout: decides which groups are broken and writes the lines.
///
/// A group is broken if something in it ends a line, or if it does not fit: everything up to the first
/// place behind it where a line may end counts. Decisions go from the outside in and from left to
/// right, and each looks ahead at most one line.
///
/// Comments that end lines wait until the next line ends: those that trailed stay on it, the others
/// follow on lines of their own.
struct LayoutPrinter {
  /// LIMIT: lines are broken where they would be longer, if they can be. Counted in code points,
  /// comments at the end of a line apart.
  static let lineWidth = 100
  static let indentation = 2

  private enum Mode {
    case flat, broken
    /// On its line, although what it hugs may be broken.
    case hugging
  }

  private let layout: Layout
  private let source: SourceText
  private let tokens: [Token]
  private(set) var bytes: [UInt8] = []

  /// By group number; groups that are not open yet have none.
  private var modes: [Mode?]
  private var openModes: [Mode] = []
  private var indents: [Int] = [0]
  private var column = 0
  private var isAtLineStart = true
  private var hasPendingBlank = false
  /// The token that the last byte belongs to; nil if it belongs to none.
  private var lastToken: Int32?
  private var waiting: [(comment: Int32, indent: Int)] = []

  init(_ layout: Layout, _ lexer: Lexer) {
    self.layout = layout
    source = lexer.source
    tokens = lexer.tokens
    modes = Array(repeating: nil, count: layout.groups.count)
  }

  mutating func run() {
    for index in layout.pieces.indices { print(layout.pieces[index], at: index) }
  }

  private var indent: Int { indents[indents.count - 1] }

  private mutating func print(_ piece: Layout.Piece, at index: Int) {
    switch piece {
    case .token(let number): write(token: number)
    case .mark(let byte): write([byte])
    case .blank: hasPendingBlank = true
    case .line(let group, let isSoft, let hasBlankLine):
      if modes[Int(group)] == .broken {
        endLine(hasBlankLine: hasBlankLine)
      } else if !isSoft {
        hasPendingBlank = true
      }
    case .hardLine(let hasBlankLine): endLine(hasBlankLine: hasBlankLine)
    case .open(let group):
      let mode = decide(group, at: index)
      modes[Int(group)] = mode
      openModes.append(mode)
    case .close: openModes.removeLast()
    case .indent(let group): indents.append(indent + (isBroken(group) ? Self.indentation : 0))
    case .dedent: indents.removeLast()
    case .comment(let comment): waiting.append((comment, indent))
    case .inlineComment(let comment): write(inline: comment)
    case .lastComma(let group): if isBroken(group) { write([UInt8(ascii: ",")]) }
    }
  }

  private func isBroken(_ group: Int32?) -> Bool {
    guard let group else { return true }
    return modes[Int(group)] == .broken
  }

  // MARK: Writing

  private mutating func write(_ text: some Collection<UInt8>) {
    if isAtLineStart {
      let blanks = indent
      bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: blanks))
      column = blanks
      isAtLineStart = false
    } else if hasPendingBlank {
      bytes.append(UInt8(ascii: " "))
      column += 1
    }
    hasPendingBlank = false
    bytes.append(contentsOf: text)
    column += width(text)
    lastToken = nil
  }

  private mutating func write(token number: Int32) {
    let token = tokens[Int(number)]
    let text = source.slice(of: token.span)
    if let lastToken, !hasPendingBlank, !isAtLineStart,
      Adjacency.needsBlank(tokens[Int(lastToken)], text, in: source)
    {
      hasPendingBlank = true
    }
    write(text)
    lastToken = number
  }

  private mutating func write(inline number: Int32) {
    if waiting.isEmpty {
      write(source.slice(of: layout.comments[Int(number)].comment.span))
    } else {
      // Another comment waits before this one.
      waiting.append((number, indent))
    }
  }

  private func width(_ text: some Collection<UInt8>) -> Int {
    var width = 0
    for byte in text where byte & 0xC0 != 0x80 { width += 1 }
    return width
  }

  // MARK: Ends of lines

  private mutating func endLine(hasBlankLine: Bool) {
    var separates = false
    var isBehindLineComment = false
    var isBelowToken = bytes.isEmpty
    for (number, commentIndent) in waiting {
      let placed = layout.comments[Int(number)]
      let text = CommentText(placed.comment, in: source)
      if placed.comment.placement != .ownLine, !bytes.isEmpty, !isBehindLineComment {
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: text.verbatim)
      } else {
        breakLine(hasBlankLine: placed.comment.hasBlankBefore || separates)
        separates = false
        bytes.append(contentsOf: text.indented(by: commentIndent))
        isBelowToken = true
      }
      // Above a statement it would name the statement, which it did not where it came from.
      let isNatural = placed.comment.isBelowToken && !placed.isRelocated
      if text.isID, isBelowToken, !isNatural { separates = true }
      if text.isMultiline { isBelowToken = true }
      isBehindLineComment = !placed.comment.isBlock
    }
    waiting.removeAll(keepingCapacity: true)
    breakLine(hasBlankLine: hasBlankLine || separates)
    column = 0
    isAtLineStart = true
    hasPendingBlank = false
    lastToken = nil
  }

  private mutating func breakLine(hasBlankLine: Bool) {
    guard !bytes.isEmpty else { return }
    bytes.append(UInt8(ascii: "\n"))
    if hasBlankLine { bytes.append(UInt8(ascii: "\n")) }
  }

  // MARK: Decisions

  private func decide(_ number: Int32, at index: Int) -> Mode {
    if openModes.last == .flat { return .flat }
    let group = layout.groups[Int(number)]
    let start = isAtLineStart ? indent : column + (hasPendingBlank ? 1 : 0)
    let available = Self.lineWidth - start
    if !group.isForced, fits(from: index, inside: number, available) { return .flat }
    switch group.shape {
    case .plain: return .broken
    case .hugging:
      return !group.isForcedOutside && prefixFits(index..<group.huggedFrom, available) ? .hugging : .broken
    case .operand: return decideOperand(number, at: index, available)
    }
  }

  /// An operator whose right side does not fit: the right side moves to the next line if it fits
  /// there, and is broken inside otherwise.
  private func decideOperand(_ number: Int32, at index: Int, _ available: Int) -> Mode {
    let group = layout.groups[Int(number)]
    if group.isForcedOutside { return .broken }
    let staysWithPrefix = prefixFits(index..<layout.pieces.count, available, countsFirstLine: number)
    if group.staysOnLine { return staysWithPrefix ? .hugging : .broken }
    let nextLine = Self.lineWidth - indent - Self.indentation
    if !group.isForced, fits(from: index, inside: number, nextLine) { return .broken }
    return staysWithPrefix ? .hugging : .broken
  }

  /// Whether a group fits in one line together with what follows it up to where a line may end.
  private func fits(from start: Int, inside number: Int32, _ available: Int) -> Bool {
    var left = available
    var index = start
    let end = layout.groups[Int(number)].end
    while index < layout.pieces.count {
      switch layout.pieces[index] {
      case .line(let group, let isSoft, _):
        if index > end, mayEndLine(group) { return true }
        if !isSoft { left -= 1 }
      case .hardLine: return true
      case let piece: left -= width(of: piece)
      }
      if left < 0 { return false }
      index += 1
    }
    return true
  }

  /// Whether pieces fit up to the first place where a line may end. Lines of one group count as if it
  /// were not broken.
  private func prefixFits(_ range: Range<Int>, _ available: Int, countsFirstLine flat: Int32? = nil) -> Bool {
    var left = available
    for index in range {
      switch layout.pieces[index] {
      case .line(let group, let isSoft, _):
        if let flat, group != flat, mayEndLine(group) { return true }
        if !isSoft { left -= 1 }
      case .hardLine: return true
      case let piece: left -= width(of: piece)
      }
      if left < 0 { return false }
    }
    return true
  }

  /// A line of a group that is broken or not decided about.
  private func mayEndLine(_ group: Int32) -> Bool {
    guard let mode = modes[Int(group)] else { return true }
    return mode == .broken
  }

  private func width(of piece: Layout.Piece) -> Int {
    switch piece {
    case .token(let number): width(source.slice(of: tokens[Int(number)].span))
    case .inlineComment(let number): width(source.slice(of: layout.comments[Int(number)].comment.span))
    case .mark, .blank: 1
    case .line, .hardLine, .open, .close, .indent, .dedent, .comment, .lastComma: 0
    }
  }
}
