/// Why: the same decision again, with everything that led to it.
///
/// Plans are pure and documents are cached, so asking a part of a condition again gives what it gave.

internal import DocModel

extension Evaluation {
  /// The value of a part, outside the budget. Steps are bounded over all parts.
  func probe(_ node: PlanNode) -> Operand {
    let before = (spent, work)
    spent = 0
    work = probedWork
    defer {
      probedWork = work
      (spent, work) = before
    }
    return node.value(self)
  }
}

/// Collects the traces of one evaluation.
package struct Tracer {
  /// LIMIT: steps of an explanation; a condition nests less than that.
  private static let chainMax = 256

  let ruleset: Ruleset
  let e: Evaluation
  package private(set) var allows: [AllowTrace] = []
  private(set) var missing: [MissingFilter] = []
  private(set) var limits: [ExceededLimit] = []
  /// What decided the other sides of disjunctions of the `allow` at hand.
  private var beside: [DecidingExpression] = []
  /// What of the queried documents the names of the function at hand stand for.
  private var names = QueriedNames()

  /// The blocks that matches are numbers of.
  private let blocks: [BlockPlan]

  /// - Parameter blocks: of the service that was asked; nil for documents' rules.
  package init(_ ruleset: Ruleset, _ e: Evaluation, blocks: [BlockPlan]? = nil) {
    self.ruleset = ruleset
    self.blocks = blocks ?? ruleset.blocks
    self.e = e
  }

  /// Tries the matched `allow`s as `Ruleset.judge` does, and keeps what happens.
  package mutating func traceMatches(disjunct: Int) {
    trying: for number in Array(e.matches.found.elements) {
      let block = blocks[Int(number)]
      let tried = block.allows[Int(e.method.rawValue)]
      if tried.isEmpty { continue }
      block.captures.withUnsafeBufferPointer { e.bindCaptures($0) }
      for allow in tried {
        let outcome = trace(allow, disjunct: disjunct)
        if outcome == .granted { break trying }
        if case .fault(let fault) = outcome, fault.code == .budget { break trying }
      }
    }
  }

  private mutating func trace(_ allow: AllowPlan, disjunct: Int) -> AllowOutcome {
    let place = ruleset.allowPlaces[allow.number]
    var chain: [DecidingExpression] = []
    var leaves: [DecidingExpression] = []
    var questions: [Int32] = []
    beside.removeAll()
    var outcome = AllowOutcome.granted
    if let condition = allow.condition {
      let before = e.spent
      var value = condition.value(e)
      if e.isExhausted { value = e.exhausted(condition.number) }
      outcome = self.outcome(value, place.condition ?? place.span)
      if !e.isExhausted { walk(condition, value, &chain, &leaves) }
      if e.hidesDocuments, value.isFault, !e.isExhausted { HiddenQuestions(e).collect(condition, &questions) }
      if case .fault(let fault) = outcome, let limit = exceeded(fault, condition, from: before) {
        limits.append(limit)
      }
    }
    let start = place.condition?.start ?? place.span.start
    let hidden = questions.map(expression)
    allows.append(
      AllowTrace(
        allow: allow.number, id: place.id, method: e.method, position: ruleset.source.position(of: start),
        disjunct: disjunct, outcome: outcome, deciding: chain, beside: beside, falseLeaves: leaves,
        hidden: hidden))
    return outcome
  }

  private func outcome(_ value: Operand, _ condition: Span) -> AllowOutcome {
    switch value {
    case .boolean(true): .granted
    case .boolean(false): .refused
    case .fault(let code, let node, let detail):
      .fault(Fault(code: code, message: message(code, detail, condition), span: ruleset.spans[Int(node)]))
    default:
      .fault(
        Fault(
          code: .type, message: FaultText.type(value.kind, expected: "bool"), span: condition))
    }
  }

  /// What has no words of its own is reported by the place of the whole condition.
  private func message(_ code: FaultCode, _ detail: Int32, _ condition: Span) -> String {
    guard code == .undetermined else { return e.message(detail) }
    let position = ruleset.source.position(of: condition.start)
    return "evaluation error at L\(position.line):\(position.column)"
  }

  private func expression(_ number: Int32) -> DecidingExpression {
    DecidingExpression(ruleset.spans[Int(number)], in: ruleset.source)
  }

  /// Follows what decided down to the innermost expression. Of a disjunction that is false as a whole
  /// the last side is followed, the other only for its leaves.
  private mutating func walk(
    _ node: PlanNode, _ value: Operand, _ chain: inout [DecidingExpression],
    _ leaves: inout [DecidingExpression]
  ) {
    guard chain.count < Self.chainMax else { return }
    chain.append(expression(node.number))
    noteMissing(node, value)
    if let call = node as? FunctionCallNode {
      let outside = names
      // Only a query can lack a filter.
      if e.method == .list { names = names.inside(call) }
      let saved = call.enter(e)
      defer {
        e.frame = saved
        names = outside
      }
      walk(call.function.body, e.probe(call.function.body), &chain, &leaves)
      return
    }
    let deciders = node.deciders(e, value)
    if deciders.isEmpty {
      if case .fault(_, let failed, _) = value, failed != node.number { chain.append(expression(failed)) }
      if value.isFalse { leaves.append(expression(node.number)) }
      return
    }
    for (index, decider) in deciders.enumerated() {
      if index == deciders.count - 1 {
        walk(decider, e.probe(decider), &chain, &leaves)
      } else {
        var side: [DecidingExpression] = []
        walk(decider, e.probe(decider), &side, &leaves)
        beside += side
      }
    }
    // An error that the other side did not absorb can hide a second question that a filter would answer.
    if value.isFault, let or = node as? OrNode { noteOtherSide(or) }
  }

  private mutating func noteOtherSide(_ or: OrNode) {
    guard e.method == .list else { return }
    var chain: [DecidingExpression] = []
    var leaves: [DecidingExpression] = []
    let value = e.probe(or.right)
    if value.isFault || value.isFalse { walk(or.right, value, &chain, &leaves) }
  }

  /// For queries: a question about a field that the filters left open, as the filter that answers it.
  private mutating func noteMissing(_ node: PlanNode, _ value: Operand) {
    guard e.method == .list, !e.isIDKnown, !value.isTrue else { return }
    guard let found = MissingFilterFinder(e, names).filter(for: node), !missing.contains(found) else {
      return
    }
    missing.append(found)
  }
}
