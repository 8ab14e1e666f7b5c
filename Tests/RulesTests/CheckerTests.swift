import Rules
import Testing

@Suite("what the checker finds")
struct CheckerTests {
  /// The texts and places are those of the official compiler.
  @Test(
    "official messages at official places",
    arguments: [
      ("WARNING", "Invalid function name: exist.", "allow read: if «exist»(/a/b);"),
      ("WARNING", "Invalid function name: math.isInfinite.", "allow read: if math.«isInfinite»(1.0);"),
      ("WARNING", "Invalid function name: includes.", "allow read: if [1].«includes»(1);"),
      ("WARNING", "Invalid variable name: missingName.", "allow read: if «missingName» == 1;"),
      ("WARNING", "Invalid method name: fetch.", "allow «fetch»;"),
      ("WARNING", "Unused function: f.", "allow read; function «f»() { return 1; }"),
      ("WARNING", "Unused variable: v.", "function f() { let «v» = 1; return true; } allow read: if f();"),
      ("WARNING", "Unused variable: p.", "function f(«p») { return true; } allow read: if f(1);"),
      (
        "WARNING", "Incorrect number of arguments supplied to function: math.abs.",
        "allow read: if math.«abs»(1, 2) == 1;"
      ),
      (
        "WARNING", "Incorrect number of arguments supplied to function: f.",
        "function f(a) { return a; } allow read: if «f»();"
      ),
      (
        "WARNING", "Incorrect number of arguments supplied to function: size.",
        "allow read: if b.«size»(1) == 1;"
      ),
      (
        "WARNING", "Invalid type. Permission statements expect a boolean value. Received one of [int].",
        "allow read: if «1»;"
      ),
      (
        "WARNING",
        "Invalid type. Permission statements expect a boolean value. Received one of [int, float, string, duration, timestamp].",
        "allow read: if 1 «+» 2;"
      ),
      ("WARNING", "Invalid type. Received one of [int]. Expected one of [bool].", "allow read: if !«1»;"),
      (
        "WARNING",
        "Invalid type. Received one of [map_diff]. Expected one of [string, bytes, list, set, map].",
        "allow read: if {}.«diff»({}).size() == 0;"
      ),
      (
        "WARNING", "Invalid type. Received one of [list]. Expected one of [set].",
        "allow read: if resource.data.«keys»().union([1].toSet()).size() == 1;"
      ),
      (
        "WARNING", "Invalid type. Received one of [list]. Expected one of [string].",
        "allow read: if resource.data.«values»().lower() == 'x';"
      ),
      (
        "WARNING", "Invalid type. Received one of [float]. Expected one of [string].",
        "allow read: if math.«ceil»(1.5).lower() == 'x';"
      ),
      (
        "WARNING", "Invalid type. Received one of [string]. Expected one of [list, set, map, constraint].",
        "allow read: if 'a' in «'b'»;"
      ),
      (
        "WARNING", "Invalid type. Received one of [string]. Expected one of [path].",
        "allow read: if exists(«'a'»);"
      ),
      (
        "WARNING", "The sub-expressions are not comparable, so this comparison will always return false.",
        "allow read: if 1 «==» 'a';"
      ),
      (
        "WARNING", "The sub-expressions are not comparable, so this comparison will always return true.",
        "allow read: if 1 «!=» 'a';"
      ),
      ("ERROR", "Invalid regular expression pattern. Pattern: (.", "allow read: if b.matches(«'('»);"),
      (
        "ERROR", "Invalid regular expression pattern. Pattern: [a-.", "allow read: if b.split(«'[a-'») == [];"
      ),
      ("ERROR", "math is a package and cannot be used as variable name.", "allow read: if «math».abs == 1;"),
      (
        "ERROR", "The identifier [v] is already bound in the current scope.",
        "function f() { let v = 1; let «v» = v; return v; } allow read: if f() == 1;"
      ),
      (
        "ERROR", "Variable a is already defined.",
        "function f(a, «a») { return a; } allow read: if f(true, true);"
      ),
      (
        "ERROR", "Function f is already defined.",
        "function f() { return true; } function «f»(a) { return a; } allow read: if f();"
      ),
      ("ERROR", "Recursive call is not allowed.", "function «f»() { return f(); } allow read: if f();"),
      (
        "ERROR", "Detected a call cycle between [f,g] functions.",
        "function «f»() { return g(); } function g() { return f(); } allow read: if f();"
      ),
      (
        "ERROR", "Maximum allowed function arguments of 7 for function f is reached.",
        "function «f»(a,c,d,e,g,h,i,j) { return a||c||d||e||g||h||i||j; } allow read: if f(true,true,true,true,true,true,true,true);"
      ),
      (
        "ERROR",
        "Invalid glob match expression. Only one glob match is permitted in a match declaration path.",
        "match /x/{c=**}«/{d=**}» { allow read; }"
      ),
      (
        "ERROR",
        "Invalid glob match expression. Only one glob match is permitted in a match declaration path.",
        "match /x/{c=**} { «match» /{d=**} { allow read; } }"
      ),
      ("ERROR", "Variable c already exists in the PathTemplate.", "match /x/{c}«/»{c} { allow read; }"),
    ] as [(String, String, String)])
  func official(severity: String, text: String, code: String) throws {
    let marked = try #require(MarkedSource("match /a/{b} { \(code) }"))
    let (diagnostics, source) = Sample.check(Sample.file(declarations: marked.text))
    let issues = OfficialIssue.issues(of: diagnostics, in: source)
    let issue = try #require(issues.first { $0.description == text }, "\(issues)")
    let offset = Sample.head.utf8.count
    #expect(issue.severity == severity)
    #expect(issue.position?.currentOffset == marked.start + offset)
    // A glob's official place is its slash alone.
    if !text.contains("glob") { #expect(issue.position?.endOffset == marked.end + offset - 1) }
    #expect(issues.count == 1, "\(issues)")
  }

  @Test(
    "programs without anything to say about them",
    arguments: [
      "function f(x) { return x.size() > 1; } allow read: if f(b);",
      "function get(x) { return x; } allow read: if get(true);",
      "function g() { return f(); } function f() { return b == 'x'; } allow read: if g();",
      "allow read: if request.auth.uid == b && request.resource.data.x == resource.data.x;",
      "allow read: if request.query.limit <= 10 && request.time > timestamp.date(2020, 1, 1);",
      "allow read: if get(/databases/$(database)/documents/x/$(b)).data.y == 1;",
      "allow read: if 1 == 1.0 && [1] == [1.0];",
      "function p(id) { return /databases/$(database)/documents/a/$(id); } allow read: if exists(p(b));",
      "match /c/{b} { allow read: if b == 'x'; }", "allow read: if resource.data.length == 1;",
      "function f(request) { return request.foo; } allow read: if f({'foo': true});",
    ])
  func silent(code: String) {
    let diagnostics = Sample.check(Sample.file(declarations: "match /a/{b} { \(code) }")).diagnostics
    #expect(diagnostics.isEmpty, "\(diagnostics.map(\.message))")
  }

  @Test(
    "warnings that the official compiler does not give",
    arguments: [
      ("rules-bad-pattern", "allow read: if b.replace(«'('», '') == 'x';"),
      ("rules-duplicate-id", "// @id one\nallow read;\n// @id «one»\nallow write;"),
    ] as [(String, String)])
  func ownWarnings(id: String, code: String) throws {
    let marked = try #require(MarkedSource("match /a/{b} { \n\(code) }"))
    let diagnostics = Sample.check(Sample.file(declarations: marked.text)).diagnostics
    let offset = Sample.head.utf8.count
    #expect(diagnostics.map(\.id) == [id])
    #expect(
      diagnostics.first?.span == Span(start: Int32(marked.start + offset), end: Int32(marked.end + offset)))
    #expect(diagnostics.first?.severity == .warning && diagnostics.first?.officialText == nil)
  }

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  /// A limit: the largest number that compiles, and a text for any number.
  struct Limit: CustomTestStringConvertible {
    let testDescription: String
    let allowed: Int
    let officialText: String
    let build: @Sendable (Int) -> String

