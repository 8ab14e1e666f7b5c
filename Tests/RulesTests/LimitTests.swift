/// Limits at run time: both sides of each boundary, and where it was crossed.
///
/// The boundaries were asked of the official emulator. Source: docs/spec/production-differences.md 1.9.

import DocModel
import Testing

@testable import Rules

/// A balanced `&&` of n times `true`: it costs 3n − 2.
private func balanced(_ count: Int) -> String {
  count == 1 ? "true" : "(\(balanced(count / 2)) && \(balanced(count - count / 2)))"
}

private func lookups(_ range: Range<Int>) -> String {
  range.map { "!exists(/databases/$(database)/documents/u/d\($0))" }.joined(separator: " && ")
}

private func explained(_ source: String, _ method: RuleMethod = .get) throws -> Explanation {
  let documents = MemoryDocuments()
  return try compiled(source).explain(Circumstances(method: method).request(documents), documents: documents)
}

@Suite("Limit: evaluated expressions")
struct ExpressionLimitTests {
  @Test(
    "1,000 pass and 1,001 do not, over all that is tried for one operation",
    arguments: [
      ([balanced(334)], Decision.Reason.granted), ([balanced(335)], .budget),
      (["false", balanced(333)], .granted), (["false", balanced(334)], .budget),
      (["false || false", balanced(333)], .budget), (["true", balanced(335)], .granted),
      ([balanced(335), "true"], .budget), (["\(balanced(335)) || true"], .budget),
    ])
  func boundary(conditions: [String], expected: Decision.Reason) throws {
    let allows = conditions.map { "allow get: if \($0);" }
    // Once in one block, once in two blocks that both match.
    for blocks in [
      ["/t/{id} { \(allows.joined()) }"], allows.enumerated().map { "/{a\($0)}/{id} { \($1) }" },
    ] {
      let source = """
        rules_version = '2';
        service cloud.firestore { match /databases/{database}/documents {
          \(blocks.map { "match \($0)" }.joined(separator: "\n"))
        } }
        """
      let explanation = try explained(source)
      #expect(explanation.decision.reason == expected)
      #expect(explanation.limits.count == (expected == .budget ? 1 : 0))
    }
  }

  @Test("what is asked of other methods is free")
  func otherMethods() throws {
    let source = rules("true").replacing(
      "allow get", with: "allow list: if \(balanced(335)); allow create: if \(balanced(335)); allow get")
    #expect(try explained(source).isAllowed)
  }

  @Test("each operation of a request, and each disjunct of a query, has a budget of its own")
  func perOperation() throws {
    let ruleset = try compiled(rules(balanced(334)))
    let documents = MemoryDocuments()
    documents.beginRequest()
    for _ in 0..<3 {
      #expect(ruleset.decide(Circumstances().request(documents), documents: documents).isAllowed)
    }
    let list = try compiled(rules("resource.data.f >= 0 && \(balanced(200))", method: .list))
    let field = try #require(FieldPath(segments: ["f"]))
    let disjuncts = (0..<10).map { number in
      QueryDisjunct([FieldTest(field, .equal, .integer(Int64(number)))])
    }
    let query = QueryShape(parent: .root, collectionID: "t", disjuncts: disjuncts)
    let request = Circumstances(method: .list, query: query).request(documents)
    #expect(list.decide(request, documents: documents).isAllowed)
  }

