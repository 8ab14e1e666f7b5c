/// Chains of expressions that run as one node.
///
/// A fused node costs what its expressions cost together, and its faults name the expression that failed.

internal import DocModel

extension Planner {
  /// The fused node for an expression; nil when it is planned step by step.
  func fuse(_ node: ExpressionNode) -> PlanNode? {
    switch node.kind {
    case .member(let base, let name, _):
      if let fused = fieldPath(node) { return fused }
      return accessData(node, base, name)
    case .binary(.equal, _, let left, let right): return presence(node, left, right, isWanted: false)
    case .binary(.notEqual, _, let left, let right): return presence(node, left, right, isWanted: true)
    case .methodCall(let receiver, let name, _, let arguments)
    where arguments.count == 1 && !isNamespace(receiver, of: node):
      return methodChain(node, receiver.unwrapped, name, arguments[0])
    case .literal, .identifier, .index, .slice, .call, .methodCall, .unary, .binary, .typeTest, .ternary,
      .list,
      .map, .path, .parenthesized, .missing:
      return nil
    }
  }

  /// `request.auth.uid`, `resource.data.a.b` and the like.
  private func fieldPath(_ node: ExpressionNode) -> PlanNode? {
    var steps: [(name: String, node: ExpressionNode)] = []
    var current = node
    while case .member(let base, let name, _) = current.kind {
      steps.append((name, current))
      current = base.unwrapped
    }
    guard case .identifier = current.kind, case .global(let global) = resolution.binding(of: current) else {
      return nil
    }
    steps.reverse()
    guard let (part, taken) = root(global, steps.map(\.name)) else { return nil }
    let number = steps[taken - 1].node.number
    let root =
      part == .uid ? CallerNode(number, cost: 1 + taken) : RequestNode(number, part, cost: 1 + taken)
    let rest = steps[taken...].map { PathStep(key: pool.text($0.name), node: Int32($0.node.number)) }
    if rest.isEmpty { return root }
    let path = FieldPathNode(node.number, root: root, steps: pool.array(rest), stepCount: rest.count)
    memos.share(path)
    return path
  }

  /// The longest beginning of a path that has a place of its own, and how many members it takes.
  private func root(_ global: String, _ names: [String]) -> (RequestPart, Int)? {
    // Files have other members than documents: only what all services have is fused.
    if service != .documents {
      return global == "request" && names.first == "auth" ? Self.authRoot(names) : nil
    }
    if global == "resource" { return names.first == "data" ? (.data, 1) : nil }
    guard global == "request", let first = names.first else { return nil }
    let second = names.count > 1 ? names[1] : ""
    switch (first, second) {
    case ("auth", _): return Self.authRoot(names)
    case ("resource", "data"): return (.newData, 2)
    case ("resource", _): return (.newResource, 1)
    case ("method", _): return (.method, 1)
    case ("path", _): return (.path, 1)
    case ("time", _): return (.time, 1)
    case ("query", _): return (.query, 1)
    default: return nil
    }
  }

  /// `request.auth…`
  private static func authRoot(_ names: [String]) -> (RequestPart, Int) {
    switch names.dropFirst().first {
    case "uid": (.uid, 2)
    case "token": (.token, 2)
    default: (.auth, 1)
    }
  }

  /// `get(path).data`
  private func accessData(_ node: ExpressionNode, _ base: ExpressionNode, _ name: String) -> PlanNode? {
    guard service != .files, name == "data", case .call(let function, _, let arguments) = base.unwrapped.kind,
      arguments.count == 1,
      case .libraryFunction = resolution.binding(of: base.unwrapped),
      let kind = AccessKind(rawValue: function), kind.wantsDocument
    else { return nil }
    return AccessNode(base.unwrapped.number, kind, plan(arguments[0]), dataNode: node.number)
  }

  /// `request.auth == null`, `resource != null`, either way round.
  private func presence(
    _ node: ExpressionNode, _ left: ExpressionNode, _ right: ExpressionNode, isWanted: Bool
  ) -> PlanNode? {
    let sides = [left.unwrapped, right.unwrapped]
    guard let other = sides.first(where: { !Self.isNull($0) }), sides.contains(where: Self.isNull) else {
      return nil
    }
    let planned = plan(other) as? RequestNode
    switch planned?.part {
    case .auth: return SignedInNode(node.number, isSignedInWanted: isWanted, cost: 4)
    case .resource: return ResourcePresenceNode(node.number, isPresenceWanted: isWanted, cost: 3)
    default: return nil
    }
  }

  private static func isNull(_ node: ExpressionNode) -> Bool {
    if case .literal(.null) = node.kind { true } else { false }
  }

  private func methodChain(
    _ node: ExpressionNode, _ receiver: ExpressionNode, _ name: String, _ argument: ExpressionNode
  ) -> PlanNode? {
    if name == "matches", case .literal(.string(let source)) = argument.unwrapped.kind,
      let pattern = patterns.literal(source)
    {
      return LiteralMatchNode(node.number, plan(receiver), pattern)
    }
    guard let question = KeyQuestion(rawValue: name) else { return nil }
    let (table, literalCost) = keyTable(argument.unwrapped) ?? (KeyTable(plan(argument)), 0)
    if let fused = keyChain(node, receiver, question, table, literalCost) { return fused }
    return MembershipNode(node.number, plan(receiver), question, plan(argument))
  }

  /// `map.keys().…` and `new.diff(old).affectedKeys().…`
  private func keyChain(
    _ node: ExpressionNode, _ receiver: ExpressionNode, _ question: KeyQuestion, _ table: KeyTable,
    _ literalCost: Int
  ) -> PlanNode? {
    guard case .methodCall(let base, let method, _, let none) = receiver.kind, none.isEmpty else {
      return nil
    }
    if method == "keys" {
      return KeyCheckNode(
        node.number, plan(base), keysNode: receiver.number, question, table, cost: 2 + literalCost)
    }
    guard question != .hasAll, let name = MethodName(name: method), Self.diffMethods.contains(name),
      case .methodCall(let new, "diff", _, let old) = base.unwrapped.kind, old.count == 1
    else { return nil }
    return DiffCheckNode(
      node.number, new: plan(new), old: plan(old[0]), diffNode: base.unwrapped.number, name, question, table,
      cost: 3 + literalCost)
  }

  private static let diffMethods: Set<MethodName> = [
    .addedKeys, .removedKeys, .changedKeys, .unchangedKeys, .affectedKeys,
  ]

  /// A list of text literals, sorted, with what it costs; nil for anything else.
  private func keyTable(_ node: ExpressionNode) -> (KeyTable, Int)? {
    guard case .list(let elements) = node.kind else { return nil }
    var texts: Set<[UInt8]> = []
    for element in elements {
      guard case .literal(.string(let text)) = element.unwrapped.kind else { return nil }
      texts.insert(text)
    }
    let sorted = texts.sorted { $0.lexicographicallyPrecedes($1) }
    return (KeyTable(literals: sorted.map { pool.bytes($0) }), 1 + elements.count)
  }
}
