/// One expression to one node.

internal import DocModel

extension Planner {
  /// Plans an expression. Parentheses cost nothing and leave no node.
  package func plan(_ node: ExpressionNode) -> PlanNode {
    switch style {
    case .fused: return fuse(node) ?? plainNode(node)
    case .recording: return recordingNode(node)
    }
  }

  /// Literals have no entry in reports; parentheses are their content.
  private func recordingNode(_ node: ExpressionNode) -> PlanNode {
    switch node.kind {
    case .literal, .parenthesized: plainNode(node)
    case .identifier, .member, .index, .slice, .call, .methodCall, .unary, .binary, .typeTest, .ternary,
      .list, .map, .path, .missing:
      RecordingNode(plainNode(node))
    }
  }

  /// The node of one expression, nothing fused.
  private func plainNode(_ node: ExpressionNode) -> PlanNode {
    switch node.kind {
    case .parenthesized(let inner): return plan(inner)
    case .literal(let literal): return ConstantNode(node.number, operand(literal))
    case .identifier(let name): return identifier(node, name)
    case .member(let base, let name, _): return MemberNode(node.number, plan(base), pool.text(name))
    case .index(let base, let index): return IndexNode(node.number, plan(base), plan(index))
    case .slice(let base, let lower, let upper):
      return SliceNode(node.number, plan(base), lower.map { plan($0) }, upper.map { plan($0) })
    case .call(let name, _, let arguments): return call(node, name, arguments)
    case .methodCall(let receiver, let name, _, let arguments):
      return methodCall(node, receiver, name, arguments)
    case .unary(.not, let operand): return NotNode(node.number, plan(operand))
    case .unary(.negate, let operand): return NegateNode(node.number, plan(operand))
    case .binary(let symbol, _, let left, let right): return binary(node, symbol, left, right)
    case .typeTest(let value, let type, _):
      return TypeTestNode(node.number, plan(value), kinds: TypeTestNode.kinds(named: type))
    case .ternary(let condition, let then, let otherwise):
      return TernaryNode(node.number, plan(condition), plan(then), plan(otherwise))
    case .list(let elements): return list(node, elements)
    case .map(let entries):
      return MapNode(node.number, keys: entries.map { plan($0.key) }, values: entries.map { plan($0.value) })
    case .path(let segments): return path(node, segments)
    case .missing: return UnknownNode(node.number, .undefinedProperty, FaultText.nullValue)
    }
  }

  func operand(_ literal: LiteralSyntax) -> Operand {
    switch literal {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .float(let number): .float(number)
    case .string(let bytes): .string(pool.bytes(bytes))
    case .bytes(let bytes): .bytes(pool.bytes(bytes))
    }
  }

  private func identifier(_ node: ExpressionNode, _ name: String) -> PlanNode {
    switch resolution.binding(of: node) {
    case .parameter(let position): return SlotNode(node.number, slot: position)
    case .local(let position): return SlotNode(node.number, slot: parameterCount + position)
    case .capture(let match, let segment):
      return CaptureNode(node.number, index: captureIndex(match: match, segment: segment))
    case .global("request"): return RequestNode(node.number, .request, cost: 1)
    case .global("resource"): return RequestNode(node.number, .resource, cost: 1)
    case .none, .global, .function, .libraryFunction, .namespaceFunction, .unknown:
      return UnknownNode(node.number, .nullValue, FaultText.nullValue)
    }
  }

  private func call(_ node: ExpressionNode, _ name: String, _ arguments: [ExpressionNode]) -> PlanNode {
    switch resolution.binding(of: node) {
    case .function(let number):
      let function = functions[number]
      guard function.parameterCount == arguments.count else {
        let expected =
          "\(name)(\(resolution.functions[number].parameters.map(\.text).joined(separator: ", ")))"
        return UnknownNode(
          node.number, .argumentCount, FaultText.argumentCount(arguments.count, expected: expected),
          arguments.map { plan($0) })
      }
      if arguments.isEmpty, resolution.functions[number].lets.isEmpty {
        return PlainCallNode(node.number, function)
      }
      return FunctionCallNode(node.number, function, arguments.map { plan($0) })
    case .libraryFunction:
      if let kind = AccessKind(rawValue: name) {
        guard service != .files else {
          return UnknownNode(
            node.number, .functionNotFound, FaultText.functionNotFound(name), arguments.map { plan($0) })
        }
        guard arguments.count == 1 else {
          return LibraryCallNode(
            node.number, name,
            LibraryFunction(name, ["path"]) { _, _ in nil }, arguments.map { plan($0) })
        }
        return AccessNode(node.number, kind, plan(arguments[0]))
      }
      return library(node, name, arguments)
    case .none, .parameter, .local, .capture, .global, .namespaceFunction, .unknown:
      return library(node, name, arguments)
    }
  }

