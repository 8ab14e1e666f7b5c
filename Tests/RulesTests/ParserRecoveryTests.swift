import Rules
import Testing

@Suite("mistakes in the text")
struct ParserRecoveryTests {
  /// A mistake at the mark gives one error there, and `brokenLater(` further down is still found.
  @Test(
    "one mistake, one message, and the rest is still checked",
    arguments: [
      ("rules-missing-colon", "allow read «if» true;"), ("rules-missing-if", "allow read: «true»;"),
      ("rules-missing-if", "allow read: «IF» true;"), ("rules-missing-condition", "allow read: if «;»"),
      ("rules-missing-method", "allow «:» if true;"), ("rules-syntax", "allow read «write»: if true;"),
      ("rules-syntax", "allow read: if a «b»;"), ("rules-missing-operand", "allow read: if a && «;»"),
      ("rules-missing-operand", "allow read: if (a && «)» || b;"),
      ("rules-syntax", "allow read: if (a «b» c) && d;"),
      ("rules-syntax", "allow read: if f(a «b», c);"),
      ("rules-syntax", "allow read: if [1 «2», 3].size() == 1;"),
      ("rules-strict-equality", "allow read: if a «===» b;"),
      ("rules-strict-equality", "allow read: if a «!==» b;"),
      ("rules-assignment", "allow read: if a «=» b;"), ("rules-foreign-operator", "allow read: if a «=>» b;"),
      ("rules-foreign-operator", "allow read: if a «??» b;"),
      ("rules-foreign-operator", "allow read: if a«?.»b == 1;"),
      ("rules-foreign-operator", "allow read: if 1«--»1 == 2;"),
      ("rules-word-operator", "allow read: if a «and» b;"),
      ("rules-word-operator", "allow read: if «not» a;"), ("rules-not-in", "allow read: if a «!in» b;"),
      ("rules-is-not", "allow read: if a is «not» int;"),
      ("rules-unknown-type", "allow read: if a is «boolean»;"),
      ("rules-unknown-character", "allow read: if a «&» b;"),
      ("rules-unknown-character", "allow read: if true; «#» owners only.\n"),
      ("rules-unknown-character", "«```»rules\nallow read: if true;\n```\n"),
      ("rules-curly-quotes", "allow read: if «“a”» == b;"),
      ("rules-curly-quotes", "allow read: if «’a’» == b;"),
      ("rules-curly-quotes", "allow read: if «`a`» == b;"),
      ("rules-word-operator", "allow read: if a «AND» b;"), ("rules-syntax", "allow read: if a is «null»;"),
      ("rules-syntax", "«deny» read: if a;"),
      ("rules-unclosed-string", "allow read: if a == «'b;»\n"),
      ("rules-bad-escape", #"allow read: if a == 'x«\.»y';"#),
      ("rules-bad-escape", #"allow read: if a.matches('«\d»+\w');"#),
      ("rules-integer-range", "allow read: if a == «9223372036854775808»;"),
      ("rules-division-blank", "allow read: if 4 «/2» == 2;"),
      ("rules-division-blank", "allow read: if (a.size()«/3») == 2;"),
      ("rules-empty-segment", "allow read: if get(/a«/»).data == 1;"),
      ("rules-call-of-value", "allow read: if f(a)«(»b) == 1;"),
      ("rules-function-literal", "allow read: if [1].any(«function»(r) { return r == 1; });"),
      ("rules-only-in-function", "allow read: if a && («let» d = 1; d);"),
      ("rules-template", "allow read: if a == «{{DATE}}»;"),
      ("rules-reserved-word", "allow read: if «for» == 1;"), ("rules-only-in-function", "«let» a = 1;"),
      ("rules-foreign-statement", "function f() { «if» (true) { return 1; } return 2; }"),
      ("rules-foreign-statement", "function f() { «const» a = 1; return a; }"),
      ("rules-missing-return", "function f() { «}»"),
      ("rules-missing-return", "function f() { «true»; }"),
      ("rules-nested-function", "function f() { «function» g() { return 1; } return 2; }"),
      ("rules-missing-semicolon", "function f() { let a = 1«» return a; }"),
      ("rules-after-return", "function f() { return 1; «return» 2; }"),
      ("rules-syntax", "function f(a«:» int) { return a; }"), ("rules-syntax", "function f«{» return 1; }"),
      ("rules-syntax", "function f(a«,») { return a; }"),
      ("rules-missing-value", "function f() { return«;» }"),
      ("rules-missing-match", "«/x»/{y} { allow read; }"),
      ("rules-nameless-glob", "match /x/{«**»} { allow read; }"),
      ("rules-interpolation-in-match", "match /x/«$»(y) { allow read; }"),
      ("rules-reserved-word", "match /x/{«if»} { allow read; }"),
      ("rules-empty-segment", "match /x«/» { allow read; }"),
      ("rules-reserved-word", "function f(«each») { return 1; }"),
      ("rules-reserved-word", "function «deny»() { return 1; }"),
      ("rules-reserved-word", "function f() { let «then» = 1; return 1; }"),
      ("rules-reserved-word", "match /x/{«arguments»} { allow read; }"),
      ("rules-syntax", "match «x»/{y} { allow read; }"),
      ("rules-empty-body", "match /x/{y} { «}»"), ("rules-stray-brace", "«{» allow read; }"),
      ("rules-syntax", "«foo» bar;"),
      ("rules-syntax", "match /x/{y=«z»} { allow read; }"), ("rules-syntax", "allow read: if a[1«,»2] == 3;"),
      ("rules-missing-operand", "allow read: if a[«]» == 3;"),
      ("rules-missing-operand", "allow read: if get(/a«/$()»/b).x;"),
      ("rules-syntax", "allow read: if a.«service» == 1;"),
      ("rules-syntax", "allow read: if {'a' «}».size() == 1;"),
    ] as [(String, String)])
  func oneMistake(id: String, code: String) throws {
    let marked = try #require(
      MarkedSource("match /m/{a}/{b}/{c}/{d} { \(code) allow write: if brokenLater(); }"))
    let source = Sample.file(declarations: marked.text)
    let offset = Sample.head.utf8.count
    let diagnostics = Sample.check(source).diagnostics
    let errors = diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.id) == [id], "\(errors.map(\.message))")
    #expect(errors.first?.span == Span(start: Int32(marked.start + offset), end: Int32(marked.end + offset)))
    #expect(
      diagnostics.contains { $0.message.contains("brokenLater") }, "the next statement is still checked")
    #expect(errors.allSatisfy { $0.officialText != nil })
  }

  @Test(
    "mistakes in the frame of a file",
    arguments: [
      ("rules-empty-file", ""), ("rules-empty-file", "// nothing"),
      (
        "rules-version-quotes", "rules_version = 2;\nservice cloud.firestore { match /a/{b} { allow read; } }"
      ),
      (
        "rules-version-place",
        "function f() { return 1; }\nrules_version = '2';\nservice cloud.firestore { match /a/{b} { allow read: if f(); } }"
      ),
      (
        "rules-unsupported-version",
        "rules_version = '3';\nservice cloud.firestore { match /a/{b} { allow read; } }"
      ),
      (
        "rules-import",
        "rules_version = '2';\nimport { f } from 'x';\nservice cloud.firestore { match /a/{b} { allow read; } }"
      ),
      (
        "rules-outside-service",
        "rules_version = '2';\nmatch /a/{b} { allow read; }\nservice cloud.firestore { match /a/{b} { allow read; } }"
      ),
      (
        "rules-unclosed-block", "rules_version = '2';\nservice cloud.firestore { match /a/{b} { allow read; }"
      ),
      (
        "rules-allow-outside-match",
        "rules_version = '2';\nservice cloud.firestore { allow read; match /a/{b} { allow read; } }"
      ),
      (
        "rules-duplicate-service",
        "rules_version = '2';\nservice a.b { match /a { allow read; } }\nservice a.b { match /a { allow read; } }"
      ),
      ("rules-syntax", "rules_version = '2';\nservice cloud.firestore { match /a/{b} { allow read; } } }"),
      ("rules-empty-body", "rules_version = '2';\nservice cloud.firestore { }"),
      (
        "rules-open-comment",
        "rules_version = '2';\nservice cloud.firestore { match /a/{b} { allow read; }\n/* never closed\n match /c/{d} { allow read; } }"
      ),
    ] as [(String, String)])
  func frame(id: String, source: String) {
    let errors = Sample.check(source).diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.id) == [id], "\(errors.map(\.message))")
  }

  @Test("a forgotten brace is shown where the indentation breaks")
  func forgottenBrace() throws {
    let marked = try #require(
      MarkedSource(
        """
        rules_version = '2';
        service cloud.firestore {
          match /a/{b} {
            match /c/{d} «{»
              allow read;
          }
          match /e/{f} {
            allow read;
          }
        }
        """))
    let errors = Sample.check(marked.text).diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.id) == ["rules-unclosed-block"])
    #expect(errors.first?.span == Span(start: Int32(marked.start), end: Int32(marked.end)))
  }

  @Test("functions of a block outside any service leave the rest of the file checkable")
  func functionsOutsideServices() {
    let source = """
      rules_version = '2';
      match /a/{b} { function lost() { return true; } }
      function kept() { return again(); }
      function again() { return nowhere; }
      """
    let ids = Sample.check(source).diagnostics.map(\.id)
    #expect(ids == ["rules-outside-service", "rules-unknown-variable"], "\(ids)")
  }

  @Test("an opened comment that never closes is explained")
  func openComment() {
    let diagnostics = Sample.check(Sample.file(declarations: "match /things/* { allow read; }")).diagnostics
    #expect(diagnostics.map(\.id) == ["rules-open-comment"])
  }

  @Test(
    "fixes repair the source",
    arguments: [
      ("allow read if true;", "allow read: if true;"), ("allow read: true;", "allow read: if true;"),
      ("allow read: if 1 === 1;", "allow read: if 1 == 1;"),
      ("allow read: if 1 !== 2;", "allow read: if 1 != 2;"),
      ("allow read: if 4 /2 == 2;", "allow read: if 4 / 2 == 2;"),
      ("allow read write;", "allow read, write;"),
      (#"allow read: if 'a'.matches('\d\.');"#, #"allow read: if 'a'.matches('\\d\\.');"#),
      ("allow read: if true and true;", "allow read: if true && true;"), ("allow reed;", "allow read;"),
      ("allow read: if request.auth.email == 'x';", "allow read: if request.auth.token.email == 'x';"),
      ("allow create: if request.data.x == 1;", "allow create: if request.resource.data.x == 1;"),
      ("allow read: if auth.uid == 'x';", "allow read: if request.auth.uid == 'x';"),
      ("allow read: if resource.data.name.length == 1;", "allow read: if resource.data.name.size() == 1;"),
      ("allow read: if 1 is integer;", "allow read: if 1 is int;"), ("allow read: if exist(/a/b);", nil),
      (
        "allow read: if exists(/users/x);", "allow read: if exists(/databases/$(database)/documents/users/x);"
      ),
    ] as [(String, String?)])
  func fixes(code: String, repaired: String?) {
    let source = Sample.file(declarations: "match /a/{b} { \(code) }")
    let diagnostics = Sample.check(source, remarks: true).diagnostics
    #expect(!diagnostics.isEmpty)
    guard let repaired else { return }
    var bytes = Array(source.utf8)
    let edits = diagnostics.compactMap(\.fix).flatMap(\.edits).sorted { $0.span.start > $1.span.start }
    for edit in edits {
      bytes.replaceSubrange(Int(edit.span.start)..<Int(edit.span.end), with: Array(edit.replacement.utf8))
    }
    let result = String(decoding: bytes, as: UTF8.self)
    #expect(result == Sample.file(declarations: "match /a/{b} { \(repaired) }"))
    #expect(Sample.check(result).diagnostics.isEmpty, "\(Sample.check(result).diagnostics)")
  }
}
