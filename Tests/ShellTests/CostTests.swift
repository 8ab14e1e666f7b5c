/// What `:cost` tells after statements that commit more than once, or have no cost that is known.

import Client
import DocModel
import DocStore
import TestSupport
import Testing

@testable import Shell

@Suite("Costs of what was done last", .serialized)
struct CostTests {
  @Test("The writes of 'each' are what was done last", arguments: Placement.allCases)
  func each(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      talk.session.settings.assumesYes = true
      #expect(
        talk.run("users | each update $id seen = true", ":cost").results
          == costs(("writes", 4, "documents written, changed or not")))
      // Two commits, of which each is judged by itself.
      let documents = (0..<WriteBatch.countMax + 1).map { "create many/m\($0) {n: \($0)}" }
      for part in stride(from: 0, to: documents.count, by: 100) {
        let block = documents[part..<min(part + 100, documents.count)].joined(separator: "\n")
        #expect(talk.run("commit {\n\(block)\n}").status == 0)
      }
      #expect(
        talk.run("many | each delete $id", ":cost").results
          == costs(("deletes", WriteBatch.countMax + 1, "documents deleted")))
      #expect(
        talk.run("posts where likes > 99 | each delete $id", ":cost").results
          == costs(("reads", 1, "a query without results")))
    }
  }

  @Test("Of each commit of 'each', what its rules asked for is counted")
  func lookups() async throws {
    try await SessionKit.talk(.embedded) { talk in
      talk.session.settings.assumesYes = true
      let rules = SessionKit.rules.replacing(
        "allow create, update: if own(uid);", with: "allow create, update: if me().name == 'Alice';")
      try talk.session.backend.replaceRules("other.rules", Array(rules.utf8))
      _ = try talk.session.backend.commit(
        try (0...WriteBatch.countMax).map { number in
          Write(
            ResourcePath(unchecked: "users/u\(number)"),
            .update(fields: try Canonicalizer.fields(["privacy": .string("public")]), mask: nil))
        }, as: .administrator, in: nil)
      let count = WriteBatch.countMax + 2
      let answer = talk.run(
        ":as alice", "users where privacy == 'public' | each update $id name = 'Alice'", ":cost")
      #expect(
        answer.results
          == costs(
            ("writes", count, "documents written, changed or not"),
            ("reads", 2, "users/alice, asked for by the rules")), "\(answer)")
    }
  }

  @Test(
    "What has no known cost, or failed, is not passed off as what was before it",
    arguments: [
      "delete users/bob recursive", ":import FILE", ":clear", ":as carol { users/bob }",
      ":as carol { users }", ":as carol { users | count }", ":as carol { users/bob := {} }",
    ], Placement.allCases)
  func unknown(_ statement: String, _ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/lines.jsonl"
      talk.session.settings.assumesYes = true
      #expect(talk.run(":export \(file) posts", "posts | count", ":cost").status == 0)
      _ = talk.run(statement.replacing("FILE", with: file))
      let answer = talk.run(":cost")
      #expect(answer.status == 1 && answer.results.isEmpty, "\(answer)")
    }
  }

  private func costs(_ rows: (unit: String, count: Int, reason: String)...) -> [String] {
    ResultPrinter.lines(
      .rows(
        columns: ["billed", "count", "for"],
        rows.map { [.string($0.unit), .integer(Int64($0.count)), .string($0.reason)] }), PrintStyle())
  }
}
