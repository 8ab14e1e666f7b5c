/// A filter that is asked about documents in place.
///
/// Nothing is decoded and nothing allocated for a document. Operands and field names lie in memory that the matcher
/// owns, so nodes can hold views on them.
///
/// What a query finds is decided here and nowhere else: by the executor, by listeners, and by proofs of rules about the
/// documents they make up. What rules *conclude* from a test is another matter, and differs on purpose: the
/// service's own logic does (docs/spec/production-differences.md 1.10).
///
/// Source: docs/spec/protocol.md 5.3 (the table of operators, null and NaN) and 3.4.

/// Decides whether documents pass a filter.
///
/// Made for one query. Never changes, so it may be asked on several threads.
public final class FilterMatcher {
  private let root: FilterNode?
  private let required: [FieldLookup]
  private let memory: OperandMemory

  /// Nil lets every document pass that has the required fields.
  public init(_ filter: QueryFilter?, requiring fields: [FieldPath] = []) {
    memory = OperandMemory()
    root = filter.map { [memory] in FilterNode.make($0, memory) }
    required = fields.map { [memory] in FieldLookup($0, memory) }
  }

  /// `path` is the document's path relative to the database's root.
  public func matches(path: UnsafeRawBufferPointer, fields: FieldsView) -> Bool {
    for lookup in required where lookup.value(in: fields) == nil { return false }
    return root?.matches(path, fields) ?? true
  }

  /// Whether one value of a field passes a test of that field.
  public static func passes(_ test: FieldTest, _ value: ValueView) -> Bool {
    let memory = OperandMemory()
    return ValueTest(test, memory).passes(value)
  }
}

/// One node of a filter. A class, so that a document costs no copying of nodes.
class FilterNode {
  func matches(_ path: UnsafeRawBufferPointer, _ fields: FieldsView) -> Bool { true }

  static func make(_ filter: QueryFilter, _ memory: OperandMemory) -> FilterNode {
    switch filter {
    case .test(let test):
      test.path.isDocumentName ? NameNode(test, memory) : FieldNode(test, memory)
    case .all(let children): AllNode(children.map { make($0, memory) })
    case .any(let children): AnyNode(children.map { make($0, memory) })
    }
  }
}

private final class AllNode: FilterNode {
  private let children: ContiguousArray<FilterNode>

  init(_ children: [FilterNode]) { self.children = ContiguousArray(children) }

  override func matches(_ path: UnsafeRawBufferPointer, _ fields: FieldsView) -> Bool {
    for child in children where !child.matches(path, fields) { return false }
    return true
  }
}

private final class AnyNode: FilterNode {
  private let children: ContiguousArray<FilterNode>

  init(_ children: [FilterNode]) { self.children = ContiguousArray(children) }

  override func matches(_ path: UnsafeRawBufferPointer, _ fields: FieldsView) -> Bool {
    for child in children where child.matches(path, fields) { return true }
    return false
  }
}

private final class FieldNode: FilterNode {
  private let lookup: FieldLookup
  private let test: ValueTest

  init(_ test: FieldTest, _ memory: OperandMemory) {
    lookup = FieldLookup(test.path, memory)
    self.test = ValueTest(test, memory)
  }

  /// A filter on a field never matches a document that lacks the field.
  override func matches(_ path: UnsafeRawBufferPointer, _ fields: FieldsView) -> Bool {
    guard let value = lookup.value(in: fields) else { return false }
    return test.passes(value)
  }
}

/// A test of the document's name: by the order of paths below the root.
private final class NameNode: FilterNode {
  private let comparison: FieldTest.Comparison
  private let operands: [UnsafeRawBufferPointer]

  init(_ test: FieldTest, _ memory: OperandMemory) {
    comparison = test.comparison
    operands = test.operands.map { memory.keep(Array(NameOperand.path($0).text.utf8)) }
  }

  override func matches(_ path: UnsafeRawBufferPointer, _ fields: FieldsView) -> Bool {
    switch comparison {
    case .equal, .in: operands.contains { WireCursor.areEqual(path, $0) }
    case .notEqual, .notIn: !operands.contains { WireCursor.areEqual(path, $0) }
    case .lessThan: operands.allSatisfy { NameOrder.comparePaths(path, $0) < 0 }
    case .lessThanOrEqual: operands.allSatisfy { NameOrder.comparePaths(path, $0) <= 0 }
    case .greaterThan: operands.allSatisfy { NameOrder.comparePaths(path, $0) > 0 }
    case .greaterThanOrEqual: operands.allSatisfy { NameOrder.comparePaths(path, $0) >= 0 }
    // Validation refuses the others for names.
    case .arrayContains, .arrayContainsAny, .isNull, .isNotNull, .isNaN, .isNotNaN: false
    }
  }
}

/// A test of a value that is there.
private struct ValueTest {
  private let comparison: FieldTest.Comparison
  /// Operands that something can be equal to: null and NaN are not, at their top level.
  private let operands: [ValueView]
  private let hasNull: Bool

  init(_ test: FieldTest, _ memory: OperandMemory) {
    comparison = test.comparison
    let all = test.operands.map { ValueView(memory.keep($0)) }
    hasNull = all.contains { $0.isNull }
    operands = all.filter { !ValueOrder.isUnordered($0) }
  }

  func passes(_ value: ValueView) -> Bool {
    switch comparison {
    case .equal, .in: operands.contains { ValueOrder.areEqual(value, $0) }
    // A null operand matches nothing; NaN, stored or asked for, differs from everything.
    case .notEqual, .notIn:
      !hasNull && !value.isNull && !operands.contains { ValueOrder.areEqual(value, $0) }
    case .lessThan: isRelated(value) { $0 < 0 }
    case .lessThanOrEqual: isRelated(value) { $0 <= 0 }
    case .greaterThan: isRelated(value) { $0 > 0 }
    case .greaterThanOrEqual: isRelated(value) { $0 >= 0 }
    case .arrayContains, .arrayContainsAny: containsOperand(value)
    case .isNull: value.isNull
    case .isNotNull: !value.isNull
    case .isNaN: ValueOrder.isNaN(value)
    case .isNotNaN: !ValueOrder.isUnordered(value)
    }
  }

  /// Ranges stay within the kind of their operand.
  private func isRelated(_ value: ValueView, _ holds: (Int) -> Bool) -> Bool {
    guard let operand = operands.first, ValueOrder.areComparable(value, operand) else { return false }
    return holds(ValueOrder.compare(value, operand))
  }

  private func containsOperand(_ value: ValueView) -> Bool {
    guard value.kind == .array, !operands.isEmpty else { return false }
    for element in value.array {
      for operand in operands where ValueOrder.areEqual(element, operand) { return true }
    }
    return false
  }
}
