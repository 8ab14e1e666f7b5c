/// What logic says of lists, beside what the service says.

import DocModel
import Testing

@testable import Rules

private func proof(_ row: StrictRow) throws -> ListProof {
  try proof(row.source, row.query, auth: row.auth, documents: row.documents)
}

private func proof(
  _ source: String, _ query: String, auth: AuthFacts? = me, documents: [String: Fields] = [:]
) throws -> ListProof {
  let ruleset = try compiled(source)
  let request = RuleRequest(list: ListQueryText.shape(query), auth: auth, time: strictTime)
  return try #require(ruleset.prove(request, documents: MemoryDocuments(documents)))
}

private func message(_ condition: String, _ query: String) throws -> String? {
  try proof(StrictRow(0, condition, query, true, true)).message
}

@Suite("Lists: the strict verdict")
struct StrictTests {
  @Test("85 cases worked by hand, both verdicts", arguments: strictRows)
  func worked(row: StrictRow) throws {
    let proof = try proof(row)
    #expect((proof.strict == .allowed) == row.strict, "S \(proof)")
    if let mirror = row.mirror { #expect(proof.mirror.isAllowed == mirror, "M \(proof)") }
    let finding: ListFinding =
      switch (row.strict, proof.mirror.isAllowed) {
      case (true, true), (false, false): .agreed
      case (false, true): .leak
      case (true, false): .provable
      }
    #expect(proof.finding == finding)
    #expect((proof.finding == .leak) == (proof.message?.hasPrefix("warning:") ?? false))
    #expect((proof.finding == .provable) == (proof.message?.hasPrefix("note:") ?? false))
  }
}
