internal import Rules

/// A condition as the terms that must all be true, functions written out, so that two conditions can be
/// compared.
struct ConditionTerms {
  /// LIMIT: bytes of one written-out condition; longer ones are compared with nothing.
  private static let textMax = 20_000

  private enum Term {
    /// A condition by its text.
    case text(String)
    /// Any of several lists of terms.
    case either([[Term]])
  }

  private var terms: [Term] = []
  private var texts: Set<String> = []
  /// Whether it can only be true for callers who are signed in.
  private var needsAuth = false
  private var isTooLong = false
  private let resolution: Resolution
  private let position: [Int: Int]

  /// Whether the condition is written `false`.
  let isFalse: Bool

  init(_ statement: LintStatement, _ resolution: Resolution) {
    self.resolution = resolution
    // Captures are called by their place in the path, because blocks name them differently.
    var position: [Int: Int] = [:]
    for (index, block) in statement.blocks.enumerated() where position[block] == nil {
      position[block] = index
    }
    self.position = statement.pattern.contains(where: \.isGlob) ? [:] : position
    if case .literal(.boolean(false))? = statement.allow.condition?.unwrapped.kind {
      isFalse = true
    } else {
      isFalse = false
    }
    guard let condition = statement.allow.condition else { return }
    var written = 0
    var readsAuth = false
    terms = split(condition, Frame(), depth: 0, &written, &readsAuth)
    if written > Self.textMax { isTooLong = true }
    for case .text(let text) in terms { texts.insert(text) }
    needsAuth = readsAuth || texts.contains(Self.signedIn)
  }

  private static let signedIn = "(request.auth != null)"

  /// Whether it asks for a caller who is signed in, and for nothing else.
  var isOnlySignedIn: Bool {
    let areTexts = terms.allSatisfy { if case .text = $0 { true } else { false } }
    return !isTooLong && areTexts && !texts.isEmpty
      && texts.isSubset(of: [Self.signedIn, "(request.auth.uid != null)"])
  }

  /// Whether another is true whenever this one is.
  func imply(_ other: ConditionTerms) -> Bool {
    if isTooLong || other.isTooLong { return false }
    return isFalse || other.terms.allSatisfy(imply)
  }

  private func imply(_ term: Term) -> Bool {
    switch term {
    case .text(let text): texts.contains(text) || (text == Self.signedIn && needsAuth)
    case .either(let ways): ways.contains { $0.allSatisfy(imply) }
    }
  }

  // MARK: Writing out

  /// The arguments and `let`s of the function that is being written out.
  private struct Frame {
    var parameters: [String] = []
    var locals: [String] = []
  }

  private func split(
    _ node: ExpressionNode, _ frame: Frame, depth: Int, _ written: inout Int, _ readsAuth: inout Bool
  ) -> [Term] {
    guard written <= Self.textMax else { return [] }
    switch node.unwrapped.kind {
    case .literal(.boolean(true)): return []
    case .binary(.and, _, let left, let right):
      return split(left, frame, depth: depth, &written, &readsAuth)
        + split(right, frame, depth: depth, &written, &readsAuth)
    case .binary(.or, _, let left, let right):
      var (first, second) = (false, false)
      let ways = [
        split(left, frame, depth: depth, &written, &first),
        split(right, frame, depth: depth, &written, &second),
      ]
      if first, second { readsAuth = true }
      return [.either(ways)]
    case .call(_, _, let arguments):
      guard case .function(let number) = resolution.binding(of: node.unwrapped),
        depth <= RulesChecker.Limits.callStackMax
      else { break }
      let function = resolution.functions[number]
      guard arguments.count == function.parameters.count else { break }
      var inner = Frame(parameters: arguments.map { write($0, frame, &written) })
      for binding in function.lets { inner.locals.append(write(binding.value, inner, &written)) }
      return split(function.result, inner, depth: depth + 1, &written, &readsAuth)
    default: break
    }
    if readsAuthAlways(node) { readsAuth = true }
    return [.text(write(node, frame, &written))]
  }

  /// Whether evaluating an expression without a fault needs `request.auth` to be there.
  private func readsAuthAlways(_ node: ExpressionNode) -> Bool {
    switch node.kind {
    case .member(let base, _, _): base.nameChain == "request.auth" || readsAuthAlways(base)
    case .binary(let operation, _, let left, let right):
      operation != .and && operation != .or && (readsAuthAlways(left) || readsAuthAlways(right))
    case .unary(_, let operand): readsAuthAlways(operand)
    case .typeTest(let value, _, _): readsAuthAlways(value)
    case .index(let base, let index): readsAuthAlways(base) || readsAuthAlways(index)
    case .methodCall(let receiver, _, _, let arguments):
      readsAuthAlways(receiver) || arguments.contains(where: readsAuthAlways)
    case .parenthesized(let inner): readsAuthAlways(inner)
    case .ternary(let condition, _, _): readsAuthAlways(condition)
    case .list(let elements): elements.contains(where: readsAuthAlways)
    case .path(let segments):
      segments.contains {
        if case .interpolation(let value) = $0.kind { readsAuthAlways(value) } else { false }
      }
    case .call(_, _, let arguments):
      // A function of the ruleset may leave its arguments alone.
      if case .libraryFunction = resolution.binding(of: node) {
        arguments.contains(where: readsAuthAlways)
      } else {
        false
      }
    case .literal, .identifier, .slice, .map, .missing: false
    }
  }

  private func write(_ node: ExpressionNode, _ frame: Frame, _ written: inout Int) -> String {
    var text = ""
    ExpressionKey.write(node, to: &text) { name in
      switch resolution.binding(of: name) {
      case .parameter(let place): place < frame.parameters.count ? frame.parameters[place] : nil
      case .local(let place): place < frame.locals.count ? frame.locals[place] : nil
      case .capture(let match, let segment):
        position[match].map { "{\($0 + segment)}" } ?? "{\(match).\(segment)}"
      case .function(let number): "#\(number)"
      default: nil
      }
    }
    written += text.utf8.count
    return text
  }
}
