internal import DocModel
internal import Rules

/// The comparisons of one condition, functions written out.
struct FactReader {
  /// LIMIT: expressions that are looked at; functions that call functions can be many.
  static let expressionsMax = 20_000

  /// What names in a function stand for.
  final class Frame {
    let arguments: [(node: ExpressionNode, frame: Frame?)]
    let lets: [ExpressionNode]

    init(_ arguments: [(node: ExpressionNode, frame: Frame?)] = [], lets: [ExpressionNode] = []) {
      self.arguments = arguments
      self.lets = lets
    }
  }

  /// Something that has members.
  struct Chain {
    enum Root {
      case request, resource
      case document([RulesSurvey.PathPart])
    }

    let root: Root
    var names: [String] = []
  }

  let condition: ExpressionNode?
  private let resolution: Resolution
  /// Of each block's number: the place of its first segment below `documents`.
  private var starts: [Int: Int] = [:]
  var looked = 0
  private var found: [RulesSurvey.Fact] = []
  /// Fields of `request.resource.data` whose values count; an empty one for all of it.
  var sentFields: [[String]] = []

  init(_ statement: LintStatement, _ resolution: Resolution) {
    condition = statement.allow.condition
    self.resolution = resolution
    for (index, block) in statement.blocks.enumerated() where starts[block] == nil {
      starts[block] = index - 3
    }
  }

  mutating func facts() -> [RulesSurvey.Fact] {
    if let condition { visit(condition, Frame(), depth: 0) }
    return found
  }

  // MARK: conditions

  private mutating func visit(_ node: ExpressionNode, _ frame: Frame, depth: Int) {
    looked += 1
    guard looked <= Self.expressionsMax, depth <= RulesetLimits.callStackMax else { return }
    switch node.unwrapped.kind {
    case .binary(.and, _, let left, let right), .binary(.or, _, let left, let right):
      visit(left, frame, depth: depth)
      visit(right, frame, depth: depth)
    case .binary(let operation, _, let left, let right): compare(operation, left, right, frame)
    case .typeTest(let value, let type, _): add(place(value, frame), .type(type))
    case .ternary(let condition, let then, let otherwise):
      for part in [condition, then, otherwise] { visit(part, frame, depth: depth) }
    case .call(let name, _, let arguments):
      if let (result, inner) = inlined(node.unwrapped, frame) {
        return visit(result, inner, depth: depth + 1)
      }
      if name == "exists" || name == "existsAfter",
        let path = arguments.first.flatMap({ documentPath($0, frame) })
      {
        add(.document(path, field: []), .present)
      }
    case .methodCall(let receiver, let name, _, let arguments):
      visit(method: name, of: receiver, arguments, frame)
    case .unary(.not, let operand): add(place(operand, frame), .value(.boolean(false)))
    case .unary: break
    default: add(place(node, frame), .value(.boolean(true)))
    }
  }

  private mutating func compare(
    _ operation: BinaryOperator, _ left: ExpressionNode, _ right: ExpressionNode, _ frame: Frame
  ) {
    switch operation {
    case .equal:
      let (first, second) = (place(left, frame), place(right, frame))
      add(first, operand(right, frame))
      add(second, operand(left, frame))
      switch (first, second) {
      case (.sent(let sent), .stored(let stored)) where sent == stored,
        (.stored(let stored), .sent(let sent)) where sent == stored:
        add(.sent(sent), .unchanged)
      default: break
      }
    case .notEqual:
      if case .value(let value)? = operand(right, frame) { add(place(left, frame), .other(value)) }
      if case .value(let value)? = operand(left, frame) { add(place(right, frame), .other(value)) }
    case .isIn:
      if case .list(let elements) = right.unwrapped.kind {
        add(place(left, frame), elements.first.flatMap { operand($0, frame) })
      } else {
        add(place(right, frame), operand(left, frame).map { .list($0) })
      }
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let step: Int64 = operation == .less ? -1 : operation == .greater ? 1 : 0
      if case .value(.integer(let bound))? = operand(right, frame) {
        add(place(left, frame), .value(.integer(bound &+ step)))
      } else if case .value(.integer(let bound))? = operand(left, frame) {
        add(place(right, frame), .value(.integer(bound &- step)))
      }
    default: break
    }
  }

  /// `keys().hasAll([…])`, `affectedKeys().hasOnly([…])`, and what only texts have.
  private mutating func visit(
    method name: String, of receiver: ExpressionNode, _ arguments: [ExpressionNode], _ frame: Frame
  ) {
    if name == "matches" { return add(place(receiver, frame), .type("string")) }
    guard case .list(let elements)? = arguments.first?.unwrapped.kind else { return }
    let names = elements.compactMap { element -> String? in
      guard case .value(.string(let text))? = operand(element, frame) else { return nil }
      return text
    }
    guard case .methodCall(let inner, let kind, _, _) = receiver.unwrapped.kind else {
      if name == "hasAll" || name == "hasAny", let text = names.first {
        add(place(receiver, frame), .list(.value(.string(text))))
      }
      return
    }
    if kind == "affectedKeys", name == "hasOnly" {
      for name in names { add(.changed(name), .present) }
    } else if kind == "keys", name == "hasAll", let chain = chain(inner, frame) {
      for name in names { add(place(Chain(root: chain.root, names: chain.names + [name])), .present) }
    }
  }

  private mutating func add(_ place: RulesSurvey.Place?, _ operand: RulesSurvey.Operand?) {
    guard let place, let operand else { return }
    let fact = RulesSurvey.Fact(place: place, operand: operand)
    if !found.contains(fact) { found.append(fact) }
  }

  // MARK: what expressions stand for

