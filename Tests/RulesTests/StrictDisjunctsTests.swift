/// Queries of several disjuncts: what they have in common is worked out once, and the verdicts must not show it.

import DocModel
import Testing

@testable import Rules

/// Disjuncts that begin alike, contradict themselves, name documents or bound names.
private let disjuncts = [
  "owner == 'me' & status == 'a'", "owner == 'me' & status == 'b'", "owner == 'me' & status == 'z'",
  "status == 'a'", "owner == 'me' & owner == 'you'", "__name__ == 'x'", "__name__ == 'y'",
  "owner == 'me' & __name__ > 'k'", "owner != 'me' & n > 3",
]

private let conditions = [
  "resource.data.owner == 'me' && resource.data.status in ['a', 'b']",
  "resource.data.status == 'a' || id == 'x'",
  "resource.data.owner == 'me' || resource.__name__ == /databases/$(database)/documents/posts/y",
  "request.auth == null || resource.data.owner == 'me'",
  "request.query.limit == null && resource.data.owner is string",
  "request.auth.uid == 'me' && (request.path[4] == 'x' || resource.data.n >= 3 || resource.data.status == 'b')",
]

private struct Verdicts: Equatable {
  var service: Bool
  var strict: Bool
}

@Suite("Lists: several disjuncts")
struct StrictDisjunctsTests {
  private func verdicts(_ ruleset: Ruleset, _ place: String, _ disjuncts: [String]) throws -> Verdicts {
    let request = RuleRequest(
      list: ListQueryText.shape("\(place) where or(\(disjuncts.joined(separator: ",")))"), auth: me,
      time: strictTime)
    let documents = MemoryDocuments(["posts/x": ["owner": .string("me"), "status": .string("a")]])
    let proof = try #require(ruleset.prove(request, documents: documents))
    documents.beginRequest()
    #expect(ruleset.decide(request, documents: documents).isAllowed == proof.mirror.isAllowed)
    return Verdicts(service: proof.mirror.isAllowed, strict: proof.strict == .allowed)
  }

  @Test(
    "are granted when each alone is, whichever comes first", arguments: conditions, ["posts", "group posts"])
  func conjunction(condition: String, place: String) throws {
    let ruleset = try compiled(
      rules(condition, method: .list, pattern: place == "posts" ? "/posts/{id}" : "/{path=**}/posts/{id}"))
    let alone = try disjuncts.map { try verdicts(ruleset, place, [$0]) }
    #expect(Set(alone.map(\.service)).count == 2, "some pass and some do not")
    for first in disjuncts.indices {
      for second in disjuncts.indices {
        let third = (first + 2 * second + 1) % disjuncts.count
        let chosen = [first, second, third]
        let together = try verdicts(ruleset, place, chosen.map { disjuncts[$0] })
        #expect(
          together.service == chosen.allSatisfy { alone[$0].service }, "\(chosen.map { disjuncts[$0] })")
        #expect(together.strict == chosen.allSatisfy { alone[$0].strict }, "\(chosen.map { disjuncts[$0] })")
      }
    }
  }
}
