/// The plan that writes down what each expression came to.
///
/// It is another plan of the same checked tree: nothing is fused and every expression is wrapped, so the
/// plain plan pays nothing for coverage and explanations. Made when it is first asked for.
///
/// INVARIANT: it gives every verdict, fault and cost that the plain plan gives; RecordingPlanTests hold it
/// to that with the conformance rows.

internal import Synchronization

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
