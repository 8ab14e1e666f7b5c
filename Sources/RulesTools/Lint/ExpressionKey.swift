internal import Rules

/// The text of an expression without blanks and needless parentheses: equal texts are equal programs.
enum ExpressionKey {
  static func text(_ node: ExpressionNode) -> String {
    var text = ""
    write(node, to: &text) { _ in nil }
    return text
  }

  /// Writes an expression; `name` may put something else for the name of a variable or of a
  /// called function.
  static func write(_ node: ExpressionNode, to text: inout String, name: (ExpressionNode) -> String?) {
    switch node.kind {
    case .literal(let literal): text += "\(literal)"
    case .identifier(let written): text += name(node) ?? written
    case .member(let base, let member, _):
      write(base, to: &text, name: name)
      text += "." + member
    case .index(let base, let index):
      write(base, to: &text, name: name)
      bracket("[", [index], "]", &text, name)
    case .slice(let base, let lower, let upper):
      write(base, to: &text, name: name)
      text += "["
      if let lower { write(lower, to: &text, name: name) }
      text += ":"
      if let upper { write(upper, to: &text, name: name) }
      text += "]"
    case .call(let called, _, let arguments):
      bracket((name(node) ?? called) + "(", arguments, ")", &text, name)
    case .methodCall(let receiver, let called, _, let arguments):
      write(receiver, to: &text, name: name)
      bracket("." + called + "(", arguments, ")", &text, name)
    case .unary(let operation, let operand): bracket(operation.rawValue + "(", [operand], ")", &text, name)
    case .binary(let operation, _, let left, let right):
      bracket("(", [left], " \(operation.rawValue) ", &text, name)
      bracket("", [right], ")", &text, name)
    case .typeTest(let value, let type, _): bracket("(", [value], " is \(type))", &text, name)
    case .ternary(let condition, let then, let otherwise):
      bracket("?(", [condition, then, otherwise], ")", &text, name)
    case .list(let elements): bracket("[", elements, "]", &text, name)
    case .map(let entries): bracket("{", entries.flatMap { [$0.key, $0.value] }, "}", &text, name)
    case .path(let segments):
      for segment in segments {
        switch segment.kind {
        case .literal(let literal): text += "/" + literal
        case .variable(let variable): text += "/{\(variable)\(segment.isGlob ? "=**" : "")}"
        case .interpolation(let value): bracket("/$(", [value], ")", &text, name)
        }
      }
    case .parenthesized(let inner): write(inner, to: &text, name: name)
    case .missing: text += "?"
    }
  }

  private static func bracket(
    _ open: String, _ nodes: [ExpressionNode], _ close: String, _ text: inout String,
    _ name: (ExpressionNode) -> String?
  ) {
    text += open
    for (position, node) in nodes.enumerated() {
      if position > 0 { text += ", " }
      write(node, to: &text, name: name)
    }
    text += close
  }
}
