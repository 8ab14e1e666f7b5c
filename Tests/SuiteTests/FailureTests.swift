/// A suite that is wrong fails, with the lines that say why: a runner that cannot fail tests nothing.

import Suite
import Testing

@Suite("Failing suites")
struct FailureTests {
  private static let rules = "mini.rules-test.yaml"

  @Test(
    "A case that says what does not happen fails",
    arguments: [
      (
        "{as: ann, get: users/ann, expect: deny}",
        "expected: deny\ngot: allow by users.get \(rules):11"
      ),
      (
        "{as: ann, get: users/bob, expect: allow}",
        "expected: allow\ngot: deny: condition\nbecause: resource.data.open == true is false  at users.get \(rules):11"
      ),
      ("{as: ann, get: x/y, expect: allow}", "expected: allow\ngot: deny: unmatched"),
      (
        "{as: ann, list: users, expect: allow}",
        "expected: allow\ngot: deny: unprovable\n"
      ),
      (
        "{as: ann, get: users/bob, expect: {deny: unmatched}}",
        "expected: {deny: unmatched}\ngot: deny: condition"
      ),
      ("{as: ann, get: users/bob, expect: {deny: error}}", "expected: {deny: error}\ngot: deny: condition"),
      (
        "{as: ann, get: users/bob, expect: {deny: unprovable}}",
        "expected: {deny: unprovable}\ngot: deny: condition"
      ),
      ("{as: ann, get: users/bob, expect: {deny: limit}}", "expected: {deny: limit}\ngot: deny: condition"),
      (
        "{as: ann, list: users, expect: {deny: condition}}",
        "expected: {deny: condition}\ngot: deny: unprovable"
      ),
      (
        "{as: anon, get: notes/n, expect: {deny: condition}}", "expected: {deny: condition}\ngot: deny: error"
      ),
      (
        "{as: anon, get: notes/n, expect: {deny: error, error: type}}",
        "expected: {deny: error, error: type}\ngot: deny: error"
      ),
      ("{as: ann, get: users/bob, expect: {deny: condition, at: users.list}}", "expected:"),
      // What did not decide is no reason, though it stands in the condition.
      ("{as: ann, get: users/bob, expect: {deny: condition, because: request.auth != null}}", "expected:"),
      ("{as: anon, get: users/bob, expect: {deny: condition, because: resource.data.open}}", "expected:"),
      ("{as: ann, get: users/bob, expect: {deny: condition, because: '&&'}}", "expected:"),
      ("{as: ann, list: users, expect: {deny: unprovable, missing: open == false}}", "expected:"),
      (
        "{as: ann, get: users/ann, expect: {allow: true, by: users.list}}",
        "expected: {allow: true, by: users.list}"
      ),
      (
        "{as: ann, get: users/ann, expect: {allow: true, lookups: 1}}",
        "expected: 1 lookups\ngot: 0 lookups: none"
      ),
      (
        "{as: ann, get: notes/n, limits: {lookups: 0}, expect: allow}",
        "limit: 1 lookups, at most 0: users/ann"
      ),
      ("{as: ann, get: notes/n, limits: {expressions: 2}, expect: allow}", "limit: "),
      ("{as: ann, get: notes/n, limits: {ms: 0}, expect: allow}", "limit: "),
      (
        "{as: ann, get: users/ann, expect: {allow: true, returns: []}}",
        "expected: documents []\ngot: documents [users/ann]"
      ),
      (
        "{as: admin, count: users, expect: {allow: true, returns: 4}}",
        "expected: 4 documents\ngot: 3 documents"
      ),
      (
        "{as: ann, update: users/ann, data: {level: 3}, expect: allow, after: {users/ann: {level: 4}}}",
        "expected: after it, users/ann level is 4\ngot: 3"
      ),
      (
        "{as: ann, update: users/ann, data: {level: 3}, expect: allow, after: {users/ann: {level: {$double: 3}}}}",
        "expected: after it, users/ann level is {$double: 3.0}\ngot: 3"
      ),
      (
        "{as: ann, delete: users/ann, expect: allow, after: {users/ann: {level: 2}}}",
        "expected: after it, users/ann is a document\ngot: no document"
      ),
      (
        "{as: ann, update: users/ann, data: {}, expect: allow, after: {users/ann: {$absent: true}}}",
        "expected: after it, users/ann is no document\ngot: a document"
      ),
      (
        "{as: ann, update: users/ann, data: {a: 1}, expect: allow, after: {users/ann: {$like: user}}}",
        "expected: after it, users/ann is {level: 1, open: false, tags: [\"a\"]}"
      ),
      (
        "{as: ann, commit: [{set: users/ann, data: {}}, {set: users/bob, data: {}}], expect: {deny: condition, write: 0}}",
        "expected: {deny: condition, write: 0}\ngot: deny: condition, write 1"
      ),
      (
        "{as: ann, commit: [{set: users/bob, data: {}}, {set: users/ann, data: {}}], expect: {deny: condition, write: 1}}",
        "expected: {deny: condition, write: 1}\ngot: deny: condition, write 0"
      ),
      (
        "{as: ann, create: users/ann, data: {}, expect: deny}",
        "expected: deny\ngot: neither: Document already exists: "
      ),
      (
        "{as: admin, update: users/zoe, data: {}, expect: deny}",
        "expected: deny\ngot: neither: No document to update: "
      ),
      ("{as: admin, get: users/ann, expect: deny}", "expected: deny\ngot: allow"),
    ])
  func fails(_ text: String, _ expected: String) throws {
    let outcomes = try SuiteKit.outcomes("cases:\n  - \(text)\n")
    #expect(outcomes.count == 1)
    #expect(outcomes[0].hasPrefix(expected), "\(outcomes[0])")
  }

