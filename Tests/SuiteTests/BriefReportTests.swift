import Suite
import Testing

@Suite("The brief report")
struct BriefReportTests {
  private static let sections = """
    states: {as it is: {}}
    operations: {read ann: {get: users/ann}, read eve: {get: users/eve}}
    matrices:
      - name: who reads
        grid: |
          state     operation | anon  ann  bob
          as it is  read ann  | .     .    .
          as it is  read eve  | D     A    A
    cases:
      - {name: one, as: ann, get: users/bob, expect: allow}
      - {name: two, as: ann, get: users/ann, expect: allow}

    """

  @Test("a line for each failure, and rows with a wrong cell")
  func lines() throws {
    let report = try SuiteKit.run(Self.sections)
    let grid = SuiteKit.headLines + 7
    #expect(
      BriefReport.text([report]) == """
        ✗ mini › who reads  mini.rules-test.yaml:\(grid)
            state     operation | anon  ann    bob
            as it is  read ann  | .     [.→A]  .
        ✗ mini › one  mini.rules-test.yaml:\(grid + 3)  expected allow, got deny: condition
          mini: 5 of 6 cells · 1 of 2 cases
        6 passed, 2 failed
        `docsh test -v` tells why, `--filter TEXT` runs some

        """)
  }

  /// Its last lines but that about -v.
  @Test(
    "letters are explained where a cell was denied for another reason, and nowhere else",
    arguments: [("!", true), ("?", true), ("A", false), ("D", false)])
  func letters(letter: String, isExplained: Bool) throws {
    let report = try SuiteKit.run(
      """
      operations: {read: {get: users/bob}, other: {get: users/eve}}
      matrices:
        - name: who reads
          grid: |
            operation | anon  ann
            read      | \(letter)     .
            other     | .     .

      """)
    #expect(report.failedCount == (letter == "D" ? 1 : 2))
    #expect(BriefReport.text([report]).contains("\n. a condition was false, ") == isExplained)
  }

  @Test("names may have the sign that titles put between them")
  func signInNames() throws {
    let report = try SuiteKit.run(
      """
      operations: {a × b: {get: users/ann}, c: {get: users/eve}}
      matrices:
        - name: who reads
          grid: |
            operation | anon  ann
            a × b     | A     A
            c         | .     .

      """)
    #expect(BriefReport.text([report]).contains("    a × b     | [A→.]  A\n"))
  }

  @Test("a single case is told in full")
  func single() throws {
    let report = try SuiteKit.run(Self.sections, options: SuiteOptions(filter: "one"))
    #expect(BriefReport.text([report]) == PrettyReport.text([report]))
    #expect(BriefReport.text([report]).contains("because"))
  }

  @Test("only cases of these names")
  func names() throws {
    var options = SuiteOptions()
    options.names = ["mini › one", "mini › who reads › as it is × read eve × bob"]
    #expect(try SuiteKit.run(Self.sections, options: options).results.count == 2)
  }

  /// A cell, and what `--update` makes of it.
  @Test(
    "D is any denial",
    arguments: [("anon", "read ann", 0), ("bob", "read note", 0), ("ann", "read ann", 1)])
  func denied(persona: String, operation: String, changes: Int) throws {
    let report = try SuiteKit.run(
      """
      operations: {read ann: {get: users/ann}, read note: {get: notes/none}}
      matrices:
        - name: m
          grid: |
            operation | \(persona)
            \(operation) | D

      """)
    #expect(report.failedCount == changes)
    #expect(report.gridChangeCount == changes)
  }
}