  private func library(_ node: ExpressionNode, _ name: String, _ arguments: [ExpressionNode]) -> PlanNode {
    guard let function = LibraryFunction.all[name] else {
      return UnknownNode(
        node.number, .functionNotFound, FaultText.functionNotFound(name), arguments.map { plan($0) })
    }
    return LibraryCallNode(node.number, name, function, arguments.map { plan($0) })
  }

  private func methodCall(
    _ node: ExpressionNode, _ receiver: ExpressionNode, _ name: String, _ arguments: [ExpressionNode]
  ) -> PlanNode {
    if service != .documents, case .identifier("firestore") = receiver.kind, arguments.count == 1,
      ["get", "exists"].contains(name), !isBound(receiver)
    {
      return FirestoreAccessNode(node.number, wantsDocument: name == "get", plan(arguments[0]))
    }
    if case .namespaceFunction(let namespace, let function) = resolution.binding(of: node) {
      return library(node, "\(namespace).\(function)", arguments)
    }
    if case .identifier(let namespace) = receiver.kind, isNamespace(receiver, of: node) {
      return UnknownNode(
        node.number, .functionNotFound, FaultText.functionNotFound("\(namespace).\(name)"),
        arguments.map { plan($0) })
    }
    if name == "replace" || name == "split",
      case .literal(.string(let source))? = arguments.first?.unwrapped.kind
    {
      _ = patterns.literal(source)
    }
    return MethodCallNode(node.number, plan(receiver), name, arguments.map { plan($0) })
  }

  /// Whether a call is of a function that its namespace does not have: `math.hasAny(x)`.
  func isNamespace(_ receiver: ExpressionNode, of call: ExpressionNode) -> Bool {
    guard case .identifier(let name) = receiver.kind, Library.namespaces.contains(name),
      case .unknown = resolution.binding(of: call)
    else { return false }
    return true
  }

  /// Whether a name is one of the ruleset's own.
  private func isBound(_ node: ExpressionNode) -> Bool {
    switch resolution.binding(of: node) {
    case .parameter, .local, .capture: true
    case .none, .global, .function, .libraryFunction, .namespaceFunction, .unknown: false
    }
  }

  private func binary(
    _ node: ExpressionNode, _ symbol: BinaryOperator, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> PlanNode {
    let a = plan(left)
    let b = plan(right)
    return switch symbol {
    case .or: OrNode(node.number, a, b)
    case .and: AndNode(node.number, a, b)
    case .equal: equality(node, .equal, a, b)
    case .notEqual: equality(node, .notEqual, a, b)
    case .less: ComparisonNode(node.number, .less, a, b)
    case .lessOrEqual: ComparisonNode(node.number, .lessOrEqual, a, b)
    case .greater: ComparisonNode(node.number, .greater, a, b)
    case .greaterOrEqual: ComparisonNode(node.number, .greaterOrEqual, a, b)
    case .isIn: InNode(node.number, a, b)
    case .add: ArithmeticNode(node.number, .add, a, b)
    case .subtract: ArithmeticNode(node.number, .subtract, a, b)
    case .multiply: ArithmeticNode(node.number, .multiply, a, b)
    case .divide: ArithmeticNode(node.number, .divide, a, b)
    case .remainder: ArithmeticNode(node.number, .remainder, a, b)
    }
  }

  private func equality(
    _ node: ExpressionNode, _ comparison: Comparison, _ a: PlanNode, _ b: PlanNode
  ) -> PlanNode {
    if let constant = b as? ConstantNode, case .string(let text) = constant.operand,
      text.count <= Evaluation.freeBytes
    {
      return TextComparisonNode(node.number, comparison, a, constant, text)
    }
    return ComparisonNode(node.number, comparison, a, b)
  }

  /// A list of constants is a constant.
  private func list(_ node: ExpressionNode, _ elements: [ExpressionNode]) -> PlanNode {
    let planned = elements.map { plan($0) }
    let constants = planned.compactMap { ($0 as? ConstantNode)?.operand }
    guard constants.count == planned.count else { return ListNode(node.number, planned) }
    let cost = planned.reduce(1) { $0 + $1.cost }
    return ConstantNode(node.number, .list(pool.array(constants), constants.count), cost: cost)
  }

  /// A path of written segments is a constant.
  private func path(_ node: ExpressionNode, _ segments: [PathSegmentSyntax]) -> PlanNode {
    var constants: [PathSegment] = []
    let parts = segments.map { segment -> PathNode.Part in
      switch segment.kind {
      case .literal(let text):
        let bytes = pool.text(text)
        constants.append(PathSegment(text: bytes))
        return .literal(bytes)
      case .variable(let name): return .placeholder(pool.text(name), isGlob: segment.isGlob)
      case .interpolation(let inner): return .value(plan(inner))
      }
    }
    guard constants.count == parts.count else { return PathNode(node.number, parts, pool) }
    return ConstantNode(
      node.number, .path(pool.array(constants), constants.count), cost: 1 + constants.count)
  }
}
