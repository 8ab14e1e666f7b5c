/// The strict prover of one ruleset, as compiling gives it to the ruleset.

internal import DocModel
internal import Rules
internal import Synchronization

/// INVARIANT: one is asked about one ruleset only, because the plan is that ruleset's.
///
/// State and its guard: `made` behind its mutex, held while the plan is made, never while a query is proved.
final class StrictProof: ListProver {
  /// Made when the first query is proved; a ruleset that proves none pays nothing.
  private let made = Mutex<ProofPlan?>(nil)

  init() {}

  func proof(
    of shape: QueryShape, _ disjuncts: [ListDisjunct]?, by ruleset: Ruleset, _ documents: DocumentAccess,
    mirror: Decision, isForClient: Bool
  ) -> ListProof {
    var session = ProofSession(ruleset, plan(of: ruleset), documents, shape, mirror, isForClient: isForClient)
    defer { session.close() }
    return session.proof(disjuncts)
  }

  /// What can grant lists in the ruleset.
  func plan(of ruleset: Ruleset) -> ProofPlan {
    made.withLock { plan in
      if let plan { return plan }
      let new = ProofPlan(ruleset.syntax, ruleset.resolution, memoStart: ruleset.memoCount)
      plan = new
      return new
    }
  }
}
