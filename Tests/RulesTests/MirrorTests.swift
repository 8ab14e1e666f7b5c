/// Which lists are granted: docs/spec/production-differences.md 1.10 and recorded answers.

import DocModel
import Testing

@testable import Rules

private func shape(_ disjuncts: [QueryDisjunct]) -> QueryShape {
  QueryShape(parent: .root, collectionID: "t", disjuncts: disjuncts)
}

/// T, F or E for a condition and a query.
private func letter(_ ruleset: Ruleset, _ query: QueryShape, _ documents: MemoryDocuments = MemoryDocuments())
  -> Character
{
  let explanation = ruleset.explain(RuleRequest(list: query, auth: nil, time: testTime), documents: documents)
  if explanation.isAllowed { return "T" }
  guard let last = explanation.allows.last else { return "-" }
  if case .fault = last.outcome { return "E" }
  return "F"
}

private let users = "projects/demo/databases/(default)/documents/"

private func name(_ path: String) -> FieldTest {
  FieldTest(.documentName, .equal, .reference(users + path))
}

private func equal(_ field: String, _ value: Value) -> FieldTest {
  FieldTest(
    FieldPath(segments: field.split(separator: ".").map(String.init)) ?? .documentName, .equal, value)
}

@Suite("Lists: the platform's own verdicts")
struct MirrorTests {
  @Test("1,506 recorded pairs of condition and query", arguments: mirrorGrids.indices)
  func recorded(index: Int) throws {
    let grid = mirrorGrids[index]
    for row in grid.rows {
      let ruleset = try compiled(rules(row.condition, method: .list))
      let answers = grid.queries.map { letter(ruleset, shape($0)) }
      #expect(String(answers) == row.verdicts, "\(row.condition)")
    }
  }

  @Test(
    "a query by key loads and judges the document",
    arguments: [
      ("id == 'one'", ["t/one"], Character("T")), ("id == 'one'", ["t/two"], "F"),
      ("id == 'one'", ["t/one", "t/two"], "F"),
      ("resource.data.owner == 'me'", ["t/one"], "T"), ("resource.data.owner == 'me'", ["t/two"], "F"),
      ("resource.data.owner == 'me'", ["t/none"], "E"), ("resource == null", ["t/none"], "E"),
      ("id is string", ["t/none"], "T"),
      ("resource.id == 'one' && resource.__name__ == request.path", ["t/one"], "T"),
      ("resource.data.keys().hasOnly(['n', 'owner'])", ["t/one", "t/two"], "T"),
    ])
  func byName(condition: String, names: [String], expected: Character) throws {
    let documents = MemoryDocuments([
      "t/one": ["owner": .string("me"), "n": .integer(1)], "t/two": ["owner": .string("you")],
    ])
    let ruleset = try compiled(rules(condition, method: .list))
    let filter = FieldTest(.documentName, .in, .array(names.map { .reference(users + $0) }))
    #expect(letter(ruleset, shape([[filter]]), documents) == expected)
  }

  @Test("ranges on the key bind nothing, further filters beside a key do not matter")
  func keyRanges() throws {
    let documents = MemoryDocuments(["t/one": ["owner": .string("me")]])
    let ruleset = try compiled(rules("id == 'one' && resource.data.owner == 'me'", method: .list))
    let range = FieldTest(.documentName, .greaterThanOrEqual, .reference(users + "t/one"))
    #expect(letter(ruleset, shape([[range]]), documents) == "E")
    #expect(letter(ruleset, shape([[name("t/one"), equal("owner", .string("you"))]]), documents) == "T")
  }

  /// Patterns, then: collection, group, group below a document, collection below a document.
  @Test(
    "a pattern must cover every path of the query",
    arguments: [
      ("/{p=**}/t/{d}", "TTTT"), ("/{p=**}/{d}", "TTTT"), ("/{d=**}", "TTTT"), ("/t/one", "----"),
      ("/{c}/{d}", "T---"),
      ("/t/{d}", "T---"), ("/t/{d=**}", "T---"), ("/t/{d}/{r=**}", "T---"), ("/{c}/{d=**}", "T-TT"),
      ("/{p=**}/t/one", "----"),
      ("/a/{x}/t/{d}", "---T"), ("/a/b/{c}/{d}", "---T"), ("/a/b/t/{d}", "---T"),
    ])
  func patterns(pattern: String, expected: String) throws {
    let ruleset = try compiled(rules("true", method: .list, pattern: pattern))
    let below = ResourcePath(unchecked: "a/b")
    let queries = [
      QueryShape(parent: .root, collectionID: "t"),
      QueryShape(parent: .root, collectionID: "t", allDescendants: true),
      QueryShape(parent: below, collectionID: "t", allDescendants: true),
      QueryShape(parent: below, collectionID: "t"),
    ]
    #expect(String(queries.map { letter(ruleset, $0) }) == expected)
  }

