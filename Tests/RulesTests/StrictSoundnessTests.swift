/// The strict verdict against every document of a small universe.
///
/// `STRICT_CONDITIONS=20000 STRICT_SEED=7` in the environment makes the run longer or another one.

import DocModel
import Platform
import Testing

@testable import Rules
@testable import RulesTools

private func setting(_ name: String, _ usual: Int) -> Int {
  getenv(name).flatMap { Int(String(cString: $0)) } ?? usual
}

/// What came of all pairs.
private struct Tally {
  var pairs = 0
  var allowed = 0
  var mirrorAllowed = 0
  var refused = 0
  /// Refusals with a document of the universe that is refused.
  var shown = 0
  var leaks = 0
  var mirrorLeaks = 0
  var unproven = 0
  var provable = 0
  var tooComplex = 0
  var witnesses = 0
  var branchesMost = 0
  var advised = 0
}

@Suite("Lists: the strict verdict is sound")
struct StrictSoundnessTests {
  private let universe = StrictUniverse()
  private let documents = MemoryDocuments(["docs/x": [:], "docs/1": [:]])

  @Test("what is proved holds of every document, and every witness is real")
  func random() throws {
    let seed = UInt64(setting("STRICT_SEED", 20_261_121))
    var conditions = StrictConditions(random: StrictRandom(seed: seed))
    var queries = StrictQueries(random: StrictRandom(seed: seed &+ 1))
    var tally = Tally()
    for _ in 0..<setting("STRICT_CONDITIONS", 200) {
      let condition = conditions.condition()
      let row = StrictRow(
        0, condition, "", true, nil, functions: StrictConditions.functions)
      let ruleset = try compiled(row.source)
      let granted = grants(ruleset)
      for _ in 0..<16 {
        judge(queries.query(), ruleset, granted, condition, &tally)
      }
    }
    print("strict prover: \(tally)")
    #expect(tally.allowed > tally.pairs / 20)
    #expect(tally.provable > 0 && tally.leaks > 0)
    // Source: docs/spec/list-query-authorization.md 4.3, how complete.
    #expect(tally.shown * 100 >= tally.refused * 96, "\(tally)")
    #expect(tally.unproven * 10 <= tally.leaks, "\(tally)")
    #expect(tally.tooComplex * 1_000 <= tally.pairs, "\(tally)")
  }

  /// Whether each document is granted, judged by itself.
  private func grants(_ ruleset: Ruleset) -> [Bool] {
    let shape = ListQueryText.shape("posts")
    _ = ruleset.decide(RuleRequest(list: shape, auth: me, time: strictTime), documents: documents)
    return universe.documents.map { document in
      ruleset.grants(
        document.view, at: ResourcePath(unchecked: "posts/\(document.id)"), asResultOf: shape,
        documents.evaluation)
    }
  }

  private func judge(
    _ query: String, _ ruleset: Ruleset, _ granted: [Bool], _ condition: String, _ tally: inout Tally
  ) {
    let shape = ListQueryText.shape(query)
    documents.beginRequest()
    guard
      let proof = ruleset.prove(RuleRequest(list: shape, auth: me, time: strictTime), documents: documents)
    else {
      Issue.record("no proof")
      return
    }
    let matchers = matchers(of: shape)
    let violation = universe.documents.indices.first { index in
      !granted[index] && isResult(universe.documents[index], matchers)
    }
    tally.pairs += 1
    tally.branchesMost = max(tally.branchesMost, proof.branches)
    if proof.mirror.isAllowed {
      tally.mirrorAllowed += 1
      if violation != nil {
        tally.mirrorLeaks += 1
        #expect(proof.finding != .agreed, "\(condition) → \(query)")
      }
    }
    switch proof.strict {
    case .allowed:
      tally.allowed += 1
      if let violation {
        Issue.record(
          "\(condition) → \(query): proved, but \(universe.documents[violation].fields) is refused")
      }
    case .refused:
      tally.refused += 1
      if violation != nil || proof.witness != nil { tally.shown += 1 }
    case .tooComplex: tally.tooComplex += 1
    }
    switch proof.finding {
    case .agreed: break
    case .unproven:
      tally.unproven += 1
      #expect(proof.mirror.isAllowed)
    case .leak:
      tally.leaks += 1
      #expect(proof.mirror.isAllowed && proof.witness != nil)
    case .provable:
      tally.provable += 1
      #expect(!proof.mirror.isAllowed && proof.strict == .allowed)
    }
    if !proof.advice.isEmpty { tally.advised += 1 }
    if let witness = proof.witness {
      tally.witnesses += 1
      check(witness, shape, ruleset, "\(condition) → \(query)")
    }
  }

  /// One for each disjunct.
  private func matchers(of shape: QueryShape) -> [FilterMatcher] {
    (shape.expandedDisjuncts() ?? []).map { $0.matcher(shape.orderBy) }
  }

  private func isResult(_ document: StrictUniverse.Document, _ matchers: [FilterMatcher]) -> Bool {
    isResult("posts/\(document.id)", document.view, matchers)
  }

  private func isResult(_ path: String, _ fields: FieldsView, _ matchers: [FilterMatcher]) -> Bool {
    var path = path
    return path.withUTF8 { path in
      matchers.contains { $0.matches(path: UnsafeRawBufferPointer(path), fields: fields) }
    }
  }

  /// A witness is a result, and is refused when it is judged by itself.
  private func check(_ witness: ListWitness, _ shape: QueryShape, _ ruleset: Ruleset, _ what: String) {
    let view = documents.hold(witness.fields)
    #expect(
      isResult(witness.path.text, view, matchers(of: shape)), "\(what): \(witness.text) is no result")
    _ = ruleset.decide(RuleRequest(list: shape, auth: me, time: strictTime), documents: documents)
    #expect(
      !ruleset.grants(view, at: witness.path, asResultOf: shape, documents.evaluation),
      "\(what): \(witness.text) is granted")
  }
}