    init(_ name: String, allowed: Int, _ officialText: String, _ build: @escaping @Sendable (Int) -> String) {
      testDescription = name
      self.allowed = allowed
      self.officialText = officialText
      self.build = build
    }
  }

  private static func chain(of count: Int) -> String {
    var text = "match /a { "
    for number in 0..<count - 1 { text += "function f\(number)() { return f\(number + 1)(); } " }
    return text + "function f\(count - 1)() { return true; } allow read: if f0(); }"
  }

  private static func lets(_ count: Int) -> String {
    var text = "match /a { function f() { "
    for number in 0..<count { text += "let v\(number) = 1; " }
    return text + "return true; } allow read: if f(); }"
  }

  private static func captures(_ count: Int) -> String {
    var text = "match "
    for number in 0..<count { text += "/{x\(number)}" }
    return text + " { allow read; }"
  }

  static let declarationLimits: [Limit] = [
    Limit("nested matches", allowed: 11, "Maximum allowed resource rule depth of 10 is reached.") {
      repeated("match /a { ", $0) + "allow read;" + repeated("}", $0)
    },
    Limit("segments of one path", allowed: 100, "Maximum allowed path length of 100 is reached.") {
      "match " + repeated("/a", $0) + " { allow read; }"
    },
    Limit("segments of nested paths", allowed: 50, "Maximum allowed path length of 100 is reached.") {
      "match " + repeated("/a", $0) + " { match " + repeated("/a", $0) + " { allow read; } }"
    },
    Limit(
      "captures", allowed: 20, "Maximum allowed amount of 20 match field variables is reached.", captures),
    Limit(
      "variables", allowed: 11, "Maximum allowed variable count of 10 for a given function has been reached.",
      lets),
    Limit(
      "calls", allowed: 21,
      "Maximum allowed call depth of 20 is reached for [f0->f1->f2->f3->f4->f5->f6->f7->f8->f9->f10->f11->f12->"
        + "f13->f14->f15->f16->f17->f18->f19->f20] call stack.", chain),
  ]

