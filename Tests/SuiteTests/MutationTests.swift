/// Mutants: which are made, which are noticed, which change nothing.

import Rules
import Testing

@testable import Suite

@Suite("Mutants")
struct MutationTests {
  /// Rules with one condition, for documents `/a/{id}`.
  private static func rules(_ condition: String, _ functions: String = "", method: String = "get") -> String {
    "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { \(functions) "
      + "match /a/{id} { allow \(method): if \(condition); } } }"
  }

  private static func compile(_ text: String) throws -> Ruleset {
    try #require(Ruleset.compile(source: text, name: "r").ruleset, "\(text)")
  }

  @Test(
    "Each operator's mutants, beside the condition always true and false",
    arguments: [
      ("id == 'x'", ["!=", "'x~'"]),
      ("id != 'x'", ["==", "'x~'"]),
      ("id < 'x'", ["<=", ">=", "'x~'"]),
      ("id.size() >= 7", [">", "<", "8", "6"]),
      ("id in ['x', 'y']", ["!(id in ['x', 'y'])", "", ""]),
      ("!exists(/x/y)", ["(exists(/x/y))", "existsAfter"]),
      ("id is string", ["!(id is string)"]),
      ("resource.data.a", ["!(resource.data.a)", "request.resource"]),
      ("request.resource.data.a", ["!(request.resource.data.a)", "resource"]),
      ("id.size() + 1 == 2", ["!=", "-", "2", "0", "3", "1"]),
      ("get(/databases/$(d)/documents/b/$(id)).data == null", ["!=", "getAfter", "/b2"]),
      (
        "id == 'x' && resource == null",
        ["!=", "'x~'", "(id == 'x' || resource == null)", "", "", "!=", "request.resource"]
      ),
      (
        "resource.data.keys().hasOnly(['q'])",
        ["!(resource.data.keys().hasOnly(['q']))", "hasAll", "hasAny", "", "request.resource"]
      ),
      (
        "(resource == null ? true : false)",
        ["(resource == null ? false : true)", "!=", "request.resource", "false", "true"]
      ),
    ])
  func operators(_ condition: String, _ wanted: [String]) throws {
    let mutants = MutantMaker.mutants(of: try Self.compile(Self.rules(condition)))
    let replacements = mutants.map { String(decoding: $0.edit.replacement, as: UTF8.self) }
    let always = ["read", "/{id=**}", "true", "false"]
    #expect(replacements.sorted() == (wanted + always).sorted())
  }

