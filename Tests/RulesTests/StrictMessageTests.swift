/// What is said about a query beside its verdict: every text is checked, and every advice is taken.

import DocModel
import RulesTools
import Testing

@testable import Rules

private func proof(
  _ condition: String, _ query: String, pattern: String = "/posts/{id}", documents: [String: Fields] = [:]
) throws -> ListProof {
  let row = StrictRow(0, condition, query, true, true, pattern: pattern)
  let ruleset = try compiled(row.source)
  let request = RuleRequest(list: ListQueryText.shape(query), auth: me, time: strictTime)
  return try #require(ruleset.prove(request, documents: MemoryDocuments(documents)))
}

@Suite("Lists: what is said beside the verdict")
struct StrictMessageTests {
  @Test(
    "a refusal names the filters that would make the query pass",
    arguments: [
      (
        "rd.published == true || rd.author == UID", "posts",
        "where published == true or where author == \"me\""
      ),
      (
        "rd.published == true && rd.lang in ['en', 'de']", "posts",
        "where published == true and lang in [\"en\", \"de\"]"
      ),
      ("rd.x > 5", "posts where x >= 5", "where x > 5"),
      ("UID in rd.members", "posts", "where members array-contains \"me\""),
      ("rd.open", "posts where n == 1", "where open == true"),
      ("rd.meta.owner == UID", "posts", "where meta.owner == \"me\""),
      ("rd.kind == 'open' ? true : rd.author == UID", "posts", "where kind == \"open\""),
      ("rd.author == UID", "posts where author == 'you'", "where author == \"me\" instead"),
      ("rd.author == UID", "posts where author in ['me', 'you']", "where author == \"me\" instead"),
      ("id == UID", "posts", "where __name__ == \"me\""),
      ("mine(rd)", "posts", nil),
    ] as [(String, String, String?)])
  func refusal(condition: String, query: String, advice: String?) throws {
    let condition = condition.replacing("mine(rd)", with: "false && rd.author == UID")
    let proof = try proof(condition, query)
    #expect(!proof.mirror.isAllowed)
    #expect(proof.adviceLine == advice.map { "allowed with \($0)" })
  }

