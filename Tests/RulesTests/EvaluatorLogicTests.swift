/// The three-valued logic, functions and lets, budget and access limits.

import DocModel
import Testing

@testable import Rules

@Suite("Evaluator: representation")
struct OperandTests {
  @Test("an operand is plain bits: copying it counts no references")
  func isPlain() {
    #expect(_isPOD(Operand.self))
    #expect(MemoryLayout<Operand>.size <= 24)
    #expect(_isPOD(PathSegment.self))
    #expect(_isPOD(MapEntry.self))
  }

  @Test("an arena hands out memory that stays, and forgets it all at once")
  func arena() {
    let arena = Arena()
    let small = arena.copy("kept")
    for _ in 0..<2_000 { _ = arena.allocate(byteCount: 100) }
    #expect(small.text == "kept")
    arena.reset()
    #expect(arena.copy("next").text == "next")
  }
}

/// One row of docs/spec/rules-language.md 2.2.
struct LogicRow: CustomTestStringConvertible, Sendable {
  let left: String
  let right: String
  let and: Verdict
  let or: Verdict

  var testDescription: String { "\(left), \(right)" }
}

private let logicTable: [LogicRow] = [
  LogicRow(left: "true", right: "true", and: .yes, or: .yes),
  LogicRow(left: "true", right: "false", and: .no, or: .yes),
  LogicRow(left: "false", right: "true", and: .no, or: .yes),
  LogicRow(left: "false", right: "false", and: .no, or: .no),
  LogicRow(left: "(1 / 0 == 1)", right: "true", and: .fault, or: .yes),
  LogicRow(left: "(1 / 0 == 1)", right: "false", and: .no, or: .fault),
  LogicRow(left: "(1 / 0 == 1)", right: "(2 / 0 == 1)", and: .fault, or: .fault),
  LogicRow(left: "true", right: "(1 / 0 == 1)", and: .fault, or: .yes),
  LogicRow(left: "false", right: "(1 / 0 == 1)", and: .no, or: .fault),
  LogicRow(left: "1", right: "true", and: .fault, or: .yes),
  LogicRow(left: "1", right: "false", and: .no, or: .fault),
  LogicRow(left: "true", right: "null", and: .fault, or: .yes),
  LogicRow(left: "false", right: "'x'", and: .no, or: .fault),
  LogicRow(left: "[]", right: "{}", and: .fault, or: .fault),
]

@Suite("Evaluator: logic")
struct EvaluatorLogicTests {
  @Test("&& and || absorb errors in both orders", arguments: logicTable)
  func absorption(row: LogicRow) {
    #expect(Circumstances().verdict("\(row.left) && \(row.right)") == row.and)
    #expect(Circumstances().verdict("\(row.left) || \(row.right)") == row.or)
  }

  @Test("of two errors the left one is reported")
  func leftError() {
    #expect(Circumstances().outcome("1 / 0 == 1 && null.a") == "Divide by zero error.")
    #expect(Circumstances().outcome("null.a || 1 / 0 == 1") == "Null value error.")
  }

  @Test("what is skipped is not evaluated: no document is read")
  func skipped() throws {
    let ruleset = try compiled(rules("true || exists(/databases/$(database)/documents/u/a)"))
    let documents = MemoryDocuments()
    let decision = ruleset.decide(Circumstances().request(documents), documents: documents)
    #expect(decision.isAllowed)
    #expect(documents.fetches == 0)
    #expect(decision.accesses == 0)
  }

  @Test(
    "an error in an argument or a let matters only where its name is read",
    arguments: [
      ("f(1 / 0)", "function f(x) { return true; }", Verdict.yes),
      ("f(1 / 0)", "function f(x) { return x == 1; }", .fault),
      ("f(1 / 0)", "function f(x) { return x == 1 || true; }", .yes),
      ("f()", "function f() { let x = resource.data.nope; return true; }", .yes),
      ("f()", "function f() { let x = resource.data.nope; let y = x + 1; return y == 1 || true; }", .yes),
      ("f(2)", "function f(n) { let d = n * 2; let q = d * d; return q == 16; }", .yes),
      ("f(1) && f(2) == false", "function f(n) { return n == 1; }", .yes),
      ("g(3)", "function f(n) { return n + 1; } function g(n) { return f(n) + n == 7; }", .yes),
      ("f()", "function f() { return id == 'x'; }", .yes),
    ])
  func functions(expression: String, functions: String, expected: Verdict) {
    #expect(Circumstances(functions: functions).verdict(expression) == expected)
  }

