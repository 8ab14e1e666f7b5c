/// `base.name`, `base[index]`, `base[from:to]`.

internal import DocModel

extension Evaluation {
  /// `base.key`, also as written with an index.
  @inline(__always)
  package func member(_ base: Operand, _ key: ByteView, _ node: Int32) -> Operand {
    switch base {
    case .document, .fields, .map:
      return lookup(base, key) ?? fault(.undefinedProperty, node, FaultText.undefined(key))
    case .path(let segments, let count): return binding(segments, count, key, node)
    case .null: return fault(.nullValue, node, FaultText.nullValue)
    case .fault: return base
    case .boolean, .integer, .float, .string, .bytes, .timestamp, .duration, .latlng, .array, .list, .set,
      .mapDiff, .vector, .constraint:
      return fault(.type, node, FaultText.type(base.kind, expected: "map,path"))
    }
  }

  /// What a template's placeholder was bound to: a string, or a path for a glob.
  private func binding(
    _ segments: UnsafePointer<PathSegment>, _ count: Int, _ key: ByteView, _ node: Int32
  ) -> Operand {
    var first: Int?
    var end = 0
    for index in 0..<count {
      guard let name = segments[index].name, name == key else { continue }
      guard let text = segments[index].text else {
        return fault(.unboundVariable, node, FaultText.unbound(key.text))
      }
      if !segments[index].isGlob { return .string(text) }
      if first == nil { first = index }
      end = index + 1
    }
    guard let first else { return fault(.undefinedProperty, node, FaultText.undefined(key)) }
    let bound = (first..<end).map { PathSegment(text: segments[$0].text ?? ByteView(WireCursor.empty)) }
    return .path(arena.copy(bound), bound.count)
  }
}

final class MemberNode: PlanNode, @unchecked Sendable {
  let base: PlanNode
  let key: ByteView

  init(_ number: Int, _ base: PlanNode, _ key: ByteView) {
    self.base = base
    self.key = key
    super.init(number)
  }

  override var operands: [PlanNode] { [base] }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let base = base.value(e)
    // A field of a stored document for the most part.
    if case .document(let bytes) = base,
      let view = FieldsView(document: bytes.buffer).valueHere(keyBytes: key.buffer)
    {
      return e.operand(view)
    }
    return member(e, of: base)
  }

  @inline(never)
  private func member(_ e: Evaluation, of base: Operand) -> Operand { e.member(base, key, number) }
}

/// One step of a fused path.
struct PathStep {
  let key: ByteView
  /// The member expression whose step this is.
  let node: Int32
}

/// `resource.data.a.b`, `request.resource.data.a`, `request.auth.token.a`: one node for the whole path.
final class FieldPathNode: PlanNode, @unchecked Sendable {
  let root: RequestNode
  let steps: UnsafePointer<PathStep>
  let stepCount: Int
  /// Where the value is kept for the other places that name the same path; `noMemo` when there are none.
  /// INVARIANT: set by the planner, before the ruleset is handed out.
  var memo = FieldPathNode.noMemo

  static let noMemo = -1

  init(_ number: Int, root: RequestNode, steps: UnsafePointer<PathStep>, stepCount: Int) {
    self.root = root
    self.steps = steps
    self.stepCount = stepCount
    super.init(number, cost: root.cost + stepCount)
  }

  override func value(_ e: Evaluation) -> Operand {
    if memo != Self.noMemo, let known = e.memo(memo) {
      e.charge(cost)
      return known
    }
    return walked(e)
  }

  @inline(never)
  private func walked(_ e: Evaluation) -> Operand {
    guard let found = encodedValue(e) else { return stepByStep(e) }
    e.charge(cost)
    if memo != Self.noMemo { e.keep(found, memo: memo) }
    return found
  }

  /// Through stored maps as they lie; nil for everything else, faults included.
  @inline(__always)
  private func encodedValue(_ e: Evaluation) -> Operand? {
    guard var fields = root.encodedFields(e) else { return nil }
    var index = 0
    while true {
      guard let view = fields.valueHere(keyBytes: steps[index].key.buffer) else { return nil }
      index &+= 1
      if index == stepCount { return e.operand(view) }
      guard view.tag == ValueView.Tag.map else { return nil }
      fields = view.fields
      if fields.isVector { return nil }
    }
  }

