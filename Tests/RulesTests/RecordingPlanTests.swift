/// The recording plan against the plain one, on every conformance row: same verdict, same cost.

import DocModel
import Testing

@testable import Rules

private struct Recorded {
  var value = "none"
  var cost = 0
}

@Suite("The recording plan agrees with the plain plan")
struct RecordingPlanTests {
  private static let rows =
    conformanceRows1 + conformanceRows2 + conformanceRows3 + conformanceRows4 + conformanceRows5

  @Test("on every conformance row", arguments: rows)
  func agrees(row: ConformanceRow) throws {
    let scene = row.circumstances
    let source = rules(
      row.expression, method: scene.method, pattern: scene.pattern, functions: scene.functions)
    guard let ruleset = Ruleset.compile(source: source, name: "case.rules").ruleset else { return }
    let documents = MemoryDocuments(scene.documents)
    let request = scene.request(documents)
    let explanation = ruleset.explain(request, documents: documents)
    var recorded = Recorded()
    ruleset.record(request, documents) { allow, _, e in
      recorded.value = OperandText.description(allow.value, e)
      recorded.cost = max(recorded.cost, e.spent)
    }
    #expect(recorded.cost == explanation.decision.expressions)
    switch explanation.allows.last?.outcome {
    case .granted: #expect(recorded.value == "true")
    case .refused: #expect(recorded.value == "false")
    case .fault(let fault):
      #expect(
        recorded.value == "error(\(fault.message))" || fault.code == .type || fault.code == .undetermined)
    case nil: #expect(recorded.value == "none")
    }
  }
}
