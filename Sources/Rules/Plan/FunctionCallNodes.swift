/// Calls of the ruleset's own functions.

/// A function of the ruleset, planned once.
///
/// INVARIANT: `finish` is called once, by the planner, before the ruleset is handed out.
final class FunctionPlan: @unchecked Sendable {  // Immutable once planned, see above.
  /// What a call needs, where it is read without counting references.
  struct Code {
    var body: Unmanaged<PlanNode>
    var lets: Unmanaged<NodeList>
    var letCount = 0
    /// Parameters, then lets.
    var slotCount = 0
  }

  let name: String
  let parameterCount: Int
  /// In slots after the parameters.
  private(set) var lets: [PlanNode] = []
  private(set) var body = PlanNode(0)
  private var letList = NodeList([])
  let code: UnsafeMutablePointer<Code>

  init(name: String, parameterCount: Int) {
    self.name = name
    self.parameterCount = parameterCount
    code = .allocate(capacity: 1)
    code.initialize(to: Code(body: .passUnretained(body), lets: .passUnretained(letList)))
  }

  deinit { code.deallocate() }

  func finish(lets: [PlanNode], body: PlanNode) {
    self.lets = lets
    self.body = body
    letList = NodeList(lets)
    code.pointee = Code(
      body: .passUnretained(body), lets: .passUnretained(letList), letCount: lets.count,
      slotCount: parameterCount + lets.count)
  }
}

/// `name(arguments)` for a function of the ruleset.
///
/// Arguments and lets are evaluated at the call, their cost is charged, and an error in one matters only
/// where its name is read. Source: docs/spec/rules-language.md 2.4.
package class FunctionCallNode: PlanNode, @unchecked Sendable {
  final let function: FunctionPlan
  final let arguments: [PlanNode]
  private final let argumentList: NodeList
  fileprivate final let code: UnsafeMutablePointer<FunctionPlan.Code>

  init(_ number: Int, _ function: FunctionPlan, _ arguments: [PlanNode]) {
    self.function = function
    self.arguments = arguments
    argumentList = NodeList(arguments)
    code = function.code
    super.init(number)
  }

  final override var operands: [PlanNode] { arguments }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    if e.isExhausted { return e.exhausted(number) }
    let saved = enterHere(e)
    let result = code.pointee.body._withUnsafeGuaranteedRef { $0.value(e) }
    e.frame = saved
    return result
  }

  final override func value(_ e: Evaluation, noting trail: inout RefusalTrail) -> Operand {
    e.charge(1)
    if e.isExhausted { return e.exhausted(number) }
    let saved = enter(e)
    defer { e.frame = saved }
    return code.pointee.body._withUnsafeGuaranteedRef { $0.value(e, noting: &trail) }
  }

  override func documentPath(_ e: Evaluation) -> DocumentPath {
    e.charge(1)
    if e.isExhausted { return .value(e.exhausted(number)) }
    let saved = enter(e)
    let result = code.pointee.body._withUnsafeGuaranteedRef { $0.documentPath(e) }
    e.frame = saved
    return result
  }

  /// Makes the function's frame the current one; gives the caller's.
  final func enter(_ e: Evaluation) -> UnsafeMutablePointer<Operand> { enterHere(e) }

  @inline(__always)
  private final func enterHere(_ e: Evaluation) -> UnsafeMutablePointer<Operand> {
    let code = code.pointee
    let frame = e.arena.allocate(Operand.self, count: code.slotCount)
    var slot = 0
    while slot < argumentList.count {
      frame[slot] = argumentList.value(slot, e)
      slot &+= 1
    }
    let saved = e.frame
    e.frame = frame
    var index = 0
    while index < code.letCount {
      e.charge(1)
      frame[slot] = code.lets._withUnsafeGuaranteedRef { $0.value(index, e) }
      slot &+= 1
      index &+= 1
    }
    return saved
  }
}

/// A call of a function without parameters and lets: it has no frame, and nothing in it reads one.
final class PlainCallNode: FunctionCallNode, @unchecked Sendable {
  init(_ number: Int, _ function: FunctionPlan) { super.init(number, function, []) }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    if e.isExhausted { return e.exhausted(number) }
    return code.pointee.body._withUnsafeGuaranteedRef { $0.value(e) }
  }

  override func documentPath(_ e: Evaluation) -> DocumentPath {
    e.charge(1)
    if e.isExhausted { return .value(e.exhausted(number)) }
    return code.pointee.body._withUnsafeGuaranteedRef { $0.documentPath(e) }
  }
}