  @Test("limits on declarations", arguments: declarationLimits)
  func limits(limit: Limit) {
    func frame(_ code: String) -> String { "rules_version = '2';\nservice cloud.firestore { \(code) }" }
    #expect(Sample.compiles(frame(limit.build(limit.allowed))))
    let errors = Sample.check(frame(limit.build(limit.allowed + 1))).diagnostics.filter {
      $0.severity == .error
    }
    #expect(errors.map(\.officialText) == [limit.officialText])
  }

  @Test("a thousand functions in a row are refused, not fatal")
  func longCallChain() {
    let functions = (0..<1_000).map { "function f\($0)() { return f\($0 + 1)(); } " }.joined()
    let errors = Sample.check(Sample.file(declarations: functions + "match /a/{b} { allow read: if f0(); }"))
      .diagnostics
      .filter { $0.severity == .error }
    #expect(errors.map(\.id) == ["rules-call-depth"])
  }

  @Test("version 1: globs last, no let, and a remark about the version")
  func versionOne() {
    let frame = { (code: String) in
      "service cloud.firestore { match /databases/{database}/documents { \(code) } }"
    }
    let ids = { (code: String) in Sample.check(frame(code)).diagnostics.map(\.id) }
    #expect(ids("match /a/{b=**} { allow read; }") == ["rules-old-version"])
    #expect(ids("match /{b=**}/a { allow read; }") == ["rules-glob-place", "rules-old-version"])
    #expect(
      ids("match /a/{b=**} { match /{c=**} { allow read; } }") == [
        "rules-match-below-glob", "rules-old-version",
      ])
    #expect(
      ids("function f() { let a = 1; return a == 1; } match /a/{b} { allow read: if f(); }") == [
        "rules-let-in-version-1", "rules-old-version",
      ])
  }

  @Test("a source over 256 KiB is refused where production does, and accepted where the emulator does")
  func sourceSize() {
    let source = Sample.file(condition: "true") + "//" + String(repeating: "x", count: 256 * 1024)
    let parsed = RulesParser.parse(source: source, name: "f")
    #expect(RulesChecker.check(parsed).diagnostics.map(\.id) == ["rules-source-too-long"])
    #expect(RulesChecker.check(parsed, limitsSource: false).diagnostics.isEmpty)
  }

  @Test("names resolve to the innermost declaration")
  func resolution() throws {
    let source = """
      rules_version = '2';
      function f() { return false; }
      service cloud.firestore {
        match /a/{x} {
          function g(p) { let l = p; return l && f() && math.abs(x.size()) > 0 && nothing && request.time; }
          match /b/{x} {
            function f() { return x == 'y'; }
            allow read: if f() && g(x);
          }
        }
      }
      """
    let parsed = RulesParser.parse(source: source, name: "f")
    let resolution = RulesChecker.check(parsed).resolution
    var found: [String: Resolution.Binding] = [:]
    func visit(_ node: ExpressionNode) {
      let binding = resolution.binding(of: node)
      if binding != .none {
        found[parsed.source.text(of: node.span) + "@\(parsed.source.position(of: node.span.start).line)"] =
          binding
      }
      node.children.forEach(visit)
    }
    let outer = parsed.syntax.services[0].matches[0]
    visit(outer.functions[0].lets[0].value)
    visit(outer.functions[0].result)
    visit(outer.matches[0].functions[0].result)
    visit(try #require(outer.matches[0].allows[0].condition))
    #expect(found["p@5"] == .parameter(0))
    #expect(found["l@5"] == .local(0))
    #expect(found["f()@5"] == .function(0))
    #expect(found["x@5"] == .capture(match: 0, segment: 1))
    #expect(found["math.abs(x.size())@5"] == .namespaceFunction(namespace: "math", name: "abs"))
    #expect(found["nothing@5"] == .unknown)
    #expect(found["request@5"] == .global("request"))
    #expect(found["x@7"] == .capture(match: 1, segment: 1))
    #expect(found["f()@8"] == .function(2))
    #expect(found["g(x)@8"] == .function(1))
    #expect(found["x@8"] == .capture(match: 1, segment: 1))
  }
}
