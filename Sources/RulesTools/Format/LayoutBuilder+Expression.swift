internal import Rules

/// Operators, ternaries, members.
extension LayoutBuilder {
  /// An expression. With `isAligned`, operands of `&&` and `||` that begin lines stand below the
  /// first one, as they do in parentheses that have lines of their own.
  mutating func expression(_ node: ExpressionNode, isAligned: Bool = false) {
    switch node.kind {
    case .literal(.integer) where at(.minus):
      take()
      take()
    case .literal, .identifier, .missing: take()
    case .member, .index, .slice, .methodCall: steps(node)
    case .call(_, _, let arguments):
      take()
      call(arguments)
    case .unary(_, let operand):
      take()
      expression(operand)
    case .binary(let operation, _, _, _):
      if operation == .and || operation == .or {
        logicChain(node, operation, isAligned: isAligned)
      } else {
        operatorChain(node, operation)
      }
    case .typeTest(let value, _, _):
      expression(value)
      add(.blank)
      takeWord()
      take()
    case .ternary(_, _, let otherwise):
      if case .ternary = otherwise.kind {
        ternaryChain(node, isAligned: isAligned)
      } else {
        ternary(node, isAligned: isAligned)
      }
    case .list(let elements): list(elements)
    case .map(let entries): map(entries)
    case .path(let segments): path(segments)
    case .parenthesized(let inner): parentheses(node, inner)
    }
  }

  // MARK: && and ||

  /// Operands of one operator are one group: all on one line, or each on its own. Broken once by the
  /// author, they stay broken.
  private mutating func logicChain(_ node: ExpressionNode, _ operation: BinaryOperator, isAligned: Bool) {
    let operands = operands(of: node) { $0 == operation }
    let group = open()
    if !isAligned { add(.indent(group: group)) }
    expression(operands[0].node)
    for operand in operands.dropFirst() {
      operatorLine(group, forcesBreak: true)
      takeWord()
      expression(operand.node)
    }
    if !isAligned { add(.dedent(group: group)) }
    close(group)
  }

  /// The end of the line before an operator. Comments around the operator stay on that line: where
  /// the author ended lines with operators, they explain what is before.
  private mutating func operatorLine(_ group: Int32, forcesBreak: Bool) {
    if forcesBreak, gap().hasBreak || gap(ahead: 1).hasBreak { forceBreak(outwardFrom: group) }
    drainBeforeCloser()
    let hasBlankLine = hasBlankLine() || hasBlankLine(ahead: 1)
    drain(ahead: 1)
    line(group, hasBlankLine: hasBlankLine)
  }

  /// The operands of a chain of left-associative operators.
  private func operands(
    of node: ExpressionNode, where belongs: (BinaryOperator) -> Bool
  ) -> [(node: ExpressionNode, operation: BinaryOperator?)] {
    var operands: [(node: ExpressionNode, operation: BinaryOperator?)] = []
    var first = node
    while case .binary(let operation, _, let left, let right) = first.kind, belongs(operation) {
      operands.append((right, operation))
      first = left
    }
    operands.append((first, nil))
    return operands.reversed()
  }

  // MARK: Other operators

  /// Each operator with its right operand is a group: what does not fit moves to the next line.
  private mutating func operatorChain(_ node: ExpressionNode, _ operation: BinaryOperator) {
    let operands = operands(of: node) { $0.bindsAs(operation) }
    expression(operands[0].node)
    for operand in operands.dropFirst() {
      let group = open(.operand)
      add(.indent(group: group))
      switch operand.node.kind {
      case .list, .map: layout.groups[Int(group)].staysOnLine = true
      default: break
      }
      operatorLine(group, forcesBreak: false)
      takeWord()
      layout.groups[Int(group)].isInsideHugged = true
      expression(operand.node)
      layout.groups[Int(group)].isInsideHugged = false
      add(.dedent(group: group))
      close(group)
    }
  }

  // MARK: ? :