  @Test("Captures are swapped, methods removed and widened, allows without condition closed")
  func declarations() throws {
    let rules = try Self.compile(
      "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { "
        + "match /a/{x} { match /b/{y} { allow get, update: if x == y; } allow delete; } } }")
    let shown = MutantMaker.mutants(of: rules).map(\.shown)
    #expect(
      shown.sorted()
        == [
          "/b/{y=**}", "allow delete: if false", "allow get", "allow get, write", "allow read, update",
          "allow update", "allow write", "false", "true", "x", "x != y", "y",
        ].sorted())
    for mutant in MutantMaker.mutants(of: rules) {
      let text = mutant.edit.applied(to: rules.source.bytes)
      #expect(Ruleset.compile(source: text, name: "m").ruleset != nil, "\(mutant.shown)")
    }
  }

  @Test(
    "Texts that decide alike are seen to",
    arguments: [
      ("resource.data.a == 1 && request.auth != null", "request.auth != null && 1 == resource.data.a", true),
      ("id == 'a' || id == 'a'", "id == 'a'", true),
      ("id == 'a' || (id == 'a' && id == 'b')", "id == 'a'", true),
      ("!(id == 'a')", "id != 'a'", true),
      ("resource.data.a.size() >= 0", "resource.data.a.size() > -1", true),
      ("resource.data.a.size() >= 0", "resource.data.a.size() >= 1", false),
      ("resource.data.get('a', '').size() <= 5", "resource.data.get('a', 'xy').size() <= 5", true),
      ("resource.data.get('a', '').size() >= 1", "resource.data.get('a', 'xy').size() >= 1", false),
      ("get(/databases/$(d)/documents/b/c) != null", "getAfter(/databases/$(d)/documents/b/c) != null", true),
      // A side that may have no value counts.
      ("resource.data.a == 1 || true", "true", true),
      ("resource.data.a == 1 && false", "false", true),
      ("resource.data.a == 1 || resource.data.a != 1", "true", false),
      ("id == 'a'", "id == 'b'", false),
    ])
  func equivalence(_ left: String, _ right: String, _ isSame: Bool) throws {
    let left = CanonicalRules(try Self.compile(Self.rules(left)))
    let right = CanonicalRules(try Self.compile(Self.rules(right)))
    #expect(left.isSame(as: right) == isSame)
  }

  @Test("Functions are put in where they are called; what could fail in an unused argument counts")
  func functions() throws {
    let function = "function f(x, y) { let z = x; return z == 1; }"
    let called = CanonicalRules(try Self.compile(Self.rules("f(id, 2)", function)))
    #expect(called.isSame(as: CanonicalRules(try Self.compile(Self.rules("1 == id")))))
    let failing = CanonicalRules(try Self.compile(Self.rules("f(id, resource.data.a)", function)))
    #expect(!called.isSame(as: failing))
  }

  @Test("A write sees two moments")
  func moments() throws {
    let condition = "(/databases/$(d)/documents/b/c) != null"
    let before = CanonicalRules(try Self.compile(Self.rules("get" + condition, method: "create")))
    let after = CanonicalRules(try Self.compile(Self.rules("getAfter" + condition, method: "create")))
    #expect(!before.isSame(as: after))
  }

  // MARK: running

  private static let cases = """
    operations: {read: {get: users/bob}}
    states: {as is: {}, open: {users/bob: {open: true}}}
    matrices:
      - name: m
        grid: |
          state  operation | anon  ann  bob
          as is  read      |  .     .    A
          open   read      |  .     A    A
    cases:
      - {as: ann, list: {from: users, where: [open == true]}, expect: {allow: true, by: users.list}}
      - {as: ann, list: users, expect: {deny: unprovable}}
      - {as: anon, list: {from: users, where: [open == true]}, expect: deny}
      - {as: ann, get: notes/n, expect: {allow: true, lookups: 1}}
      - {as: bob, get: notes/n, expect: {deny: condition, because: me().level > 1}}
      - {as: [ann, bob], create: notes/x, data: {at: {$serverTime: true}}, expect: allow}
      - {as: ann, create: notes/x, data: {at: 1}, expect: {deny: condition, at: notes.create}}
      - as: ann
        commit: [{update: notes/n, data: {n: {$inc: 1}}}, {set: users/ann, data: {}}]
        expect: allow
      - as: ann
        commit: [{set: users/ann, data: {}}, {update: notes/n, data: {n: 7}}]
        expect: {deny: condition, write: 1}
      - as: ann
        transaction: [{get: users/ann}, {update: notes/n, data: {n: 2}}]
        expect: allow
      - as: ann
        steps:
          - {listen: users/eve, id: w, expect: allow}
          - {as: bob, delete: notes/n, expect: allow}
          - {relisten: w, expect: allow}
      - name: mutual
        property:
          forall: {a: [true, false]}
          given: {users/ann: {open: "${a}"}, users/bob: {open: "${a}"}}
          same: [{as: ann, get: users/bob}, {as: bob, get: users/ann}]
      - {as: anon, get: clock/2026, expect: allow}
      - {as: anon, get: clock/2027, expect: deny}

    """

  @Test("What is judged again in memory fails exactly where the suite itself fails")
  func agreesWithRuns() async throws {
    let suite = try SuiteKit.load(Self.cases)
    let rules = suite.rules
    var options = SuiteOptions()
    options.recordsRequests = true
    var recorder = try SuiteRunner(suite.file, options: options)
    defer { recorder.close() }
    #expect(try recorder.run().failedCount == 0)
    var runner = try SuiteRunner(suite.file, options: SuiteOptions())
    defer { runner.close() }
    var judge = MutantJudge(suite.file)
    defer { judge.close() }
    var kills = 0
    let mutants = MutantMaker.mutants(of: rules)
    #expect(mutants.count > 60)
    for mutant in mutants {
      let text = mutant.edit.applied(to: rules.source.bytes)
      guard let changed = Ruleset.compile(source: text, name: "m").ruleset else { continue }
      let texts = RuleTexts(changed, from: rules, by: mutant.edit)
      for recorded in recorder.part.recorded {
        let judged = try judge.fails(recorded, changed, texts)
        let run = try runner.fails(recorded.testCase, changed, texts)
        #expect(judged == run, "\(mutant.shown) at \(mutant.focus): \(recorded.testCase.names)")
        if run { kills += 1 }
      }
    }
    #expect(kills > mutants.count)
  }

  @Test("Survivors are shown as a change of one line; more cases kill them")
  func survivors() async throws {
    let few = """
      require: {mutation: 100%, scope: [clock]}
      cases:
        - {as: anon, get: clock/2026, expect: allow}

      """
    let report = try await SuiteKit.load(few).run(mutating: MutationScope(workers: 2))
    let mutation = try #require(report.mutation)
    #expect(mutation.survivors.map(\.text).contains { $0.contains("  →  true") })
    #expect(mutation.survivors.allSatisfy { $0.isReached })
    #expect(report.results.last?.kind == .gate)
    #expect([report].haveMissedGates)
    #expect(![report].haveFailedCases)
    let text = PrettyReport.text([report])
    #expect(
      text.contains("  survivor  mini.rules-test.yaml:29  request.time.year() == int(id)  →  true\n"),
      "\(text)")
    #expect(text.contains(" · mutants \(mutation.killed)/\(mutation.total)"))
    let more =
      few + """
          - {as: anon, get: clock/2027, expect: deny}
          - {as: anon, get: clock/2026/a/b, expect: {deny: unmatched}}
          - {as: anon, list: clock, expect: {deny: unmatched}}

        """
    let whole = try await SuiteKit.load(more).run(mutating: MutationScope(workers: 1))
    #expect(whole.mutation?.survivors == [], "\(PrettyReport.text([whole]))")
    #expect(whole.failedCount == 0)
  }

  @Test("A change that no case reaches is said to be; one in lines that did not change is not made")
  func scopes() async throws {
    let suite = try SuiteKit.load("cases:\n  - {as: anon, get: clock/2026, expect: allow}\n")
    let all = try await suite.run(mutating: MutationScope(workers: 2))
    #expect(all.mutation?.survivors.contains { !$0.isReached && $0.before == "me().level > 1" } == true)
    let same = MutationScope(workers: 2, unchangedSince: suite.rules.source.bytes)
    let none = try await suite.run(mutating: same).mutation
    #expect(none?.total == 0)
    #expect(none?.summary == "mutants: no line changed since all were noticed")
    let old = String(decoding: suite.rules.source.bytes, as: UTF8.self).split(separator: "year").joined(
      separator: "month")
    let changed = MutationScope(workers: 2, unchangedSince: Array(old.utf8))
    let report = try await suite.run(mutating: changed)
    #expect((report.mutation?.total ?? 0) > 0)
    #expect(report.mutation?.survivors.allSatisfy { $0.line == 29 } == true)
  }

  @Test(
    "A survivor in a changed line misses the gate, however green the last run was",
    arguments: [
      ("100%", "month", true, []),
      // Most mutants stand in lines that did not change: the share is reached if those are still noticed.
      ("50%", "month", false, ["require: mutation (only changed lines were mutated)"]),
      ("100%", "year", false, ["require: mutation (only changed lines were mutated)"]),
    ])
  func scopedGate(_ least: String, _ before: String, _ isMissed: Bool, _ unchecked: [String]) async throws {
    let suite = try SuiteKit.load(
      "require: {mutation: \(least)}\ncases:\n  - {as: anon, get: clock/2026, expect: allow}\n")
    let old = String(decoding: suite.rules.source.bytes, as: UTF8.self).split(separator: "year").joined(
      separator: before)
    let report = try await suite.run(
      mutating: MutationScope(workers: 2, unchangedSince: Array(old.utf8)))
    #expect([report].haveMissedGates == isMissed)
    #expect(report.unchecked == unchecked)
  }

  @Test("Cases that fail keep mutants from being made")
  func failing() async throws {
    let suite = try SuiteKit.load("cases:\n  - {as: anon, get: clock/2026, expect: deny}\n")
    let report = try await suite.run(mutating: MutationScope(workers: 2))
    #expect(report.mutation == nil)
    #expect(report.unchecked == ["mutants: cases fail that must pass first"])
  }

  @Test(
    "Lines that changed",
    arguments: [
      ("a\nb\nc", "a\nB\nc", [2]), ("a\nb", "a\nb", []), ("a\nb\nc", "a\nc", [2]), ("a", "a\nb\nc", [2, 3]),
      ("a\nb\nc\nd", "x\na\nb\nd", [1, 4]), ("a\nb", "a", [1]), ("a\na\na", "a\na", [2]),
      ("a\nb\nc\nd\ne", "a\nB\nc\nD\ne", [2, 4]), ("b", "a", [1]), ("", "a\n", [1]),
    ])
  func changedLines(_ old: String, _ new: String, _ numbers: [Int]) {
    #expect(ChangedLines.numbers(from: Array(old.utf8), to: Array(new.utf8)) == numbers)
  }

  @Test("Of very many changed lines the ends are told, at once")
  func changedLinesOfLargeTexts() {
    func text(_ word: String) -> [UInt8] {
      Array(("head\n" + (0..<20_000).map { "\(word) \($0)\n" }.joined() + "tail").utf8)
    }
    #expect(ChangedLines.numbers(from: text("a"), to: text("b")) == Array(2...20_001))
  }
}
