/// Explanations: the tree of values, what was read, and the lines of a denial.

import DocModel
import Foundation
import RulesTools
import Testing

@testable import Rules

private let rules = """
  rules_version = '2';
  service cloud.firestore { match /databases/{db}/documents {
    function user(id) { let path = /databases/$(db)/documents/users/$(id); return get(path).data; }
    match /notes/{id} {
      // @id notes.get
      allow get: if exists(/databases/$(db)/documents/bans/$(request.auth.uid)) == false
        && user(request.auth.uid).level > resource.data.level;
      // @id notes.secret
      allow get: if resource.data.secret == id || resource.data.nope == 1;
      // @id notes.list
      allow list: if resource.data.owner == request.auth.uid;
    }
  }}
  """

@Suite("Detailed explanations")
struct ExplainTests {
  private let documents = HeldDocuments([
    "notes/n": ["level": .integer(3), "secret": .string("hidden-value")],
    "users/ann": ["level": .integer(2)],
  ])

  private func explained() throws -> DetailedExplanation {
    documents.beginRequest()
    return try compiledRules(rules).explainInDetail(getRequest("notes/n", documents), documents: documents)
  }

  @Test("each rule has its tree, with values, calls and what was not evaluated")
  func tree() throws {
    let explained = try explained()
    #expect(!explained.explanation.isAllowed)
    #expect(explained.rules.map(\.trace.id) == ["notes.get", "notes.secret"])
    let condition = try #require(explained.rules[0].condition)
    #expect(condition.kind == "&&")
    let comparison = condition.operands[1]
    guard case .value(.boolean(false)) = comparison.outcome else {
      Issue.record("the comparison is \(comparison.outcome)")
      return
    }
    let call = try #require(comparison.operands[0].operands[0].call)
    #expect(call.name == "user")
    #expect(call.lets.map(\.name) == ["path"])
    #expect(call.result.text == "get(path).data")
    let other = try #require(explained.rules[1].condition)
    guard case .value(let value) = other.outcome else {
      Issue.record("not evaluated")
      return
    }
    #expect(value.isError)
  }

  @Test("documents read are told, found or not, and by which function")
  func reads() throws {
    let reads = try explained().documents
    #expect(reads.map(\.path) == ["bans/ann", "users/ann"])
    #expect(reads.map(\.isFoundBefore) == [false, true])
    #expect(reads.map(\.functions) == [["exists"], ["get"]])
  }

  @Test("the text is a tree with values beside it")
  func text() throws {
    let text = ExplainText.text(try explained(), width: 100)
    #expect(text.hasPrefix("✗ deny  get /notes/n  as ann\n"))
    #expect(text.contains("  notes.get  test.rules:6  refused\n"))
    #expect(text.contains("✗ user(request.auth.uid).level > resource.data.level"))
    #expect(text.contains("let path = /databases/$(db)/documents/users/$(id)"))
    #expect(text.contains("! resource.data.nope == 1"))
    #expect(text.contains("    because `user(request.auth.uid).level > resource.data.level` is false\n"))
    #expect(text.contains("    bans/ann   missing  exists\n"))
    #expect(text.contains("documents\n"))
    for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
  }

  @Test("the JSON is JSON, with every expression")
  func json() throws {
    let text = ExplainJSON.text(try explained())
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(json["allowed"] as? Bool == false)
    let cost = try #require(json["cost"] as? [String: Any])
    #expect(cost["documents"] as? Int == 2)
    #expect(cost["documentsMax"] as? Int == 10)
    let rules = try #require(json["rules"] as? [[String: Any]])
    #expect(rules.map { $0["id"] as? String } == ["notes.get", "notes.secret"])
    let condition = try #require(rules[0]["condition"] as? [String: Any])
    #expect((condition["operands"] as? [Any])?.count == 2)
  }

  @Test("a query is explained disjunct by disjunct")
  func query() throws {
    documents.beginRequest()
    let owner = try #require(FieldPath.field("owner"))
    let shape = QueryShape(
      parent: .root, collectionID: "notes",
      disjuncts: [[FieldTest(owner, .in, .array([.string("ann"), .string("bob")]))]])
    let explained = try compiledRules(rules).explainInDetail(
      RuleRequest(list: shape, auth: somebody, time: Timestamp(seconds: 5, nanoseconds: 0)),
      documents: documents)
    #expect(explained.disjuncts == ["owner == \"ann\"", "owner == \"bob\""])
    #expect(explained.rules.map(\.trace.disjunct) == [0, 1])
    let text = ExplainText.text(explained)
    #expect(text.contains("disjunct 2 of 2: owner == \"bob\""))
  }

}
