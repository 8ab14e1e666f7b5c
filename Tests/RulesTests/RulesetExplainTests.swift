/// Explanations: which allow, what decided, and the official message.

import DocModel
import Testing

@testable import Rules

private let profileRules = """
  rules_version = '2';
  service cloud.firestore { match /databases/{db}/documents {
    function signedIn() { return request.auth != null; }
    function doc(uid) { return get(/databases/$(db)/documents/users/$(uid)).data; }
    function me() { return doc(request.auth.uid); }
    match /users/{userId} {
      function own() { return signedIn() && request.auth.uid == userId; }
      // @id profile
      allow get: if signedIn() && (own()
        || resource.data.privacySettings.avatarPrivacy == 'public'
        || (resource.data.privacySettings.avatarPrivacy == 'groups-only'
            && me().joinedCommunities.hasAny(resource.data.joinedCommunities)));
      allow delete: if own();
    }
  }}
  """

private func person(_ communities: [String], _ privacy: String = "groups-only") -> Fields {
  [
    "privacySettings": .map(["avatarPrivacy": .string(privacy)]),
    "joinedCommunities": .array(communities.map { .string($0) }),
  ]
}

@Suite("Explanations")
struct RulesetExplainTests {
  private func explain(
    _ method: RuleMethod = .get, auth: AuthFacts?, mine: Fields?, theirs: Fields
  ) throws -> Explanation {
    let ruleset = try compiled(profileRules)
    let documents = MemoryDocuments(mine.map { ["users/alice": $0] } ?? [:])
    let request = RuleRequest(
      method: method, path: ResourcePath(unchecked: "users/bob"), auth: auth, time: testTime,
      resource: documents.hold(theirs))
    let explanation = ruleset.explain(request, documents: documents)
    #expect(explanation.decision.reason == ruleset.decide(request, documents: documents).reason)
    return explanation
  }

  @Test("a grant names its rule and the documents it read")
  func granted() throws {
    let explanation = try explain(auth: alice, mine: person(["area_askew"]), theirs: person(["area_askew"]))
    #expect(explanation.isAllowed)
    #expect(explanation.granting?.id == "profile")
    #expect(explanation.granting?.position == SourcePosition(line: 9, column: 19))
    #expect(explanation.accessedPaths == ["users/alice"])
    #expect(explanation.decision.accesses == 1)
    #expect(explanation.message == "")
    #expect(explanation.granting?.deciding.last?.text.contains("hasAny") == true)
  }

  @Test("of a disjunction that is false the last tried side decides, through its functions")
  func noOverlap() throws {
    let explanation = try explain(auth: alice, mine: person(["area_chelsea"]), theirs: person(["area_askew"]))
    let allow = try #require(explanation.allows.first)
    #expect(explanation.decision.reason == .condition)
    #expect(allow.outcome == .refused)
    #expect(allow.deciding.last?.text == "me().joinedCommunities.hasAny(resource.data.joinedCommunities)")
    #expect(
      allow.falseLeaves.map(\.text) == [
        "request.auth.uid == userId", "resource.data.privacySettings.avatarPrivacy == 'public'",
        "me().joinedCommunities.hasAny(resource.data.joinedCommunities)",
      ])
    #expect(explanation.message == "\nfalse for 'get' @ L9")
  }

  @Test("the first conjunct that is false decides, and its function's body")
  func guest() throws {
    let explanation = try explain(auth: nil, mine: nil, theirs: person([]))
    let texts = try #require(explanation.allows.first).deciding.map(\.text)
    #expect(texts.suffix(2) == ["signedIn()", "request.auth != null"])
  }

  @Test("a fault names the expression that failed")
  func missingProfile() throws {
    let explanation = try explain(auth: alice, mine: nil, theirs: person(["area_askew"]))
    guard case .fault(let fault) = try #require(explanation.allows.first).outcome else {
      Issue.record("no fault")
      return
    }
    let ruleset = try compiled(profileRules)
    #expect(fault.code == .nullValue)
    #expect(fault.message == "Null value error.")
    #expect(ruleset.source.text(of: fault.span) == "get(/databases/$(db)/documents/users/$(uid)).data")
    #expect(explanation.decision.reason == .fault)
    #expect(explanation.message == "\nNull value error. for 'get' @ L9")
  }

  @Test("an allow without a name is called by its pattern and methods")
  func fallbackID() throws {
    let explanation = try explain(.delete, auth: alice, mine: nil, theirs: person([]))
    #expect(explanation.allows.map(\.id) == ["/users/{userId} delete"])
  }

  @Test("no allow for the method")
  func unmatched() throws {
    let explanation = try explain(.update, auth: alice, mine: nil, theirs: person([]))
    #expect(explanation.decision.reason == .unmatched)
    #expect(explanation.allows.isEmpty)
    #expect(explanation.message == "\nNo matching allow statements")
  }

  @Test("several allows, one entry each, in the order of the source")
  func severalAllows() throws {
    let ruleset = try compiled(
      """
      rules_version = '2';
      service cloud.firestore { match /databases/{d}/documents {
        match /t/{id} {
          allow get: if false;
          allow read: if resource.data.x == 1;
        }
        match /{rest=**} { allow get: if 1; }
      } }
      """)
    let documents = MemoryDocuments()
    let explanation = ruleset.explain(Circumstances().request(documents), documents: documents)
    #expect(
      explanation.message
        == "\nfalse for 'get' @ L4, Property x is undefined on object. for 'get' @ L5, "
        + "Type error. Received: [int] Expected: [bool]. for 'get' @ L7")
  }

  @Test("explaining right after deciding gives the same verdict, also when lookups ran out")
  func lookupsRanOut() throws {
    let lookups = (0..<11).map { "!exists(/databases/$(database)/documents/u/d\($0))" }
    let ruleset = try compiled(rules(lookups.joined(separator: " && ")))
    let documents = MemoryDocuments()
    documents.beginRequest()
    let request = Circumstances().request(documents)
    #expect(ruleset.decide(request, documents: documents).reason == .fault)
    #expect(ruleset.explain(request, documents: documents).decision.reason == .fault)
    #expect(ruleset.explain(request, documents: documents).message.hasPrefix("\nService call error."))
    #expect(documents.fetches == 10)
  }

  @Test("explaining takes nothing from the budget and reads no document twice")
  func undisturbed() throws {
    let documents = MemoryDocuments(["users/alice": person(["a"])])
    let ruleset = try compiled(profileRules)
    let request = RuleRequest(
      method: .get, path: ResourcePath(unchecked: "users/bob"), auth: alice, time: testTime,
      resource: documents.hold(person(["b"])))
    let decided = ruleset.decide(request, documents: documents)
    let explained = ruleset.explain(request, documents: documents)
    #expect(explained.decision.expressions == decided.expressions)
    #expect(documents.fetches == 1)
  }
}

