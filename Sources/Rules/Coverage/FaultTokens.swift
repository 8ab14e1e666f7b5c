/// At which token the official engine reports a fault.
///
/// An operator's fault is reported at the operator, a call's at the name, an access's where the accessed
/// expression starts. Source: the official emulator's coverage reports.

internal import DocModel

/// Tokens of all expressions of a ruleset.
struct FaultTokens: Sendable {
  /// By expression number.
  private var tokens: [Span]
  /// By expression number: the token it begins with.
  private var firsts: [Span]
  /// By expression number: the operator that wants a boolean of it.
  private var logical: [Span?]

  init(_ syntax: RulesetSyntax, _ resolution: Resolution, _ source: SourceText) {
    tokens = Array(repeating: Span(start: 0, end: 0), count: syntax.expressionCount)
    firsts = tokens
    logical = Array(repeating: nil, count: syntax.expressionCount)
    for function in resolution.functions {
      for binding in function.lets { collect(binding.value, source) }
      collect(function.result, source)
    }
    for match in resolution.matches {
      for allow in match.allows { if let condition = allow.condition { collect(condition, source) } }
    }
  }

  /// A side of `&&` that is no boolean is the operator's fault, not the side's; a method that a value does
  /// not have is the value's.
  func token(of node: Int32, _ code: FaultCode, _ message: String) -> Span {
    if code == .functionNotFound { return firsts[Int(node)] }
    if let outer = logical[Int(node)], message.hasSuffix(Self.noBoolean) { return outer }
    return tokens[Int(node)]
  }

  private static let noBoolean = "Expected: [bool]."

  private mutating func collect(_ node: ExpressionNode, _ source: SourceText) {
    let token = Self.token(node, source)
    tokens[node.number] = token
    firsts[node.number] = Self.first(node)
    switch node.kind {
    case .binary(.and, _, let left, let right), .binary(.or, _, let left, let right):
      logical[left.unwrapped.number] = token
      logical[right.unwrapped.number] = token
    case .ternary(let condition, _, _): logical[condition.unwrapped.number] = token
    case .literal, .identifier, .member, .index, .slice, .call, .methodCall, .unary, .binary, .typeTest,
      .list, .map, .path, .parenthesized, .missing:
      break
    }
    for child in node.children { collect(child, source) }
  }

  private static func token(_ node: ExpressionNode, _ source: SourceText) -> Span {
    switch node.kind {
    case .call(_, let name, _), .methodCall(_, _, let name, _): name
    case .binary(_, let symbol, _, _): symbol
    case .typeTest(let value, _, _): source.word(after: value.span.end, length: 2)
    case .ternary(let condition, _, _): source.word(after: condition.span.end, length: 1)
    case .literal, .identifier, .member, .index, .slice, .unary, .list, .map, .path, .parenthesized, .missing:
      first(node)
    }
  }

  /// The token an expression begins with.
  private static func first(_ node: ExpressionNode) -> Span {
    switch node.kind {
    case .member(let base, _, _): first(base)
    case .index(let base, _): first(base)
    case .slice(let base, _, _): first(base)
    case .methodCall(let receiver, _, _, _): first(receiver)
    case .call(_, let name, _): name
    case .binary(_, _, let left, _): first(left)
    case .typeTest(let value, _, _): first(value)
    case .ternary(let condition, _, _): first(condition)
    case .literal, .identifier, .missing: node.span
    case .unary, .list, .map, .path, .parenthesized:
      Span(start: node.span.start, end: min(node.span.start + 1, node.span.end))
    }
  }
}
