/// Comparisons, arithmetic, `in`, `is`.

internal import DocModel

/// `==`, `!=`, `<`, `<=`, `>`, `>=`.
package class ComparisonNode: BinaryNode, @unchecked Sendable {
  final let comparison: Comparison

  init(_ number: Int, _ comparison: Comparison, _ left: PlanNode, _ right: PlanNode) {
    self.comparison = comparison
    super.init(number, left, right)
  }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let a = left.value(e)
    if a.isFault { return e.finish(a, right) }
    let b = right.value(e)
    if case .string(let x) = a, case .string(let y) = b, comparison == .equal { return .boolean(x == y) }
    return compared(e, a, b)
  }

  /// Of two values of whatever kinds, of which the left one is no fault.
  @inline(never)
  fileprivate final func compared(_ e: Evaluation, _ a: Operand, _ b: Operand) -> Operand {
    if b.isFault { return b }
    if case .constraint = a { return e.constrained(a, comparison, b, number) }
    if case .constraint = b { return e.constrained(b, comparison.flipped, a, number) }
    switch comparison {
    case .equal: return .boolean(e.areEqual(a, b, .direct))
    case .notEqual: return .boolean(!e.areEqual(a, b, .direct))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      if let holds = ordered(a, b, comparison) { return .boolean(holds) }
      return e.fault(.unsupportedOperation, number, Signatures.comparison(comparison, a.kind, b.kind))
    }
  }
}

/// `… == 'text'` and `!=`: what most conditions ask of a field.
final class TextComparisonNode: ComparisonNode, @unchecked Sendable {
  private let text: ByteView
  private let isEqualWanted: Bool

  /// - Parameter text: what `right` is, short enough to be looked through without being counted.
  init(_ number: Int, _ comparison: Comparison, _ left: PlanNode, _ right: ConstantNode, _ text: ByteView) {
    self.text = text
    isEqualWanted = comparison == .equal
    super.init(number, comparison, left, right)
  }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let a = left.value(e)
    e.charge(1)
    if case .string(let stored) = a { return .boolean((stored == text) == isEqualWanted) }
    return a.isFault ? a : compared(e, a, .string(text))
  }
}

/// `request.auth == null` and `!= null`, fused.
final class SignedInNode: PlanNode, @unchecked Sendable {
  let isSignedInWanted: Bool

  init(_ number: Int, isSignedInWanted: Bool, cost: Int) {
    self.isSignedInWanted = isSignedInWanted
    super.init(number, cost: cost)
  }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    return .boolean(e.isSignedIn == isSignedInWanted)
  }
}

/// `resource == null` and `!= null`, fused.
final class ResourcePresenceNode: PlanNode, @unchecked Sendable {
  let isPresenceWanted: Bool

  init(_ number: Int, isPresenceWanted: Bool, cost: Int) {
    self.isPresenceWanted = isPresenceWanted
    super.init(number, cost: cost)
  }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    guard case .null = e.resourceData else { return .boolean(isPresenceWanted) }
    guard e.isResourceReadable else { return e.unreadableResource(number) }
    return .boolean(!isPresenceWanted)
  }
}

/// `+ - * / %`
final class ArithmeticNode: BinaryNode, @unchecked Sendable {
  let operation: Arithmetic

  init(_ number: Int, _ operation: Arithmetic, _ left: PlanNode, _ right: PlanNode) {
    self.operation = operation
    super.init(number, left, right)
  }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let a = left.value(e)
    if a.isFault { return e.finish(a, right) }
    let b = right.value(e)
    if b.isFault { return b }
    return e.arithmetic(operation, a, b, number)
  }
}

/// `-x`
package final class NegateNode: PlanNode, @unchecked Sendable {
  let operand: PlanNode

  package init(_ number: Int, _ operand: PlanNode) {
    self.operand = operand
    super.init(number)
  }

  override var operands: [PlanNode] { [operand] }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    switch operand.value(e) {
    case .integer(let number):
      guard number != .min else { return e.fault(.overflow, self.number, FaultText.overflow) }
      return .integer(-number)
    case .float(let number): return .float(-number)
    case .duration(let length):
      return .duration(Duration(seconds: -length.seconds, nanoseconds: -length.nanoseconds))
    case .fault(let code, let node, let detail): return .fault(code, node: node, detail: detail)
    case let other:
      return e.fault(
        .unsupportedOperation, number,
        FaultText.unsupported("-\(other.kind.name)", expected: "-int, -float, -duration"))
    }
  }
}

/// `value in collection`: the collection is evaluated first.
final class InNode: PlanNode, @unchecked Sendable {
  let element: PlanNode
  let collection: PlanNode

  init(_ number: Int, _ element: PlanNode, _ collection: PlanNode) {
    self.element = element
    self.collection = collection
    super.init(number)
  }

  override var operands: [PlanNode] { [collection, element] }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let place = collection.value(e)
    if place.isFault { return e.finish(place, element) }
    // What holds nothing is the error, whatever the element comes to.
    if !place.isContainer { return e.finish(e.isIn(.null, place, number), element) }
    let wanted = element.value(e)
    if wanted.isFault { return wanted }
    return e.isIn(wanted, place, number)
  }
}

extension Operand {
  /// Whether `in` exists for it.
  fileprivate var isContainer: Bool {
    switch self {
    case .array, .list, .set, .document, .fields, .map, .constraint: true
    case .null, .boolean, .integer, .float, .string, .bytes, .timestamp, .duration, .latlng, .path, .mapDiff,
      .vector, .fault:
      false
    }
  }
}

extension Evaluation {
  package func isIn(_ wanted: Operand, _ place: Operand, _ node: Int32) -> Operand {
    switch place {
    case .array, .list: return .boolean(contains(place, wanted, .member))
    case .set(_, let count):
      if count > 0, let fault = openValue(wanted, place, node) { return fault }
      return .boolean(contains(place, wanted, .loose))
    case .document, .fields, .map:
      guard case .string(let key) = wanted else {
        return fault(
          .unsupportedOperation, node,
          FaultText.unsupported("map.in(\(wanted.kind.name))", expected: "map.in(string)"))
      }
      return .boolean(lookup(place, key) != nil)
    case .constraint: return constraint(place, contains: wanted, node)
    case .null: return fault(.nullValue, node, FaultText.nullValue)
    case .boolean, .integer, .float, .string, .bytes, .timestamp, .duration, .latlng, .path, .mapDiff,
      .vector, .fault:
      return fault(.functionNotFound, node, FaultText.functionNotFound("in"))
    }
  }
}

/// `value is type`
package final class TypeTestNode: PlanNode, @unchecked Sendable {
  let operand: PlanNode
  /// One bit for each `OperandKind`.
  let kinds: UInt32

  init(_ number: Int, _ operand: PlanNode, kinds: UInt32) {
    self.operand = operand
    self.kinds = kinds
    super.init(number, cost: 2)
  }

  override var operands: [PlanNode] { [operand] }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(2)
    let value = operand.value(e)
    if value.isFault { return value }
    return .boolean(kinds >> UInt32(value.kind.rawValue) & 1 == 1)
  }

  /// The kinds that a type name covers. A name that is no type never gets past the checker; `vector`
  /// is one that no value has, because rules see vectors as maps.
  package static func kinds(named name: String) -> UInt32 {
    if name == "number" { return bit(.int) | bit(.float) }
    return OperandKind.allCases.first { $0 != .fault && $0.name == name }.map(bit) ?? 0
  }

  private static func bit(_ kind: OperandKind) -> UInt32 { 1 << UInt32(kind.rawValue) }
}
