/// Plans: what runs when a condition is evaluated.

internal import DocModel

/// One step of a plan.
///
/// A node stands for one expression of the source or for several that were fused; `number` is the
/// expression that its faults are reported at, `cost` what it takes from the budget beside its children.
///
/// INVARIANT: immutable once its ruleset is handed out; what its pointers point to belongs to the
/// ruleset's `ConstantPool`.
package class PlanNode: @unchecked Sendable {  // Immutable, see above.
  final let number: Int32
  final let cost: Int

  init(_ number: Int, cost: Int = 1) {
    self.number = Int32(number)
    self.cost = cost
  }

  /// The value, or why there is none. Charges the budget; who loops or calls must ask `isExhausted`.
  package func value(_ e: Evaluation) -> Operand { .null }

  /// The same, and notes on the way what came out of the parts that logic joins. Whatever joins parts that `Tracer` or
  /// `HiddenQuestions` looks into passes it on to them.
  func value(_ e: Evaluation, noting trail: inout RefusalTrail) -> Operand {
    let value = value(e)
    trail.note(value, e)
    return value
  }

  /// The document that the value names, for `get` and its relatives. Nodes that can say so without
  /// making a path value do.
  func documentPath(_ e: Evaluation) -> DocumentPath { .value(value(e)) }

  /// The children whose values this one is made of, in the order of evaluation.
  var operands: [PlanNode] { [] }

  /// What an explanation goes on with when this node's value is `result`: the operands that decided.
  /// Empty for a node that decides by itself.
  func deciders(_ e: Evaluation, _ result: Operand) -> [PlanNode] { [] }
}

/// An operator between two operands, of which the left one is evaluated first.
package class BinaryNode: PlanNode, @unchecked Sendable {
  final let left: PlanNode
  final let right: PlanNode

  init(_ number: Int, _ left: PlanNode, _ right: PlanNode) {
    self.left = left
    self.right = right
    super.init(number)
  }

  final override var operands: [PlanNode] { [left, right] }
}

extension Evaluation {
  /// Evaluates an operand beside one that already failed, and gives that one's fault.
  ///
  /// Every operator but `&&`, `||` and `?:` evaluates all its operands, whatever they come to: what a
  /// second one costs and which documents it asks for counts, its value does not.
  @inline(never)
  func finish(_ fault: Operand, _ rest: PlanNode?) -> Operand {
    _ = rest?.value(self)
    return fault
  }

  /// The same for several operands, from the place `first` on.
  @inline(never)
  func finish(_ fault: Operand, _ rest: NodeList, from first: Int = 0) -> Operand {
    var index = first
    while index < rest.count {
      _ = rest.value(index, self)
      index &+= 1
    }
    return fault
  }
}

/// What an argument of `get` comes to.
enum DocumentPath {
  /// Relative to the request's database, in the access log's own room.
  case relative(ByteView)
  /// Whatever the argument's value is.
  case value(Operand)
}

extension Evaluation {
  @inline(__always)
  func charge(_ cost: Int) { spent &+= cost }  // At most the cost of a source file between two checks.

  @inline(__always)
  var isExhausted: Bool { spent > spentMax }

  @inline(never)
  func exhausted(_ node: Int32) -> Operand {
    fault(
      .budget, node, isBroken ? FaultText.replacement : isOvergrown ? FaultText.memory : FaultText.budget)
  }
}

/// A value known when the ruleset was compiled.
package final class ConstantNode: PlanNode, @unchecked Sendable {
  package let operand: Operand

  package init(_ number: Int, _ operand: Operand, cost: Int = 1) {
    self.operand = operand
    super.init(number, cost: cost)
  }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    return operand
  }
}

/// A name or function that nothing declares: compiles, and fails when it is reached.
final class UnknownNode: PlanNode, @unchecked Sendable {
  let code: FaultCode
  let message: String
  let arguments: [PlanNode]
  private let argumentList: NodeList

