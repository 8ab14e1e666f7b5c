/// `get`, `exists`, `getAfter`, `existsAfter`.

internal import DocModel

/// A document access, with `.data` of it fused in when `dataNode` is given.
package final class AccessNode: PlanNode, @unchecked Sendable {
  let kind: AccessKind
  let argument: PlanNode
  /// The number of the member expression `.data` that this node includes; nil if it does not.
  let dataNode: Int32?

  package init(_ number: Int, _ kind: AccessKind, _ argument: PlanNode, dataNode: Int? = nil) {
    self.kind = kind
    self.argument = argument
    self.dataNode = dataNode.map { Int32($0) }
    super.init(number, cost: dataNode == nil ? 1 : 2)
  }

  override var operands: [PlanNode] { [argument] }

  package override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    if e.hidesDocuments { return hidden(e, argument.value(e)) }
    // `get` without `.data` gives a map that holds the path.
    if kind.wantsDocument, dataNode == nil { return value(e, argument.value(e)) }
    switch argument.documentPath(e) {
    case .value(let path): return value(e, path)
    case .relative(let relative):
      switch e.log.document(inRoom: relative, kind, limit: e.accessMax, from: e)
      {
      case .document(let fields): return kind.wantsDocument ? .document(fields) : .boolean(true)
      case .missing: return missing(e, relative) ?? refuse(e, .serviceCall, relative)
      case .tooMany: return refuse(e, .accessLimit, relative)
      }
    }
  }

  private func value(_ e: Evaluation, _ path: Operand) -> Operand {
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
    guard let (relative, isImpossible) = e.documentPath(segments, count) else {
      return refuse(e, .serviceCall, segments, count)
    }
    switch e.log.document(
      relative, isImpossible: isImpossible, kind, limit: e.accessMax, from: e)
    {
    case .tooMany: return refuse(e, .accessLimit, segments, count)
    case .missing: return missing(e, relative) ?? refuse(e, .serviceCall, segments, count)
    case .document(let fields):
      guard kind.wantsDocument else { return .boolean(true) }
      return dataNode == nil ? e.documentObject(data: .document(fields), path: path) : .document(fields)
    }
  }

  /// A call that nobody looks behind; one that fails whatever is stored fails all the same.
  private func hidden(_ e: Evaluation, _ path: Operand) -> Operand {
    guard case .path(let segments, let count) = path, e.unboundName(segments, count) == nil,
      e.documentPath(segments, count) != nil
    else { return value(e, path) }
    return e.hiddenValue(number)
  }

  /// Nil when the call fails.
  private func missing(_ e: Evaluation, _ relative: ByteView) -> Operand? {
    guard kind.wantsDocument else { return .boolean(false) }
    if e.failsAtMissingDocuments, !e.log.isFree(relative, kind.isAfter, e) { return nil }
    guard let dataNode else { return .null }
    return e.fault(.nullValue, dataNode, FaultText.nullValue)
  }

  private func refuse(_ e: Evaluation, _ code: FaultCode, _ relative: ByteView) -> Operand {
    e.fault(
      code, number,
      FaultText.service(
        kind.rawValue,
        argument: ProtobufText.path(
          (0..<3).map { e.segments[$0].text } + relative.text.split(separator: "/").map(String.init))))
  }

  private func refuse(
    _ e: Evaluation, _ code: FaultCode, _ segments: UnsafePointer<PathSegment>, _ count: Int
  ) -> Operand {
    e.fault(
      code, number,
      FaultText.service(kind.rawValue, argument: ProtobufText.value(.path(segments, count), e)))
  }
}

extension Evaluation {
  /// The path relative to this request's database; nil when it names no document of it.
  ///
  /// A segment may hold slashes, which came from `$(…)`. It is one segment all the same, and names a document that
  /// nobody can write: `AccessLog.slashInSegment` keeps its path apart from others. Source: the official emulator.
  @inline(__always)
  func documentPath(
    _ path: UnsafePointer<PathSegment>, _ count: Int
  ) -> (relative: ByteView, isImpossible: Bool)? {
    var isImpossible = false
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
        let isSlash = byte == UInt8(ascii: "/")
        if isSlash { isImpossible = true }
        start[position] = isSlash ? AccessLog.slashInSegment : byte
        position += 1
      }
    }
    return (ByteView(start: UnsafeRawPointer(start), count: size), isImpossible)
  }

  @inline(__always)
  private func hasDatabasePrefix(_ path: UnsafePointer<PathSegment>) -> Bool {
    for index in 0..<3 {
      guard let text = path[index].text, text == segments[index] else { return false }
    }
    return true
  }
}