  @Test(
    "a leak shows a document and the rule",
    arguments: [
      ("!('secret' in rd)", "posts", "{secret: \"other\"}"),
      ("!rd.keys().hasAny(['secret'])", "posts where a == 1", "{a: 1, secret: \"other\"}"),
      ("rd.keys().hasOnly(['a'])", "posts where a == 1", "{a: 1, other: true}"),
      (
        "rd.size() < 3", "posts where a == 1",
        "{a: 1, filler1: null, filler2: null}"
      ),
      ("rd.get('private', false) == false", "posts", "{private: \"other\"}"),
      ("!(rd.kind in ['x', 'y'])", "posts where kind != 'x'", "{kind: \"y\"}"),
    ])
  func leak(condition: String, query: String, document: String) throws {
    let proof = try proof(condition, query)
    #expect(proof.finding == .leak)
    #expect(
      proof.message?.hasPrefix(
        "warning: the service allows this although it can return \(document), which rule L2 refuses") == true,
      "\(proof.message ?? "")")
  }

  @Test(
    "a provable query says what to add or to write",
    arguments: [
      (
        "rd.x > 5", "posts where x >= 5.5", "it cannot decide `resource.data.x > 5` at L2; add where x > 5"
      ),
      (
        "!(rd.hidden == true)", "posts where hidden != true",
        "it cannot decide `!(resource.data.hidden == true)` at L2; write `resource.data.hidden != true`"
      ),
      (
        "rd.keys().hasAll(['rank'])", "posts order rank desc",
        "it cannot decide `resource.data.keys().hasAll(['rank'])` at L2; narrow it with where rank != null"
      ),
      ("rd.x is number", "posts where x > 0", "it cannot decide `resource.data.x is number` at L2"),
      (
        "rd.x == 5", "posts where x >= 5, x <= 5",
        "it cannot decide `resource.data.x == 5` at L2; add where x == 5"
      ),
    ])
  func provable(condition: String, query: String, text: String) throws {
    let proof = try proof(condition, query)
    #expect(proof.finding == .provable)
    #expect(proof.message == "note: safe, but the service refuses this shape; \(text)")
  }

  @Test("agreement says nothing, and needs no witness")
  func agreement() throws {
    let proof = try proof("rd.author == UID", "posts where author == 'me'")
    #expect(proof.finding == .agreed && proof.message == nil && proof.advice.isEmpty && proof.witness == nil)
    #expect(proof.branches == 1)
  }

  @Test("a proof counts no document that only it asks for, and leaves the verdict as it was")
  func accesses() throws {
    let row = StrictRow(
      0, "rd.open == true || get($doc/teams/t1).data.open == true", "", true, true)
    let ruleset = try compiled(row.source)
    let documents = MemoryDocuments(["teams/t1": ["open": .boolean(false)]])
    let request = RuleRequest(
      list: ListQueryText.shape("posts where open == true"), auth: me, time: strictTime)
    documents.beginRequest()
    let proof = try #require(ruleset.prove(request, documents: documents))
    #expect(proof.strict == .allowed && proof.mirror.accesses == 0)
    #expect(documents.distinctAccesses == 0)
    #expect(ruleset.decide(request, documents: documents).isAllowed)
    let explanation = ruleset.explain(
      RuleRequest(list: ListQueryText.shape("posts"), auth: me, time: strictTime), documents: documents)
    #expect(!explanation.isAllowed && explanation.accessedPaths == ["teams/t1"])
    #expect(explanation.advice == "allowed with where open == true")
  }

  @Test("a named document that does not exist is safe to ask for, and the service refuses it")
  func named() throws {
    let row = StrictRow(0, "rd.get('open', true) == true || UID == id", "", true, true)
    let ruleset = try compiled(row.source)
    let request = RuleRequest(
      list: ListQueryText.shape("posts where __name__ == 'none', open == true"), auth: me, time: strictTime)
    let proof = try #require(ruleset.prove(request, documents: MemoryDocuments()))
    #expect(proof.strict == .allowed && !proof.mirror.isAllowed && proof.finding == .provable)
  }

  @Test(
    "rules that leak to whoever asks for everything are found without a query",
    arguments: [
      ("!('secret' in rd)", "!('secret' in resource.data)"),
      (
        "request.auth != null && rd.get('private', false) == false",
        "resource.data.get('private', false) == false"
      ),
      ("rd.keys().hasOnly(['a'])", "resource.data.keys().hasOnly(['a'])"),
      ("rd.size() < 5", "resource.data.size() < 5"), ("rd.author == UID", nil), ("true", nil),
      ("request.auth == null && !('secret' in rd)", nil),
    ] as [(String, String?)])
  func listLeaks(condition: String, span: String?) throws {
    let ruleset = try compiled(StrictRow(0, condition, "", true, true).source)
    let leaks = ruleset.listLeaks()
    #expect(leaks.count == (span == nil ? 0 : 1))
    #expect(leaks.first?.span.map { ruleset.source.text(of: $0) } == span)
    #expect(leaks.allSatisfy { $0.kind == .listLeak && $0.severity == .warning })
  }

  @Test("a leak is told at the rule that grants, not at one beside it that refuses everything")
  func leakBesideRefusal() throws {
    let ruleset = try compiled(
      """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /posts/{id} { allow list: if !('secret' in resource.data); }
          match /{everything=**} { allow read, write: if false; }
        }
      }
      """)
    let spans = ruleset.listLeaks().map { $0.span.map { ruleset.source.text(of: $0) } }
    #expect(spans == ["!('secret' in resource.data)"])
  }

  @Test(
    "patterns of all shapes are asked for everything",
    arguments: [
      ("/posts/{id}", 1), ("/users/{uid}/notes/{n}", 1), ("/{path=**}/posts/{p}", 1), ("/{all=**}", 1),
      ("/posts/{rest=**}", 1), ("/posts/one", 0), ("/a/{x}/b/{rest=**}", 1),
    ])
  func patterns(pattern: String, count: Int) throws {
    let ruleset = try compiled(StrictRow(0, "!('secret' in rd)", "", true, true, pattern: pattern).source)
    #expect(ruleset.listLeaks().count == count)
  }
}