  /// Each costs more than the budget; the text is the innermost expression that crossed it.
  @Test(
    "the expression that crossed the limit is named",
    arguments: [
      (balanced(335), "true"), ("\(balanced(332)) && resource.data.keys().size() == 0", "resource.data"),
      ("f() && f() && f() && g(1)", "4"), ("false || f() && f() && f() && h()", "resource.data.abc"),
      ("(f() && f() && f()) ? [1, 2, 3, 4] == [id, id, id] : false", "id"),
    ])
  func spot(condition: String, text: String) throws {
    // f costs 1 + 328; g and h what is left.
    let functions = """
      function f() { return \(balanced(110)); }
      function g(x) { let y = 'text'; return y.size() == 4; }
      function h() { return resource.data.abc == 1; }
      """
    let explanation = try explained(rules(condition, functions: functions))
    #expect(explanation.decision.reason == .budget)
    let limit = try #require(explanation.limits.first)
    #expect(limit.kind == .expressions && limit.maximum == 1_000)
    #expect(limit.text == text)
    #expect(limit.description.hasPrefix("test.rules:\(limit.position.line):\(limit.position.column): over"))
    #expect(explanation.message.hasPrefix("\n" + FaultText.budget))
  }
}

@Suite("Limit: documents that rules read")
struct AccessLimitTests {
  @Test(
    "10 for a read or a write of one document, 20 for a query",
    arguments: [
      (RuleMethod.get, 10), (.create, 10), (.update, 10), (.delete, 10), (.list, 20),
    ])
  func perOperation(method: RuleMethod, maximum: Int) throws {
    #expect(try explained(rules(lookups(0..<maximum), method: method), method).isAllowed)
    let refused = try explained(rules(lookups(0..<maximum + 1), method: method), method)
    #expect(!refused.isAllowed)
    let limit = try #require(refused.limits.first)
    #expect(limit.kind == .documents && limit.maximum == maximum)
    #expect(limit.text == "exists(/databases/$(database)/documents/u/d\(maximum))")
    #expect(refused.message.hasPrefix("\nService call error. Function: [exists]"))
  }

  @Test("a denial that has another cause names no limit")
  func otherCauses() throws {
    #expect(try explained(rules("\(lookups(0..<10)) && false")).limits.isEmpty)
    #expect(try explained(rules("exists(/databases/other/documents/a/b)")).limits.isEmpty)
    #expect(try explained(rules("(\(lookups(0..<11))) || true")).limits.isEmpty)
  }

  @Test("20 for all operations of one request, and the twenty-first is told apart")
  func perRequest() throws {
    let source = """
      rules_version = '2';
      service cloud.firestore { match /databases/{database}/documents {
        match /a/{id} { allow get: if \(lookups(0..<10)); }
        match /b/{id} { allow get: if \(lookups(10..<20)); }
        match /c/{id} { allow get: if \(lookups(5..<15)); }
        match /d/{id} { allow get: if \(lookups(20..<21)); }
      } }
      """
    let ruleset = try compiled(source)
    let documents = MemoryDocuments()
    documents.beginRequest()
    func explain(_ path: String) -> Explanation {
      let request = RuleRequest(
        method: .get, path: ResourcePath(unchecked: path), auth: nil, time: testTime)
      return ruleset.explain(request, documents: documents)
    }
    #expect(explain("a/x").isAllowed && explain("b/x").isAllowed && explain("c/x").isAllowed)
    let refused = explain("d/x")
    #expect(refused.limits.map(\.kind) == [.documentsOfRequest])
    #expect(refused.limits.map(\.maximum) == [20])
  }

