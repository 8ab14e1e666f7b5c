/// What a client is told of a refusal.
///
/// INVARIANT: made of what the client sent, of its token and of the rules' text. The words come from an evaluation that
/// looks at no stored document; verdicts on real documents decide only which of these words are said.

internal import DocModel

extension Ruleset {
  /// LIMIT: rules that a denial tells of.
  private static let reasonsMax = 4

  /// What may be said of a refusal.
  ///
  /// - Parameters:
  ///   - decision: the refusal, of the operation that was judged last.
  ///   - isMethodOpen: whether what is stored made the write a create or an update. Both are then told of, so that neither
  ///     tells whether there is a document.
  public func clientReasons(
    _ request: borrowing RuleRequest, _ decision: Decision, isMethodOpen: Bool, documents: DocumentAccess
  ) -> ClientReasons {
    if documents.evaluation.isOverworked {
      return ClientReasons(
        message: "", lines: overworked(decision, documents).limits.map(\.description))
    }
    let limits =
      hasCrossedLimit(decision, documents.evaluation)
      ? explain(request, documents: documents).limits : []
    let advice =
      request.method == .list
      ? prove(request, documents, mirror: decision, isForClient: true).flatMap { $0.message ?? $0.adviceLine }
      : nil
    let reasons = hiddenReasons(request, isMethodOpen: isMethodOpen, documents)
    return reasons.adding(limits.map(\.description) + (advice.map { [$0] } ?? []))
  }

  private func hasCrossedLimit(_ decision: Decision, _ e: Evaluation) -> Bool {
    decision.reason == .budget || e.log.operationCount >= e.accessMax
      || e.log.requestCount >= AccessLog.requestMax
  }

  /// What comes out when nobody looks at stored documents.
  private func hiddenReasons(
    _ request: borrowing RuleRequest, isMethodOpen: Bool, _ documents: DocumentAccess
  ) -> ClientReasons {
    let e = documents.evaluation
    e.isTracing = true
    e.hidesDocuments = true
    defer {
      e.isTracing = false
      e.hidesDocuments = false
      e.isNewResourceHidden = false
      e.method = request.method
    }
    let trail = hiddenTrail(request, isMethodOpen: isMethodOpen, documents)
    if let trail, let known = clientReasons.reasons(of: trail) { return known }
    let allows = hiddenTraces(request, isMethodOpen: isMethodOpen, documents)
    let reasons = ClientReasons(message: officialMessage(allows), lines: Self.reasonLines(allows))
    if let trail { clientReasons.keep(reasons, of: trail) }
    return reasons
  }

  /// The `allow`s as they come out.
  private func hiddenTraces(
    _ request: borrowing RuleRequest, isMethodOpen: Bool, _ documents: DocumentAccess
  ) -> [AllowTrace] {
    let e = documents.evaluation
    e.messages.removeAll(keepingCapacity: true)
    var tracer = Tracer(self, e)
    if request.method == .list {
      e.open(request, documents, self, isRepeat: true)
      traceList(request, e, &tracer)
      return tracer.allows
    }
    for method in isMethodOpen ? [.create, .update] : [request.method] {
      e.openHidden(request, documents, self, as: method)
      tracer.traceMatches(disjunct: 0)
    }
    return tracer.allows
  }

  private static func reasonLines(_ allows: [AllowTrace]) -> [String] {
    var lines: [String] = []
    for trace in allows where trace.outcome != .granted {
      let line = "  \(trace.id) (line \(trace.position.line)): \(DenialReason.text(trace))"
      if !lines.contains(line) { lines.append(line) }
    }
    let rest = lines.count - reasonsMax
    return rest > 0 ? lines.prefix(reasonsMax) + ["  and \(rest) more"] : lines
  }
}
