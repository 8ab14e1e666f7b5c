import Rules
import Testing

@testable import RulesTools

@Suite("diagnostics as text and as issues")
struct DiagnosticsTests {
  @Test("place, line, underline, notes and fix")
  func rendered() {
    let (diagnostics, source) = Sample.check(
      "rules_version = '2';\nservice cloud.firestore {\n\tmatch /a/{b} {\n\t\tallow read: b == 'x';\n\t}\n}\n"
    )
    #expect(
      DiagnosticRenderer(source: source).render(diagnostics) == """
        firestore.rules:4:15: error: Missing 'if' before conditional expression [rules-missing-if]
           4 | \t\tallow read: b == 'x';
             | \t\t            ^ expected `if` before the condition
             = fix: write `if`
        """)
  }

  @Test("notes show their own lines, and remarks about the file have no place")
  func notes() {
    let (diagnostics, source) = Sample.check(
      "service cloud.firestore {\n function f() { return 1; }\n function f() { return 2; }\n match /e/{b} { allow read: if f() == 1; } }"
    )
    #expect(
      DiagnosticRenderer(source: source).render(diagnostics) == """
        firestore.rules:3:11: error: Function f is already defined [rules-duplicate-function]
           3 |  function f() { return 2; }
             |           ^ the function `f` is already declared in this block
             = note: first declared here; the number of parameters makes no difference
           2 |  function f() { return 1; }
             |           ^
        firestore.rules: warning: Ruleset uses old version (version [1]). Please update to the latest version (version [2]) [rules-old-version]
             = note: the ruleset uses version 1 of the language
             = fix: begin the file with `rules_version = '2';`
        """)
  }

  @Test("a very long line is cut around the place, control characters are not printed")
  func longLine() {
    let condition = String(repeating: "true || ", count: 60) + "\u{1}"
    let (diagnostics, source) = Sample.check(Sample.file(condition: condition))
    let text = DiagnosticRenderer(source: source).render(diagnostics)
    #expect(text.utf8.count < 700)
    #expect(!text.utf8.contains(1))
    #expect(text.contains("…"))
  }

  @Test("issues have the official shape")
  func issues() {
    let (diagnostics, source) = Sample.check(
      "rules_version = '2';\nservice cloud.firestore { match /a { allow x; } }")
    #expect(
      OfficialIssue.issues(of: diagnostics, in: source).map { "\($0)" } == [
        "OfficialIssue(severity: \"WARNING\", description: \"Invalid method name: x.\", position: Optional(Rules.OfficialIssue.Position(line: 2, column: 44, currentOffset: 64, endOffset: 64)))"
      ])
    let old = Sample.check("service cloud.firestore { match /a { allow read; } }")
    #expect(OfficialIssue.issues(of: old.diagnostics, in: old.source).map(\.position) == [nil])
  }

  @Test("our own remarks are not sent as official issues, our own errors are")
  func ownWords() {
    let remark = Sample.check(Sample.file(condition: "resource.owner == id"), remarks: true)
    #expect(!remark.diagnostics.isEmpty)
    #expect(OfficialIssue.issues(of: remark.diagnostics, in: remark.source).isEmpty)
    let parsed = RulesParser.parse(
      source: Sample.file(condition: "true") + "//" + String(repeating: "x", count: 300_000), name: "f")
    let issues = OfficialIssue.issues(of: RulesCompiler.check(parsed).diagnostics, in: parsed.source)
    #expect(issues.map(\.severity) == ["ERROR"])
  }

  @Test("every message keeps the house style", arguments: ParserVerdicts.tables.map(\.text))
  func style(table: String) {
    for row in ParserVerdicts.rows(table) {
      for diagnostic in Sample.check(row.source).diagnostics {
        #expect(!diagnostic.message.hasSuffix("."), "\(diagnostic.message)")
        #expect(!diagnostic.message.contains("\n"))
        #expect(diagnostic.id.hasPrefix("rules-"))
        #expect(diagnostic.message.first?.isUppercase != true, "\(diagnostic.message)")
      }
    }
  }
}
