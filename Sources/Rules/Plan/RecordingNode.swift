/// Nodes of the recording plan, and which plan is made.

/// An expression whose value is written down.
final class RecordingNode: PlanNode, @unchecked Sendable {  // Immutable, see PlanNode.
  let inner: PlanNode

  init(_ inner: PlanNode) {
    self.inner = inner
    super.init(Int(inner.number), cost: inner.cost)
  }

  override var operands: [PlanNode] { inner.operands }

  override func value(_ e: Evaluation) -> Operand {
    guard let log = e.steps else { return inner.value(e) }
    let place = log.begin(number)
    let value = inner.value(e)
    log.end(place, value)
    return value
  }

  override func deciders(_ e: Evaluation, _ result: Operand) -> [PlanNode] { inner.deciders(e, result) }
}

/// How conditions are planned.
package enum PlanStyle {
  /// To run: chains of expressions become one node.
  case fused
  /// To be looked at: one node for each expression, which is written down.
  case recording
}
