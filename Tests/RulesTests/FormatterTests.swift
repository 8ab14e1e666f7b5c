import Rules
import RulesTools
import Testing

/// Short ways to format in tests.
enum Formatted {
  /// The formatted text, or what stood against it.
  static func text(_ source: String) -> String {
    do throws(FormatRefusal) {
      return String(decoding: try RulesFormatter.format(source: source, name: "f"), as: UTF8.self)
    } catch {
      switch error {
      case .syntax(let diagnostics, _): return "syntax: \(diagnostics.map(\.message))"
      case .unproven(let damage): return "unproven: \(damage)"
      }
    }
  }

  /// The lines of a formatted condition, without the indentation of its statement.
  static func condition(_ condition: String) -> String {
    inner(text(Sample.file(condition: condition + "\n")), indentation: 6, dropping: 4)
  }

  /// The formatted lines of declarations inside the documents match.
  static func declarations(_ declarations: String) -> String {
    inner(text(Sample.file(declarations: "\n\(declarations)\n")), indentation: 4, dropping: 3)
  }

  private static func inner(_ text: String, indentation: Int, dropping: Int) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2 * dropping - 1 else { return text }
    return lines.dropFirst(dropping).dropLast(dropping).map { line in
      let blanks = String(repeating: " ", count: indentation)
      return line.isEmpty ? "" : line.hasPrefix(blanks) ? String(line.dropFirst(indentation)) : "|" + line
    }.joined(separator: "\n")
  }
}

@Suite("the formatter")
struct FormatterTests {
  @Test(
    "blanks are canonical",
    arguments: [
      ("a  &&b||  c", "allow get: if a && b || c;"),
      ("[ 1,2 ,3, ]", "allow get: if [1, 2, 3];"),
      ("{ 'a' :1 , b:[ ] , }", "allow get: if {'a': 1, b: []};"),
      ("f ( a,b , )", "allow get: if f(a, b);"),
      ("! a . b [ 1 : 2 ] . c ( )", "allow get: if !a.b[1:2].c();"),
      ("- 1+ - a", "allow get: if -1 + -a;"),
      ("a?b:c", "allow get: if a ? b : c;"),
      ("( a )", "allow get: if (a);"),
      ("a\n  is\n  string", "allow get: if a is string;"),
      ("4/ 2 % 3*1", "allow get: if 4 / 2 % 3 * 1;"),
      ("a / (b)", "allow get: if a / (b);"),
      ("b [ 'x' ]", "allow get: if b['x'];"),
      ("1 .size()", "allow get: if 1 .size();"),
      ("1..size() + .5", "allow get: if 1..size() + .5;"),
      ("- 9223372036854775808 .x", "allow get: if -9223372036854775808 .x;"),
      ("a in[1]", "allow get: if a in [1];"),
      ("a != b == c", "allow get: if a != b == c;"),
      ("'it\\'s' + \"é\\u00e9\" == b'\\xff'", "allow get: if 'it\\'s' + \"é\\u00e9\" == b'\\xff';"),
    ])
  func blanks(condition: String, formatted: String) { #expect(Formatted.condition(condition) == formatted) }

  @Test(
    "path literals have no blanks, and none is lost that a path needs",
    arguments: [
      ("get( / $( a + 'x' ) /b )", "allow get: if get(/$(a + 'x')/b);"),
      ("/a\n/b\n/ $(c)\n/ { d }", "allow get: if /a/b/$(c)/{d};"),
      ("/a/{ b = ** }/{c=*}", "allow get: if /a/{b=**}/{c=*};"),
      ("/a .bind({})", "allow get: if /a .bind({});"),
      ("/a/$(b).bind({})", "allow get: if /a/$(b).bind({});"),
      ("x ? /a : /b", "allow get: if x ? /a : /b;"),
      ("{/a : 1}", "allow get: if {/a : 1};"),
      ("/a == /(default)/b", "allow get: if /a == /(default)/b;"),
    ])
  func paths(condition: String, formatted: String) { #expect(Formatted.condition(condition) == formatted) }

  @Test(
    "statements end in semicolons, one a line",
    arguments: [
      ("match /a/{b} { allow read }", "match /a/{b} { allow read; }"),
      ("match /a/{b}{allow read,write:if b=='x'}", "match /a/{b} { allow read, write: if b == 'x'; }"),
      ("match /a/{b} {\nallow read }", "match /a/{b} {\n  allow read;\n}"),
      (
        "match /a/{b} { allow read:if x() allow write; function x() { return 1 } }",
        "match /a/{b} {\n  allow read: if x();\n  allow write;\n  function x() { return 1; }\n}"
      ),
      (
        "function f( a,b ) { let c=a ;return c==b }",
        "function f(a, b) {\n  let c = a;\n  return c == b;\n}"
      ),
      ("function f ( ) { return 1; }", "function f() { return 1; }"),
      ("function f() {\n\n\n  return 1;\n\n}", "function f() {\n  return 1;\n}"),
      (
        "match /a / { b = ** } / { c } { allow read; }\n\n\n\nmatch /x { allow get; }",
        "match /a/{b=**}/{c} { allow read; }\n\nmatch /x { allow get; }"
      ),
      ("match /a/{b} { match /c { allow read; } }", "match /a/{b} {\n  match /c { allow read; }\n}"),
    ])
  func statements(declarations: String, formatted: String) {
    #expect(Formatted.declarations(declarations) == formatted)
  }

  @Test("the head of a file")
  func head() {
    #expect(
      Formatted.text(
        "\u{FEFF}\r\n\r\n// header\r\nrules_version='2' service  cloud.firestore{\r\nmatch /a{allow read}}")
        == "// header\nrules_version = '2';\nservice cloud.firestore {\n  match /a { allow read; }\n}\n")
    #expect(
      Formatted.text("service firebase.storage\n{ match /a { allow read; } }\n\n\n// end")
        == "service firebase.storage {\n  match /a { allow read; }\n}\n\n// end\n")
    #expect(
      Formatted.text("rules_version = '2';\rfunction f() { return 1; } // f\r\rfunction g() { return f(); }")
        == "rules_version = '2';\nfunction f() { return 1; } // f\n\nfunction g() { return f(); }\n")
  }

  @Test("a text with mistakes is refused with its diagnostics, and a warning is no mistake")
  func refusals() {
    for source in ["", "// c", "service", Sample.file(condition: "a ==="), Sample.file(condition: "a &&")] {
      #expect(throws: FormatRefusal.self) { try RulesFormatter.format(source: source, name: "f") }
    }
    let deep = String(repeating: "(", count: 10_000) + "1" + String(repeating: ")", count: 10_000)
    do throws(FormatRefusal) {
      _ = try RulesFormatter.format(source: Sample.file(condition: deep), name: "f")
      Issue.record("10,000 parentheses were formatted")
    } catch {
      guard case .syntax(let diagnostics, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(diagnostics.count == 1)
    }
    #expect(Formatted.condition("nobody\u{A0}== 1") == "allow get: if nobody == 1;")
  }
}