@Suite("Path matching")
struct MatchTests {
  private func allows(_ pattern: String, _ path: String, version: Int = 2) throws -> Bool {
    let ruleset = try compiled(rules("true", pattern: pattern, version: version))
    let request = RuleRequest(method: .get, path: ResourcePath(unchecked: path), auth: nil, time: testTime)
    return ruleset.decide(request, documents: MemoryDocuments()).isAllowed
  }

  @Test(
    "version 1 and version 2 globs",
    arguments: [
      ("/cities/{city}/{rest=**}", "cities/SF", false, true), ("/cities/{rest=**}", "cities/SF", true, true),
      ("/cities/{city}/{rest=**}", "cities/SF/a/b", true, true), ("/{all=**}", "a/b/c/d", true, true),
      ("/a/{x}", "a/b/c/d", false, false), ("/a/{x}/c/{y}", "a/b/c/d", true, true),
      ("/a/b", "a/b", true, true),
      ("/a/b", "a/c", false, false),
    ])
  func globs(pattern: String, path: String, one: Bool, two: Bool) throws {
    #expect(try allows(pattern, path, version: 1) == one)
    #expect(try allows(pattern, path, version: 2) == two)
  }

  @Test(
    "a glob before a collection takes any number of parents",
    arguments: [
      ("songs/x", true), ("a/b/songs/x", true), ("a/b/c/d/songs/x", true), ("songs/x/y/z", false),
      ("a/b", false),
    ])
  func groups(path: String, expected: Bool) throws {
    #expect(try allows("/{p=**}/songs/{id}", path) == expected)
  }

  @Test("captures are strings, globs are paths, also empty ones")
  func captures() {
    let deep = Circumstances(path: "a/b/t/x", pattern: "/{p=**}/t/{id}")
    #expect(deep.verdict("p == /a/b && id == 'x' && p[0] == 'a' && p is path && id is string") == .yes)
    let root = Circumstances(path: "t/x", pattern: "/{p=**}/t/{id}")
    #expect(root.verdict("p is path && id == 'x'") == .yes)
    #expect(root.outcome("p[0] == 'a'") == "Index out of bound error. Index: [0] , size: [0].")
  }

  @Test("many siblings are told apart")
  func siblings() throws {
    let blocks = (0..<200).map { "match /c\($0)/{id} { allow get: if id == 'd\($0)'; }" }.joined(
      separator: "\n")
    let ruleset = try compiled(
      "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { \(blocks) } }")
    let documents = MemoryDocuments()
    for number in [0, 7, 99, 100, 199] {
      let good = RuleRequest(
        method: .get, path: ResourcePath(unchecked: "c\(number)/d\(number)"), auth: nil, time: testTime)
      #expect(ruleset.decide(good, documents: documents).isAllowed)
      let bad = RuleRequest(
        method: .get, path: ResourcePath(unchecked: "c\(number)/d\(number + 1)"), auth: nil, time: testTime)
      #expect(ruleset.decide(bad, documents: documents).reason == .condition)
    }
  }

  @Test("a ruleset of another service grants nothing")
  func otherService() throws {
    let ruleset = try compiled(
      "rules_version = '2'; service firebase.storage { match /{all=**} { allow read, write: if true; } }")
    let documents = MemoryDocuments()
    #expect(ruleset.decide(Circumstances().request(documents), documents: documents).reason == .unmatched)
  }

  @Test("a path of a hundred pairs under globs is matched without harm")
  func longPath() throws {
    let path = (0..<100).map { "c\($0)/d\($0)" }.joined(separator: "/")
    #expect(try allows("/{a=**}", path))
    #expect(try allows("/{a=**}/c99/d99", path))
    #expect(try !allows("/{a=**}/c99/d98", path))
  }
}
