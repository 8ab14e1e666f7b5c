/// Decisions with their reasons.

internal import DocModel

extension Ruleset {
  /// Judges one operation and tells why.
  ///
  /// The verdict is that of `decide`, also right after it, in the same request. Costs more; for refusals that somebody will read, tests and the
  /// emulator's messages.
  public func explain(_ request: borrowing RuleRequest, documents: DocumentAccess) -> Explanation {
    let e = documents.evaluation
    let decision = decide(request, documents, isRepeat: e.isRepeat(request, documents))
    if e.isOverworked { return overworked(decision, documents) }
    e.messages.removeAll(keepingCapacity: true)
    e.isTracing = true
    defer { e.isTracing = false }
    var tracer = Tracer(self, e)
    e.work = 0
    if request.method == .list {
      traceList(request, e, &tracer)
    } else {
      e.spent = 0
      tracer.traceMatches(disjunct: 0)
    }
    // What the proof asks for is not the request's.
    let accessedPaths = documents.log.paths
    let proof = request.method == .list ? prove(request, documents, mirror: decision) : nil
    return Explanation(
      decision: decision, allows: tracer.allows,
      missingFilters: decision.isAllowed ? [] : tracer.missing, accessedPaths: accessedPaths,
      limits: decision.isAllowed ? [] : tracer.limits,
      message: decision.isAllowed ? "" : officialMessage(tracer.allows), proof: proof)
  }

  /// What the official emulator would say of a refusal that was just decided.
  public func officialReasons(
    _ request: borrowing RuleRequest, _ decision: Decision, documents: DocumentAccess
  ) -> String {
    documents.evaluation.isOverworked
      ? overworked(decision, documents).message : explain(request, documents: documents).message
  }

  /// The reasons of a decision that took all steps there are. Nothing is evaluated for them again: others wait for a
  /// commit. So they name the condition, and none that was tried before it.
  func overworked(_ decision: Decision, _ documents: DocumentAccess) -> Explanation {
    let e = documents.evaluation
    let span = spans[Int(e.exhaustedCondition)]
    let limit = Tracer(self, e).exceeded(.work, max(0, e.workMax), at: span)
    let traces = allowPlaces.indices.filter { allowPlaces[$0].condition == span }.map { number in
      AllowTrace(
        allow: number, id: allowPlaces[number].id, method: e.method, position: limit.position, disjunct: 0,
        outcome: .fault(Fault(code: .budget, message: FaultText.budget, span: span)), deciding: [],
        beside: [],
        falseLeaves: [], hidden: [])
    }
    return Explanation(
      decision: decision, allows: traces, missingFilters: [], accessedPaths: documents.log.paths,
      limits: [limit],
      message: officialMessage(traces), proof: nil)
  }

  /// Every disjunct up to the first that is refused.
  func traceList(
    _ request: borrowing RuleRequest, _ e: Evaluation, _ tracer: inout Tracer
  ) {
    guard let shape = request.query, let disjuncts = shape.expandedDisjuncts() else { return }
    for (index, disjunct) in disjuncts.enumerated() {
      e.openDisjunct(disjunct, of: shape, self)
      tracer.traceMatches(disjunct: index)
      guard let last = tracer.allows.last, last.disjunct == index, last.outcome == .granted else { return }
    }
  }

  /// The official emulator's text for a refusal. Of a query, the disjuncts that were granted before the one
  /// that was not are reported as false. Source: docs/spec/rules-language.md 8.4, the official emulator.
  func officialMessage(_ allows: [AllowTrace]) -> String {
    let entries = allows.map { allow -> String in
      let place = "for '\(allow.method.name)' @ L\(allow.position.line)"
      switch allow.outcome {
      case .granted, .refused: return "false \(place)"
      case .fault(let fault): return "\(fault.message) \(place)"
      }
    }
    return "\n" + (entries.isEmpty ? "No matching allow statements" : entries.joined(separator: ", "))
  }

  /// The rule ids of all `allow`s, by number: for coverage and reports.
  public var allowIDs: [String] { allowPlaces.map(\.id) }
}
