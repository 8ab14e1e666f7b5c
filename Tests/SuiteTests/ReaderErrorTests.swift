/// Mistakes in suites are found before anything runs, with their places.

import Suite
import Testing

@Suite("Reading suites")
struct ReaderErrorTests {
  @Test(
    "A file that is no suite is refused",
    arguments: [
      ("- a", "1:1: error: a suite is written as a map; found a list"),
      ("", "1:1: error: the file is empty"),
      ("name: x", "1:1: error: a suite begins with 'version: 1'"),
      ("version: 2", "1:10: error: version 2 is not known; this program reads version 1"),
      ("version: 1", "1:1: error: a suite needs the key 'rules'"),
      (
        "version: 1\nrules: none.rules",
        "2:8: error: cannot read the rules 'none.rules': No such file or directory"
      ),
      (
        "version: 1\nfixture: {}",
        "2:1: error: unknown key 'fixture'; a suite has version, name, rules, database, import, clock, limits, "
          + "personas, templates, fixtures, states, operations, matrices, cases, require, prove "
          + "(did you mean 'fixtures'?)"
      ),
      ("version: 1\nname: [", "3:1: error: did not find expected node content"),
    ])
  func refusesFiles(_ text: String, _ expected: String) {
    let complaint = SuiteKit.complaint(text)
    // libyaml words its own errors; their place is what counts.
    if expected.contains("did not find") {
      #expect(complaint.contains(": error: "))
    } else {
      #expect(complaint == expected)
    }
  }

  @Test("Rules that do not compile are reported with their own place")
  func reportsRules() {
    let rules = "service cloud.firestore { match /a/{b} { allow get: if ; } }"
    let complaint = SuiteKit.complaint("version: 1\nrules: '\(rules)'")
    #expect(complaint.hasPrefix("x.yaml (rules):1:56: error: "), "\(complaint)")
  }

  @Test(
    "A section's mistake is reported at its place",
    arguments: [
      ("limits: {lookup: 1}", "1:10: error: unknown key 'lookup'; limits has lookups, expressions, ms"),
      ("limits: {lookups: 99}", "1:19: error: 99 is outside 0...20"),
      ("states: {x: {users: {a: 1}}}", "1:14: error: 'users' is a collection, not a document"),
      ("states: {x: {users/a: 1}}", "1:23: error: the fields of a document are a map; found an integer"),
      ("operations: {x: {fetch: users/a}}", "1:18: error: unknown key 'fetch'; a request has get, getAll"),
      ("operations: {x: {get: users}}", "1:23: error: 'users' is a collection, not a document"),
      ("operations: {x: {list: users/a}}", "1:24: error: 'users/a' is a document, not a collection"),
      ("operations: {x: {get: users/a, list: users}}", "1:32: error: 'get' and 'list' are two requests"),
      ("operations: {x: {update: users/a}}", "1:18: error: 'update' needs the key 'data'"),
      ("operations: {x: {delete: users/a, data: {}}}", "1:35: error: 'delete' takes no 'data'"),
      ("operations: {x: {get: users/a, data: {}}}", "1:32: error: 'get' takes no 'data'"),
      (
        "operations: {x: {create: users/a, data: {$likes: user}}}", "1:42: error: unknown value form '$likes'"
      ),
      (
        "operations: {x: {update: users/a, data: {a: 1, a.b: 2}}}",
        "1:48: error: 'a.b' and 'a' set the same field"
      ),
      ("operations: {x: {as: ann, get: users/a}}", "1:18: error: an operation has no 'as'"),
      ("import: [mini.yaml]", "1:10: error: an import is written file#section"),
      ("import: ['mini.yaml#cases']", "1:10: error: 'cases' cannot be imported"),
      ("import: ['mini.yaml#state']", "1:10: error: 'state' cannot be imported"),
      ("import: ['none.yaml#states']", "1:10: error: cannot read none.yaml: No such file or directory"),
    ])
  func reportsSections(_ sections: String, _ expected: String) {
    #expect(SuiteKit.complaint(in: sections).hasPrefix(expected))
  }

