/// Words of refusals that are kept: whatever a client sends, it is told what a ruleset tells that never refused before.

import Access
import DocModel
import DocStore
import TestSupport
import Testing

@Suite("Words of refusals that are kept")
struct DenialWordsTests {
  private func store(_ condition: String) throws -> GuardedStore<NaiveEngine> {
    try guardedStore(
      rules: """
        rules_version = '2';
        service cloud.firestore { match /databases/{d}/documents {
          function of(a, b) { let c = a; return c == b || c[b] == 1; }
          function deep(a, b) { return of(a, b) && of(b, a) || of(a, a) && !of(b, b); }
          match /vault/{id} { allow create, update: if \(condition); allow list: if \(condition); }
        } }
        """, detail: .explained)
  }

  /// What a client may send for one and the same question.
  private static let sent: [Value] = [
    .string("mine"), .string("me"), .string("more"), .string(String(repeating: "long", count: 1_500)),
    .string(""),
    .integer(7), .integer(8), .double(0.5), .null, .boolean(true), .boolean(false), .array([.integer(1)]),
    .map(["k": .integer(1)]), .string("mine"),
  ]

  @Test(
    "what a client sent is in the words, and no other client's",
    arguments: [
      "{}[request.resource.data.s] == 1", "request.resource.data.s", "!request.resource.data.s",
      "request.resource.data.s && resource.data.a == 1", "resource.data.a == 1 || request.resource.data.s",
      "(request.resource.data.s ? resource.data.a : false) || request.auth.uid == 'none'",
      "of(request.resource.data, request.resource.data.s)", "of(resource.data, request.resource.data.s)",
      "deep(request.resource.data, request.resource.data.s) || resource.data.a == 1",
      "[1, 2][request.resource.data.s] == 1 && exists(/databases/$(d)/documents/vault/x)",
      "int(request.resource.data.s) == 1 || request.resource.data.s in ['me', 7]",
      "request.resource.data.s == 'me'",
      "get(/databases/$(d)/documents/vault/$(request.resource.data.s)).data.a == 1",
    ])
  func sent(condition: String) throws {
    let warm = try store(condition)
    for value in Self.sent + Self.sent {
      let write = set("vault/v", ["s": value])
      let kept = denial { try warm.commitAndWait(testDatabase, [write], as: user("u")) }
      let found = denial { try store(condition).commitAndWait(testDatabase, [write], as: user("u")) }
      #expect(kept == found, "\(value)")
    }
  }

  @Test("who asks is in the words: nobody, somebody, another one")
  func callers() throws {
    let condition = "request.auth.uid == 'u1' && resource.data.a == 1 || {}[request.auth.uid] == 1"
    let warm = try store(condition)
    let query = StructuredQuery(database: testDatabase, collection: ResourcePath(unchecked: "vault"))
    for credentials in [.anonymous, user("u1"), user("u2"), .anonymous, user("u1"), user("u2")] {
      let kept = denial { _ = try warm.paths(query, as: credentials) }
      #expect(kept == denial { _ = try store(condition).paths(query, as: credentials) })
    }
  }

  /// Walking through a condition evaluates the arguments of its calls again, so that words are others where much of the
  /// budget is spent.
  @Test("words near the budget", arguments: [1, 5, 10, 20, 30, 40, 60, 80])
  func budget(calls: Int) throws {
    let argument = (0..<8).map { "(request.resource.data.s == 'no' || \($0) == \($0))" }
      .joined(separator: " && ")
    let condition =
      (0..<calls).map { _ in "of(\(argument), resource.data.a)" }.joined(separator: " || ")
    let warm = try store(condition)
    for value in [Value.string("no"), .string("yes"), .integer(1), .string("no"), .string("yes")] {
      let write = set("vault/v", ["s": value])
      let kept = denial { try warm.commitAndWait(testDatabase, [write], as: user("u")) }
      #expect(kept == denial { try store(condition).commitAndWait(testDatabase, [write], as: user("u")) })
    }
  }
}
