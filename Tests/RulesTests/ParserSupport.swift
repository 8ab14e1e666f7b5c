import Rules

@testable import RulesTools

/// Short ways to parse in tests, and trees as text.
enum Sample {
  static let head = "rules_version = '2';\nservice cloud.firestore { match /databases/{database}/documents { "
  static let tail = " }}\n"

  /// A file with an expression as a condition. `id` is a capture in its scope.
  static func file(condition: String) -> String {
    "rules_version = '2';\nservice cloud.firestore { match /databases/{database}/documents { match /t/{id} {\nallow get: if "
      + condition + ";\n}}}\n"
  }

  /// A file with declarations inside the documents match.
  static func file(declarations: String) -> String { head + declarations + tail }

  /// What compiling says; with `remarks` also what the linter says.
  static func check(_ source: String, remarks: Bool = false) -> (
    diagnostics: [Diagnostic], source: SourceText
  ) {
    let parsed = RulesParser.parse(source: source, name: "firestore.rules")
    let checked = remarks ? RulesCompiler.check(parsed) : RulesChecker.check(parsed)
    return (checked.diagnostics, parsed.source)
  }

  static func compiles(_ source: String) -> Bool { !check(source).diagnostics.containsError }

  /// The condition of the first `allow` of a parsed expression.
  static func condition(_ expression: String) -> ExpressionNode? {
    let parsed = RulesParser.parse(source: file(condition: expression), name: "f")
    return parsed.syntax.services.first?.matches.first?.matches.first?.allows.first?.condition
  }

  /// The tree of an expression in prefix form.
  static func tree(_ expression: String) -> String { condition(expression).map(show) ?? "none" }

  static func show(_ node: ExpressionNode) -> String {
    func list(_ head: String, _ nodes: [ExpressionNode]) -> String {
      "(" + ([head] + nodes.map(show)).joined(separator: " ") + ")"
    }
    switch node.kind {
    case .literal(let literal): return show(literal)
    case .identifier(let name): return name
    case .member(let base, let name, _): return "(. \(show(base)) \(name))"
    case .index(let base, let index): return list("[]", [base, index])
    case .slice(let base, let lower, let upper):
      return "([:] \(show(base)) \(lower.map(show) ?? "_") \(upper.map(show) ?? "_"))"
    case .call(let name, _, let arguments): return list("call \(name)", arguments)
    case .methodCall(let receiver, let name, _, let arguments):
      return list("method \(name)", [receiver] + arguments)
    case .unary(let operation, let operand): return list(operation.rawValue, [operand])
    case .binary(let operation, _, let left, let right): return list(operation.rawValue, [left, right])
    case .typeTest(let value, let type, _): return "(is \(show(value)) \(type))"
    case .ternary(let condition, let then, let otherwise): return list("?", [condition, then, otherwise])
    case .list(let elements): return list("list", elements)
    case .map(let entries): return list("map", entries.flatMap { [$0.key, $0.value] })
    case .path(let segments): return "(path " + segments.map(show).joined(separator: " ") + ")"
    case .parenthesized(let inner): return list("paren", [inner])
    case .missing: return "missing"
    }
  }

  private static func show(_ literal: LiteralSyntax) -> String {
    switch literal {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .float(let value): "\(value)"
    case .string(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
    case .bytes(let bytes): "b\(bytes)"
    }
  }

  private static func show(_ segment: PathSegmentSyntax) -> String {
    switch segment.kind {
    case .literal(let name): "/\(name)"
    case .interpolation(let value): "/$\(show(value))"
    case .variable(let name): "/{\(name)}"
    }
  }
}

/// A source with one place marked `«…»`, and the place.
struct MarkedSource {
  let text: String
  let start: Int
  let end: Int

  /// Nil if the marks are not there.
  init?(_ marked: String) {
    let bytes = Array(marked.utf8)
    let open = Array("«".utf8)
    let close = Array("»".utf8)
    var plain: [UInt8] = []
    var start: Int?
    var end: Int?
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: open) {
        start = plain.count
        index += open.count
      } else if bytes[index...].starts(with: close) {
        end = plain.count
        index += close.count
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    guard let start, let end else { return nil }
    self.start = start
    self.end = end
    text = String(decoding: plain, as: UTF8.self)
  }
}