  @Test("a function sees the captures of the place where it is declared")
  func declarationScope() throws {
    let ruleset = try compiled(
      """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          function inDefault() { return database == '(default)'; }
          match /a/{x} {
            function isOuter() { return x == 'one'; }
            match /b/{y} { allow get: if inDefault() && isOuter() && y == 'two'; }
          }
        }
      }
      """)
    let documents = MemoryDocuments()
    for (path, expected) in [("a/one/b/two", true), ("a/two/b/two", false), ("a/one/b/one", false)] {
      let request = RuleRequest(method: .get, path: ResourcePath(unchecked: path), auth: nil, time: testTime)
      #expect(ruleset.decide(request, documents: documents).isAllowed == expected, "\(path)")
    }
  }

  @Test("an error in one allow leaves the others, in both orders")
  func otherAllows() throws {
    for statements in [
      "allow get: if 1 / 0 == 1; allow get: if true;", "allow get: if true; allow get: if 1 / 0 == 1;",
    ] {
      let ruleset = try compiled(
        "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /t/{id} { \(statements) } } }"
      )
      let documents = MemoryDocuments()
      #expect(ruleset.decide(Circumstances().request(documents), documents: documents).isAllowed)
    }
  }
}

@Suite("Evaluator: limits")
struct EvaluatorLimitTests {
  /// A balanced `&&` of n times `true`.
  private static func balanced(_ count: Int) -> String {
    count == 1 ? "true" : "(\(balanced(count / 2)) && \(balanced(count - count / 2)))"
  }

  @Test("334 balanced terms pass, 335 run out")
  func terms() {
    #expect(Circumstances().outcome(Self.balanced(334)) == "true")
    #expect(Circumstances().outcome(Self.balanced(335)) == FaultText.budget)
  }

  @Test("running out is absorbed by nothing, not by || and not by a later allow")
  func fatal() throws {
    #expect(Circumstances().outcome("\(Self.balanced(335)) || true") == FaultText.budget)
    let documents = MemoryDocuments()
    let later = try compiled(
      rules(Self.balanced(335)).replacing("allow get", with: "allow get: if false; allow get")
        .replacing("; } }", with: "; allow get: if true; } }"))
    #expect(later.decide(Circumstances().request(documents), documents: documents).reason == .budget)
    let earlier = try compiled(
      rules(Self.balanced(335)).replacing("allow get", with: "allow get: if true; allow get"))
    #expect(earlier.decide(Circumstances().request(documents), documents: documents).isAllowed)
  }

  /// Cost of single expressions. Source: docs/spec/production-differences.md 1.9.
  @Test(
    "every kind of expression costs what production takes for it",
    arguments: [
      ("true", 1), ("(true)", 1), ("id == 'x'", 3), ("resource.data.n == 1", 5), ("1 + 2 == 3", 5),
      ("!false", 2),
      ("true && true", 4), ("false && true", 2), ("true || false", 2), ("false || true", 4), ("1 is int", 3),
      ("true ? true : false", 4), ("false ? true : true", 6), ("[1, 2].size() == 2", 6), ("1 in [1, 2]", 5),
      ("{'a': 1}.a == 1", 6), ("-1 < 0", 4), ("math.abs(1) == 1", 4), ("debug(true)", 2),
      ("/a/b/c == /a/b/c", 9), ("/a/$(id)/c == 1", 6), ("request.auth == null", 4),
      ("request.auth != null", 4),
      ("resource == null", 3), ("resource.data.keys().hasOnly(['n'])", 6), ("'abc'.matches('a.c')", 3),
      ("[1, 2][0] == 1", 7), ("[1, 2][0:1] == [1]", 9),
      ("resource.data.diff(resource.data).affectedKeys().hasOnly(['a'])", 9),
      ("exists(/databases/$(database)/documents/u/a)", 7),
      ("get(/databases/$(database)/documents/u/a) == null", 9),
      ("f()", 2), ("g(1)", 5), ("h()", 6),
    ])
  func cost(expression: String, cost: Int) throws {
    let functions = """
      function f() { return true; }
      function g(x) { return x == 1; }
      function h() { let unused = 1 + 1; return true; }
      """
    let ruleset = try compiled(rules(expression, functions: functions))
    let documents = MemoryDocuments()
    let request = Circumstances(data: ["n": .integer(1)]).request(documents)
    #expect(ruleset.decide(request, documents: documents).expressions == cost)
  }

