/// The plan that writes down what each expression came to.
///
/// It is another plan of the same checked tree: nothing is fused and every expression is wrapped, so the
/// plain plan pays nothing for coverage and explanations. Made when it is first asked for.
///
/// INVARIANT: it gives every verdict, fault and cost that the plain plan gives; RecordingPlanTests hold it
/// to that with the conformance rows.

internal import Synchronization

/// One expression that was evaluated.
struct RecordedStep {
  /// Which expression.
  let number: Int32
  /// The step that it was evaluated for, by its place in the log; -1 for a condition.
  let parent: Int32
  /// Valid as long as the evaluation it came from.
  var operand: Operand
}

/// The steps of one evaluation, in the order in which they began.
///
/// LIMIT: the evaluation budget bounds their number: a step costs at least one of the thousand.
final class StepLog {
  let steps = RawList<RecordedStep>(capacity: 256)
  private var open: Int32 = -1

  deinit { steps.free() }

  func removeAll() {
    steps.removeAll()
    open = -1
  }

  /// Begins a step; gives its place.
  func begin(_ number: Int32) -> Int {
    steps.append(RecordedStep(number: number, parent: open, operand: .null))
    open = Int32(steps.count - 1)
    return steps.count - 1
  }

  func end(_ place: Int, _ operand: Operand) {
    (steps.start + place).pointee.operand = operand
    open = steps[place].parent
  }
}

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

/// A ruleset's recording plan, made on demand.
///
/// State and its guard: `made` behind its mutex, held while the plan is made, once per ruleset.
final class RecordingPlan: Sendable {
  private struct Made {
    let pool: ConstantPool
    let blocks: [BlockPlan]
  }

  private let made = Mutex<Made?>(nil)

  /// The blocks in the order of the plain plan's, so that the plain plan's matches fit them.
  func blocks(_ syntax: RulesetSyntax, _ resolution: Resolution) -> [BlockPlan] {
    made.withLock { made in
      if let made { return made.blocks }
      var planner = Planner(syntax, resolution, style: .recording)
      planner.run()
      made = Made(pool: planner.pool, blocks: planner.blocks)
      return planner.blocks
    }
  }
}

/// How conditions are planned.
package enum PlanStyle {
  /// To run: chains of expressions become one node.
  case fused
  /// To be looked at: one node for each expression, which is written down.
  case recording
}
