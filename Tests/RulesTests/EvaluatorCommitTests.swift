/// Reads and writes: what conditions see before and after.

import DocModel
import Testing

@testable import Rules

@Suite("Evaluator: requests")
struct EvaluatorRequestTests {
  @Test("getAfter sees the whole commit, get the state before it")
  func after() throws {
    let ruleset = try compiled(
      rules(
        """
        get(/databases/$(database)/documents/posts/p).data.likes == 1
          && getAfter(/databases/$(database)/documents/posts/p).data.likes == 2
          && !exists(/databases/$(database)/documents/likes/l)
          && existsAfter(/databases/$(database)/documents/likes/l)
          && !existsAfter(/databases/$(database)/documents/gone/g)
          && getAfter(/databases/$(database)/documents/gone/g) == null
        """, method: .update))
    let documents = MemoryDocuments(["posts/p": ["likes": .integer(1)], "gone/g": [:]])
    documents.setAfter("posts/p", ["likes": .integer(2)])
    documents.setAfter("likes/l", [:])
    documents.setAfter("gone/g", nil)
    let circumstances = Circumstances(method: .update)
    #expect(ruleset.decide(circumstances.request(documents), documents: documents).isAllowed)
  }

  @Test(
    "request.resource and resource by method",
    arguments: [
      (RuleMethod.get, "request.resource == null", Verdict.fault), (.get, "resource == null", .no),
      (.create, "resource == null", .yes), (.create, "request.resource.data.a == 1", .yes),
      (.update, "resource.data.b == 2 && request.resource.data.a == 1", .yes),
      (.update, "request.resource.data.diff(resource.data).affectedKeys() == ['a', 'b'].toSet()", .yes),
      (.delete, "request.resource == null", .yes), (.delete, "request.resource.data.a == 1", .fault),
      (.delete, "resource.data.b == 2", .yes), (.create, "request.resource.id == id", .yes),
      (.update, "request.resource.__name__ == request.path && resource.__name__ == request.path", .yes),
      (.update, "request.method == 'update'", .yes),
      (.get, "request.time == timestamp.value(1772355600000)", .yes),
      (.get, "request.query == null", .fault),
      (.get, "request.keys().hasAll(['auth', 'method', 'path', 'time'])", .yes),
      (.get, "'resource' in request", .no), (.create, "'resource' in request", .yes),
    ])
  func members(method: RuleMethod, expression: String, expected: Verdict) {
    var circumstances = Circumstances(method: method, data: ["b": .integer(2)], new: ["a": .integer(1)])
    if method == .create { circumstances.data = nil }
    #expect(circumstances.verdict(expression) == expected)
  }

  @Test(
    "claims",
    arguments: [
      ("request.auth.token.role == 'editor'", Verdict.yes),
      ("request.auth.token.email.matches('.*@example[.]com')", .yes),
      ("request.auth.token.nope == 1", .fault), ("request.auth.token.firebase.identities.size() == 0", .yes),
      ("request.auth.keys() == ['token', 'uid']", .yes), ("request.auth['uid'] == 'alice'", .yes),
      ("request['auth']['uid'] == 'alice'", .yes),
      ("request.auth.token.keys().hasAll(['email', 'role'])", .yes),
      ("request.auth.uid is string && request.auth is map", .yes),
    ])
  func claims(expression: String, expected: Verdict) {
    #expect(Circumstances(auth: alice).verdict(expression) == expected)
  }

  /// Asked of the official emulator with tokens that have no `sub`, an empty one, or one that is no text.
  @Test(
    "a token that names nobody is signed in, and its uid is null",
    arguments: [
      ("request.auth == null", Verdict.no), ("request.auth != null", .yes),
      ("request.auth.uid == null", .yes),
      ("request.auth.uid != null", .no), ("request.auth.uid == ''", .no), ("request.auth.uid is string", .no),
      ("'uid' in request.auth", .yes), ("request.auth.keys().size() == 2", .yes),
      ("request.auth.get('uid', 'none') == 'none'", .no), ("request.auth['uid'] is string", .no),
      ("request.auth.uid.size() == 0", .fault), ("request.auth.uid == request.auth.token.user_id", .no),
      ("request.auth.token.user_id == 'bob'", .yes), ("request.auth.token.sub == null", .fault),
    ])
  func namelessTokens(expression: String, expected: Verdict) {
    let nameless = AuthFacts(uid: nil, claims: ["user_id": .string("bob")])
    #expect(Circumstances(auth: nameless).verdict(expression) == expected)
  }

  @Test("an empty sub is a uid without letters")
  func emptyName() {
    let empty = AuthFacts(uid: "", claims: ["sub": .string("")])
    #expect(Circumstances(auth: empty).verdict("request.auth.uid == '' && request.auth.uid != null") == .yes)
  }

