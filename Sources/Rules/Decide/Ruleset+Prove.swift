/// Proving queries: the service's verdict, and beside it what logic says, where somebody connected a prover.

internal import DocModel

/// Says what logic finds of a query. Rules judges without one: whatever compiles a ruleset may give it one
/// (RulesTools does), and refusals then say what would help.
///
/// INVARIANT: a proof changes no verdict and leaves the request's state as it was; documents that only it asks for
/// are not counted.
///
/// A class: rulesets are copied for every decision, and an existential of any size costs a call to copy.
package protocol ListProver: AnyObject, Sendable {
  /// One for each ruleset, made when it is compiled; what is costly it makes when the first query is proved.
  init()

  /// - Parameters:
  ///   - disjuncts: of the query; nil when there are too many.
  ///   - mirror: the service's verdict, which is the one that counts.
  ///   - isForClient: what the proof says is then made without a look at stored documents; only whether it says it
  ///     depends on the verdicts.
  func proof(
    of shape: QueryShape, _ disjuncts: [ListDisjunct]?, by ruleset: Ruleset, _ documents: DocumentAccess,
    mirror: Decision, isForClient: Bool
  ) -> ListProof
}

extension Ruleset {
  /// Judges a query and proves it; nil without a prover, and for what is no query.
  ///
  /// The service's verdict is that of `decide`, also right after it, in the same request.
  public func prove(_ request: borrowing RuleRequest, documents: DocumentAccess) -> ListProof? {
    guard let prover, request.method == .list, let shape = request.query else { return nil }
    let isRepeat = documents.evaluation.isRepeat(request, documents)
    let disjuncts = shape.expandedDisjuncts()
    let mirror = decide(list: request, disjuncts, documents, isRepeat: isRepeat)
    return prover.proof(of: shape, disjuncts, by: self, documents, mirror: mirror, isForClient: false)
  }

  /// The same, when the service's verdict is known.
  func prove(
    _ request: borrowing RuleRequest, _ documents: DocumentAccess, mirror: Decision, isForClient: Bool = false
  ) -> ListProof? {
    guard let prover, let shape = request.query else { return nil }
    return prover.proof(
      of: shape, shape.expandedDisjuncts(), by: self, documents, mirror: mirror, isForClient: isForClient)
  }
}
