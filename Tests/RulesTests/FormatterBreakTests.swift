import Rules
import Testing

/// Where lines are broken. The width is counted with the six blanks before the statement.
@Suite("the formatter breaks lines")
struct FormatterBreakTests {
  static let a30 = String(repeating: "a", count: 30)
  static let b30 = String(repeating: "b", count: 30)
  static let c30 = String(repeating: "c", count: 30)

  @Test(
    "before the outermost operators",
    arguments: [
      ("\(a30) && \(b30) && \(c30)", "allow get: if \(a30)\n  && \(b30)\n  && \(c30);"),
      (
        "\(a30) && (\(b30) || \(c30) || short) && d",
        "allow get: if \(a30)\n  && (\(b30) || \(c30) || short)\n  && d;"
      ),
      (
        "\(a30) && (\(b30) || \(c30) && \(a30)  && b) || d",
        "allow get: if \(a30)\n    && (\(b30)\n      || \(c30) && \(a30) && b)\n  || d;"
      ),
      ("\(a30) == \(b30)\(b30)\(c30)", "allow get: if \(a30)\n  == \(b30)\(b30)\(c30);"),
      ("f(\(a30)) + f(\(b30)) - f(\(c30))", "allow get: if f(\(a30)) + f(\(b30))\n  - f(\(c30));"),
    ])
  func operators(condition: String, formatted: String) {
    #expect(Formatted.condition(condition) == formatted)
  }

  @Test(
    "where the author broke a chain, however short",
    arguments: [
      ("a &&\n b && c", "allow get: if a\n  && b\n  && c;"),
      ("a\n|| b", "allow get: if a\n  || b;"),
      ("a &&\n\n\n b && c", "allow get: if a\n\n  && b\n  && c;"),
      ("a ?\n b : c", "allow get: if a\n  ? b\n  : c;"),
      ("a ? b :\n c ? d : e", "allow get: if a ? b\n  : c ? d\n  : e;"),
      ("[\n1, 2]", "allow get: if [\n  1,\n  2\n];"),
      ("[\n1, 2,]", "allow get: if [\n  1,\n  2,\n];"),
      ("{\n'a': 1, 'b': 2}", "allow get: if {\n  'a': 1,\n  'b': 2\n};"),
      ("a.keys().hasOnly([\n'a'\n])", "allow get: if a.keys().hasOnly([\n  'a'\n]);"),
      ("a\n.b()\n.c()", "allow get: if a\n  .b()\n  .c();"),
      ("math.abs(a)\n.b()\n.c()", "allow get: if math.abs(a)\n  .b()\n  .c();"),
    ])
  func kept(condition: String, formatted: String) { #expect(Formatted.condition(condition) == formatted) }

  @Test(
    "nowhere else",
    arguments: [
      ("a ==\n b", "allow get: if a == b;"), ("f(\na,\nb\n)", "allow get: if f(a, b);"),
      ("(\na && b\n)", "allow get: if (a && b);"), ("a\n.b\n.c(\n)", "allow get: if a.b.c();"),
      ("[1,\n2]", "allow get: if [1, 2];"), ("a in\n [1]", "allow get: if a in [1];"),
    ])
  func joined(condition: String, formatted: String) { #expect(Formatted.condition(condition) == formatted) }

  @Test(
    "brackets that do not fit have a line for each element",
    arguments: [
      (
        "x in ['\(a30)', '\(b30)', '\(c30)']",
        "allow get: if x in [\n  '\(a30)',\n  '\(b30)',\n  '\(c30)'\n];"
      ),
      (
        "d.keys().hasOnly(['\(a30)', '\(b30)', '\(c30)'])",
        "allow get: if d.keys().hasOnly([\n  '\(a30)',\n  '\(b30)',\n  '\(c30)'\n]);"
      ),
      (
        "y && exactly(d, ['\(a30)', '\(b30)', '\(c30)'])",
        "allow get: if y\n  && exactly(d, [\n    '\(a30)',\n    '\(b30)',\n    '\(c30)'\n  ]);"
      ),
      ("f(\(a30), \(b30), \(c30))", "allow get: if f(\n  \(a30),\n  \(b30),\n  \(c30)\n);"),
      (
        "get(/databases/$(database)/documents/\(a30)/$(\(b30))).data.x",
        "allow get: if get(\n  /databases/$(database)/documents/\(a30)/$(\(b30))\n).data.x;"
      ),
      (
        "x == get(/databases/$(database)/documents/\(a30)/$(a)).data.x",
        "allow get: if x\n  == get(/databases/$(database)/documents/\(a30)/$(a)).data.x;"
      ),
    ])
  func brackets(condition: String, formatted: String) { #expect(Formatted.condition(condition) == formatted) }

  @Test(
    "parentheses keep the form the author chose",
    arguments: [
      ("(a\n|| b)", "allow get: if (a\n  || b);"),
      (
        "(\na || b || \(a30) || \(b30) || \(c30)\n)",
        "allow get: if (\n  a\n  || b\n  || \(a30)\n  || \(b30)\n  || \(c30)\n);"
      ),
      ("x && (\na ||\nb) && y", "allow get: if x\n  && (\n    a\n    || b\n  )\n  && y;"),
      ("!(a\n|| b)", "allow get: if !(a\n  || b);"),
    ])
  func parentheses(condition: String, formatted: String) {
    #expect(Formatted.condition(condition) == formatted)
  }

  @Test("a ternary that does not fit")
  func ternaries() {
    #expect(
      Formatted.condition("\(Self.a30) ? \(Self.b30) : \(Self.c30)")
        == "allow get: if \(Self.a30)\n  ? \(Self.b30)\n  : \(Self.c30);")
    #expect(
      Formatted.condition("\(Self.a30) ? \(Self.b30) : \(Self.c30) ? d : e")
        == "allow get: if \(Self.a30) ? \(Self.b30)\n  : \(Self.c30) ? d\n  : e;")
  }

  @Test("a function and a match on one line stay so while they fit")
  func oneLiners() {
    #expect(
      Formatted.declarations("function f(a) { return \(Self.a30) == \(Self.b30) || cccccc; }")
        == "function f(a) {\n  return \(Self.a30) == \(Self.b30) || cccccc;\n}")
    #expect(
      Formatted.declarations("match /a/{b} { allow read: if \(Self.a30) == \(Self.b30); } ")
        == "match /a/{b} {\n  allow read: if \(Self.a30) == \(Self.b30);\n}")
  }
}
