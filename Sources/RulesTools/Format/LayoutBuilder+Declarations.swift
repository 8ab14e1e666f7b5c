internal import Rules

/// The file, services, matches, functions, statements.
extension LayoutBuilder {
  /// What stands in a block, in the order of the source.
  private enum Declaration {
    case function(FunctionSyntax)
    case match(MatchSyntax)
    case allow(AllowSyntax)
    case service(ServiceSyntax)

    var start: Int32 {
      switch self {
      case .function(let function): function.span.start
      case .match(let match): match.span.start
      case .allow(let allow): allow.span.start
      case .service(let service): service.span.start
      }
    }
  }

  /// The whole file.
  mutating func ruleset(_ syntax: RulesetSyntax) {
    let declarations =
      (syntax.functions.map(Declaration.function) + syntax.services.map(Declaration.service))
      .sorted { $0.start < $1.start }
    drain(isFirst: true)
    if syntax.version != nil {
      add(.hardLine(hasBlankLine: hasBlankLine()))
      takeWord()
      takeWord()
      take()
      semicolon()
    }
    for (position, part) in declarations.enumerated() {
      if position > 0 || syntax.version != nil { drain() }
      // The first line needs no line break before it; the printer knows.
      add(.hardLine(hasBlankLine: hasBlankLine()))
      declaration(part)
    }
    drain()
    add(.hardLine(hasBlankLine: false))
  }

  private mutating func declaration(_ declaration: Declaration) {
    switch declaration {
    case .function(let syntax): function(syntax)
    case .match(let syntax): match(syntax)
    case .allow(let syntax): allow(syntax)
    case .service(let syntax): service(syntax)
    }
  }

  // MARK: Blocks

  private mutating func service(_ syntax: ServiceSyntax) {
    takeWord()
    take()
    let declarations =
      (syntax.functions.map(Declaration.function) + syntax.matches.map(Declaration.match))
      .sorted { $0.start < $1.start }
    block(count: declarations.count, mayBeLine: false) { builder, position in
      builder.declaration(declarations[position])
    }
  }

  private mutating func match(_ syntax: MatchSyntax) {
    takeWord()
    takeAll(through: syntax.patternSpan.end)
    var declarations = syntax.functions.map(Declaration.function) + syntax.matches.map(Declaration.match)
    declarations += syntax.allows.map(Declaration.allow)
    declarations.sort { $0.start < $1.start }
    let isSingle = declarations.count == 1 && syntax.allows.count == 1
    block(count: declarations.count, mayBeLine: isSingle && isOnOneLine(syntax.span)) { builder, position in
      builder.declaration(declarations[position])
    }
  }

  private mutating func function(_ syntax: FunctionSyntax) {
    takeWord()
    take()
    parameters(count: syntax.parameters.count)
    let mayBeLine = syntax.lets.isEmpty && isOnOneLine(syntax.span)
    block(count: syntax.lets.count + 1, mayBeLine: mayBeLine) { builder, position in
      if position < syntax.lets.count {
        builder.binding(syntax.lets[position])
      } else {
        builder.takeWord()
        builder.expression(syntax.result)
        builder.semicolon()
      }
    }
  }

  /// Whether the author wrote it in one line; it stays so if it fits.
  private func isOnOneLine(_ span: Span) -> Bool {
    !gaps.source.slice(of: span).contains(UInt8(ascii: "\n"))
  }

  /// `{`, statements, `}`.
  private mutating func block(
    count: Int, mayBeLine: Bool, statement: (inout LayoutBuilder, Int) -> Void
  ) {
    let group = open()
    if !mayBeLine { forceBreak() }
    let held = holdCommentsBeforeBrace()
    add(.blank)
    take()
    let placed = drained
    add(.indent(group: group))
    for comment in held { place(comment, isRelocated: true) }
    drained = placed
    for position in 0..<count {
      let isFirst = position == 0 && held.isEmpty
      let hadComments = drained
      drain(isFirst: isFirst)
      let isAtTop = isFirst && drained == hadComments
      line(group, hasBlankLine: !isAtTop && hasBlankLine())
      statement(&self, position)
    }
    drainBeforeCloser()
    add(.dedent(group: group))
    line(group)
    take()
    close(group)
  }

  /// What stands between the head of a block and its brace goes into the block, unless all of it
  /// fits on the line of the head.
  private mutating func holdCommentsBeforeBrace() -> [GapComment] {
    let gap = gap()
    guard gap.breaksLine, let last = gap.comments.last else { return [] }
    drained = last.number + 1
    return gap.comments.map { comment in
      var comment = comment
      if comment.placement == .inline { comment.placement = comment.beginsLine ? .ownLine : .trailing }
      comment.hasBlankBefore = false
      return comment
    }
  }

  // MARK: Statements

  private mutating func allow(_ syntax: AllowSyntax) {
    takeWord()
    for position in syntax.methods.indices {
      if position > 0 { takeWord() }
      take()
    }
    if let condition = syntax.condition {
      takeWord()
      takeWord()
      expression(condition)
    }
    semicolon()
  }

  private mutating func binding(_ syntax: LetSyntax) {
    takeWord()
    take()
    add(.blank)
    takeWord()
    expression(syntax.value)
    semicolon()
  }
}
