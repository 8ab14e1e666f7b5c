internal import Rules

/// Expressions in the outline, with what names refer to and what types values may have.
extension Outliner {
  func expression(_ expression: ExpressionNode) -> Element {
    var (kind, members) = shape(expression)
    if places != nil { members.insert(("number", .integer(Int64(expression.number))), at: 0) }
    if let resolution {
      if let target = target(resolution.binding(of: expression)) {
        members.append(("refersTo", target))
      }
      let types = resolution.typeNames(of: expression)
      members.append(("types", types.map { .elements($0.map { .text($0) }) } ?? .null))
    }
    return node(kind, expression.span, members)
  }

  private func expressions(_ expressions: [ExpressionNode]) -> Element {
    .elements(expressions.map(expression))
  }

  private func shape(_ node: ExpressionNode) -> (StaticString, Members) {
    switch node.kind {
    case .literal(let literal): ("literal", members(of: literal, at: node.span))
    case .identifier(let name): ("identifier", [("name", .text(name))])
    case .member(let base, let name, _): ("member", [("base", expression(base)), ("name", .text(name))])
    case .index(let base, let index): ("index", [("base", expression(base)), ("index", expression(index))])
    case .slice(let base, let lower, let upper):
      (
        "slice",
        [
          ("base", expression(base)), ("lower", lower.map(expression) ?? .null),
          ("upper", upper.map(expression) ?? .null),
        ]
      )
    case .call(let name, _, let arguments):
      ("call", [("name", .text(name)), ("arguments", expressions(arguments))])
    case .methodCall(let receiver, let name, _, let arguments):
      (
        "methodCall",
        [("receiver", expression(receiver)), ("name", .text(name)), ("arguments", expressions(arguments))]
      )
    case .unary(let operation, let operand):
      ("unary", [("operator", .text(operation.rawValue)), ("operand", expression(operand))])
    case .binary(let operation, _, let left, let right):
      (
        "binary",
        [("operator", .text(operation.rawValue)), ("left", expression(left)), ("right", expression(right))]
      )
    case .typeTest(let value, let typeName, _):
      ("typeTest", [("value", expression(value)), ("typeName", .text(typeName))])
    case .ternary(let condition, let then, let otherwise):
      (
        "ternary",
        [
          ("condition", expression(condition)), ("then", expression(then)),
          ("otherwise", expression(otherwise)),
        ]
      )
    case .list(let elements): ("list", [("elements", expressions(elements))])
    case .map(let entries): ("map", [("entries", .elements(entries.map(entry)))])
    case .path(let segments): ("path", [("segments", .elements(segments.map(segment)))])
    case .parenthesized(let inner): ("parenthesized", [("inner", expression(inner))])
    case .missing: ("missing", [])
    }
  }

  private func entry(_ entry: MapEntrySyntax) -> Element {
    node(
      "mapEntry", entry.key.span.joined(with: entry.value.span),
      [("key", expression(entry.key)), ("value", expression(entry.value))])
  }

  private func segment(_ segment: PathSegmentSyntax) -> Element {
    switch segment.kind {
    case .literal(let text): node("literalSegment", segment.span, [("text", .text(text))])
    case .interpolation(let value): node("interpolation", segment.span, [("value", expression(value))])
    case .variable(let name): node("variable", segment.span, [("name", .text(name))])
    }
  }

  /// Type, value and, beside places, spelling.
  private func members(of literal: LiteralSyntax, at span: Span) -> Members {
    var members: Members =
      switch literal {
      case .null: [("type", .text("null")), ("value", .null)]
      case .boolean(let flag): [("type", .text("bool")), ("value", .flag(flag))]
      case .integer(let number): [("type", .text("int")), ("value", .integer(number))]
      case .float(let number): [("type", .text("float")), ("value", .float(number))]
      case .string(let bytes): [("type", .text("string")), ("value", .utf8(bytes))]
      case .bytes(let bytes):
        [("type", .text("bytes")), ("value", .elements(bytes.map { .integer(Int64($0)) }))]
      }
    if places != nil { members.append(("text", .utf8(Array(source.slice(of: span))))) }
    return members
  }

  // MARK: What names refer to

  private func target(_ binding: Resolution.Binding) -> Element? {
    switch binding {
    case .none: nil
    case .parameter(let position): named("parameter", [("position", .integer(Int64(position)))])
    case .local(let position): named("let", [("position", .integer(Int64(position)))])
    case .capture(let match, let segment):
      named("capture", [("match", .integer(Int64(match))), ("segment", .integer(Int64(segment)))])
    case .global(let name): named("global", [("name", .text(name))])
    case .function(let number): named("function", [("number", .integer(Int64(number)))])
    case .libraryFunction(let name): named("libraryFunction", [("name", .text(name))])
    case .namespaceFunction(let namespace, let name):
      named("libraryFunction", [("name", .text("\(namespace).\(name)"))])
    case .unknown: named("nothing", [])
    }
  }

  private func named(_ kind: StaticString, _ members: Members) -> Element {
    .members([("kind", .text(kind))] + members)
  }
}