  @Test(
    "Headers and personas are checked",
    arguments: [
      ("version: 1\nclock: noon\nrules: 'service x {}'", "2:8: error: 'noon' is no time"),
      (
        "version: 1\nclock: 2026-03-01T09:00:00.0001Z\nrules: 'service x {}'",
        "2:8: error: a clock shows whole"
      ),
      ("version: 1\ndatabase: a/b\nrules: 'service x {}'", "2:11: error: 'a/b' is no database"),
    ])
  func reportsHeads(_ text: String, _ expected: String) {
    #expect(SuiteKit.complaint(text).hasPrefix(expected))
  }

  @Test(
    "A persona's mistake is reported at its place",
    arguments: [
      ("{admin: {uid: x}}", "3:12: error: 'admin' is always there"),
      ("{a: {claims: {}}}", "3:15: error: a persona needs the key 'uid'"),
      ("{a: {uid: x, claim: {}}}", "3:24: error: unknown key 'claim'; a persona has uid"),
      ("{a: {uid: x, claims: 1}}", "3:32: error: claims are a map"),
    ])
  func reportsPersonas(_ personas: String, _ expected: String) {
    let text = """
      version: 1
      rules: 'service cloud.firestore { match /databases/{d}/documents { allow get; } }'
      personas: \(personas)
      """
    #expect(SuiteKit.complaint(text).hasPrefix(expected))
  }

  @Test(
    "A case's mistake is reported at its place",
    arguments: [
      ("{get: users/a, expect: allow}", "2:5: error: a case needs the key 'as': who asks"),
      (
        "{as: an, get: users/a, expect: allow}",
        "2:10: error: no persona is called 'an' (did you mean 'ann'?)"
      ),
      ("{as: ann, get: users/a}", "2:5: error: a request needs the key 'expect'"),
      ("{as: ann, expect: allow}", "2:5: error: a request needs one of get, getAll"),
      ("{as: ann, get: users/a, expect: deny, wen: 1}", "2:43: error: unknown key 'wen'; a case has name"),
      ("{as: ann, get: users/a, expect: no}", "2:37: error: 'no' is not one of allow, deny"),
      (
        "{as: ann, get: users/a, expect: {deny: condtion}}", "2:44: error: 'condtion' is not one of condition"
      ),
      (
        "{as: ann, get: users/a, expect: {deny: error, error: typ}}",
        "2:58: error: 'typ' is not one of missing-field"
      ),
      (
        "{as: ann, get: users/a, expect: {deny: condition, error: type}}",
        "2:62: error: 'error' needs 'deny: error'"
      ),
      (
        "{as: ann, get: users/a, expect: {allow: true, because: x}}",
        "2:51: error: 'because' belongs to a denial"
      ),
      (
        "{as: ann, get: users/a, expect: {deny: true, by: users.get}}",
        "2:50: error: 'by' belongs to an allowed"
      ),
      ("{as: ann, get: users/a, expect: {deny: true, because: ''}}", "2:59: error: the text is empty"),
      (
        "{as: ann, get: users/a, expect: {deny: unmatched, at: users.get}}",
        "2:55: error: 'at' cannot hold where"
      ),
      (
        "{as: ann, get: users/a, expect: {deny: true, at: user.get}}",
        "2:54: error: no rule has the id 'user.get' (did you mean 'users.get'?)"
      ),
      ("{as: ann, relisten: x, expect: allow}", "2:5: error: 'relisten' belongs to steps"),
      ("{as: ann, get: users/a, after: {}, expect: allow}", "2:29: error: 'after' is what a write leaves"),
      (
        "{as: ann, get: users/a, expect: allow, only: true, skip: true}",
        "2:56: error: 'only' and 'skip' exclude"
      ),
      ("{as: ann, each: [], get: users/a, expect: allow}", "2:21: error: 'each' has no row"),
      (
        "{as: ann, each: [{a: 1}], get: 'users/${b}', expect: allow}",
        "2:36: error: no value is called 'b' here"
      ),
      (
        "{as: ann, each: [{a: [1]}], get: 'users/${a}', expect: allow}",
        "2:38: error: '${a}' is a list; only texts"
      ),
      ("{as: ann, steps: []}", "2:22: error: 'steps' is empty"),
      (
        "{as: ann, steps: [{listen: users/ann, id: a, expect: allow}, {relisten: b, expect: allow}]}",
        "2:66: error: no step before listens with the id 'b'"
      ),
      (
        "{as: ann, list: {where: [a == 1]}, expect: allow}",
        "2:21: error: a query needs the key 'from' or 'group'"
      ),
      ("{as: ann, list: {from: users, where: [a = 1]}, expect: allow}", "2:45: error: expected a comparison"),
      ("{as: ann, list: {from: users, where: [a == b]}, expect: allow}", "2:48: error: expected a value"),
      (
        "{as: ann, list: {from: users, order: [a down]}, expect: allow}",
        "2:43: error: 'down' is neither asc nor desc"
      ),
      ("{as: ann, commit: [{if: true}], expect: allow}", "2:24: error: a write needs one of create"),
      (
        "{as: ann, transaction: [{delete: users/a}, {get: users/a}], expect: allow}",
        "2:49: error: a transaction reads before it writes"
      ),
      ("{property: {forall: {a: []}, same: []}}", "2:29: error: the domain is empty"),
      ("{property: {forall: {a: [1]}, same: [{as: ann, get: users/a}]}}", "2:41: error: 'same' compares two"),
    ])
  func reportsCases(_ text: String, _ expected: String) {
    #expect(SuiteKit.complaint(in: "cases:\n  - \(text)\n").hasPrefix(expected))
  }

