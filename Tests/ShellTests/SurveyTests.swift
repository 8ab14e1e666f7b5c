/// Commands that read or write files, on both kinds of stores.

import DocModel
import Platform
import Testing

@testable import Shell

@Suite("Files that the shell is given", .serialized)
struct SurveyTests {
  /// Runs `body` with the path of a file of this text, which is removed afterwards.
  private static func file<R>(_ name: String, _ text: String, _ body: (String) throws -> R) throws -> R {
    let path = "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/docsh-\(getpid())-\(name)"
    let stream = try #require(fopen(path, "w"))
    fputs(text, stream)
    fclose(stream)
    defer { unlink(path) }
    return try body(path)
  }

  @Test("Suggested indexes can be loaded, and what they lack is refused", arguments: Placement.allCases)
  func indexes(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      let query = "posts where by == 'alice' order by likes | ids"
      #expect(talk.run(query).results == ["p3", "p1"])
      let suggested = talk.run(":indexes suggest").results
      #expect(suggested.contains { $0.range(ofBytes: "\"collectionGroup\": \"posts\"") != nil })
      try Self.file("indexes.json", suggested.joined(separator: "\n")) { path in
        #expect(talk.run(":indexes suggest \(path)").results == suggested)
        #expect(talk.run(":indexes load \(path)").status == 0)
        #expect(talk.run(":indexes unused").results == [])
        #expect(talk.run(query).results == ["p3", "p1"])
        let refused = talk.run("posts where by == 'alice' order by at | ids")
        #expect(refused.status == 1)
        #expect(refused.messages.contains { $0.hasPrefix("FAILED_PRECONDITION") }, "\(refused.messages)")
      }
      let other = """
        {"indexes": [{"collectionGroup": "posts", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "by", "order": "ASCENDING"}, {"fieldPath": "at", "order": "DESCENDING"}]}]}
        """
      try Self.file("other.json", other) { path in
        let unused = talk.run(":indexes unused \(path)")
        #expect(unused.status == 0)
        #expect(
          unused.results.count == 1 && unused.results[0].range(ofBytes: "at") != nil, "\(unused.results)")
        #expect(talk.run(":indexes load \(path)").status == 0)
        #expect(talk.run(":indexes unused").results == unused.results)
      }
      try Self.file("broken.json", "{\"indexes\": 1}") { path in
        #expect(talk.run(":indexes load \(path)").status == 1)
      }
    }
  }

  @Test("Rules are compared line by line", arguments: Placement.allCases)
  func difference(_ placement: Placement) async throws {
    let rules = SessionKit.rules.split(separator: "\n", omittingEmptySubsequences: false)
    let changed =
      rules.map { $0.hasPrefix("    function own") ? "    function own(uid) { return false; }" : String($0) }
      + ["// end"]
    try await SessionKit.talk(placement) { talk in
      try Self.file("same.rules", SessionKit.rules) { path in
        let same = talk.run(":rules diff \(path)")
        #expect(same.status == 0)
        #expect(same.results == [])
      }
      try Self.file("other.rules", changed.joined(separator: "\n")) { path in
        let other = talk.run(":rules diff \(path)")
        #expect(
          other.results == [
            "- 5        function own(uid) { return signedIn() && request.auth.uid == uid; }",
            "+ 5        function own(uid) { return false; }", "+ \(rules.count + 1)   // end",
          ])
      }
    }
  }

  @Test("A suite is run, and what it sees of the rules is told")
  func suite() async throws {
    let head = """
      version: 1
      name: small
      rules: |
        rules_version = '2';
        service cloud.firestore {
          match /databases/{db}/documents {
            match /notes/{id} { allow get: if request.auth != null; }
          }
        }
      personas:
        guest: null
        ann: {uid: ann}
      cases:
        - {name: a reader, as: ann, get: notes/a, expect: allow}

      """
    try await SessionKit.talk(.embedded) { talk in
      try Self.file("good.rules-test.yaml", head) { path in
        let passed = talk.run(":test \(path)")
        #expect(passed.status == 0, "\(passed.messages)")
        #expect(passed.results.contains { $0.range(ofBytes: "1 passed, 0 failed") != nil })
        let covered = talk.run(":coverage \(path)")
        #expect(covered.status == 0, "\(covered.messages)")
        #expect(
          covered.results.contains { $0.range(ofBytes: "1 requests judged") != nil }, "\(covered.results)")
      }
      let wrong = head + "  - {name: a guest, as: guest, get: notes/a, expect: allow}\n"
      try Self.file("bad.rules-test.yaml", wrong) { path in
        let failed = talk.run(":test \(path)")
        #expect(failed.status == 6)
        #expect(failed.messages == ["1 passed, 1 failed"])
      }
    }
  }

  @Test("Seeds go to the session's database, silently when that is said")
  func seeds() async throws {
    try await SessionKit.talk(.embedded) { talk in
      var orders: [String] = []
      talk.session.tools = ShellTools(seed: { (file, database, startsTriggers) throws(ShellToolFailure) in
        orders.append("\(file) \(database.project) \(startsTriggers)")
        if file == "bad.yaml" { throw ShellToolFailure("bad.yaml:1:1: broken", isInput: true) }
        return "done"
      })
      #expect(talk.run(":seed a.yaml").status == 0)
      #expect(talk.run(":use other", ":seed --without-triggers b.yaml").status == 0)
      let bad = talk.run(":seed bad.yaml")
      #expect(bad.status == 1)
      #expect(bad.messages == ["INVALID_ARGUMENT: bad.yaml:1:1: broken"])
      #expect(orders == ["a.yaml demo true", "b.yaml other false", "bad.yaml other true"])
    }
  }
}
