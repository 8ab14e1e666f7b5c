/// Judging once more, writing down what every expression comes to.

internal import DocModel

/// One `allow` that a recording tried.
struct RecordedAllow {
  let allow: Int
  /// For a query: which of its disjuncts was judged.
  let disjunct: Int
  /// Places of its steps in the log.
  let steps: Range<Int>
  /// True when there is no condition.
  let value: Operand
}

extension Ruleset {
  /// Tries what `decide` tries, on the recording plan. `visit` sees each `allow` while its values live.
  ///
  /// The verdict is the plain plan's: this one is asked afterwards, and only to be looked at.
  func record(
    _ request: borrowing RuleRequest, _ documents: DocumentAccess,
    _ visit: (RecordedAllow, StepLog, Evaluation) -> Void
  ) {
    let e = documents.evaluation
    let isRepeat = e.isRepeat(request, documents)
    e.isTracing = true
    e.messages.removeAll(keepingCapacity: true)
    e.open(request, documents, self, isRepeat: isRepeat)
    let log = StepLog()
    e.steps = log
    defer {
      e.steps = nil
      e.isTracing = false
    }
    let blocks = recording.blocks(syntax, resolution)
    guard request.method == .list else {
      e.openDocument(request)
      matcher.match(e)
      _ = tryAllows(blocks, disjunct: 0, log, e, visit)
      return
    }
    guard let shape = request.query, let disjuncts = shape.expandedDisjuncts() else { return }
    for (index, disjunct) in disjuncts.enumerated() {
      e.openDisjunct(disjunct, of: shape, self)
      guard tryAllows(blocks, disjunct: index, log, e, visit) else { return }
    }
  }

  /// Whether one granted.
  private func tryAllows(
    _ blocks: [BlockPlan], disjunct: Int, _ log: StepLog, _ e: Evaluation,
    _ visit: (RecordedAllow, StepLog, Evaluation) -> Void
  ) -> Bool {
    for number in Array(e.matches.found.elements) {
      let block = blocks[Int(number)]
      let tried = block.allows[Int(e.method.rawValue)]
      if tried.isEmpty { continue }
      block.captures.withUnsafeBufferPointer { e.bindCaptures($0) }
      for allow in tried {
        let first = log.steps.count
        var value = allow.condition?.value(e) ?? .boolean(true)
        if e.isExhausted, let condition = allow.condition { value = e.exhausted(condition.number) }
        visit(
          RecordedAllow(
            allow: allow.number, disjunct: disjunct, steps: first..<log.steps.count, value: value), log, e)
        if e.isExhausted { return false }
        if value.isTrue { return true }
      }
    }
    return false
  }
}