  @Test("nobody's uid is no value, also after somebody's")
  func signedOut() throws {
    let ruleset = try compiled(rules("request.auth.uid == 'alice' || request.auth == null"))
    let documents = MemoryDocuments()
    for auth in [alice, nil, alice, nil] {
      let request = Circumstances(auth: auth).request(documents)
      let explanation = ruleset.explain(request, documents: documents)
      #expect(explanation.isAllowed)
    }
    #expect(Circumstances().outcome("request.auth.uid == null") == "Null value error.")
  }

  @Test("a stored vector is a value of its own kind")
  func vectors() {
    let circumstances = Circumstances(data: ["v": .vector([1, 2]), "l": .array([.double(1)])])
    #expect(circumstances.verdict("resource.data.v is vector") == .yes)
    #expect(circumstances.verdict("resource.data.v == vector([1.0, 2.0])") == .yes)
    #expect(circumstances.verdict("resource.data.v == [1.0, 2.0]") == .no)
    #expect(circumstances.verdict("resource.data.v is map") == .no)
    #expect(
      circumstances.outcome("resource.data.v.value == 1")
        == "Type error. Received: [vector] Expected: [map,path].")
    #expect(circumstances.outcome("resource.data.v.size() == 2") == "Function not found error: Name: [size].")
  }

  @Test("texts are compared by their bytes, not by what they look like")
  func canonicalEquivalence() {
    let circumstances = Circumstances(data: ["s": .string("e\u{301}"), "é": .integer(1)])
    #expect(circumstances.verdict("resource.data.s == 'é'") == .no)
    #expect(circumstances.verdict("resource.data.s == 'e\\u0301'") == .yes)
    #expect(circumstances.verdict("'e\\u0301' in resource.data") == .no)
    #expect(circumstances.verdict("resource.data['é'] == 1") == .yes)
  }

  @Test(
    "a path that is no document of this database is a failed service call",
    arguments: [
      "/databases/$(database)/documents/t", "/databases/$(database)/documents/t/x/y",
      "/databases/other/documents/t/x",
      "/a/b", "/databases/x", "/databases/$(database)/documents/$('a/b')",
      "/databases/$(database)/documents/t/$('')",
    ])
  func badPaths(path: String) {
    #expect(
      Circumstances().outcome("exists(\(path))").hasPrefix(
        "Service call error. Function: [exists], Argument: [path_value {"))
  }
}

@Suite("Evaluator: memory")
struct EvaluatorMemoryTests {
  @Test("one DocumentAccess serves many requests, whatever the one before it computed")
  func reuse() throws {
    let ruleset = try compiled(
      rules("(resource.data.a + resource.data.b).split('-').concat([id]).join('/') == resource.data.expected")
    )
    let documents = MemoryDocuments()
    for round in 0..<200 {
      documents.beginRequest()
      let a = String(repeating: "x", count: round * 40) + "-"
      let data: Fields = [
        "a": .string(a), "b": .string("\(round)"), "expected": .string(a.dropLast() + "/\(round)/x"),
      ]
      #expect(ruleset.decide(Circumstances(data: data).request(documents), documents: documents).isAllowed)
    }
  }

  @Test("patterns made by expressions are cached in a table of limited size, and bad ones are faults")
  func dynamicPatterns() throws {
    let ruleset = try compiled(rules("'abc-7'.matches(resource.data.p)"))
    let documents = MemoryDocuments()
    for round in 0..<400 {
      let data: Fields = ["p": .string("abc-(7|\(round))")]
      #expect(ruleset.decide(Circumstances(data: data).request(documents), documents: documents).isAllowed)
    }
    #expect(
      Circumstances(data: ["p": .string("(")]).outcome("'a'.matches(resource.data.p)")
        == "Invalid regular expression pattern. Pattern: (.")
  }

  @Test("one ruleset judges on several threads at once")
  func threads() async throws {
    let ruleset = try compiled(
      rules("'abc'.matches(resource.data.p) && resource.data.n + 1 == int(resource.data.s)"))
    let failures = await withTaskGroup(of: Int.self) { group in
      for worker in 0..<4 {
        group.addTask {
          let documents = MemoryDocuments()
          var failures = 0
          for round in 0..<200 {
            let number = Int64(worker * 1_000 + round)
            let data: Fields = [
              "p": .string("a.c|\(round)"), "n": .integer(number), "s": .string("\(number + 1)"),
            ]
            let decision = ruleset.decide(Circumstances(data: data).request(documents), documents: documents)
            if !decision.isAllowed { failures += 1 }
          }
          return failures
        }
      }
      return await group.reduce(0, +)
    }
    #expect(failures == 0)
  }
}
