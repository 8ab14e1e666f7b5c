/// Expressions as they are written.
///
/// Nothing is resolved and nothing is folded, except that a minus directly before an integer that
/// only fits with it (`-9223372036854775808`) is part of the literal.

/// One expression.
///
/// INVARIANT: `number` is unique within its ruleset and dense from zero, so tables of resolution,
/// coverage and cost are arrays indexed by it. A child has a smaller number than its parent.
public final class ExpressionNode: Sendable {
  public let number: Int
  public let kind: ExpressionKind
  /// Without surrounding blanks; a `parenthesized` node includes its parentheses.
  public let span: Span
  /// Nodes on the longest branch below and including this one, counted as the complexity limit
  /// counts them: member, index and slice steps on their base count nothing.
  public let depth: Int
  /// Real height of the tree: what recursion over it costs.
  /// LIMIT: at most 600, so walking a parsed tree recursively is safe.
  public let height: Int

  public init(number: Int, kind: ExpressionKind, span: Span, depth: Int, height: Int) {
    self.number = number
    self.kind = kind
    self.span = span
    self.depth = depth
    self.height = height
  }

  /// The height of a node of this kind.
  static func height(of kind: ExpressionKind) -> Int {
    var tallest = 0
    kind.forEachChild { tallest = max(tallest, $0.height) }
    return tallest + 1
  }
}

/// What an expression is.
public enum ExpressionKind: Sendable {
  case literal(LiteralSyntax)
  /// A variable, a namespace (`math`) or a global (`request`).
  case identifier(String)
  /// `base.name`
  case member(base: ExpressionNode, name: String, nameSpan: Span)
  /// `base[index]`
  case index(base: ExpressionNode, index: ExpressionNode)
  /// `base[lower:upper]`; either bound may be left out, also both.
  case slice(base: ExpressionNode, lower: ExpressionNode?, upper: ExpressionNode?)
  /// `name(arguments)`
  case call(name: String, nameSpan: Span, arguments: [ExpressionNode])
  /// `receiver.name(arguments)`. `math.abs(x)` is one too, with the receiver `identifier("math")`.
  case methodCall(receiver: ExpressionNode, name: String, nameSpan: Span, arguments: [ExpressionNode])
  case unary(UnaryOperator, ExpressionNode)
  case binary(BinaryOperator, operatorSpan: Span, ExpressionNode, ExpressionNode)
  /// `value is type`. The type is kept as written; the checker knows which names are types.
  case typeTest(ExpressionNode, typeName: String, typeSpan: Span)
  case ternary(condition: ExpressionNode, then: ExpressionNode, otherwise: ExpressionNode)
  case list([ExpressionNode])
  case map([MapEntrySyntax])
  case path([PathSegmentSyntax])
  case parenthesized(ExpressionNode)
  /// Where an expression should have been. Only in trees that come with an error.
  case missing
}

/// A literal value.
public enum LiteralSyntax: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case float(Double)
  /// UTF-8 after escapes. A lone surrogate written as `\uD800` is kept as the three bytes it would
  /// have if it were a character, so that it stays different from others and has size one.
  case string([UInt8])
  case bytes([UInt8])
}

/// Prefix operators.
public enum UnaryOperator: String, Sendable {
  case not = "!"
  case negate = "-"
}

/// Operators between two expressions.
public enum BinaryOperator: String, Sendable, CaseIterable {
  case or = "||"
  case and = "&&"
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case isIn = "in"
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
}

/// `key: value` in a map. The key is an expression, not a name.
public struct MapEntrySyntax: Sendable {
  public let key: ExpressionNode
  public let value: ExpressionNode

  public init(key: ExpressionNode, value: ExpressionNode) {
    self.key = key
    self.value = value
  }
}

/// One segment of a path literal.
public struct PathSegmentSyntax: Sendable {
  /// What a segment is.
  public enum Kind: Sendable {
    /// Written out, `(default)` included.
    case literal(String)
    /// `$(expression)`
    case interpolation(ExpressionNode)
    /// `{name}`: a placeholder for `bind`.
    case variable(String)
  }

  public let kind: Kind
  /// Whether a placeholder is written `{name=**}`: it is bound to a path.
  public let isGlob: Bool
  /// From the slash to the end of the segment.
  public let span: Span

  public init(kind: Kind, isGlob: Bool = false, span: Span) {
    self.kind = kind
    self.isGlob = isGlob
    self.span = span
  }
}

extension ExpressionKind {
  /// Calls `body` for the direct sub-expressions, in the order in which they are written. Unlike `children`
  /// it makes no array: the parser asks for every node.
  @inline(__always)
  func forEachChild(_ body: (ExpressionNode) -> Void) {
    switch self {
    case .literal, .identifier, .missing: break
    case .member(let child, _, _), .unary(_, let child), .typeTest(let child, _, _),
      .parenthesized(let child):
      body(child)
    case .index(let first, let second), .binary(_, _, let first, let second):
      body(first)
      body(second)
    case .methodCall(let receiver, _, _, let arguments):
      body(receiver)
      for argument in arguments { body(argument) }
    case .call(_, _, let elements), .list(let elements):
      for element in elements { body(element) }
    case .ternary(let condition, let then, let otherwise):
      body(condition)
      body(then)
      body(otherwise)
    case .slice, .map, .path:
      for child in children { body(child) }
    }
  }

  /// The direct sub-expressions, in the order in which they are written.
  public var children: [ExpressionNode] {
    switch self {
    case .literal, .identifier, .missing: []
    case .member(let base, _, _): [base]
    case .index(let base, let index): [base, index]
    case .slice(let base, let lower, let upper): [base, lower, upper].compactMap { $0 }
    case .call(_, _, let arguments): arguments
    case .methodCall(let receiver, _, _, let arguments): [receiver] + arguments
    case .unary(_, let operand): [operand]
    case .binary(_, _, let left, let right): [left, right]
    case .typeTest(let value, _, _): [value]
    case .ternary(let condition, let then, let otherwise): [condition, then, otherwise]
    case .list(let elements): elements
    case .map(let entries): entries.flatMap { [$0.key, $0.value] }
    case .path(let segments):
      segments.compactMap { segment in
        if case .interpolation(let node) = segment.kind { node } else { nil }
      }
    case .parenthesized(let inner): [inner]
    }
  }
}

extension ExpressionNode {
  /// The direct sub-expressions, in the order in which they are written.
  public var children: [ExpressionNode] { kind.children }

  /// The expression inside any parentheses.
  public var unwrapped: ExpressionNode {
    var node = self
    while case .parenthesized(let inner) = node.kind { node = inner }
    return node
  }
}
