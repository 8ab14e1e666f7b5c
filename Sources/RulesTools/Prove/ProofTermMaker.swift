/// Checked trees to proof terms.

internal import DocModel
internal import Rules

struct ProofTermMaker {
  /// What a piece of source mentions that a closed term must not.
  private struct Mentions: OptionSet {
    let rawValue: UInt8
    static let document = Mentions(rawValue: 1)
    static let capture = Mentions(rawValue: 2)
    static let slot = Mentions(rawValue: 4)
    /// `debug`, which must not be heard again.
    static let debug = Mentions(rawValue: 8)
  }

  private let planner: Planner
  private var mentionsOfFunction: [Mentions?]
  private var mentions: [Mentions]
  private(set) var blocks: [ListBlock] = []
  private(set) var functions: [FunctionTerm]
  private(set) var closedCount = 0
  /// The parameters of the function being made; locals come after them.
  private var parameterCount = 0

  init(_ planner: Planner) {
    self.planner = planner
    let count = planner.resolution.functions.count
    mentionsOfFunction = Array(repeating: nil, count: count)
    mentions = Array(repeating: [], count: planner.syntax.expressionCount)
    functions = Array(repeating: FunctionTerm(), count: count)
  }

  mutating func run() {
    for index in functions.indices { _ = mentions(ofFunction: index) }
    for (index, function) in planner.resolution.functions.enumerated() {
      parameterCount = function.parameters.count
      functions[index] = FunctionTerm(
        parameterCount: parameterCount, lets: function.lets.map { term($0.value) },
        body: term(function.result))
    }
    parameterCount = 0
    for service in planner.syntax.services where service.name.text == "cloud.firestore" {
      for match in service.matches { visit(match, inside: []) }
    }
  }

  private mutating func visit(_ match: MatchSyntax, inside outer: [[PatternSegmentSyntax]]) {
    let patterns = outer + [match.pattern]
    let allows = match.allows.filter { allow in
      allow.methods.contains { $0.method == .list || $0.method == .read }
    }
    if !allows.isEmpty,
      let pattern = BlockPattern(patterns, languageVersion: planner.syntax.languageVersion)
    {
      let made = allows.map { allow -> ListAllow in
        if let condition = allow.condition { collectMentions(condition) }
        return ListAllow(number: allow.number, condition: allow.condition.map { term($0) })
      }
      blocks.append(
        ListBlock(pattern: pattern.steps.map(step), captures: pattern.captures, allows: made))
    }
    for inner in match.matches { visit(inner, inside: patterns) }
  }

  private func step(_ step: PatternStep) -> ListStep {
    switch step {
    case .literal(let text): .literal(planner.pool.bytes(text))
    case .capture: .capture
    case .glob: .glob
    }
  }

  // MARK: what is mentioned

  private mutating func mentions(ofFunction index: Int) -> Mentions {
    if let known = mentionsOfFunction[index] { return known }
    mentionsOfFunction[index] = []
    let function = planner.resolution.functions[index]
    var all: Mentions = []
    for binding in function.lets { all.formUnion(collectMentions(binding.value)) }
    all.formUnion(collectMentions(function.result))
    // Parameters and lets are the function's own affair.
    all.remove(.slot)
    mentionsOfFunction[index] = all
    return all
  }

  @discardableResult
  private mutating func collectMentions(_ node: ExpressionNode) -> Mentions {
    var all: Mentions = []
    for child in node.children { all.formUnion(collectMentions(child)) }
    switch planner.resolution.binding(of: node) {
    case .parameter, .local: all.insert(.slot)
    case .capture: all.insert(.capture)
    case .global("resource"): all.insert(.document)
    case .function(let number): all.formUnion(mentions(ofFunction: number))
    case .libraryFunction("debug"): all.insert(.debug)
    case .none, .global, .libraryFunction, .namespaceFunction, .unknown: break
    }
    mentions[node.number] = all
    return all
  }

  // MARK: terms

  private mutating func term(_ node: ExpressionNode) -> ProofTerm {
    if case .parenthesized(let inner) = node.kind { return term(inner) }
    if mentions[node.number].isEmpty {
      let plan = planner.plan(node)
      if let constant = plan as? ConstantNode { return ProofTerm(node.number, .constant(constant.operand)) }
      closedCount += 1
      return ProofTerm(node.number, .closed(plan, closedCount - 1))
    }
    return ProofTerm(node.number, kind(node))
  }

  private mutating func terms(_ nodes: [ExpressionNode]) -> [ProofTerm] {
    var result: [ProofTerm] = []
    for node in nodes { result.append(term(node)) }
    return result
  }

