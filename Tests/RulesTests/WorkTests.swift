/// Conditions are charged for what they cost, and commits for all of theirs.

import DocModel
import Testing

@testable import Rules

@Suite("steps")
struct WorkTests {
  private static let budget = FaultText.budget

  private static let data: Fields = [
    "as": .string(String(repeating: "a", count: 150_000)),
    "commas": .string(String(repeating: "a,", count: 75_000)),
    "blanks": .string(String(repeating: "a , b;  ", count: 2_000)),
    "list": .array((0..<50_000).map { .integer($0) }),
  ]

  @Test(
    "of small patterns that look far ahead end the operation; nothing absorbs that",
    arguments: [
      "resource.data.as.split('a*b|a').size() > 0",
      "resource.data.as.replace('a*b|a', 'x') == ''",
      "resource.data.as.replace('(a*b)|a', 'x') == ''",
      "resource.data.as.split('(?i)a*b|a').size() > 0",
      "resource.data.as.split('a*b|a').size() > 0 || true",
      "true && (resource.data.as.split('a*b|a').size() == 0 || true)",
    ])
  func lookAhead(_ expression: String) {
    #expect(Circumstances(data: Self.data).outcome(expression) == Self.budget)
  }

  @Test(
    "of ordinary expressions on large data suffice",
    arguments: [
      "resource.data.commas.split(',').size() == 75000",
      "resource.data.blanks.split(' *[,;] *').size() > 1000",
      "resource.data.blanks.replace('[^a-z]+', '-').size() > 1000",
      "resource.data.as.matches('[a-z]{1,100}(/[a-z]{1,100})*|a+')",
      "resource.data.as.replace('a', 'b').matches('b*')",
      "resource.data.list.hasAll(resource.data.list) && resource.data.list.toSet().size() == 50000",
      "resource.data.list.join(',').size() > 100000",
      "resource.data.diff({}).affectedKeys().size() == 4",
    ])
  func ordinary(_ expression: String) {
    #expect(Circumstances(data: Self.data).verdict(expression) == .yes)
  }

  @Test("of values that share a hash are counted")
  func collisions() throws {
    // Loosely, an integer meets floats as a double: a thousand integers in a row have one hash there.
    let values: [Value] = (0..<6_000).map {
      .array([.integer(1 << 62 + $0 % 1_000), .integer(1 << 62 + $0 / 1_000)])
    }
    let ruleset = try compiled(rules("resource.data.l.toSet().size() == 1 || true", method: .update))
    let documents = MemoryDocuments()
    let circumstances = Circumstances(method: .update, data: ["l": .array(values)], new: [:])
    documents.beginCommit()
    #expect(!ruleset.decide(circumstances.request(documents), documents: documents).isAllowed)
  }

  @Test(
    "how far a pattern looks behind its match",
    arguments: [
      ("a", 1), ("abc", 3), ("[,;]", 4), ("ab|c", 2), (", *", 3), ("[^a-z]+", 12), ("(ab|c)+", 6),
      ("a{2,5}", 5),
      ("a{2,}", 4), ("a*b|a", nil), ("a*b", nil), (".*", 8), ("(a+)+", nil), ("\\s*,\\s*", nil),
      ("(?i)a", nil),
      ("a+|b+", nil),
    ] as [(String, Int?)])
  func reach(_ pattern: String, _ expected: Int?) {
    #expect(PlainPattern.reach(of: Array(pattern.utf8)) == expected)
  }

  @Test("twice the text is at most twice the steps for ordinary patterns")
  func linear() {
    func steps(_ count: Int, _ expression: String) -> Int {
      let documents = MemoryDocuments()
      let circumstances = Circumstances(data: ["s": .string(String(repeating: "ab, ", count: count))])
      guard let ruleset = try? compiled(rules(expression)) else { return 0 }
      _ = ruleset.decide(circumstances.request(documents), documents: documents)
      return documents.evaluation.work
    }
    for expression in ["s.split(', *')", "s.replace('[^a-z]+', '')", "s.split('b')", "s.matches('[a-z, ]*')"]
    {
      let condition = "resource.data." + expression + " != null"
      let (once, twice) = (steps(10_000, condition), steps(20_000, condition))
      #expect(once > 0 && Double(twice) < 2.3 * Double(once), "\(expression): \(once), then \(twice)")
    }
  }

  @Test("of a commit's operations are counted together, those of reads are not")
  func commits() throws {
    let ruleset = try compiled(rules("resource.data.s.matches('[a-z]*b?') || true", method: .update))
    let documents = MemoryDocuments()
    let circumstances = Circumstances(
      method: .update, data: ["s": .string(String(repeating: "a", count: 1_000_000))], new: [:])
    func allowed(_ count: Int) -> Int {
      (0..<count).count { _ in
        ruleset.decide(circumstances.request(documents), documents: documents).isAllowed
      }
    }
    documents.beginCommit()
    let most = allowed(200)
    #expect(most > 5 && most < 100, "\(most)")
    let refused = ruleset.explain(circumstances.request(documents), documents: documents)
    #expect(!refused.decision.isAllowed && refused.limits.first?.kind == .work, "\(refused.message)")
    documents.beginRequest()
    #expect(allowed(200) == 200)
    documents.beginCommit()
    #expect(allowed(5) == 5)
  }
}