  @Test("Every symbol of a grid fails where another is right")
  func failsGrids() throws {
    let rows = [("ann", "own", "A"), ("ann", "other", "."), ("anon", "note", "!"), ("ann", "list", "?")]
    for (persona, operation, right) in rows {
      for letter in ["A", ".", "!", "?", "~"] {
        let report = try SuiteKit.run(
          """
          operations:
            own: {get: users/ann}
            other: {get: users/bob}
            note: {get: notes/n}
            list: {list: users}
          matrices:
            - name: m
              grid: |
                operation | \(persona)
                \(operation) | \(letter)
          """)
        let isRight = letter == right || letter == "~"
        #expect(report.failedCount == (isRight ? 0 : 1), "\(operation) \(letter)")
      }
    }
  }

  @Test("A failing step names itself, and the steps behind it are not run")
  func failsSteps() throws {
    let outcomes = try SuiteKit.outcomes(
      """
      cases:
        - steps:
            - {as: ann, get: users/ann, expect: allow}
            - {as: ann, get: users/bob, expect: allow}
            - {as: ann, get: users/ann, expect: deny}
      """)
    let line = SuiteKit.headLines + 4
    #expect(outcomes[0].hasPrefix("step: 2 of 3, line \(line): ann, get users/bob\nexpected: allow\n"))
  }

  @Test("The report counts what passed and closes plainly")
  func reports() throws {
    let report = try SuiteKit.run(
      """
      operations: {read: {get: users/bob}}
      matrices:
        - name: m
          grid: |
            operation | ann  bob
            read      |  A    A
      cases:
        - {name: c, as: ann, get: users/ann, expect: allow}
      """)
    let line = SuiteKit.headLines + 6
    #expect(
      PrettyReport.text([report]) == """
        ✗ mini › m › read × ann  mini.rules-test.yaml:\(line)
            expected  A
            got       deny: condition
            because   resource.data.open == true is false  at users.get \(Self.rules):11
          dearest   18 of 1000 expressions: m › read × ann  mini.rules-test.yaml:\(line)
          mini: 1 of 2 cells · 1 of 1 case
        2 passed, 1 failed

        """)
  }

  @Test("At a terminal what was expected is green, what came of it red")
  func colors() throws {
    let cases = """
      cases:
        - {name: a, as: ann, get: users/ann, expect: deny}
        - {name: b, as: ann, get: users/ann, expect: allow, skip: later}
      """
    let plain = PrettyReport.text([try SuiteKit.run(cases)])
    let painted = PrettyReport.text([try SuiteKit.run(cases)], isColored: true)
    #expect(painted.contains("\u{1B}[31m✗ mini › a"))
    #expect(painted.contains("\u{1B}[2mexpected\u{1B}[0m  \u{1B}[32mdeny\u{1B}[0m\n"))
    #expect(painted.contains("\u{1B}[2m- mini › b"))
    #expect(painted.hasSuffix("\u{1B}[31m0 passed, 1 failed, 1 skipped\u{1B}[0m\n"))
    #expect(painted.replacing(/\u{1B}\[\d*m/, with: "") == plain)
  }

  @Test("Reports for machines tell failures from passes and escape what is special in them")
  func machineReports() throws {
    let report = try SuiteKit.run(
      """
      cases:
        - {name: 'a "b" & <c> #d', as: ann, get: users/ann, expect: allow}
        - {name: e, as: ann, get: users/ann, expect: deny}
        - {name: f, as: ann, get: users/ann, expect: deny, skip: why}
        - {name: g, as: ann, get: users/ann, expect: deny, todo: true}
      """)
    let tap = TAPReport.text([report])
    #expect(
      tap.hasPrefix("TAP version 14\n1..4\nok 1 - mini › a \"b\" & <c> \\#d\nnot ok 2 - mini › e\n  ---\n"))
    #expect(tap.contains("\nok 3 - mini › f # SKIP why\nnot ok 4 - mini › g # TODO \n"))
    let junit = JUnitReport.text([report])
    #expect(junit.contains("name=\"a &quot;b&quot; &amp; &lt;c&gt; #d\""))
    #expect(junit.contains("tests=\"4\" failures=\"1\" skipped=\"2\""))
    #expect(junit.contains("<failure message=\"expected: deny; got: allow by users.get"))
    let json = JSONReport.text([report])
    #expect(json.contains("\"name\": [\"a \\\"b\\\" & <c> #d\"]"))
    #expect(json.hasSuffix("\"passed\": 1, \"failed\": 1, \"skipped\": 2}\n"))
  }
}
