/// What can be changed about an expression.

internal import Rules

extension MutantMaker {
  /// - Parameters:
  ///   - around: expressions that this one lies in, outermost first.
  ///   - isWanted: whether a boolean is wanted at this place.
  ///   - isNegated: whether a `!` stands before it: dropping that is the same as negating it.
  mutating func visit(
    _ node: ExpressionNode, in around: [Int], isWanted: Bool, isNegated: Bool = false
  ) {
    let inner = around + [node.number]
    switch node.kind {
    case .parenthesized(let wrapped):
      visit(wrapped, in: inner, isWanted: isWanted, isNegated: isNegated)
    case .binary(let symbol, let span, let left, let right):
      binary(symbol, span, left, right, node, around, isWanted: isWanted)
    case .unary(.not, let operand):
      change(node.span, to: "(\(text(operand)))", showing: node.span, node, around)
      visit(operand, in: inner, isWanted: true, isNegated: true)
    case .unary(.negate, let operand):
      change(node.span, to: "(\(text(operand)))", showing: node.span, node, around)
      visit(operand, in: inner, isWanted: false)
    case .ternary(let condition, let then, let otherwise):
      change(
        node.span, to: "(\(text(condition)) ? \(text(otherwise)) : \(text(then)))", showing: node.span, node,
        around)
      visit(condition, in: inner, isWanted: true)
      visit(then, in: inner, isWanted: isWanted)
      visit(otherwise, in: inner, isWanted: isWanted)
    case .literal(let literal): constant(literal, node, around)
    case .list(let elements): list(elements, node, around)
    case .map(let entries): map(entries, node, around)
    case .path(let segments): path(segments, node, around)
    case .identifier(let name): identifier(name, node, around, negates: isWanted && !isNegated)
    case .member(let base, let name, _):
      if isWanted, !isNegated { negate(node, around) }
      if case .identifier("request") = base.kind, name == "resource", binding(base) == .global("request") {
        change(node.span, to: "resource", showing: node.span, node, around)
      }
      visit(base, in: inner, isWanted: false)
    case .call(let name, let span, let arguments):
      if isWanted, !isNegated { negate(node, around) }
      call(name, span, node, around)
      for argument in arguments { visit(argument, in: inner, isWanted: false) }
    case .methodCall(let receiver, let name, let span, let arguments):
      if isWanted, !isNegated { negate(node, around) }
      for other in Self.otherMethods(name) { change(span, to: other, showing: node.span, node, around) }
      visit(receiver, in: inner, isWanted: false)
      for argument in arguments { visit(argument, in: inner, isWanted: false) }
    case .typeTest(let value, _, _):
      if !isNegated { negate(node, around) }
      visit(value, in: inner, isWanted: false)
    case .index, .slice:
      if isWanted, !isNegated { negate(node, around) }
      for child in node.children { visit(child, in: inner, isWanted: false) }
    case .missing: break
    }
  }

  private mutating func negate(_ node: ExpressionNode, _ around: [Int]) {
    change(node.span, to: "!(\(text(node)))", showing: node.span, node, around)
  }

  // MARK: operators

  private mutating func binary(
    _ symbol: BinaryOperator, _ span: Span, _ left: ExpressionNode, _ right: ExpressionNode,
    _ node: ExpressionNode, _ around: [Int], isWanted: Bool
  ) {
    let inner = around + [node.number]
    switch symbol {
    case .and, .or: return chain(symbol, node, around)
    case .isIn: negate(node, around)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .add, .subtract, .multiply,
      .divide, .remainder:
      for other in Self.otherOperators(symbol) {
        change(span, to: other.rawValue, showing: node.span, node, around)
      }
    }
    visit(left, in: inner, isWanted: false)
    visit(right, in: inner, isWanted: false)
  }

  /// The neighbour at the bound, and the opposite.
  private static func otherOperators(_ symbol: BinaryOperator) -> [BinaryOperator] {
    switch symbol {
    case .equal: [.notEqual]
    case .notEqual: [.equal]
    case .less: [.lessOrEqual, .greaterOrEqual]
    case .lessOrEqual: [.less, .greater]
    case .greater: [.greaterOrEqual, .lessOrEqual]
    case .greaterOrEqual: [.greater, .less]
    case .add: [.subtract]
    case .subtract: [.add]
    case .multiply: [.divide]
    case .divide, .remainder: [.multiply]
    case .and, .or, .isIn: []
    }
  }

  private static func otherMethods(_ name: String) -> [String] {
    switch name {
    case "hasAny": ["hasAll", "hasOnly"]
    case "hasAll": ["hasAny", "hasOnly"]
    case "hasOnly": ["hasAll", "hasAny"]
    case "affectedKeys": ["addedKeys", "removedKeys", "changedKeys"]
    case "addedKeys", "removedKeys", "changedKeys": ["affectedKeys"]
    case "upper": ["lower"]
    case "lower": ["upper"]
    default: []
    }
  }

