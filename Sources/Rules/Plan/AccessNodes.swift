/// Path literals, and `get`, `exists`, `getAfter`, `existsAfter`.

internal import DocModel

/// A path literal with something to insert.
final class PathNode: PlanNode, @unchecked Sendable {
  /// One written segment.
  enum Part {
    case literal(ByteView)
    case placeholder(ByteView)
    case value(PlanNode)
  }

  let parts: [Part]

  init(_ number: Int, _ parts: [Part]) {
    self.parts = parts
    var plain = 0
    for part in parts {
      if case .value = part { continue }
      plain += 1
    }
    super.init(number, cost: 1 + plain)
  }

  override var operands: [PlanNode] {
    parts.compactMap { if case .value(let node) = $0 { node } else { nil } }
  }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    var segments = e.arena.allocate(PathSegment.self, count: parts.count)
    var capacity = parts.count
    var count = 0
    for part in parts {
      let segment: PathSegment
      switch part {
      case .literal(let text): segment = PathSegment(text: text)
      case .placeholder(let name): segment = PathSegment(name: name, isGlob: false)
      case .value(let node):
        let value = node.value(e)
        switch value {
        case .string(let text): segment = PathSegment(text: text)
        case .fault: return value
        case .path(let inner, let innerCount):
          // A path is spliced in; make room for it.
          capacity += innerCount
          let larger = e.arena.allocate(PathSegment.self, count: capacity)
          larger.update(from: segments, count: count)
          segments = larger
          (segments + count).update(from: inner, count: innerCount)
          count += innerCount
          continue
        default:
          guard let text = Conversions.text(value, e) else {
            return e.fault(.unsupportedOperation, number, Conversions.unsupportedText(value.kind))
          }
          segment = PathSegment(text: text)
        }
      }
      (segments + count).initialize(to: segment)
      count += 1
    }
    return .path(UnsafePointer(segments), count)
  }
}

/// Which document access a call is.
enum AccessKind: String {
  case get, exists, getAfter, existsAfter

  var isAfter: Bool { self == .getAfter || self == .existsAfter }
  var wantsDocument: Bool { self == .get || self == .getAfter }
}

/// A document access, with `.data` of it fused in when `dataNode` is given.
final class AccessNode: PlanNode, @unchecked Sendable {
  let kind: AccessKind
  let argument: PlanNode
  /// The number of the member expression `.data` that this node includes; nil if it does not.
  let dataNode: Int32?

  init(_ number: Int, _ kind: AccessKind, _ argument: PlanNode, dataNode: Int? = nil) {
    self.kind = kind
    self.argument = argument
    self.dataNode = dataNode.map { Int32($0) }
    super.init(number, cost: dataNode == nil ? 1 : 2)
  }

  override var operands: [PlanNode] { [argument] }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    let path = argument.value(e)
    guard case .path(let segments, let count) = path else {
      if path.isFault { return path }
      return e.fault(
        .unsupportedOperation, number,
        FaultText.unsupported(
          "\(kind.rawValue)(\(path.kind.name))", expected: "\(kind.rawValue)(path)"))
    }
    if let unbound = e.unboundName(segments, count) {
      return e.fault(.unboundVariable, number, FaultText.unbound(unbound))
    }
    guard let relative = e.documentPath(segments, count) else { return refuse(e, segments, count) }
    switch e.documents.log.document(
      relative, afterCommit: kind.isAfter, limit: e.accessMax, from: e.documents)
    {
    case .tooMany: return refuse(e, segments, count)
    case .missing:
      guard kind.wantsDocument else { return .boolean(false) }
      guard let dataNode else { return .null }
      return e.fault(.nullValue, dataNode, FaultText.nullValue)
    case .document(let fields):
      guard kind.wantsDocument else { return .boolean(true) }
      return dataNode == nil ? e.documentObject(data: .document(fields), path: path) : .document(fields)
    }
  }

  private func refuse(_ e: Evaluation, _ segments: UnsafePointer<PathSegment>, _ count: Int) -> Operand {
    e.fault(
      .serviceCall, number,
      FaultText.service(kind.rawValue, path: (0..<count).map { segments[$0].text?.text ?? "" }))
  }
}

extension Evaluation {
  /// The path relative to this request's database; nil when it names no document of it.
  @inline(__always)
  func documentPath(_ path: UnsafePointer<PathSegment>, _ count: Int) -> ByteView? {
    guard count >= 5, count % 2 == 1, hasDatabasePrefix(path) else { return nil }
    var size = count - 4
    for index in 3..<count {
      guard let text = path[index].text, text.count > 0 else { return nil }
      size += text.count
    }
    let start = arena.allocate(UInt8.self, count: size)
    var position = 0
    for index in 3..<count {
      guard let text = path[index].text else { return nil }
      if index > 3 {
        start[position] = UInt8(ascii: "/")
        position += 1
      }
      for byte in text.buffer {
        if byte == UInt8(ascii: "/") { return nil }
        start[position] = byte
        position += 1
      }
    }
    return ByteView(start: UnsafeRawPointer(start), count: size)
  }

  @inline(__always)
  private func hasDatabasePrefix(_ path: UnsafePointer<PathSegment>) -> Bool {
    for index in 0..<3 {
      guard let text = path[index].text, text == segments[index] else { return false }
    }
    return true
  }
}
