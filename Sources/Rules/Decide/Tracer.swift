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
      let saved = call.enter(e)
      defer { e.frame = saved }
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
    guard let found = MissingFilterFinder(e).filter(for: node), !missing.contains(found) else { return }
    missing.append(found)
  }
}

/// What a filter would have to say for an expression to be true.
struct MissingFilterFinder {
  private let e: Evaluation

  init(_ e: Evaluation) { self.e = e }

  func filter(for node: PlanNode) -> MissingFilter? {
    switch node {
    case let comparison as ComparisonNode:
      if let field = field(comparison.left) { return filter(field, comparison.comparison, comparison.right) }
      if let field = field(comparison.right) {
        return filter(field, comparison.comparison.flipped, comparison.left)
      }
      return isDocumentID(comparison) ? documentName(comparison) : nil
    case let membership as InNode:
      if let field = field(membership.collection) {
        return MissingFilter(
          field: field, text: text(membership.element).map { "\(field) array-contains \($0)" })
      }
      if let field = field(membership.element) {
        return MissingFilter(field: field, text: text(membership.collection).map { "\(field) in \($0)" })
      }
      return nil
    case let call as MembershipNode:
      if let field = field(call.receiver) {
        return MissingFilter(
          field: field, text: text(call.argument).map { "\(field) array-contains-any \($0)" })
      }
      return field(call.argument).map { MissingFilter(field: $0, text: nil) }
    case is AndNode, is OrNode, is NotNode, is TernaryNode, is FunctionCallNode: return nil
    default:
      if let path = field(node) { return MissingFilter(field: path, text: "\(path) == true") }
      return node.operands.lazy.compactMap { self.field($0) }.first.map {
        MissingFilter(field: $0, text: nil)
      }
    }
  }

  private func filter(_ field: String, _ comparison: Comparison, _ other: PlanNode) -> MissingFilter {
    MissingFilter(field: field, text: text(other).map { "\(field) \(comparison.symbol) \($0)" })
  }

  private func isDocumentID(_ comparison: ComparisonNode) -> Bool {
    comparison.comparison == .equal && (comparison.left is CaptureNode || comparison.right is CaptureNode)
  }

  private func documentName(_ comparison: ComparisonNode) -> MissingFilter? {
    let isLeft = comparison.left is CaptureNode
    let capture = isLeft ? comparison.left : comparison.right
    guard e.probe(capture).isFault else { return nil }
    let other = text(isLeft ? comparison.right : comparison.left)
    return MissingFilter(field: "__name__", text: other.map { "__name__ == \($0)" })
  }

  /// The field of the queried documents that a node reads; nil for any other node.
  private func field(_ node: PlanNode) -> String? {
    guard let path = node as? FieldPathNode, path.root.part == .data else { return nil }
    let names = (0..<path.stepCount).map { path.steps[$0].key.text }
    return FieldPath(segments: names)?.text
  }

  private func text(_ node: PlanNode) -> String? {
    let value = e.probe(node)
    return value.isFault ? nil : OperandText.literal(value, e)
  }
}
