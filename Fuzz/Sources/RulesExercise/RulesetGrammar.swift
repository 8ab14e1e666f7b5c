/// Random rulesets that mostly compile.
struct RulesetGrammar {
  private var grammar: ExpressionGrammar
  private var text = ""

  init(_ random: FuzzRandom) { grammar = ExpressionGrammar(random: random) }

  private static let patterns = [
    "/t/{id}", "/t/x", "/users/{id}", "/t/{id}/{rest=**}", "/{id}/{rest=**}", "/{rest=**}", "/{id}/x/c/{k}",
    "/{rest=**}/c/{id}",
  ]

  /// A whole file.
  mutating func ruleset() -> [UInt8] {
    text = grammar.random.oneIn(12) ? "" : "rules_version = '\(grammar.random.oneIn(20) ? 1 : 2)';\n"
    functions(atMost: 2)
    text += "service cloud.firestore {\n  match /databases/{database}/documents {\n"
    functions(atMost: 3)
    for _ in 0...grammar.random.below(3) { match(depth: grammar.random.below(3)) }
    text += "  }\n}\n"
    return Array(text.utf8)
  }

  /// A file of one rule, now and then with a function before it.
  mutating func rule() -> [UInt8] {
    text = "rules_version='2';service cloud.firestore{match /databases/{database}/documents{"
    if grammar.random.oneIn(4) { function() }
    let pattern = grammar.random.pick(["/t/{id}", "/{id}/{rest=**}"])
    grammar.variables = pattern.contains("{rest") ? ["id", "rest"] : ["id"]
    text +=
      "match \(pattern){allow read,write:if \(grammar.expression(.bool, 1 + grammar.random.below(4)));}}}"
    return Array(text.utf8)
  }

  private mutating func functions(atMost count: Int) {
    for _ in 0..<grammar.random.below(count + 1) { function() }
  }

  private mutating func function() {
    let name = "f\(grammar.functions.count)"
    let parameters = (0..<grammar.random.below(4)).map { "p\($0)" }
    let outside = grammar.variables
    grammar.variables = parameters
    text += "function \(name)(\(parameters.joined(separator: ", "))) {\n"
    for number in 0..<grammar.random.below(4) {
      text += "  let v\(number) = \(grammar.expression(.any, 1 + grammar.random.below(3)));"
      remark()
      grammar.variables.append("v\(number)")
    }
    text += "  return \(grammar.expression(.any, 1 + grammar.random.below(4)));\n}\n"
    grammar.variables = outside
    grammar.functions.append((name, parameters.count))
  }

  private mutating func match(depth: Int) {
    let pattern = grammar.random.pick(Self.patterns)
    let outside = (grammar.variables, grammar.functions)
    grammar.variables += ["id", "rest", "k"].filter { pattern.contains("{\($0)") }
    text += "match \(pattern) {"
    remark()
    if grammar.random.oneIn(5) { function() }
    for _ in 0...grammar.random.below(3) { allow() }
    if depth > 0 { match(depth: depth - 1) }
    text += "}\n"
    (grammar.variables, grammar.functions) = outside
  }

  private mutating func allow() {
    let methods = ["read", "write", "get", "list", "create", "update", "delete"]
    let named = (0...grammar.random.below(3)).map { _ in grammar.random.pick(methods) }
    text += "allow \(named.joined(separator: ", "))"
    if !grammar.random.oneIn(15) {
      text += ": if \(grammar.expression(.bool, 1 + grammar.random.below(6)))"
    }
    text += ";"
    remark()
  }

  private mutating func remark() {
    switch grammar.random.below(12) {
    case 0: text += " // why: é 😀\n"
    case 1: text += " /* block\n * text */ "
    case 2: text += "\n\n"
    default: text += "\n"
    }
  }
}