  private func place(_ node: ExpressionNode, _ frame: Frame) -> RulesSurvey.Place? {
    if let number = capture(node, frame) { return .capture(number) }
    return chain(node, frame).flatMap(place)
  }

  private func place(_ chain: Chain) -> RulesSurvey.Place? {
    switch chain.root {
    case .document(let path):
      guard chain.names.first == "data", chain.names.count > 1 else { return nil }
      return .document(path, field: Array(chain.names.dropFirst()))
    case .resource:
      return chain.names.first == "data" && chain.names.count > 1
        ? .stored(Array(chain.names.dropFirst())) : nil
    case .request:
      if chain.names == ["auth", "uid"] { return .caller }
      if chain.names.starts(with: ["auth", "token"]), chain.names.count > 2 {
        return .claim(Array(chain.names.dropFirst(2)))
      }
      guard chain.names.starts(with: ["resource", "data"]), chain.names.count > 2 else { return nil }
      return .sent(Array(chain.names.dropFirst(2)))
    }
  }

  private func operand(_ node: ExpressionNode, _ frame: Frame) -> RulesSurvey.Operand? {
    if let number = capture(node, frame) { return .capture(number) }
    if let chain = chain(node, frame), case .request = chain.root {
      if chain.names == ["auth", "uid"] { return .caller }
      if chain.names == ["time"] { return .now }
    }
    guard let (literal, _) = resolved(node, frame), case .literal(let value) = literal.kind else {
      return nil
    }
    switch value {
    case .null: return .value(.null)
    case .boolean(let flag): return .value(.boolean(flag))
    case .integer(let number): return .value(.integer(number))
    case .float(let number): return .value(.double(number))
    case .string(let bytes): return .value(.string(String(decoding: bytes, as: UTF8.self)))
    case .bytes(let bytes): return .value(.bytes(bytes))
    }
  }

  private func capture(_ node: ExpressionNode, _ frame: Frame) -> Int? {
    guard let (node, _) = resolved(node, frame), case .identifier = node.kind,
      case .capture(let match, let segment) = resolution.binding(of: node), let start = starts[match]
    else { return nil }
    return start + segment
  }

  /// Through parentheses, parameters and `let`s, to what is written.
  private func resolved(_ node: ExpressionNode, _ frame: Frame?) -> (ExpressionNode, Frame?)? {
    var (node, frame) = (node.unwrapped, frame)
    for _ in 0...RulesetLimits.callStackMax {
      guard case .identifier = node.kind else { return (node, frame) }
      switch resolution.binding(of: node) {
      case .parameter(let place):
        guard let argument = frame?.arguments.dropFirst(place).first else { return nil }
        (node, frame) = (argument.node.unwrapped, argument.frame)
      case .local(let place):
        guard let value = frame?.lets.dropFirst(place).first else { return nil }
        node = value.unwrapped
      default: return (node, frame)
      }
    }
    return nil
  }

  /// What a function of the ruleset results in, with what its names stand for.
  func inlined(_ call: ExpressionNode, _ frame: Frame?) -> (ExpressionNode, Frame)? {
    guard case .call(_, _, let arguments) = call.kind,
      case .function(let number) = resolution.binding(of: call)
    else {
      return nil
    }
    let function = resolution.functions[number]
    return (
      function.result, Frame(arguments.map { ($0, frame) }, lets: function.lets.map(\.value))
    )
  }

  func chain(_ node: ExpressionNode, _ frame: Frame?, depth: Int = 0) -> Chain? {
    guard depth <= RulesetLimits.callStackMax, let (node, frame) = resolved(node, frame) else { return nil }
    switch node.kind {
    case .identifier:
      guard case .global(let name) = resolution.binding(of: node) else { return nil }
      return Chain(root: name == "request" ? .request : .resource)
    case .member(let base, let name, _):
      guard var chain = chain(base, frame, depth: depth + 1) else { return nil }
      chain.names.append(name)
      return chain
    case .index(let base, let index):
      return text(index).flatMap { member(base, $0, frame, depth) }
    case .methodCall(let base, "get", _, let arguments) where arguments.count == 2:
      return text(arguments[0]).flatMap { member(base, $0, frame, depth) }
    case .call(let name, _, let arguments):
      if let (result, inner) = inlined(node, frame) { return chain(result, inner, depth: depth + 1) }
      guard name == "get" || name == "getAfter",
        let path = arguments.first.flatMap({ documentPath($0, frame) })
      else {
        return nil
      }
      return Chain(root: .document(path))
    default: return nil
    }
  }

  private func member(_ base: ExpressionNode, _ name: String, _ frame: Frame?, _ depth: Int) -> Chain? {
    guard var chain = chain(base, frame, depth: depth + 1) else { return nil }
    chain.names.append(name)
    return chain
  }

  private func text(_ node: ExpressionNode) -> String? {
    guard case .literal(.string(let bytes)) = node.unwrapped.kind else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The parts of `/databases/$(database)/documents/users/$(request.auth.uid)` behind `documents`.
  private func documentPath(_ node: ExpressionNode, _ frame: Frame?) -> [RulesSurvey.PathPart]? {
    guard let (node, frame) = resolved(node, frame), case .path(let segments) = node.kind, segments.count > 4,
      case .literal("documents") = segments[2].kind
    else { return nil }
    var parts: [RulesSurvey.PathPart] = []
    for segment in segments.dropFirst(3) {
      switch segment.kind {
      case .literal(let name): parts.append(.name(name))
      case .variable: return nil
      case .interpolation(let value):
        if let number = capture(value, frame ?? Frame()) {
          parts.append(.capture(number))
        } else if case .request? = chain(value, frame).map(\.root),
          chain(value, frame)?.names == ["auth", "uid"]
        {
          parts.append(.caller)
        } else {
          return nil
        }
      }
    }
    return parts
  }
}
