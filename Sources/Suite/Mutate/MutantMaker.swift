/// All changes of a ruleset that are one step away from it.
///
/// Changes are made in the text, so what is compiled, judged and shown is one thing. Only rules of documents
/// are changed, and the functions they share with others.

internal import Rules

struct MutantMaker {
  private let syntax: RulesetSyntax
  private let resolution: Resolution
  private let source: SourceText
  private var seen: Set<SourceEdit> = []
  private(set) var mutants: [Mutant] = []
  /// Of the condition or function at hand.
  var owner = Mutant.Owner.match(0)
  /// Captures in scope, outermost first; those of the database's own name are left out.
  var captures: [String] = []

  private init(_ rules: Ruleset) {
    syntax = rules.syntax
    resolution = rules.resolution
    source = rules.source
  }

  /// In the order of the source.
  static func mutants(of rules: Ruleset) -> [Mutant] {
    var maker = MutantMaker(rules)
    for function in maker.syntax.functions { maker.add(function) }
    for service in maker.syntax.services where service.name.text == "cloud.firestore" {
      for function in service.functions { maker.add(function) }
      for match in service.matches { maker.add(match) }
    }
    return maker.mutants.sorted {
      ($0.edit.span.start, $0.edit.span.end) < ($1.edit.span.start, $1.edit.span.end)
    }
  }

  // MARK: making

  func text(_ span: Span) -> String { source.text(of: span) }
  func text(_ node: ExpressionNode) -> String { source.text(of: node.span) }
  func binding(_ node: ExpressionNode) -> Resolution.Binding { resolution.binding(of: node) }

  /// Whether an expression is a boolean wherever it has a value.
  func isBoolean(_ node: ExpressionNode) -> Bool { resolution.typeNames(of: node) == ["bool"] }

  /// Adds a change of an expression; `around` are the expressions it lies in, outermost first.
  mutating func change(
    _ span: Span, to replacement: String, showing focus: Span, _ node: ExpressionNode, _ around: [Int],
    as shown: String? = nil
  ) {
    append(SourceEdit(span, replacement), focus, [node.number] + around.reversed(), shown)
  }

  private mutating func append(
    _ edit: SourceEdit, _ focus: Span, _ expressions: [Int], _ shown: String? = nil
  ) {
    let replacement = String(decoding: edit.replacement, as: UTF8.self)
    guard text(edit.span) != replacement, seen.insert(edit).inserted else { return }
    let changed =
      text(Span(start: focus.start, end: max(focus.start, edit.span.start))) + replacement
      + text(Span(start: min(focus.end, edit.span.end), end: focus.end))
    mutants.append(
      Mutant(edit: edit, focus: focus, shown: shown ?? changed, owner: owner, expressions: expressions))
  }

  // MARK: declarations

  private mutating func add(_ match: MatchSyntax) {
    let outer = captures
    defer { captures = outer }
    let isRoot = match.pattern.first.map { $0.kind == .literal("databases") } ?? false
    for segment in match.pattern where !isRoot {
      if case .capture(let name) = segment.kind { captures.append(name) }
    }
    owner = .match(match.number)
    if !isRoot { widen(match) }
    for function in match.functions { add(function) }
    for allow in match.allows { add(allow) }
    for inner in match.matches { add(inner) }
  }

  /// `{id}` to `{id=**}`, where the block ends with it.
  private mutating func widen(_ match: MatchSyntax) {
    guard let last = match.pattern.last, case .capture(let name) = last.kind, !match.allows.isEmpty,
      match.matches.isEmpty
    else { return }
    append(SourceEdit(last.span, "/{\(name)=**}"), match.patternSpan, [])
  }

  private mutating func add(_ function: FunctionSyntax) {
    owner = .function(function.number)
    for binding in function.lets { visit(binding.value, in: [], isWanted: isBoolean(binding.value)) }
    let isWanted = isBoolean(function.result)
    if isWanted, !function.result.isLiteral { replaceByConstants(function.result) }
    visit(function.result, in: [], isWanted: isWanted)
  }

  private mutating func add(_ allow: AllowSyntax) {
    owner = .allow(allow.number)
    changeMethods(of: allow)
    guard let condition = allow.condition else {
      let end = allow.methods.last?.name.span.atEnd ?? allow.span.atEnd
      return append(SourceEdit(end, ": if false"), allow.span, [])
    }
    if condition.isLiteral {
      // A constant is nothing that requests evaluate: what it grants may concern all of them.
      let other = text(condition.unwrapped) == "true" ? "false" : "true"
      return append(SourceEdit(condition.span, other), condition.span, [])
    }
    replaceByConstants(condition)
    visit(condition, in: [], isWanted: true)
  }

  /// The condition always true; and always false, which is the `allow` removed.
  private mutating func replaceByConstants(_ node: ExpressionNode) {
    for constant in ["true", "false"] { change(node.span, to: constant, showing: node.span, node, []) }
  }

  /// What else a method could be: all that include it, and the parts of what includes others.
  private static func neighbours(_ method: AllowMethod) -> [AllowMethod] {
    switch method {
    case .get, .list: [.read]
    case .read: [.get, .list]
    case .create, .update, .delete: [.write]
    case .write: [.create, .update, .delete]
    }
  }

  /// Whether a method put for another leaves the `allow` with the methods that it had.
  private static func isSame(_ new: AllowMethod, _ old: AllowMethod, among allow: AllowSyntax) -> Bool {
    let written = allow.methods.compactMap(\.method)
    let rest = written.filter { $0 != old } + [new]
    return RuleMethod.allCases.allSatisfy { method in
      written.contains { $0.includes(method) } == rest.contains { $0.includes(method) }
    }
  }

  private mutating func changeMethods(of allow: AllowSyntax) {
    let names = allow.methods.map(\.name)
    guard let first = names.first, let last = names.last else { return }
    let focus = Span(start: allow.span.start, end: last.span.end)
    let all = first.span.joined(with: last.span)
    for (index, method) in allow.methods.enumerated() {
      if names.count > 1 {
        var rest = names.map(\.text)
        rest.remove(at: index)
        append(SourceEdit(all, rest.joined(separator: ", ")), focus, [])
      }
      guard let known = method.method else { continue }
      for neighbour in Self.neighbours(known) where !Self.isSame(neighbour, known, among: allow) {
        var changed = names.map(\.text)
        changed[index] = neighbour.rawValue
        append(SourceEdit(all, changed.joined(separator: ", ")), focus, [])
      }
    }
  }
}

extension ExpressionNode {
  fileprivate var isLiteral: Bool { if case .literal = unwrapped.kind { true } else { false } }
}
