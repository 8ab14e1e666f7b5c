/// `require: coverage` in suites, and coverage collected by them.

import Rules
import Suite
import Testing

private let head = """
  version: 1
  name: gate
  rules: |
    rules_version = '2';
    service cloud.firestore {
      match /databases/{db}/documents {
        // @id notes
        match /notes/{id} { allow get: if request.auth != null && resource.data.owner == request.auth.uid; }
        match /open/{id} { allow get: if request.auth != null; }
      }
    }
  personas: {anon: null, ann: {uid: ann}, bob: {uid: bob}}
  fixtures: {notes/n: {owner: ann}, open/o: {n: 1}}

  """

private let some = """
  cases:
    - {name: hers, as: ann, get: notes/n, expect: allow}
    - {name: not his, as: bob, get: notes/n, expect: deny}
    - {name: nobody's, as: anon, get: notes/n, expect: deny}

  """

private let rest = """
    - {name: open, as: ann, get: open/o, expect: allow}
    - {name: not open, as: anon, get: open/o, expect: deny}

  """

private func run(_ text: String, _ options: SuiteOptions = SuiteOptions()) throws -> SuiteReport {
  try Suite.load(text: head + text, name: "gate.rules-test.yaml", options: options).run()
}

@Suite("Coverage in suites")
struct CoverageGateTests {
  @Test(
    "a gate passes when enough was seen, in its scope",
    arguments: [
      ("require: {coverage: 100%}\n" + some + rest, true),
      ("require: {coverage: 100%}\n" + some, false),
      ("require: {coverage: 60%}\n" + some, true),
      ("require: {coverage: 80}\n" + some, false),
      ("require: {coverage: 100%, scope: [notes]}\n" + some, true),
      ("require: {coverage: 100%, scope: [open]}\n" + some, false),
      ("require: {coverage: 100%, scope: [\"/open/{id}\", notes]}\n" + some + rest, true),
    ])
  func gates(text: String, passes: Bool) throws {
    let report = try run(text)
    let gate = try #require(report.results.last { $0.kind == .gate })
    #expect(gate.hasFailed != passes)
    #expect(report.failedCount == (passes ? 0 : 1))
  }

  @Test("a gate that fails says how much is lacking, and where")
  func reasons() throws {
    let text = PrettyReport.text([try run("require: {coverage: 100%}\n" + some)])
    #expect(text.contains("✗ gate › require coverage: 100%"))
    #expect(text.contains("got       75%, 3 of 4 seen both ways"))
    #expect(text.contains("gate.rules-test.yaml:9:38 not reached: request.auth != null"))
    #expect(text.contains("0 of 1 gate ·"))
  }

  @Test("a part of a file is not held to its gate, and that is said")
  func filtered() throws {
    let report = try run("require: {coverage: 100%}\n" + some, SuiteOptions(filter: "hers"))
    #expect(!report.results.contains { $0.kind == .gate })
    #expect(report.unchecked == ["require: coverage (not all cases were run)"])
  }

  @Test(
    "what cannot be a gate is an error with its place",
    arguments: [
      ("require: {coverage: many}\n", "a share is written as percent"),
      ("require: {coverage: 101%}\n", "a share is written as percent"),
      ("require: {coverag: 90%}\n", "coverag"),
      ("require: {coverage: 90%, scope: [nots]}\n", "the rules have no block 'nots'"),
    ])
  func errors(text: String, message: String) {
    let failure = #expect(throws: SuiteFailure.self) { try run(text + some) }
    #expect(failure?.description.contains(message) == true)
  }

  @Test("coverage of suites that test the same rules adds up")
  func merging() throws {
    var options = SuiteOptions()
    options.collectsCoverage = true
    let first = try #require(try run(some, options).coverage)
    let second = try #require(try run("cases:\n" + rest, options).coverage)
    #expect(first.report().share == CoverageShare(covered: 3, total: 4))
    let sum = RuleCoverage(first.ruleset)
    sum.merge(first)
    sum.merge(second)
    #expect(sum.report().share == CoverageShare(covered: 4, total: 4))
    #expect(sum.report().operations == 5)
    #expect(try run(some).coverage == nil, "nothing is collected unasked")
  }
}
