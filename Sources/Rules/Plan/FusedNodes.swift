/// Common chains as one node, without the lists and sets between their steps.

internal import DocModel

/// What is asked of keys.
enum KeyQuestion: String {
  case hasOnly, hasAll, hasAny
}

/// What the keys are when they are asked: a list, or the set that a difference gives.
enum KeyOwner {
  case list, set
}

/// The texts that keys are compared with.
final class KeyTable: @unchecked Sendable {  // Immutable, see PlanNode.
  /// When they are literals: ascending by bytes, none twice.
  let literals: [ByteView]
  /// When they are not: what gives the list.
  let node: PlanNode?

  init(literals: [ByteView]) {
    self.literals = literals
    node = nil
  }

  init(_ node: PlanNode) {
    literals = []
    self.node = node
  }

  @inline(__always)
  func contains(_ key: ByteView, _ list: Operand, _ e: Evaluation) -> Bool {
    node == nil ? isLiteral(key) : e.contains(list, .string(key), .member)
  }

  private func isLiteral(_ key: ByteView) -> Bool {
    var low = 0
    var high = literals.count
    while low < high {
      let middle = (low + high) / 2
      let order = WireCursor.compare(literals[middle].buffer, key.buffer)
      if order == 0 { return true }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return false
  }

  /// Whether every text is a key of the map.
  func areAllKeys(of map: Operand, _ list: Operand, _ e: Evaluation) -> Bool {
    guard node != nil else {
      var index = 0
      while index < literals.count {
        if e.lookup(map, literals[index]) == nil { return false }
        index += 1
      }
      return true
    }
    var elements = Elements(list)
    while let element = elements.next(e) {
      guard case .string(let key) = element, e.lookup(map, key) != nil else { return false }
    }
    return true
  }

  /// The list, evaluated; a fault when it is nothing that the method takes.
  func list(
    _ e: Evaluation, _ number: Int32, of owner: KeyOwner, _ question: KeyQuestion
  ) -> Operand {
    guard let node else { return .null }
    let value = node.value(e)
    if value.isFault || value.kind == .list || (owner == .set && value.kind == .set) { return value }
    return e.fault(
      .unsupportedOperation, number,
      FaultText.unsupported(
        "\(owner).\(question)(\(value.kind.name))",
        expected: (owner == .set ? ["set", "list"] : ["list"]).map { "\(owner).\(question)(\($0))" }
          .joined(separator: ", ")))
  }
}

/// `map.keys().hasOnly(list)`, `hasAll`, `hasAny`.
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

  override var operands: [PlanNode] { [map] + [table.node].compactMap { $0 } }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    let target = map.value(e)
    switch target {
    case .document, .fields, .map: break
    case .fault: return e.finish(target, table.node)
    case .null: return e.finish(e.fault(.nullValue, keysNode, FaultText.nullValue), table.node)
    default:
      return e.finish(e.fault(.functionNotFound, keysNode, FaultText.functionNotFound("keys")), table.node)
    }
    let list = table.list(e, number, of: .list, question)
    return list.isFault ? list : .boolean(answer(e, target, list))
  }

  private func answer(_ e: Evaluation, _ map: Operand, _ list: Operand) -> Bool {
    if e.areMany(map, list) { return answer(e, keys: e.keyList(map), list) }
    if question == .hasAll { return table.areAllKeys(of: map, list, e) }
    let isOnly = question == .hasOnly
    guard let view = e.fieldsView(map) else {
      let keys = e.entries(map).map(\.key)
      return isOnly
        ? keys.allSatisfy { table.contains($0, list, e) } : keys.contains { table.contains($0, list, e) }
    }
    for entry in view where table.contains(ByteView(entry.key), list, e) != isOnly { return !isOnly }
    return isOnly
  }

  /// The same when there are too many for comparing each with each.
  @inline(never)
  private func answer(_ e: Evaluation, keys: Operand, _ list: Operand) -> Bool {
    switch question {
    case .hasOnly: e.hasAll(list, keys, .member)
    case .hasAll: e.hasAll(keys, list, .member)
    case .hasAny: e.hasAny(list, keys, .member)
    }
  }
}

/// `new.diff(old).affectedKeys().hasOnly(list)` and its relatives.
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

  override var operands: [PlanNode] { [new, old] + [table.node].compactMap { $0 } }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    let left = new.value(e)
    let right = old.value(e)
    guard left.kind == .map, right.kind == .map else { return e.finish(refusal(e, left, right), table.node) }
    if let fault = e.openDifference(new: left, old: right, diffNode) { return e.finish(fault, table.node) }
    let list = table.list(e, number, of: .set, question)
    if list.isFault { return list }
    if table.node != nil, let fault = e.openValue(list, .null, number) { return fault }
    let isOnly = question == .hasOnly
    if e.areMany(left, list) || e.areMany(right, list) {
      let keys = changedKeys(e, left, right)
      return .boolean(isOnly ? e.hasAll(list, keys, .member) : e.hasAny(list, keys, .member))
    }
    var result = isOnly
    e.forEachChange(new: left, old: right) { key, change in
      guard isAsked(change), table.contains(key, list, e) != isOnly else { return true }
      result = !isOnly
      return false
    }
    return .boolean(result)
  }

  /// The fault of two values that have no difference.
  @inline(never)
  private func refusal(_ e: Evaluation, _ left: Operand, _ right: Operand) -> Operand {
    if left.isFault { return left }
    if case .null = left { return e.fault(.nullValue, diffNode, FaultText.nullValue) }
    guard left.kind == .map else {
      return e.fault(.functionNotFound, diffNode, FaultText.functionNotFound("diff"))
    }
    if right.isFault { return right }
    return e.fault(
      .unsupportedOperation, diffNode,
      FaultText.unsupported("map.diff(\(right.kind.name))", expected: "map.diff(map)"))
  }

  /// The keys in question, as a list.
  @inline(never)
  private func changedKeys(_ e: Evaluation, _ new: Operand, _ old: Operand) -> Operand {
    var keys: [Operand] = []
    e.forEachChange(new: new, old: old) { key, change in
      if isAsked(change) { keys.append(.string(key)) }
      return true
    }
    return e.list(keys)
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
    guard question == .hasAny, case .array(let a) = target else { return answer(e, target) }
    let other = argument.value(e)
    guard case .array(let b) = other else { return answer(e, target, other) }
    e.charge(1)
    return .boolean(e.hasAny(stored: a, of: b))
  }

  @inline(never)
  private func answer(_ e: Evaluation, _ target: Operand) -> Operand {
    target.kind == .list ? answer(e, target, argument.value(e)) : general.value(e, receiver: target)
  }

  @inline(never)
  private func answer(_ e: Evaluation, _ target: Operand, _ other: Operand) -> Operand {
    guard other.kind == .list else { return general.value(e, receiver: target, argument: other) }
    e.charge(1)
    switch question {
    case .hasAny: return .boolean(e.hasAny(target, other, .member))
    case .hasAll: return .boolean(e.hasAll(target, other, .member))
    case .hasOnly: return .boolean(e.hasAll(other, target, .member))
    }
  }
}