  private mutating func ternary(_ node: ExpressionNode, isAligned: Bool) {
    guard case .ternary(let condition, let then, let otherwise) = node.kind else { return }
    let group = open()
    if !isAligned { add(.indent(group: group)) }
    expression(condition)
    operatorLine(group, forcesBreak: true)
    takeWord()
    expression(then)
    operatorLine(group, forcesBreak: true)
    takeWord()
    expression(otherwise)
    if !isAligned { add(.dedent(group: group)) }
    close(group)
  }

  /// `a ? b : c ? d : e`, broken before each colon, so that a line is a condition and its value.
  private mutating func ternaryChain(_ node: ExpressionNode, isAligned: Bool) {
    let group = open()
    if !isAligned { add(.indent(group: group)) }
    var rest = node
    while case .ternary(let condition, let then, let otherwise) = rest.kind {
      let clause = open()
      add(.indent(group: clause))
      expression(condition)
      if gap().hasBreak || gap(ahead: 1).hasBreak { forceBreak(outwardFrom: group) }
      operatorLine(clause, forcesBreak: false)
      takeWord()
      expression(then)
      add(.dedent(group: clause))
      close(clause)
      operatorLine(group, forcesBreak: true)
      takeWord()
      rest = otherwise
    }
    expression(rest)
    if !isAligned { add(.dedent(group: group)) }
    close(group)
  }

  // MARK: Members, indexes, calls of methods

  private mutating func steps(_ node: ExpressionNode) {
    var steps: [ExpressionNode] = []
    var base = node
    while let below = base.stepBase {
      steps.append(base)
      base = below
    }
    steps.reverse()
    expression(base)
    var taken = 0
    if case .identifier(let name) = base.kind, Library.namespaces.contains(name), !steps.isEmpty {
      step(steps[0])
      taken = 1
    }
    let calls = steps.dropFirst(taken).count(where: \.isMethodCall)
    if calls > 1, isBrokenAtDots(steps.dropFirst(taken)) {
      let group = open()
      forceBreak()
      add(.indent(group: group))
      for node in steps.dropFirst(taken) {
        if node.isMethodCall {
          drain()
          line(group, isSoft: true)
        }
        step(node)
      }
      add(.dedent(group: group))
      close(group)
    } else {
      for node in steps.dropFirst(taken) { step(node) }
    }
  }

  /// Whether the author put a line break before or behind one of the dots.
  private func isBrokenAtDots(_ steps: ArraySlice<ExpressionNode>) -> Bool {
    steps.contains { node in
      guard let nameSpan = node.memberNameSpan else { return false }
      let name = token(endingAt: nameSpan.end)
      return gaps.gap(before: name).hasBreak || (name > 0 && gaps.gap(before: name - 1).hasBreak)
    }
  }

  private mutating func step(_ node: ExpressionNode) {
    take()
    switch node.kind {
    case .index(_, let index):
      expression(index)
      take()
    case .slice(_, let lower, let upper):
      if let lower { expression(lower) }
      take()
      if let upper { expression(upper) }
      take()
    case .methodCall(_, _, _, let arguments):
      take()
      call(arguments)
    default: take()
    }
  }
}

extension ExpressionNode {
  /// What a member, an index or a call of a method is of.
  fileprivate var stepBase: ExpressionNode? {
    switch kind {
    case .member(let base, _, _), .index(let base, _), .slice(let base, _, _): base
    case .methodCall(let receiver, _, _, _): receiver
    default: nil
    }
  }

  fileprivate var isMethodCall: Bool { if case .methodCall = kind { true } else { false } }

  fileprivate var memberNameSpan: Span? {
    switch kind {
    case .member(_, _, let nameSpan), .methodCall(_, _, let nameSpan, _): nameSpan
    default: nil
    }
  }
}

extension BinaryOperator {
  /// Whether two operators are equally tight.
  fileprivate func bindsAs(_ other: BinaryOperator) -> Bool { tightness == other.tightness }

  private var tightness: Int {
    switch self {
    case .or: 1
    case .and: 2
    case .isIn: 3
    case .equal, .notEqual: 5
    case .less, .lessOrEqual, .greater, .greaterOrEqual: 6
    case .add, .subtract: 7
    case .multiply, .divide, .remainder: 8
    }
  }
}
