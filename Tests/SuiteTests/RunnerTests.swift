/// What the runner does beside running: shards, gates, updates, what changed, reports.

import Rules
import Suite
import Testing

@Suite("The runner")
struct RunnerTests {
  private static let grid = """
    operations: {read: {get: users/bob}}   # a remark
    states: {as is: {}, open: {users/bob: {open: true}}}
    matrices:
      - name: m
        grid: |
          # another remark
          state    operation | anon  ann  bob
          as is    read      |  A     !    ~
          open     read      |  .     .    A

    """

  @Test("--update rewrites symbols, and nothing else")
  func updates() throws {
    let report = try SuiteKit.run(Self.grid)
    #expect(report.failedCount == 3)
    #expect(report.gridChangeCount == 3)
    let text = SuiteKit.head + Self.grid
    let updated = String(decoding: report.updatingGrids(in: Array(text.utf8)), as: UTF8.self)
    let wanted =
      SuiteKit.head + """
        operations: {read: {get: users/bob}}   # a remark
        states: {as is: {}, open: {users/bob: {open: true}}}
        matrices:
          - name: m
            grid: |
              # another remark
              state    operation | anon  ann  bob
              as is    read      |  .     .    ~
              open     read      |  .     A    A

        """
    #expect(updated == wanted)
    let again = try Suite.load(text: updated, name: "mini.rules-test.yaml").run()
    #expect(again.failedCount == 0)
    #expect(again.gridChangeCount == 0)
  }

  @Test("Shards are all cases, each once", arguments: [1, 2, 3, 10])
  func shards(_ count: Int) throws {
    var lines: [Int] = []
    for index in 1...count {
      var options = SuiteOptions()
      let shard: Shard = try #require(Shard("\(index)/\(count)"))
      options.shard = shard
      lines += try SuiteKit.run(
        "cases:\n"
          + (1...7).map { "  - {name: c\($0), as: admin, get: users/u\($0), expect: allow}\n" }.joined(),
        options: options
      ).results.map(\.line)
    }
    #expect(lines.sorted() == Array((SuiteKit.headLines + 2)...(SuiteKit.headLines + 8)))
  }

  @Test("What is no part of parts", arguments: ["0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "", "-1/2"])
  func noShard(_ text: String) { #expect(Shard(text) == nil) }

  @Test(
    "noErrors refuses denials by errors, expected or not, in its scope",
    arguments: [("", true), (", scope: [notes]", true), (", scope: [users]", false)])
  func noErrors(_ scope: String, _ misses: Bool) throws {
    let report = try SuiteKit.run(
      """
      require: {noErrors: true\(scope)}
      cases:
        - {name: fine, as: ann, get: users/ann, expect: allow}
        - {name: without profile, as: anon, get: notes/n, expect: {deny: error}}

      """)
    #expect([report].haveMissedGates == misses)
    #expect(![report].haveFailedCases)
    if misses {
      let text = PrettyReport.text([report])
      #expect(text.contains("✗ mini › require noErrors"), "\(text)")
      #expect(text.contains("error     line \(SuiteKit.headLines + 4) without profile: "), "\(text)")
    }
  }

  @Test("A failure says what has changed since the last green run")
  func since() throws {
    let cases = "cases:\n  - {as: ann, get: users/bob, expect: allow}\n"
    let suite = try SuiteKit.load(cases)
    let text = String(decoding: suite.rules.source.bytes, as: UTF8.self)
    let before = text.split(separator: "open == true).").joined(separator: "open != true).")
      .split(separator: "request.auth != null &&", maxSplits: 1).joined(separator: "true &&")
    var options = SuiteOptions()
    options.lastGreen = GreenRun(rules: Array(before.utf8), suite: [])
    let report = try SuiteKit.run(cases, options: options)
    guard case .failed(let lines) = report.results[0].status else {
      Issue.record("passed")
      return
    }
    #expect(lines.last?.label == "since")
    #expect(lines.last?.text == "last green run: line 11 of the rules changed")
    options.lastGreen = GreenRun(rules: suite.rules.source.bytes, suite: [])
    #expect(try !PrettyReport.text([SuiteKit.run(cases, options: options)]).contains("since"))
  }

  @Test("GitHub's annotations escape what commands are made of")
  func github() throws {
    let report = try SuiteKit.run(
      "cases:\n  - {name: 'a, b: 100%', as: ann, get: users/bob, expect: allow}\n")
    let lines = GitHubReport.text([report]).split(separator: "\n")
    let line = SuiteKit.headLines + 2
    #expect(
      lines.first.map(String.init)
        == "::error file=mini.rules-test.yaml,line=\(line),title=mini › a%2C b%3A 100%25::"
        + "expected allow%0Agot deny: condition%0Abecause resource.data.open == true is false  at users.get "
        + "mini.rules-test.yaml:11")
    #expect(lines.count > 4)
  }

  @Test("The last line says what it took when asked to")
  func timed() throws {
    let report = try SuiteKit.run("cases:\n  - {as: ann, get: users/ann, expect: allow}\n")
    #expect(PrettyReport.text([report]).hasSuffix("\n1 passed, 0 failed\n"))
    #expect(PrettyReport.text([report], isTimed: true).contains("1 passed, 0 failed in "))
  }
}
