/// `&&`, `||`, `!`, `?:`: the three-valued logic.
///
/// Truth table: docs/spec/rules-language.md 2.2. A side that is no boolean is a fault of the side's kind.
/// Running out of budget is absorbed by nothing.

internal import DocModel

extension Evaluation {
  /// The operand as a logical value: anything but a boolean is a fault at `node`.
  @inline(__always)
  package func logical(_ operand: Operand, _ node: Int32) -> Operand {
    switch operand {
    case .boolean, .fault: operand
    default: fault(.type, node, FaultText.type(operand.kind, expected: "bool"))
    }
  }
}

extension BinaryNode {
  /// `&&`, which false decides, and `||`, which true decides: from either side, whatever the other one is.
  @inline(__always)
  fileprivate func joined(
    _ e: Evaluation, decidedBy verdict: Bool, _ value: (PlanNode) -> Operand
  ) -> Operand {
    e.charge(1)
    let a = value(left)
    if a.isBoolean(verdict) { return a }
    if e.isExhausted { return e.exhausted(number) }
    e.charge(1)
    // Nothing of the left side is needed further where that decides nothing, as it is for the most part.
    guard a.isBoolean(!verdict) else { return beside(e, fault: a, value(right), decidedBy: verdict) }
    let b = value(right)
    if e.isExhausted { return e.exhausted(number) }
    if case .boolean = b { return b }
    return e.logical(b, right.number)
  }

  @inline(never)
  private func beside(_ e: Evaluation, fault a: Operand, _ b: Operand, decidedBy verdict: Bool) -> Operand {
    if e.isExhausted { return e.exhausted(number) }
    return b.isBoolean(verdict) ? b : e.logical(a, left.number)
  }
}

extension Operand {
  @inline(__always)
  fileprivate func isBoolean(_ flag: Bool) -> Bool { flag ? isTrue : isFalse }
}

final class AndNode: BinaryNode, @unchecked Sendable {
  override func value(_ e: Evaluation) -> Operand { joined(e, decidedBy: false) { $0.value(e) } }

  override func value(_ e: Evaluation, noting trail: inout RefusalTrail) -> Operand {
    joined(e, decidedBy: false) { $0.value(e, noting: &trail) }
  }

  override func deciders(_ e: Evaluation, _ result: Operand) -> [PlanNode] {
    if result.isFalse { return e.probe(left).isFalse ? [left] : [right] }
    if result.isFault { return e.logical(e.probe(left), number).isFault ? [left] : [right] }
    return []
  }
}

final class OrNode: BinaryNode, @unchecked Sendable {
  override func value(_ e: Evaluation) -> Operand { joined(e, decidedBy: true) { $0.value(e) } }

  override func value(_ e: Evaluation, noting trail: inout RefusalTrail) -> Operand {
    joined(e, decidedBy: true) { $0.value(e, noting: &trail) }
  }

  override func deciders(_ e: Evaluation, _ result: Operand) -> [PlanNode] {
    if result.isFalse { return [left, right] }
    if result.isFault { return e.logical(e.probe(left), number).isFault ? [left] : [right] }
    return e.probe(left).isTrue ? [left] : [right]
  }
}

final class NotNode: PlanNode, @unchecked Sendable {
  let operand: PlanNode

  init(_ number: Int, _ operand: PlanNode) {
    self.operand = operand
    super.init(number)
  }

  override var operands: [PlanNode] { [operand] }

  override func value(_ e: Evaluation) -> Operand { negated(e) { $0.value(e) } }

  override func value(_ e: Evaluation, noting trail: inout RefusalTrail) -> Operand {
    negated(e) { $0.value(e, noting: &trail) }
  }

  @inline(__always)
  private func negated(_ e: Evaluation, _ value: (PlanNode) -> Operand) -> Operand {
    e.charge(1)
    switch value(operand) {
    case .boolean(let flag): return .boolean(!flag)
    case .fault(let code, let node, let detail): return .fault(code, node: node, detail: detail)
    case let other:
      return e.fault(
        .unsupportedOperation, number, FaultText.unsupported("!\(other.kind.name)", expected: "!bool"))
    }
  }

  override func deciders(_ e: Evaluation, _ result: Operand) -> [PlanNode] {
    result.isFault && e.probe(operand).isFault ? [operand] : []
  }
}

final class TernaryNode: PlanNode, @unchecked Sendable {
  let condition: PlanNode
  let then: PlanNode
  let otherwise: PlanNode

  init(_ number: Int, _ condition: PlanNode, _ then: PlanNode, _ otherwise: PlanNode) {
    self.condition = condition
    self.then = then
    self.otherwise = otherwise
    super.init(number, cost: 2)
  }

  override var operands: [PlanNode] { [condition, then, otherwise] }

  override func value(_ e: Evaluation) -> Operand { chosen(e) { $0.value(e) } }

  override func value(_ e: Evaluation, noting trail: inout RefusalTrail) -> Operand {
    chosen(e) { $0.value(e, noting: &trail) }
  }

  @inline(__always)
  private func chosen(_ e: Evaluation, _ value: (PlanNode) -> Operand) -> Operand {
    e.charge(2)
    let test = e.logical(value(condition), condition.number)
    if e.isExhausted { return e.exhausted(number) }
    if test.isTrue { return value(then) }
    guard test.isFalse else { return test }
    e.charge(2)
    return value(otherwise)
  }

  override func deciders(_ e: Evaluation, _ result: Operand) -> [PlanNode] {
    let test = e.probe(condition)
    return test.isTrue ? [then] : test.isFalse ? [otherwise] : [condition]
  }
}