  /// `a && b && c`: each operand dropped, each operator the other one.
  private mutating func chain(_ symbol: BinaryOperator, _ node: ExpressionNode, _ around: [Int]) {
    var nodes: [ExpressionNode] = []
    var operands: [ExpressionNode] = []
    var next = node
    while case .binary(symbol, _, let left, let right) = next.kind {
      nodes.append(next)
      operands.insert(right, at: 0)
      next = left
    }
    operands.insert(next, at: 0)
    let other = symbol == .and ? "||" : "&&"
    for link in nodes {
      guard case .binary(_, let span, let left, let right) = link.kind else { continue }
      // In parentheses, so that only this operator changes.
      change(
        link.span, to: "(\(text(left)) \(other) \(text(right)))",
        showing: Span(start: span.start, end: right.span.end), link, around, as: "\(other) \(text(right))")
    }
    for (index, operand) in operands.enumerated() {
      change(
        Self.gap(index, operands.map(\.span)), to: "", showing: operand.span, operand,
        around + nodes.map(\.number), as: "")
    }
    let inner = around + nodes.map(\.number)
    for operand in operands { visit(operand, in: inner, isWanted: true) }
  }

  /// An element of a list with what separates it from the one before, or after when it is the first.
  private static func gap(_ index: Int, _ spans: [Span]) -> Span {
    if index > 0 { return Span(start: spans[index - 1].end, end: spans[index].end) }
    return Span(start: spans[0].start, end: spans.count > 1 ? spans[1].start : spans[0].end)
  }

  // MARK: values

  private mutating func constant(_ literal: LiteralSyntax, _ node: ExpressionNode, _ around: [Int]) {
    switch literal {
    case .null: break
    case .boolean(let flag):
      change(node.span, to: flag ? "false" : "true", showing: node.span, node, around)
    case .integer(let number):
      for (other, overflows) in [number.addingReportingOverflow(1), number.subtractingReportingOverflow(1)]
      where !overflows {
        change(node.span, to: String(other), showing: node.span, node, around)
      }
    case .float: change(node.span, to: "(\(text(node)) + 1.0)", showing: node.span, node, around)
    case .string, .bytes:
      let written = text(node)
      guard let quote = written.last else { return }
      change(node.span, to: "\(written.dropLast())~\(quote)", showing: node.span, node, around)
    }
  }

  private mutating func list(_ elements: [ExpressionNode], _ node: ExpressionNode, _ around: [Int]) {
    let spans = elements.map(\.span)
    for (index, element) in elements.enumerated() {
      change(Self.gap(index, spans), to: "", showing: element.span, node, around, as: "")
      // Another text in its place is no harder to notice than none.
      if case .literal = element.kind { continue }
      visit(element, in: around + [node.number], isWanted: false)
    }
  }

  private mutating func map(_ entries: [MapEntrySyntax], _ node: ExpressionNode, _ around: [Int]) {
    let spans = entries.map { $0.key.span.joined(with: $0.value.span) }
    for (index, entry) in entries.enumerated() {
      change(Self.gap(index, spans), to: "", showing: spans[index], node, around, as: "")
      visit(entry.value, in: around + [node.number], isWanted: false)
    }
  }

  /// Another collection or document: segments behind `/databases/D/documents`.
  private mutating func path(_ segments: [PathSegmentSyntax], _ node: ExpressionNode, _ around: [Int]) {
    for (index, segment) in segments.enumerated() {
      switch segment.kind {
      case .literal:
        guard index >= 3 else { continue }
        change(segment.span, to: text(segment.span) + "2", showing: node.span, node, around)
      case .interpolation(let value): visit(value, in: around + [node.number], isWanted: false)
      case .variable: break
      }
    }
  }

  private mutating func identifier(
    _ name: String, _ node: ExpressionNode, _ around: [Int], negates: Bool
  ) {
    if negates { negate(node, around) }
    let binding = binding(node)
    if binding == .global("resource") {
      change(node.span, to: "request.resource", showing: node.span, node, around)
    }
    // Those of other names: a capture of the database's own name is not among them.
    if case .capture = binding, captures.contains(name) {
      for other in captures where other != name {
        change(node.span, to: other, showing: node.span, node, around)
      }
    }
  }

  private mutating func call(_ name: String, _ span: Span, _ node: ExpressionNode, _ around: [Int]) {
    // A function of the ruleset may have such a name.
    if case .function = binding(node) { return }
    let other: String? =
      switch name {
      case "get": "getAfter"
      case "getAfter": "get"
      case "exists": "existsAfter"
      case "existsAfter": "exists"
      default: nil
      }
    if let other { change(span, to: other, showing: node.span, node, around) }
  }
}