  @Test("calls are counted every time")
  func callsAdd() throws {
    let ruleset = try compiled(rules("f() && f()", functions: "function f() { return true; }"))
    let documents = MemoryDocuments()
    #expect(ruleset.decide(Circumstances().request(documents), documents: documents).expressions == 6)
  }

  private static func lookups(_ count: Int, from first: Int = 0) -> String {
    (first..<first + count).map { "!exists(/databases/$(database)/documents/u/d\($0))" }.joined(
      separator: " && ")
  }

  @Test(
    "a get may read ten documents, a list twenty",
    arguments: [(RuleMethod.get, 10), (.update, 10), (.list, 20)])
  func accessLimit(method: RuleMethod, limit: Int) {
    let circumstances = Circumstances(method: method)
    #expect(circumstances.outcome(Self.lookups(limit)) == "true")
    #expect(
      circumstances.outcome(Self.lookups(limit + 1)).hasPrefix("Service call error. Function: [exists]"))
    #expect(circumstances.outcome("(\(Self.lookups(limit + 1))) || true") == "true")
  }

  @Test("one path counts once, by whichever function it is asked for")
  func repeats() throws {
    let path = "/databases/$(database)/documents/u/d0"
    let condition =
      "get(\(path)) == null && getAfter(\(path)) == null && !existsAfter(\(path)) && \(Self.lookups(10))"
    let ruleset = try compiled(rules(condition))
    let documents = MemoryDocuments()
    let decision = ruleset.decide(Circumstances().request(documents), documents: documents)
    #expect(decision.isAllowed)
    #expect(decision.accesses == 10)
  }

  @Test("operations of one request share what was read: 7 + 7 + 6 pass, 7 + 7 + 7 do not")
  func requestTotal() throws {
    let source = """
      rules_version = '2';
      service cloud.firestore { match /databases/{database}/documents {
        match /a/{id} { allow get: if \(Self.lookups(7)); }
        match /b/{id} { allow get: if \(Self.lookups(7, from: 7)); }
        match /c/{id} { allow get: if \(Self.lookups(6, from: 14)); }
        match /d/{id} { allow get: if \(Self.lookups(7, from: 14)); }
      } }
      """
    let ruleset = try compiled(source)
    func judge(_ paths: [String]) -> [Bool] {
      let documents = MemoryDocuments()
      documents.beginRequest()
      return paths.map { path in
        let request = RuleRequest(
          method: .get, path: ResourcePath(unchecked: path), auth: nil, time: testTime)
        return ruleset.decide(request, documents: documents).isAllowed
      }
    }
    #expect(judge(["a/x", "b/x", "c/x"]) == [true, true, true])
    #expect(judge(["a/x", "b/x", "d/x"]) == [true, true, false])
    #expect(judge(["a/x", "a/y", "a/z", "b/x"]) == [true, true, true, true])
  }

  @Test("a call chain that doubles at every level ends with the budget, quickly")
  func doubling() {
    let functions =
      (0..<18).map { "function f\($0)() { return f\($0 + 1)() || f\($0 + 1)(); }" }
      .joined(separator: "\n") + " function f18() { return false; }"
    #expect(Circumstances(functions: functions).outcome("f0()") == FaultText.budget)
  }
}
