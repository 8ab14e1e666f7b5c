internal import Rules

/// What stands in brackets: lists, maps, arguments, parentheses, paths.
extension LayoutBuilder {
  mutating func list(_ elements: [ExpressionNode]) {
    bracketed(count: elements.count, staysExpanded: true) { builder, position in
      builder.expression(elements[position])
    }
  }

  mutating func map(_ entries: [MapEntrySyntax]) {
    bracketed(count: entries.count, staysExpanded: true) { builder, position in
      builder.expression(entries[position].key)
      builder.takeWord()
      builder.expression(entries[position].value)
    }
  }

  /// The arguments of a call, with their parentheses.
  mutating func call(_ arguments: [ExpressionNode]) {
    let collections = arguments.count(where: \.isFilledCollection)
    let hugs = collections == 1 && arguments.last?.isFilledCollection == true
    bracketed(count: arguments.count, staysExpanded: false, hugsLast: hugs) { builder, position in
      builder.expression(arguments[position])
    }
  }

  /// The parameters of a function, with their parentheses.
  mutating func parameters(count: Int) {
    bracketed(count: count, staysExpanded: false) { builder, _ in builder.take() }
  }

  /// A bracket, elements and commas, a bracket. With `staysExpanded`, a line break behind the opening
  /// bracket is kept.
  private mutating func bracketed(
    count: Int, staysExpanded: Bool, hugsLast: Bool = false,
    element: (inout LayoutBuilder, Int) -> Void
  ) {
    let group = open(hugsLast ? .hugging : .plain)
    // Behind a path and a slash, the comma tells a list of one element from an index.
    let isDivisor = count == 1 && at(.leftBracket) && index > 0 && gaps.tokens[index - 1].kind == .slash
    take()
    guard count > 0 || !gap().comments.isEmpty else {
      take()
      close(group)
      return
    }
    if staysExpanded, count > 0, gap().hasBreak { forceBreak() }
    add(.indent(group: group))
    drain(isFirst: true)
    if count > 0 { line(group, isSoft: true) }
    for position in 0..<count {
      if position > 0 {
        take()
        drain()
        line(group, hasBlankLine: hasBlankLine())
      }
      if hugsLast, position == count - 1 {
        hugged(group) { element(&$0, position) }
      } else {
        element(&self, position)
      }
    }
    if at(.comma) {
      if isDivisor { take() } else { lastComma(group) }
    }
    drainBeforeCloser()
    add(.dedent(group: group))
    line(group, isSoft: true)
    take()
    close(group)
  }

  /// The last argument of a call that hugs it.
  private mutating func hugged(_ group: Int32, _ argument: (inout LayoutBuilder) -> Void) {
    let bracket = Int32(index)
    let from = layout.pieces.count
    layout.groups[Int(group)].isInsideHugged = true
    argument(&self)
    layout.groups[Int(group)].isInsideHugged = false
    let place = layout.pieces[from...].firstIndex { piece in
      if case .token(bracket) = piece { true } else { false }
    }
    layout.groups[Int(group)].huggedFrom = (place ?? from) + 1
  }

  private mutating func lastComma(_ group: Int32) {
    drainBeforeCloser()
    add(.lastComma(group: group))
    index += 1
  }

  // MARK: Parentheses

  /// Parentheses hug what they hold. Where the author ended the line behind the opening one, a
  /// condition that does not fit gets lines of its own between them.
  mutating func parentheses(_ node: ExpressionNode, _ inner: ExpressionNode) {
    let closer = gaps.gap(before: token(endingAt: node.span.end))
    let isBlock =
      (inner.isBreakable && gap(ahead: 1).hasBreak) || gap(ahead: 1).breaksLine || closer.breaksLine
    guard isBlock else {
      take()
      expression(inner)
      take()
      return
    }
    let group = open()
    take()
    add(.indent(group: group))
    drain(isFirst: true)
    line(group, isSoft: true)
    expression(inner, isAligned: true)
    drainBeforeCloser()
    add(.dedent(group: group))
    line(group, isSoft: true)
    take()
    close(group)
  }

  // MARK: Paths

  /// A path literal has no blanks and no line breaks outside of its expressions.
  mutating func path(_ segments: [PathSegmentSyntax]) {
    for segment in segments {
      switch segment.kind {
      case .literal: take()
      case .interpolation(let value):
        take()
        take()
        take()
        expression(value)
        take()
      case .variable: takeAll(through: segment.span.end)
      }
    }
  }

  /// Tokens without blanks between them, up to an offset.
  mutating func takeAll(through end: Int32) {
    while current.span.end <= end, !at(.endOfFile) { take() }
  }
}

extension ExpressionNode {
  /// A list or a map with something in it.
  fileprivate var isFilledCollection: Bool {
    switch kind {
    case .list(let elements): !elements.isEmpty
    case .map(let entries): !entries.isEmpty
    default: false
    }
  }

  /// Whether it may begin lines of its own.
  fileprivate var isBreakable: Bool {
    switch kind {
    case .binary(let operation, _, _, _): operation == .and || operation == .or
    case .ternary: true
    default: false
    }
  }
}
