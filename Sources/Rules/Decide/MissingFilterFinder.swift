/// What a query lacks: the filter that would answer a question its rules ask.

internal import DocModel

/// What a filter would have to say for an expression to be true.
struct MissingFilterFinder {
  private let e: Evaluation
  private let names: QueriedNames

  init(_ e: Evaluation, _ names: QueriedNames) {
    self.e = e
    self.names = names
  }

  func filter(for node: PlanNode) -> MissingFilter? {
    switch node {
    case let comparison as ComparisonNode:
      if let field = field(comparison.left) { return filter(field, comparison.comparison, comparison.right) }
      if let field = field(comparison.right) {
        return filter(field, comparison.comparison.flipped, comparison.left)
      }
      return documentName(comparison)
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

  private func documentName(_ comparison: ComparisonNode) -> MissingFilter? {
    guard comparison.comparison == .equal else { return nil }
    let isLeft = isDocumentID(comparison.left)
    guard isLeft || isDocumentID(comparison.right) else { return nil }
    let other = text(isLeft ? comparison.right : comparison.left)
    return MissingFilter(field: "__name__", text: other.map { "__name__ == \($0)" })
  }

  /// Captures above the id are known.
  private func isDocumentID(_ node: PlanNode) -> Bool {
    guard case .capture = names.part(node) else { return false }
    return e.probe(node).isFault
  }

  /// The field of the queried documents that a node reads; nil for any other node.
  private func field(_ node: PlanNode) -> String? {
    guard case .field(let names) = names.part(node), !names.isEmpty else { return nil }
    return FieldPath(segments: names)?.text
  }

  private func text(_ node: PlanNode) -> String? {
    let value = e.probe(node)
    return value.isFault ? nil : OperandText.literal(value, e)
  }
}

/// A part of the queried documents that an expression gives.
enum QueriedPart {
  case resource
  /// A path below `resource.data`, which is the empty one.
  case field([String])
  case capture
}

/// What parameters and lets stand for: a condition on a field is one also where a function asks it.
struct QueriedNames {
  private var slots: [QueriedPart?] = []

  /// The names of the function that is called.
  func inside(_ call: FunctionCallNode) -> QueriedNames {
    var inner = QueriedNames()
    inner.slots = call.arguments.map { part($0) }
    for value in call.function.lets { inner.slots.append(inner.part(value)) }
    return inner
  }

  /// Nil when an expression gives anything else.
  func part(_ node: PlanNode) -> QueriedPart? {
    switch node {
    case let name as SlotNode: return name.slot < slots.count ? slots[name.slot] : nil
    case is CaptureNode: return .capture
    case let path as FieldPathNode where path.root.part == .data:
      return .field((0..<path.stepCount).map { path.steps[$0].key.text })
    case let root as RequestNode where root.part == .data: return .field([])
    case let root as RequestNode where root.part == .resource: return .resource
    case let member as MemberNode: return part(member.key.text, of: member.base)
    case let index as IndexNode: return constant(index.index).flatMap { part($0, of: index.base) }
    case let call as MethodCallNode where call.method == .get:
      return call.arguments.first.flatMap(constant).flatMap { part($0, of: call.receiver) }
    default: return nil
    }
  }

  private func part(_ name: String, of base: PlanNode) -> QueriedPart? {
    switch part(base) {
    case .resource: name == "data" ? .field([]) : nil
    case .field(let path): .field(path + [name])
    case .capture, nil: nil
    }
  }

  private func constant(_ node: PlanNode) -> String? {
    guard let constant = node as? ConstantNode, case .string(let text) = constant.operand else { return nil }
    return text.text
  }
}
