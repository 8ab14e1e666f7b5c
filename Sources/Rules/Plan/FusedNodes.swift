/// Common chains as one node, without the lists and sets between their steps.

internal import DocModel

/// What is asked of keys.
enum KeyQuestion: String {
  case hasOnly, hasAll, hasAny
}

/// Texts known at compile time, ascending by bytes, none twice.
struct KeyTable {
  let keys: [ByteView]

  func contains(_ key: ByteView) -> Bool {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      let order = WireCursor.compare(keys[middle].buffer, key.buffer)
      if order == 0 { return true }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return false
  }
}

/// `map.keys().hasOnly([…])`, `hasAll`, `hasAny` with literal texts.
final class KeyCheckNode: PlanNode, @unchecked Sendable {
  let map: PlanNode
  let question: KeyQuestion
  let table: KeyTable
  let keysNode: Int32

  init(_ number: Int, _ map: PlanNode, keysNode: Int, _ question: KeyQuestion, _ table: KeyTable, cost: Int) {
    self.map = map
    self.question = question
    self.table = table
    self.keysNode = Int32(keysNode)
    super.init(number, cost: cost)
  }

  override var operands: [PlanNode] { [map] }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    let target = map.value(e)
    switch target {
    case .document, .fields, .map: return .boolean(answer(e, target))
    case .fault: return target
    case .null: return e.fault(.nullValue, keysNode, FaultText.nullValue)
    default: return e.fault(.functionNotFound, keysNode, FaultText.functionNotFound("keys"))
    }
  }

  private func answer(_ e: Evaluation, _ map: Operand) -> Bool {
    if question == .hasAll { return table.keys.allSatisfy { e.lookup(map, $0) != nil } }
    guard let view = e.fieldsView(map) else {
      let keys = e.entries(map).lazy.map(\.key)
      return question == .hasOnly
        ? keys.allSatisfy { self.table.contains($0) } : keys.contains { self.table.contains($0) }
    }
    for entry in view {
      if table.contains(ByteView(entry.key)) != (question == .hasOnly) { return question == .hasAny }
    }
    return question == .hasOnly
  }
}

/// `new.diff(old).affectedKeys().hasOnly([…])` and its relatives, with literal texts.
final class DiffCheckNode: PlanNode, @unchecked Sendable {
  let new: PlanNode
  let old: PlanNode
  let diffNode: Int32
  let method: MethodName
  /// `.hasOnly` or `.hasAny`.
  let question: KeyQuestion
  let table: KeyTable

  init(
    _ number: Int, new: PlanNode, old: PlanNode, diffNode: Int, _ method: MethodName,
    _ question: KeyQuestion, _ table: KeyTable, cost: Int
  ) {
    self.new = new
    self.old = old
    self.diffNode = Int32(diffNode)
    self.method = method
    self.question = question
    self.table = table
    super.init(number, cost: cost)
  }

  override var operands: [PlanNode] { [new, old] }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    let left = new.value(e)
    if left.isFault { return left }
    if case .null = left { return e.fault(.nullValue, diffNode, FaultText.nullValue) }
    guard left.kind == .map else {
      return e.fault(.functionNotFound, diffNode, FaultText.functionNotFound("diff"))
    }
    let right = old.value(e)
    if right.isFault { return right }
    guard right.kind == .map else {
      return e.fault(
        .unsupportedOperation, diffNode,
        FaultText.unsupported("map.diff(\(right.kind.name))", expected: "map.diff(map)"))
    }
    var result = question == .hasOnly
    e.forEachChange(new: left, old: right) { key, change in
      guard isAsked(change) else { return true }
      if table.contains(key) != (question == .hasOnly) {
        result = question == .hasAny
        return false
      }
      return true
    }
    return .boolean(result)
  }

  private func isAsked(_ change: KeyChange) -> Bool {
    switch method {
    case .addedKeys: change == .added
    case .removedKeys: change == .removed
    case .changedKeys: change == .changed
    case .unchangedKeys: change == .unchanged
    default: change != .unchanged
    }
  }
}

/// `list.hasAny(other)` and its relatives on whatever the sides turn out to be.
///
/// The plain method call without its tables, because this is what membership rules are made of.
final class MembershipNode: PlanNode, @unchecked Sendable {
  let receiver: PlanNode
  let argument: PlanNode
  let question: KeyQuestion
  private let general: MethodCallNode

  init(_ number: Int, _ receiver: PlanNode, _ question: KeyQuestion, _ argument: PlanNode) {
    self.receiver = receiver
    self.argument = argument
    self.question = question
    general = MethodCallNode(number, receiver, question.rawValue, [argument])
    super.init(number)
  }

  override var operands: [PlanNode] { [receiver, argument] }

  override func value(_ e: Evaluation) -> Operand {
    let target = receiver.value(e)
    guard target.kind == .list else { return general.value(e, receiver: target) }
    let other = argument.value(e)
    guard other.kind == .list else { return general.value(e, receiver: target, argument: other) }
    e.charge(1)
    switch question {
    case .hasAny: return .boolean(e.hasAny(target, other, .member))
    case .hasAll: return .boolean(e.hasAll(target, other, .member))
    case .hasOnly: return .boolean(e.hasAll(other, target, .member))
    }
  }
}
