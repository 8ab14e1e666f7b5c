internal import Rules

/// Makes the outline of declarations. Expressions are in Outliner+Expression.swift.
///
/// Every node is an object whose first member is `kind`.
struct Outliner {
  typealias Element = OutlineElement
  typealias Members = [(name: StaticString, value: Element)]

  /// Nil if places, spelling and comments are left out.
  let places: PlaceFinder?
  let source: SourceText
  let resolution: Resolution?

  func file(_ parsed: ParseResult) -> Element {
    let syntax = parsed.syntax
    var members: Members = []
    if places != nil { members.append(("file", .text(parsed.source.name))) }
    members.append(("languageVersion", .integer(Int64(syntax.languageVersion))))
    members.append(("rulesVersion", syntax.version.map(version) ?? .null))
    members.append(("functions", .elements(syntax.functions.map(function))))
    members.append(("services", .elements(syntax.services.map(service))))
    if places != nil { members.append(("comments", .elements(syntax.comments.map(comment)))) }
    return node("ruleset", Span(start: 0, end: Int32(parsed.source.bytes.count)), members)
  }

  // MARK: Pieces

  /// A node: its kind, its members, its place.
  func node(_ kind: StaticString, _ span: Span, _ members: Members) -> Element {
    var all: Members = [("kind", .text(kind))]
    if places != nil { all.append(("span", place(span))) }
    return .members(all + members)
  }

  private func place(_ span: Span) -> Element {
    let ends: Members = [("start", position(span.start)), ("end", position(span.end))]
    return .members(ends)
  }

  private func position(_ offset: Int32) -> Element {
    guard let place = places?.place(of: offset) else { return .null }
    return .members([
      ("offset", .integer(Int64(offset))), ("line", .integer(Int64(place.line))),
      ("column", .integer(Int64(place.column))),
    ])
  }

  private func name(_ name: NameSyntax?) -> Element {
    guard let name else { return .null }
    return node("name", name.span, [("text", .text(name.text))])
  }

  // MARK: Declarations

  private func version(_ syntax: VersionSyntax) -> Element {
    node("rulesVersion", syntax.span, [("text", .text(syntax.text))])
  }

  private func comment(_ syntax: CommentSyntax) -> Element {
    node(
      "comment", syntax.span,
      [("isBlock", .flag(syntax.isBlock)), ("text", .utf8(Array(source.slice(of: syntax.span))))])
  }

  private func service(_ syntax: ServiceSyntax) -> Element {
    node(
      "service", syntax.span,
      [
        ("name", name(syntax.name)), ("functions", .elements(syntax.functions.map(function))),
        ("matches", .elements(syntax.matches.map(match))),
      ])
  }

  private func function(_ syntax: FunctionSyntax) -> Element {
    node(
      "function", syntax.span,
      [
        ("number", .integer(Int64(syntax.number))), ("name", name(syntax.name)),
        ("parameters", .elements(syntax.parameters.map { name($0) })),
        ("lets", .elements(syntax.lets.map(binding))), ("result", expression(syntax.result)),
      ])
  }

  private func binding(_ syntax: LetSyntax) -> Element {
    node("let", syntax.span, [("name", name(syntax.name)), ("value", expression(syntax.value))])
  }

  private func match(_ syntax: MatchSyntax) -> Element {
    node(
      "match", syntax.span,
      [
        ("number", .integer(Int64(syntax.number))), ("id", name(syntax.id)),
        ("pattern", .elements(syntax.pattern.map(segment))),
        ("functions", .elements(syntax.functions.map(function))),
        ("matches", .elements(syntax.matches.map(match))),
        ("allows", .elements(syntax.allows.map(allow))),
      ])
  }

  private func segment(_ syntax: PatternSegmentSyntax) -> Element {
    switch syntax.kind {
    case .literal(let text): node("literalSegment", syntax.span, [("text", .text(text))])
    case .capture(let name): node("capture", syntax.span, [("name", .text(name))])
    case .globCapture(let name): node("globCapture", syntax.span, [("name", .text(name))])
    }
  }

  private func allow(_ syntax: AllowSyntax) -> Element {
    node(
      "allow", syntax.span,
      [
        ("number", .integer(Int64(syntax.number))), ("id", name(syntax.id)),
        ("methods", .elements(syntax.methods.map(method))),
        ("condition", syntax.condition.map(expression) ?? .null),
      ])
  }

  private func method(_ syntax: MethodSyntax) -> Element {
    node(
      "method", syntax.name.span,
      [
        ("text", .text(syntax.name.text)),
        ("method", syntax.method.map { .text($0.rawValue) } ?? .null),
      ])
  }
}
