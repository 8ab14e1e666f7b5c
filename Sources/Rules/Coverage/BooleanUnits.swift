/// Which expressions of a ruleset a test should have seen both true and false.
///
/// An `allow` is one unit, granted and refused; its condition as a whole is the same question and no second
/// one. Every other expression that is boolean by its operator or by its place is a unit: not literals, and
/// not `!x` or `c ? a : b`, which say nothing that their parts do not. Other services' blocks cannot run
/// here and have no units.

/// One question that has two answers.
struct BooleanUnit: Sendable {
  enum Owner: Sendable, Hashable {
    case allow(Int)
    case function(Int)
  }

  /// The expression; for a unit that is an `allow`, its condition, nil when it has none.
  let expression: ExpressionNode?
  let owner: Owner
  /// Whether the unit is its owner as a whole.
  let isAllow: Bool
}

struct BooleanUnits {
  private let resolution: Resolution
  /// By function number: whether its result is a boolean wherever it has one.
  private var isBoolean: [Bool]
  private(set) var units: [BooleanUnit] = []

  init(_ syntax: RulesetSyntax, _ resolution: Resolution) {
    self.resolution = resolution
    isBoolean = Array(repeating: false, count: resolution.functions.count)
    settleFunctions()
    for function in syntax.functions { add(function) }
    for service in syntax.services where service.name.text == "cloud.firestore" {
      for function in service.functions { add(function) }
      for match in service.matches { add(match) }
    }
  }

  /// Functions that call each other take a round each; there is no recursion.
  private mutating func settleFunctions() {
    var isSettled = false
    while !isSettled {
      isSettled = true
      for function in resolution.functions where !isBoolean[function.number] {
        guard isBooleanByForm(function.result) else { continue }
        isBoolean[function.number] = true
        isSettled = false
      }
    }
  }

  private func isBooleanByForm(_ node: ExpressionNode) -> Bool {
    let node = node.unwrapped
    switch node.kind {
    case .literal(.boolean): return true
    case .unary(.not, _), .typeTest: return true
    case .binary(let symbol, _, _, _): return Self.isQuestion(symbol)
    case .ternary(_, let then, let otherwise): return isBooleanByForm(then) && isBooleanByForm(otherwise)
    case .methodCall(_, let name, _, _): return Self.methods.contains(name)
    case .call(let name, _, _):
      switch resolution.binding(of: node) {
      case .function(let number): return isBoolean[number]
      case .libraryFunction: return Self.functions.contains(name)
      case .none, .parameter, .local, .capture, .global, .namespaceFunction, .unknown: return false
      }
    case .literal, .identifier, .member, .index, .slice, .unary, .list, .map, .path, .parenthesized, .missing:
      return false
    }
  }

  private static let methods: Set<String> = ["hasAny", "hasAll", "hasOnly", "matches"]
  private static let functions: Set<String> = ["exists", "existsAfter"]

  private static func isQuestion(_ symbol: BinaryOperator) -> Bool {
    switch symbol {
    case .or, .and, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: true
    case .add, .subtract, .multiply, .divide, .remainder: false
    }
  }

  private mutating func add(_ match: MatchSyntax) {
    for function in match.functions { add(function) }
    for inner in match.matches { add(inner) }
    for allow in match.allows {
      let owner = BooleanUnit.Owner.allow(allow.number)
      units.append(BooleanUnit(expression: allow.condition, owner: owner, isAllow: true))
      if let condition = allow.condition { addParts(condition.unwrapped, owner, isWanted: true) }
    }
  }

  private mutating func add(_ function: FunctionSyntax) {
    let owner = BooleanUnit.Owner.function(function.number)
    for binding in function.lets { add(binding.value, owner, isWanted: false) }
    add(function.result, owner, isWanted: isBoolean[function.number])
  }

  /// `isWanted`: whether a boolean is wanted at this place.
  private mutating func add(_ node: ExpressionNode, _ owner: BooleanUnit.Owner, isWanted: Bool) {
    let node = node.unwrapped
    if isUnit(node, isWanted) { units.append(BooleanUnit(expression: node, owner: owner, isAllow: false)) }
    addParts(node, owner, isWanted: isWanted)
  }

  private func isUnit(_ node: ExpressionNode, _ isWanted: Bool) -> Bool {
    switch node.kind {
    case .literal, .ternary, .unary, .missing: return false
    case .call(let name, _, _) where name == "debug": return false
    case .identifier, .member, .index, .slice, .list, .map, .path: return isWanted
    case .call, .methodCall, .binary, .typeTest, .parenthesized: return isWanted || isBooleanByForm(node)
    }
  }

  private mutating func addParts(_ node: ExpressionNode, _ owner: BooleanUnit.Owner, isWanted: Bool) {
    switch node.kind {
    case .binary(.and, _, let left, let right), .binary(.or, _, let left, let right):
      add(left, owner, isWanted: true)
      add(right, owner, isWanted: true)
    case .unary(.not, let operand): add(operand, owner, isWanted: true)
    case .ternary(let condition, let then, let otherwise):
      add(condition, owner, isWanted: true)
      add(then, owner, isWanted: isWanted)
      add(otherwise, owner, isWanted: isWanted)
    case .call(let name, _, let arguments) where name == "debug":
      for argument in arguments { add(argument, owner, isWanted: isWanted) }
    case .literal, .identifier, .member, .index, .slice, .call, .methodCall, .unary, .binary, .typeTest,
      .list, .map, .path, .parenthesized, .missing:
      for child in node.children { add(child, owner, isWanted: false) }
    }
  }
}