  init(_ number: Int, _ code: FaultCode, _ message: String, _ arguments: [PlanNode] = []) {
    self.code = code
    self.message = message
    self.arguments = arguments
    argumentList = NodeList(arguments)
    super.init(number)
  }

  override var operands: [PlanNode] { arguments }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    return e.finish(e.fault(code, number, message), argumentList)
  }
}

/// A parameter or a let.
final class SlotNode: PlanNode, @unchecked Sendable {
  let slot: Int

  init(_ number: Int, slot: Int) {
    self.slot = slot
    super.init(number)
  }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    return e.frame[slot]
  }
}

/// A capture of the matched pattern.
final class CaptureNode: PlanNode, @unchecked Sendable {
  let index: Int

  init(_ number: Int, index: Int) {
    self.index = index
    super.init(number)
  }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    let captured = e.captures[index]
    guard case .fault(let code, _, _) = captured else { return captured }
    return e.fault(code, number, FaultText.nullValue)
  }
}

/// Where `request` and `resource` paths begin.
enum RequestPart: UInt8 {
  case request, resource
  case auth, uid, token, method, path, time, query
  case newResource, newData, data
}

/// `request`, `resource`, or a member of theirs that has a place of its own.
package class RequestNode: PlanNode, @unchecked Sendable {
  final let part: RequestPart

  init(_ number: Int, _ part: RequestPart, cost: Int) {
    self.part = part
    super.init(number, cost: cost)
  }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    switch part {
    case .request: return e.requestObject()
    case .resource: return e.isResourceReadable ? e.resourceObject() : e.unreadableResource(number)
    case .auth: return e.authObject()
    case .uid: return e.isSignedIn ? e.uid : e.fault(.nullValue, number, FaultText.nullValue)
    case .token: return e.isSignedIn ? .document(e.claims) : e.fault(.nullValue, number, FaultText.nullValue)
    case .method: return .string(e.constant(e.method.name))
    case .path:
      return e.isPathKnown ? e.requestPath() : e.fault(.undetermined, number, "")
    case .time: return .timestamp(e.time)
    case .query: return e.query?.map ?? e.fault(.undefinedProperty, number, FaultText.undefined("query"))
    case .newResource:
      guard e.method.isWrite else {
        return e.fault(.undefinedProperty, number, FaultText.undefined("resource"))
      }
      return e.isNewResourceHidden ? e.hiddenValue(number) : e.newResourceObject()
    case .newData:
      guard e.method.isWrite else {
        return e.fault(.undefinedProperty, number, FaultText.undefined("resource"))
      }
      if case .null = e.newResourceData {
        return e.isNewResourceHidden
          ? e.hiddenValue(number) : e.fault(.nullValue, number, FaultText.nullValue)
      }
      return e.newResourceData
    case .data:
      if case .null = e.resourceData {
        return e.isResourceReadable
          ? e.fault(.nullValue, number, FaultText.nullValue) : e.unreadableResource(number)
      }
      return e.resourceData
    }
  }

  /// The fields that a path begins at when they are encoded and there is no fault; nil otherwise.
  @inline(__always)
  final func encodedFields(_ e: Evaluation) -> FieldsView? {
    let value: Operand
    switch part {
    case .data: value = e.resourceData
    case .newData:
      guard e.method.isWrite else { return nil }
      value = e.newResourceData
    case .token:
      guard e.isSignedIn else { return nil }
      value = .document(e.claims)
    case .request, .resource, .auth, .uid, .method, .path, .time, .query, .newResource: return nil
    }
    guard case .document(let bytes) = value else { return nil }
    return FieldsView(bytes.buffer, entryTag: FieldsView.documentEntryTag)
  }
}

/// `request.auth.uid`, which nearly every condition asks for.
final class CallerNode: RequestNode, @unchecked Sendable {
  init(_ number: Int, cost: Int) { super.init(number, .uid, cost: cost) }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    return e.isSignedIn ? e.uid : e.fault(.nullValue, number, FaultText.nullValue)
  }
}