  @Test(
    "request.query, request.path and captures of a list",
    arguments: [
      ("request.query.limit == 3 && request.query.offset == 2", Character("T")),
      ("request.query.orderBy == {'a.b': 'DESC', 'c': 'ASC'}", "T"),
      ("request.query.orderBy.size() == 2", "T"),
      (
        "request.query.keys() == ['allDescendants', 'distinct', 'groupBy', 'kind', 'limit', 'offset', 'orderBy', 'parent', 'selectOnlyKeys']",
        "T"
      ),
      ("request.query.kind == 't' && request.query.parent == null && !request.query.allDescendants", "T"),
      ("request.query.keys().hasOnly(['limit', 'offset', 'orderBy'])", "F"),
      ("request.path == /databases/$(database)/documents/t", "T"), ("id == 'x'", "E"), ("id is string", "E"),
      ("resource.id == 'x'", "E"), ("resource == null", "F"), ("request.method == 'list'", "T"),
      ("resource.keys() == ['data']", "T"), ("exists(/databases/$(database)/documents/u/$(id)) || true", "T"),
    ])
  func circumstances(condition: String, expected: Character) throws {
    let ruleset = try compiled(rules(condition, method: .list))
    let query = QueryShape(
      parent: .root, collectionID: "t", limit: 3, offset: 2,
      orderBy: [
        QueryShape.Order(try FieldPath.parse("a.b"), isDescending: true),
        QueryShape.Order(try FieldPath.parse("c")),
      ])
    #expect(letter(ruleset, query) == expected)
  }

  @Test("each disjunct may be granted by another allow, also of another block")
  func disjuncts() throws {
    let ruleset = try compiled(
      """
      rules_version = '2';
      service cloud.firestore { match /databases/{database}/documents {
        match /t/{id} { allow list: if resource.data.open == true; }
        match /{c}/{id} { allow list: if resource.data.owner == 'me'; }
      } }
      """)
    let open = equal("open", .boolean(true))
    let mine = equal("owner", .string("me"))
    #expect(letter(ruleset, shape([[open], [mine]])) == "T")
    #expect(letter(ruleset, shape([[open], [equal("owner", .string("you"))]])) == "F")
    #expect(letter(ruleset, shape([[open, equal("owner", .string("you"))]])) == "T")
  }

  @Test("a path through a filtered field is read for every value")
  func lookups() throws {
    let documents = MemoryDocuments(["u/a": ["ok": .boolean(true)], "u/b": ["ok": .boolean(false)]])
    let ruleset = try compiled(
      rules("get(/databases/$(database)/documents/u/$(resource.data.f)).data.ok", method: .list))
    #expect(letter(ruleset, shape([[equal("f", .string("a"))]]), documents) == "T")
    let both = FieldTest(try FieldPath.parse("f"), .in, .array([.string("a"), .string("b")]))
    #expect(letter(ruleset, shape([[both]]), documents) == "F")
  }

  @Test(
    "a refused query says what it lacks",
    arguments: [
      (
        "request.auth != null && (resource.data.privacySettings.avatarPrivacy == 'public' || id == request.auth.uid)",
        "privacySettings.avatarPrivacy == \"public\""
      ),
      ("resource.data.userId == request.auth.uid", "userId == \"alice\""), ("resource.data.n > 3", "n > 3"),
      ("3 >= resource.data.n", "n <= 3"),
      ("request.auth.uid in resource.data.members", "members array-contains \"alice\""),
      ("resource.data.kind in ['a', 'b']", "kind in [\"a\", \"b\"]"), ("resource.data.open", "open == true"),
      ("mine()", "userId == \"alice\""), ("owns(resource.data)", "userId == \"alice\""),
      ("ownsAll(resource)", "userId == \"alice\""),
      ("owns(resource.data.owner)", "owner.userId == \"alice\""),
      ("isSelf(resource.data.uid)", "uid == \"alice\""), ("isSelf(id)", "__name__ == \"alice\""),
      ("isSelf(resource.data['uid'])", "uid == \"alice\""), ("lets()", "a.userId == \"alice\""),
      ("isMember(resource.data.members)", "members array-contains \"alice\""),
      ("isTrue(resource.data.open)", "open == true"),
      ("resource.data.get('userId', '') == request.auth.uid", "userId == \"alice\""),
    ])
  func missing(condition: String, expected: String) throws {
    let functions = """
      function mine() { return resource.data.userId == request.auth.uid; }
      function owns(d) { return d.userId == request.auth.uid; }
      function ownsAll(r) { let d = r.data; return owns(d); }
      function isSelf(value) { return request.auth.uid == value; }
      function isMember(list) { return request.auth.uid in list; }
      function isTrue(value) { return value; }
      function lets() { let a = resource.data.a; return a.userId == request.auth.uid; }
      """
    let ruleset = try compiled(rules(condition, method: .list, functions: functions))
    let documents = MemoryDocuments()
    let request = RuleRequest(list: shape([[]]), auth: alice, time: testTime)
    let explanation = ruleset.explain(request, documents: documents)
    #expect(explanation.decision.reason == .unprovable)
    #expect(explanation.missingFilters.first?.text == expected)
    #expect(ruleset.decide(request, documents: documents).reason == .unprovable)
  }

  @Test("a query with another user's id is unprovable, a guest's is refused by the condition that failed")
  func reasons() throws {
    let ruleset = try compiled(
      rules("request.auth != null && resource.data.userId == request.auth.uid", method: .list))
    let documents = MemoryDocuments()
    let foreign = shape([[equal("userId", .string("bob"))]])
    #expect(
      ruleset.decide(RuleRequest(list: foreign, auth: alice, time: testTime), documents: documents).reason
        == .unprovable)
    #expect(
      ruleset.decide(RuleRequest(list: foreign, auth: nil, time: testTime), documents: documents).reason
        == .condition)
  }

  @Test("more disjuncts than the limit are refused, not judged in part")
  func tooManyDisjuncts() throws {
    let ruleset = try compiled(rules("true", method: .list))
    let wide = FieldTest(try FieldPath.parse("f"), .in, .array((0..<101).map { .integer($0) }))
    #expect(
      ruleset.decide(
        RuleRequest(list: shape([[wide]]), auth: nil, time: testTime), documents: MemoryDocuments()
      ).reason == .unprovable)
  }
}
