/// Which expressions a coverage report has entries for, and where the official one says they are.
///
/// Literals have none; parentheses are part of what they enclose, except one pair around what a member,
/// an index, a call or a minus applies to; an entry ends with its last token that is no bracket. A function
/// with `let`s is a chain of entries. In a block functions come first, then inner blocks, then `allow`s.
/// Source: the official emulator's coverage reports.

internal import DocModel

/// One entry of a report.
struct OutlineNode: Sendable {
  enum Subject: Sendable {
    /// By number.
    case expression(Int)
    /// The `let`s of a function from some one on, with its result.
    case lets(FunctionSyntax)
  }

  let subject: Subject
  let span: Span
  let children: [OutlineNode]
}

/// A function or an `allow` with its entry; none for one that is only a literal.
struct OutlineRoot: Sendable {
  enum Owner: Sendable {
    case function(FunctionSyntax)
    case allow(AllowSyntax)
  }

  let owner: Owner
  let node: OutlineNode?
}

struct CoverageOutline: Sendable {
  private(set) var roots: [OutlineRoot] = []

  init(_ syntax: RulesetSyntax) {
    add(syntax.functions)
    for service in syntax.services {
      add(service.functions)
      for match in service.matches { add(match) }
    }
  }

  private mutating func add(_ match: MatchSyntax) {
    add(match.functions)
    for inner in match.matches { add(inner) }
    for allow in match.allows {
      let node = allow.condition.flatMap { Self.outline($0, isBase: false) }
      roots.append(OutlineRoot(owner: .allow(allow), node: node))
    }
  }

  private mutating func add(_ functions: [FunctionSyntax]) {
    for function in functions {
      roots.append(OutlineRoot(owner: .function(function), node: Self.body(function, from: 0)))
    }
  }

  private static func body(_ function: FunctionSyntax, from index: Int) -> OutlineNode? {
    guard index < function.lets.count else { return outline(function.result, isBase: false) }
    let binding = function.lets[index]
    let children = [outline(binding.value, isBase: false), body(function, from: index + 1)]
    return OutlineNode(
      subject: .lets(function), span: Span(start: binding.span.start, end: end(function.result)),
      children: children.compactMap { $0 })
  }

  /// `start` is where parentheses around the expression begin.
  private static func outline(_ node: ExpressionNode, isBase: Bool, start: Int32? = nil) -> OutlineNode? {
    switch node.kind {
    case .literal: return nil
    case .parenthesized(let inner):
      return outline(inner, isBase: false, start: isBase ? nil : start ?? node.span.start)
    case .identifier, .member, .index, .slice, .call, .methodCall, .unary, .binary, .typeTest, .ternary,
      .list, .map, .path, .missing:
      return OutlineNode(
        subject: .expression(node.number), span: Span(start: start ?? node.span.start, end: end(node)),
        children: children(node))
    }
  }

  private static func children(_ node: ExpressionNode) -> [OutlineNode] {
    switch node.kind {
    case .member(let base, _, _): return bases([base])
    case .index(let base, let index): return bases([base]) + plain([index])
    case .slice(let base, let lower, let upper):
      return bases([base]) + plain([lower, upper].compactMap { $0 })
    case .methodCall(let receiver, _, _, let arguments):
      if case .identifier(let name) = receiver.kind, Library.namespaces.contains(name) {
        return plain(arguments)
      }
      return bases([receiver]) + plain(arguments)
    case .unary(.negate, let operand): return bases([operand])
    case .binary(.isIn, _, let element, let collection): return plain([collection, element])
    case .literal, .identifier, .call, .unary, .binary, .typeTest, .ternary, .list, .map, .path,
      .parenthesized, .missing:
      return plain(node.children)
    }
  }

  private static func bases(_ nodes: [ExpressionNode]) -> [OutlineNode] {
    nodes.compactMap { outline($0, isBase: true) }
  }

  private static func plain(_ nodes: [ExpressionNode]) -> [OutlineNode] {
    nodes.compactMap { outline($0, isBase: false) }
  }

  /// Where the last token ends that is no bracket.
  private static func end(_ node: ExpressionNode) -> Int32 {
    let opening = node.span.start + 1
    switch node.kind {
    case .literal, .identifier, .missing: return node.span.end
    case .member(_, _, let name): return name.end
    case .index(_, let index): return end(index)
    case .slice(let base, let lower, let upper): return end(upper ?? lower ?? base)
    case .call(_, let name, let arguments), .methodCall(_, _, let name, let arguments):
      return arguments.last.map(end) ?? name.end
    case .unary(_, let operand): return end(operand)
    case .binary(_, _, _, let right): return end(right)
    case .typeTest(_, _, let type): return type.end
    case .ternary(_, _, let otherwise): return end(otherwise)
    case .list(let elements): return elements.last.map(end) ?? opening
    case .map(let entries): return entries.last.map { end($0.value) } ?? opening
    case .path(let segments): return segments.last.map(end) ?? node.span.end
    case .parenthesized(let inner):
      // Of a literal in parentheses the opening one is all that is seen.
      if case .literal = inner.unwrapped.kind { return opening }
      return end(inner)
    }
  }

  private static func end(_ segment: PathSegmentSyntax) -> Int32 {
    switch segment.kind {
    case .literal: segment.span.end
    case .interpolation(let node): end(node)
    // A slash, a brace, the name.
    case .variable(let name): segment.span.start + 2 + Int32(name.utf8.count)
    }
  }
}
