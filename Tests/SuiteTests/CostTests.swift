/// What the dearest operations of a suite take, and how near they come to a limit.

import Suite
import Testing

@Suite("Costs of suites")
struct CostTests {
  /// A rule whose condition asks `count` times for a document each, or for none.
  static func suite(_ conjuncts: [String], _ request: String) -> String {
    """
    version: 1
    name: costs
    rules: |
      rules_version = '2';
      service cloud.firestore {
        match /databases/{db}/documents {
          match /a/{id} { allow read: if \(conjuncts.joined(separator: " && ")); }
        }
      }
    personas: {ann: {uid: ann}}
    fixtures: {a/1: {n: 1}}
    cases:
      - {name: cheap, as: ann, get: b/1, expect: {deny: unmatched}}
      - {name: dear, as: ann, \(request)}

    """
  }

  static func exists(_ count: Int) -> [String] {
    (0..<count).map { "!exists(/databases/$(db)/documents/b/$(id + '\($0)'))" }
  }

  /// In groups, because chains may not be as long.
  static let ones = Array(
    repeating: "(\(Array(repeating: "1 == 1", count: 12).joined(separator: " && ")))", count: 14)

  @Test(
    "are told by the long report, and by each near a limit",
    arguments: [
      (exists(3), "get: a/1, expect: allow", "3 of 10 lookups: dear", false),
      (exists(8), "get: a/1, limits: {lookups: 8}, expect: allow", "8 of 10 lookups: dear", false),
      (exists(8), "get: a/1, expect: allow", "8 of 10 lookups: dear", true),
      (exists(10), "get: a/1, expect: allow", "10 of 10 lookups: dear", true),
      (["1 == 1"], "get: a/1, expect: allow", "of 1000 expressions: dear", false),
      (ones, "get: a/1, expect: allow", "of 1000 expressions: dear", true),
      // Two of a commit are judged one by one.
      (exists(4), "getAll: [a/1, a/2], expect: allow", "4 of 10 lookups: dear", false),
    ])
  func told(_ conjuncts: [String], _ request: String, _ line: String, isNear: Bool) throws {
    let report = try Suite.load(text: Self.suite(conjuncts, request), name: "costs.yaml").run()
    #expect(report.failedCount == 0)
    let long = PrettyReport.text([report])
    #expect(long.contains(line) && long.contains("  dearest   "), "\(long)")
    for text in [long, BriefReport.text([report])] {
      #expect(text.contains("near the service's limit: ") == isNear, "\(text)")
    }
    #expect(JSONReport.text([report]).contains("\"lookups\": "))
  }

  @Test("operations beyond a limit say so themselves")
  func beyond() throws {
    let text = Self.suite(Self.exists(11), "get: a/1, expect: {deny: limit}")
    let report = try Suite.load(text: text, name: "costs.yaml").run()
    #expect(report.failedCount == 0)
    #expect(!BriefReport.text([report]).contains("limit"))
  }
}
