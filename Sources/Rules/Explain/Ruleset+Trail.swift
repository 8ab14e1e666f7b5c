/// Following a refusal that its client may be told of: see RefusalTrail.swift.

internal import DocModel

extension Ruleset {
  /// The trail of a refusal when nobody looks at stored documents; nil when it does not decide the words.
  func hiddenTrail(
    _ request: borrowing RuleRequest, isMethodOpen: Bool, _ documents: DocumentAccess
  ) -> RefusalTrail? {
    let e = documents.evaluation
    e.messages.removeAll(keepingCapacity: true)
    var trail = RefusalTrail()
    if request.method == .list {
      e.open(request, documents, self, isRepeat: true)
      guard let shape = request.query, let disjuncts = shape.expandedDisjuncts() else { return trail }
      for disjunct in disjuncts {
        e.openDisjunct(disjunct, of: shape, self)
        let isGranted = follow(&trail, e)
        guard trail.isTelling(e) else { return nil }
        if !isGranted { break }
      }
      return trail
    }
    e.openHidden(request, documents, self, as: isMethodOpen ? .create : request.method)
    _ = follow(&trail, e)
    guard trail.isTelling(e) else { return nil }
    guard isMethodOpen else { return trail }
    e.openHidden(request, documents, self, as: .update)
    _ = follow(&trail, e)
    return trail.isTelling(e) ? trail : nil
  }

  /// Tries the matched `allow`s as `Tracer.traceMatches` does, as far as that can be followed; whether one grants.
  private func follow(_ trail: inout RefusalTrail, _ e: Evaluation) -> Bool {
    let found = e.matches.found
    for place in 0..<found.count {
      let block = found[place]
      let (first, end) = allows.range(block: block, method: e.method)
      if first == end { continue }
      e.bindCaptures(allows.captures(block: block))
      for allow in first..<end {
        trail.begin(allow: allow)
        guard let condition = allows[allow] else { return true }
        let value = condition._withUnsafeGuaranteedRef { $0.value(e, noting: &trail) }
        if value.isTrue { return true }
        guard trail.isTelling(e) else { return false }
      }
    }
    return false
  }
}