  private func stepByStep(_ e: Evaluation) -> Operand {
    e.charge(stepCount)
    var current = root.value(e)
    var index = 0
    while index < stepCount {
      let step = steps[index]
      current = e.member(current, step.key, step.node)
      index += 1
    }
    return current
  }
}

package final class IndexNode: PlanNode, @unchecked Sendable {
  let base: PlanNode
  let index: PlanNode

  package init(_ number: Int, _ base: PlanNode, _ index: PlanNode) {
    self.base = base
    self.index = index
    super.init(number)
  }

  override var operands: [PlanNode] { [base, index] }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(1)
    let base = base.value(e)
    if base.isFault { return e.finish(base, index) }
    // What has no elements is the error, whatever the index comes to.
    if !base.hasElements { return e.finish(e.element(of: base, at: .null, number), index) }
    let index = index.value(e)
    if index.isFault { return index }
    return e.element(of: base, at: index, number)
  }
}

package final class SliceNode: PlanNode, @unchecked Sendable {
  let base: PlanNode
  let lower: PlanNode?
  let upper: PlanNode?

  package init(_ number: Int, _ base: PlanNode, _ lower: PlanNode?, _ upper: PlanNode?) {
    self.base = base
    self.lower = lower
    self.upper = upper
    // A bound that is left out costs what the null does that stands for it.
    super.init(number, cost: 1 + (lower == nil ? 1 : 0) + (upper == nil ? 1 : 0))
  }

  override var operands: [PlanNode] { [base, lower, upper].compactMap { $0 } }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    let base = base.value(e)
    if !base.hasElements || base.kind == .map {
      let fault = base.isFault ? base : e.slice(of: base, from: .null, to: .null, number)
      return e.finish(e.finish(fault, lower), upper)
    }
    let from = lower?.value(e) ?? .null
    if from.isFault { return e.finish(from, upper) }
    let to = upper?.value(e) ?? .null
    if to.isFault { return to }
    return e.slice(of: base, from: from, to: to, number)
  }
}

extension Operand {
  /// Whether `[ ]` exists for it.
  fileprivate var hasElements: Bool {
    switch self {
    case .document, .fields, .map, .array, .list, .string, .path: true
    case .null, .boolean, .integer, .float, .bytes, .timestamp, .duration, .latlng, .set, .mapDiff, .vector,
      .constraint, .fault:
      false
    }
  }
}

extension Evaluation {
  fileprivate func element(of base: Operand, at index: Operand, _ node: Int32) -> Operand {
    switch base {
    case .document, .fields, .map:
      guard case .string(let key) = index else { return wrongIndex("map", index, "map[string]", node) }
      return member(base, key, node)
    case .array, .list:
      guard case .integer(let position) = index else { return wrongIndex("list", index, "list[int]", node) }
      let size = elementCount(base)
      guard position >= 0, position < size else { return outOfBounds(position, size, node) }
      return element(base, at: Int(position))
    case .string(let text):
      guard case .integer(let position) = index else {
        return wrongIndex("string", index, "string[int]", node)
      }
      let size = UTF16Text.size(text)
      guard position >= 0, position < size else { return outOfBounds(position, size, node) }
      return .string(UTF16Text.slice(text, Int(position)..<Int(position) + 1, in: arena))
    case .path(let segments, let count): return segment(segments, count, at: index, node)
    case .null: return fault(.nullValue, node, FaultText.nullValue)
    case .boolean, .integer, .float, .bytes, .timestamp, .duration, .latlng, .set, .mapDiff, .vector,
      .constraint, .fault:
      return fault(.functionNotFound, node, FaultText.functionNotFound("[]"))
    }
  }

  private func segment(
    _ segments: UnsafePointer<PathSegment>, _ count: Int, at index: Operand, _ node: Int32
  ) -> Operand {
    switch index {
    case .string(let key): return member(.path(segments, count), key, node)
    case .integer(let position):
      if let name = unboundName(segments, count) {
        return fault(.unboundVariable, node, FaultText.unbound(name))
      }
      guard position >= 0, position < count else { return outOfBounds(position, count, node) }
      return segments[Int(position)].text.map { .string($0) } ?? .null
    default: return wrongIndex("path", index, "path[string], path[int]", node)
    }
  }