  @Test(
    "A grid's mistake is reported at its row and column",
    arguments: [
      ("operations | ann\nread | A", "7:9: error: the head of a grid begins with"),
      ("operation | ann  ben\nread | A  A", "7:26: error: no persona is called 'ben'"),
      ("operation | ann\nread  A", "8:9: error: a row of a grid has a '|'"),
      ("operation | ann\nread | A A", "8:18: error: the row has 2 symbols for 1 persona"),
      ("operation | ann\nread | a", "8:16: error: 'a' is no symbol of a grid"),
      ("operation | ann\nreed | A", "8:9: error: no operation is called 'reed' (did you mean 'read'?)"),
      ("state operation | ann\nopen read | A", "8:9: error: left of '|' stands a state and an operation"),
      (
        "state  operation | ann\nopn  read | A", "8:9: error: no state is called 'opn' (did you mean 'open'?)"
      ),
      ("operation | ann", "6:11: error: the grid has no row"),
    ])
  func reportsGrids(_ grid: String, _ expected: String) {
    let lines = grid.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
    let sections = """
      states: {open: {users/bob: {open: true}}}
      operations:
        read: {get: users/bob}
      matrices:
        - name: m
          grid: |
      \(lines)

      """
    #expect(SuiteKit.complaint(in: sections).hasPrefix(expected))
  }

  @Test("Values that cannot be made are reported where they stand, after all cases were looked at")
  func reportsValues() throws {
    let text = """
      cases:
        - {as: ann, create: users/x, data: {$like: usr}, expect: allow}
        - {as: ann, create: users/y, data: {a: {$from: users/zoe}}, expect: allow}
      """
    do throws(SuiteFailure) {
      _ = try SuiteKit.run(text)
      Issue.record("the suite ran")
    } catch {
      #expect(error.description.contains("no template is called 'usr'"))
      #expect(error.description.contains("no document users/zoe"))
    }
  }

  @Test("All mistakes are reported, each once")
  func reportsAll() {
    let sections = """
      states: {a: {users: {}}}
      cases:
        - {each: [{}, {}], as: nobody, get: users/a, expect: allow}
        - {as: ann, get: users, expect: allow}
      """
    do throws(SuiteFailure) {
      _ = try SuiteKit.load(sections)
      Issue.record("the suite was read")
    } catch {
      guard case .invalid(let texts) = error else {
        Issue.record("unexpected \(error)")
        return
      }
      #expect(texts.count == 3)
    }
  }

  @Test(
    "What keeps a suite from running is annotated at its line",
    arguments: [
      (
        "case: []",
        "::error file=mini.rules-test.yaml,line=*,title=the suite cannot be run::unknown key 'case'"
      ),
      (
        "cases:\n  - {as: nobody, get: users/a, expect: allow}",
        "::error file=mini.rules-test.yaml,line=*,title=the suite cannot be run::no persona is called 'nobody'"
      ),
    ])
  func annotations(sections: String, wanted: String) {
    let failure = #expect(throws: SuiteFailure.self) { try SuiteKit.load(sections) }
    let text = failure?.annotations(of: "mini.rules-test.yaml") ?? ""
    let parts = wanted.split(separator: "*")
    #expect(text.hasPrefix(parts[0]) && text.contains(parts[1]), "\(text)")
    #expect(!text.contains("\n"))
  }
}