  private mutating func kind(_ node: ExpressionNode) -> ProofTerm.Kind {
    switch node.kind {
    case .parenthesized(let inner): return kind(inner)
    case .literal, .missing: return .fault
    case .identifier: return identifier(node)
    case .member(let base, let name, _): return .member(term(base), planner.pool.text(name))
    case .index(let base, let index): return .index(term(base), term(index))
    case .slice(let base, let lower, let upper):
      let base = term(base)
      let from = lower.map { term($0) }
      return .slice(base, from, upper.map { term($0) })
    case .call(let name, _, let arguments): return call(node, name, arguments)
    case .methodCall(let receiver, let name, _, let arguments):
      return methodCall(node, receiver, name, arguments)
    case .unary(.not, let operand): return .not(term(operand))
    case .unary(.negate, let operand): return .negate(term(operand))
    case .binary(let symbol, _, let left, let right): return binary(symbol, term(left), term(right))
    case .typeTest(let value, let type, _):
      return .typeTest(term(value), .named(TypeTestNode.kinds(named: type)))
    case .ternary(let condition, let then, let otherwise):
      return .ternary(term(condition), term(then), term(otherwise))
    case .list(let elements): return .list(terms(elements))
    case .map(let entries): return .map(terms(entries.map(\.key)), terms(entries.map(\.value)))
    case .path(let segments):
      var parts: [ProofTerm.Segment] = []
      for segment in segments {
        switch segment.kind {
        case .literal(let text): parts.append(.literal(planner.pool.text(text)))
        case .variable(let name): parts.append(.placeholder(planner.pool.text(name)))
        case .interpolation(let inner): parts.append(.value(term(inner)))
        }
      }
      return .path(parts)
    }
  }

  private func identifier(_ node: ExpressionNode) -> ProofTerm.Kind {
    switch planner.resolution.binding(of: node) {
    case .parameter(let position): .slot(position)
    case .local(let position): .slot(parameterCount + position)
    case .capture(let match, let segment): .capture(planner.captureIndex(match: match, segment: segment))
    case .global("resource"): .resource
    case .none, .global, .function, .libraryFunction, .namespaceFunction, .unknown: .fault
    }
  }

  private mutating func call(
    _ node: ExpressionNode, _ name: String, _ arguments: [ExpressionNode]
  ) -> ProofTerm.Kind {
    if case .function(let number) = planner.resolution.binding(of: node) {
      guard planner.resolution.functions[number].parameters.count == arguments.count else { return .fault }
      return .call(number, terms(arguments))
    }
    if let kind = AccessKind(rawValue: name), case .libraryFunction = planner.resolution.binding(of: node) {
      return arguments.count == 1 ? .access(kind, term(arguments[0])) : .fault
    }
    return library(name, arguments)
  }

  private mutating func library(_ name: String, _ arguments: [ExpressionNode]) -> ProofTerm.Kind {
    guard let function = LibraryFunction.all[name] else { return .fault }
    return .library(name, function, terms(arguments))
  }

  private mutating func methodCall(
    _ node: ExpressionNode, _ receiver: ExpressionNode, _ name: String, _ arguments: [ExpressionNode]
  ) -> ProofTerm.Kind {
    if case .namespaceFunction(let namespace, let function) = planner.resolution.binding(of: node) {
      return library("\(namespace).\(function)", arguments)
    }
    if case .identifier(let namespace) = receiver.kind, Library.namespaces.contains(namespace) {
      return .fault
    }
    guard let method = MethodName(name: name) else { return .fault }
    return .method(term(receiver), method, terms(arguments))
  }

  private func binary(_ symbol: BinaryOperator, _ a: ProofTerm, _ b: ProofTerm) -> ProofTerm.Kind {
    switch symbol {
    case .or: .or(a, b)
    case .and: .and(a, b)
    case .equal: .comparison(.equal, a, b)
    case .notEqual: .comparison(.notEqual, a, b)
    case .less: .comparison(.less, a, b)
    case .lessOrEqual: .comparison(.lessOrEqual, a, b)
    case .greater: .comparison(.greater, a, b)
    case .greaterOrEqual: .comparison(.greaterOrEqual, a, b)
    case .isIn: .isIn(a, b)
    case .add: .arithmetic(.add, a, b)
    case .subtract: .arithmetic(.subtract, a, b)
    case .multiply: .arithmetic(.multiply, a, b)
    case .divide: .arithmetic(.divide, a, b)
    case .remainder: .arithmetic(.remainder, a, b)
    }
  }
}