  /// The first placeholder of a template that has no value.
  func unboundName(_ segments: UnsafePointer<PathSegment>, _ count: Int) -> String? {
    for index in 0..<count where segments[index].text == nil { return segments[index].name?.text }
    return nil
  }

  private func wrongIndex(_ base: String, _ index: Operand, _ expected: String, _ node: Int32) -> Operand {
    fault(
      .unsupportedOperation, node,
      FaultText.unsupported("\(base)[\(index.kind.name)]", expected: expected))
  }

  private func outOfBounds(_ position: Int64, _ size: Int, _ node: Int32) -> Operand {
    fault(.indexOutOfBounds, node, FaultText.index(position, size: size))
  }

  fileprivate func slice(of base: Operand, from: Operand, to: Operand, _ node: Int32) -> Operand {
    let size: Int
    switch base {
    case .array, .list: size = elementCount(base)
    case .string(let text): size = UTF16Text.size(text)
    case .path(_, let count): size = count
    case .null: return fault(.nullValue, node, FaultText.nullValue)
    case .boolean, .integer, .float, .bytes, .timestamp, .duration, .latlng, .document, .fields, .map, .set,
      .mapDiff, .vector, .constraint, .fault:
      return fault(.functionNotFound, node, FaultText.functionNotFound("@range"))
    }
    if let wrong = wrongBounds(base.kind.name, from, to, node) { return wrong }
    // Bounds of a wrong type are found before a placeholder without a value, and `[:]` needs none.
    if from.kind == .null, to.kind == .null { return base }
    if case .path(let segments, let count) = base, let name = unboundName(segments, count) {
      return fault(.unboundVariable, node, FaultText.unbound(name))
    }
    let bounds = sliceBounds(from, to, size, node)
    guard let range = bounds.range else { return bounds.fault }
    switch base {
    case .string(let text): return .string(UTF16Text.slice(text, range, in: arena))
    case .path(let segments, _): return .path(segments + range.lowerBound, range.count)
    case .list(let start, _): return .list(start + range.lowerBound, range.count)
    default: return list(range.map { element(base, at: $0) })
    }
  }

  /// The fault of a bound that is neither an integer nor null.
  private func wrongBounds(_ kind: String, _ from: Operand, _ to: Operand, _ node: Int32) -> Operand? {
    guard from.kind != .int && from.kind != .null || to.kind != .int && to.kind != .null else { return nil }
    // The official engine lists them in an order of its own for paths.
    let bounds =
      kind == "path"
      ? ["null:null", "int:int", "int:null", "null:int"] : ["null:null", "null:int", "int:null", "int:int"]
    let expected = bounds.map { "\(kind)[\($0)]" }.joined(separator: ", ")
    let received = "\(kind)[\(from.kind.name):\(to.kind.name)]"
    return fault(.unsupportedOperation, node, FaultText.unsupported(received, expected: expected))
  }

  /// A bound that is written must name an element: the first, and the last before the end. Bounds that
  /// are left out or null are the ends. Source: docs/spec/rules-language.md 2.5 and the official emulator.
  private func sliceBounds(
    _ from: Operand, _ to: Operand, _ size: Int, _ node: Int32
  ) -> (range: Range<Int>?, fault: Operand) {
    // Numbers that are no 32-bit integer fail first.
    for bound in [from, to] {
      if case .integer(let position) = bound, Int32(exactly: position) == nil {
        return (nil, outOfBounds(position, size, node))
      }
    }
    // What is empty has no first element either, which only matters when the end is written.
    if size == 0, from.kind == .null, to.kind == .int { return (nil, outOfBounds(0, size, node)) }
    var lower = 0
    var upper = size
    if case .integer(let start) = from {
      guard start >= 0, start < size else { return (nil, outOfBounds(start, size, node)) }
      lower = Int(start)
    }
    if case .integer(let end) = to {
      guard end > 0, end <= size else { return (nil, outOfBounds(end &- 1, size, node)) }
      upper = Int(end)
    }
    guard lower <= upper else {
      return (nil, fault(.illegalRange, node, FaultText.range(from: Int64(lower), to: Int64(upper))))
    }
    return (lower..<upper, .null)
  }
}