  /// Calls on one path, and how many of the operation's documents they are, as all others that fit in tell. `e` is `exists`,
  /// `g` is `get`, `E` and `G` are those after the commit. The official emulator's answers, version 1.19.9.
  private static let onePath: [(method: RuleMethod, document: String, calls: [String: Int])] = [
    (
      .update, "c/stored",
      [
        "e": 1, "g": 1, "E": 1, "G": 1, "ee": 1, "eg": 2, "eE": 1, "eG": 2, "ge": 1, "gg": 1, "gE": 1,
        "gG": 1,
        "Ee": 1, "Eg": 2, "EE": 1, "EG": 2, "Ge": 1, "Gg": 1, "GE": 1, "GG": 1, "egE": 2, "egG": 2, "eEg": 2,
        "geE": 1, "geG": 1, "Ege": 2, "EGg": 2, "Geg": 1,
      ]
    ),
    (
      .update, "c/missing",
      [
        "e": 1, "g": 1, "E": 1, "G": 1, "ee": 1, "eg": 2, "eE": 1, "eG": 2, "ge": 2, "gg": 2, "gE": 2,
        "gG": 2,
        "Ee": 1, "Eg": 2, "EE": 1, "EG": 2, "Ge": 2, "Gg": 2, "GE": 2, "GG": 2, "egE": 2, "egG": 3, "eEg": 2,
        "geE": 2, "geG": 3, "Ege": 2, "EGg": 3, "Geg": 3, "gGe": 3,
      ]
    ),
    (.update, "t/x", ["e": 0, "g": 0, "eg": 0, "GE": 0, "egE": 0]),
    (.get, "c/stored", ["e": 1, "g": 1, "eg": 2, "ge": 1]),
    (.list, "c/stored", ["e": 1, "g": 1, "eg": 2, "ge": 2, "egE": 2, "eG": 2, "gg": 1, "gG": 1]),
    (.list, "c/missing", ["e": 1, "eg": 2]),
  ]

  @Test("whether a document exists and what it holds count apart", arguments: 0..<Self.onePath.count)
  func ofOnePath(row: Int) throws {
    let row = Self.onePath[row]
    let path = "(/databases/$(database)/documents/\(row.document))"
    let texts: [Character: String] = [
      "e": "exists\(path)", "g": "get\(path) == null", "E": "existsAfter\(path)",
      "G": "getAfter\(path) == null",
    ]
    let maximum = row.method == .list ? 20 : 10
    for (calls, cost) in row.calls {
      let calling = calls.map { "(\(texts[$0] ?? "") || true)" }.joined(separator: " && ")
      for (others, isAllowed) in [(maximum - cost, true), (maximum - cost + 1, false)] {
        let documents = MemoryDocuments(["c/stored": [:], "t/x": [:]])
        documents.failsAtMissing = true
        let source = rules("\(calling) && \(lookups(0..<others))", method: row.method)
        let request = Circumstances(method: row.method).request(documents)
        let found = try compiled(source).decide(request, documents: documents).isAllowed
        #expect(found == isAllowed, "\(row.method) \(row.document) \(calls) beside \(others)")
      }
    }
  }

  @Test(
    "of a document that is missing, where `get` is null, all is known", arguments: ["gg", "ge", "GE", "gGe"])
  func ofMissingDocument(calls: String) throws {
    let path = "(/databases/$(database)/documents/c/missing)"
    let texts: [Character: String] = [
      "e": "!exists\(path)", "g": "get\(path) == null", "E": "!existsAfter\(path)",
      "G": "getAfter\(path) == null",
    ]
    let calling = calls.map { texts[$0] ?? "" }.joined(separator: " && ")
    #expect(try explained(rules("\(calling) && \(lookups(0..<9))", method: .update), .update).isAllowed)
    #expect(try !explained(rules("\(calling) && \(lookups(0..<10))", method: .update), .update).isAllowed)
  }

  @Test("the disjuncts of one query share its 20 documents", arguments: [(2, true), (3, false)])
  func disjuncts(count: Int, isAllowed: Bool) throws {
    let reads = (0..<7).map {
      "!exists(/databases/$(database)/documents/u/$(string(resource.data.f) + 'x\($0)'))"
    }
    let ruleset = try compiled(rules(reads.joined(separator: " && "), method: .list))
    let field = try #require(FieldPath(segments: ["f"]))
    let disjuncts = (0..<count).map { number in
      QueryDisjunct([FieldTest(field, .equal, .integer(Int64(number)))])
    }
    let documents = MemoryDocuments()
    let query = QueryShape(parent: .root, collectionID: "t", disjuncts: disjuncts)
    let request = Circumstances(method: .list, query: query).request(documents)
    #expect(ruleset.decide(request, documents: documents).isAllowed == isAllowed)
  }
}
