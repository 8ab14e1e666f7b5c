/// Calls of methods and of the library, and lists and maps, which evaluate what is in them as calls do.

internal import DocModel

extension Evaluation {
  /// Evaluates arguments from left to right, all of them; the first fault is the call's.
  @inline(__always)
  func evaluate(_ nodes: NodeList) -> (start: UnsafePointer<Operand>, fault: Operand?) {
    let start = arena.allocate(Operand.self, count: nodes.count)
    var index = 0
    while index < nodes.count {
      let value = nodes.value(index, self)
      if value.isFault { return (UnsafePointer(start), finish(value, nodes, from: index &+ 1)) }
      start[index] = value
      index &+= 1
    }
    return (UnsafePointer(start), nil)
  }

  /// One argument that already has its value.
  fileprivate func evaluated(_ argument: Operand) -> (start: UnsafePointer<Operand>, fault: Operand?) {
    let start = arena.allocate(Operand.self, count: 1)
    start.initialize(to: argument)
    return (UnsafePointer(start), argument.isFault ? argument : nil)
  }
}

/// `receiver.name(arguments)`
final class MethodCallNode: PlanNode, @unchecked Sendable {
  let receiver: PlanNode
  /// Nil for a name that no kind of value has.
  let method: MethodName?
  let name: String
  let arguments: [PlanNode]
  private let argumentList: NodeList
  private let table = MethodTable.shared

  init(_ number: Int, _ receiver: PlanNode, _ name: String, _ arguments: [PlanNode]) {
    self.receiver = receiver
    self.name = name
    self.method = MethodName(name: name)
    self.arguments = arguments
    argumentList = NodeList(arguments)
    super.init(number)
  }

  override var operands: [PlanNode] { [receiver] + arguments }

  override func value(_ e: Evaluation) -> Operand { value(e, receiver: receiver.value(e)) }

  /// The call on a receiver that was already evaluated; `argument` is the only argument if it was, too.
  func value(_ e: Evaluation, receiver target: Operand, argument: Operand? = nil) -> Operand {
    e.charge(1)
    guard let method, let implementation = table.method(target.kind, method) else {
      let fault = refusal(e, target)
      return argument == nil ? e.finish(fault, argumentList) : fault
    }
    let (values, fault) = argument.map { e.evaluated($0) } ?? e.evaluate(argumentList)
    if let fault { return fault }
    guard argumentList.count == implementation.pointee.signature.argumentCount else {
      return e.fault(
        .argumentCount, number,
        FaultText.argumentCount(argumentList.count, expected: implementation.pointee.signature.expected))
    }
    e.takesWalk(target)
    if let result = implementation.pointee.body(e, target, CallArguments(start: values, node: number)) {
      return result
    }
    return e.fault(
      .unsupportedOperation, number,
      FaultText.unsupported(
        Signatures.call("\(target.kind.name).\(name)", arguments.indices.map { values[$0].kind }),
        expected: implementation.pointee.signature.expected))
  }

  /// The fault of a receiver that has no such method, or that is none.
  private func refusal(_ e: Evaluation, _ target: Operand) -> Operand {
    if target.isFault { return target }
    if case .null = target { return e.fault(.nullValue, number, FaultText.nullValue) }
    return e.fault(.functionNotFound, number, FaultText.functionNotFound(name))
  }
}

/// `name(arguments)` or `namespace.name(arguments)` of the library.
final class LibraryCallNode: PlanNode, @unchecked Sendable {
  let name: String
  let function: LibraryFunction
  let arguments: [PlanNode]
  private let argumentList: NodeList

  init(_ number: Int, _ name: String, _ function: LibraryFunction, _ arguments: [PlanNode]) {
    self.name = name
    self.function = function
    self.arguments = arguments
    argumentList = NodeList(arguments)
    super.init(number)
  }

  override var operands: [PlanNode] { arguments }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let (values, fault) = e.evaluate(argumentList)
    if let fault { return fault }
    guard argumentList.count == function.signature.argumentCount else {
      return e.fault(
        .argumentCount, number,
        FaultText.argumentCount(argumentList.count, expected: function.signature.expected))
    }
    if let result = function.body(e, CallArguments(start: values, node: number)) { return result }
    return e.fault(
      .unsupportedOperation, number,
      FaultText.unsupported(
        Signatures.call(name, arguments.indices.map { values[$0].kind }),
        expected: function.signature.expected))
  }
}

/// `text.matches('literal')`: the pattern is compiled once.
final class LiteralMatchNode: PlanNode, @unchecked Sendable {
  let receiver: PlanNode
  let pattern: LiteralPattern

  init(_ number: Int, _ receiver: PlanNode, _ pattern: LiteralPattern) {
    self.receiver = receiver
    self.pattern = pattern
    super.init(number, cost: 2)
  }

  override var operands: [PlanNode] { [receiver] }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(2)
    let target = receiver.value(e)
    switch target {
    case .string(let text):
      guard let compiled = pattern.pattern else {
        return pattern.source.withUnsafeBytes { e.badPattern(ByteView($0), number) }
      }
      return compiled.matchesWhole(text, e).map { .boolean($0) } ?? e.overworked(number)
    case .fault: return target
    case .null: return e.fault(.nullValue, number, FaultText.nullValue)
    default: return e.fault(.functionNotFound, number, FaultText.functionNotFound("matches"))
    }
  }
}

/// `[a, b]`
final class ListNode: PlanNode, @unchecked Sendable {
  let elements: [PlanNode]
  private let list: NodeList

  init(_ number: Int, _ elements: [PlanNode]) {
    self.elements = elements
    list = NodeList(elements)
    super.init(number)
  }

  override var operands: [PlanNode] { elements }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let (values, fault) = e.evaluate(list)
    return fault ?? e.bounded(.list(values, list.count), parts: values, count: list.count, number)
  }
}

/// `{key: value}`. All keys are looked at before any value, and the first that is none is the error; of
/// equal keys the last stays, in the place of the first.
package final class MapNode: PlanNode, @unchecked Sendable {
  let keys: [PlanNode]
  let values: [PlanNode]
  private let keyList: NodeList
  private let valueList: NodeList

  package init(_ number: Int, keys: [PlanNode], values: [PlanNode]) {
    self.keys = keys
    self.values = values
    keyList = NodeList(keys)
    valueList = NodeList(values)
    super.init(number)
  }

  override var operands: [PlanNode] { keys + values }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let names = e.arena.allocate(Operand.self, count: keyList.count)
    var index = 0
    while index < keyList.count {
      let name = keyList.value(index, e)
      index &+= 1
      guard case .string = name else {
        let fault =
          name.isFault ? name : e.fault(.type, number, FaultText.type(name.kind, expected: "string"))
        return e.finish(e.finish(fault, keyList, from: index), valueList)
      }
      (names + index - 1).initialize(to: name)
    }
    let (contents, fault) = e.evaluate(valueList)
    if let fault { return fault }
    return e.bounded(
      entries(e, UnsafePointer(names), contents), parts: contents, count: valueList.count, number)
  }

  private func entries(
    _ e: Evaluation, _ names: UnsafePointer<Operand>, _ contents: UnsafePointer<Operand>
  ) -> Operand {
    let entries = e.arena.allocate(MapEntry.self, count: keyList.count)
    var count = 0
    for index in 0..<keyList.count {
      guard case .string(let key) = names[index] else { continue }
      var place = 0
      while place < count, !(entries[place].key == key) { place += 1 }
      (entries + place).initialize(to: MapEntry(key: key, value: contents[index]))
      if place == count { count += 1 }
    }
    return .map(UnsafePointer(entries), count)
  }
}
