/// `firestore.get(path)` and `firestore.exists(path)` in rules of files.

internal import DocModel

/// A document access across services. The path names its database: `/databases/(default)/documents/a/b`.
final class FirestoreAccessNode: PlanNode, @unchecked Sendable {
  let wantsDocument: Bool
  let argument: PlanNode

  init(_ number: Int, wantsDocument: Bool, _ argument: PlanNode) {
    self.wantsDocument = wantsDocument
    self.argument = argument
    super.init(number)
  }

  override var operands: [PlanNode] { [argument] }

  private var name: String { wantsDocument ? "firestore.get" : "firestore.exists" }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    // A function that rules of both services call.
    guard e.isStorage else {
      return e.finish(e.fault(.functionNotFound, number, FaultText.functionNotFound(name)), argument)
    }
    let path = argument.value(e)
    guard case .path(let segments, let count) = path else {
      if path.isFault { return path }
      return e.fault(
        .unsupportedOperation, number,
        FaultText.unsupported("\(name)(\(path.kind.name))", expected: "\(name)(path)"))
    }
    if let unbound = e.unboundName(segments, count) {
      return e.fault(.unboundVariable, number, FaultText.unbound(unbound))
    }
    guard let full = e.documentName(segments, count) else { return refuse(e, .serviceCall, segments, count) }
    switch e.log.document(full, wantsDocument ? .get : .exists, limit: e.accessMax, from: e) {
    case .tooMany: return refuse(e, .accessLimit, segments, count)
    case .missing: return wantsDocument ? .null : .boolean(false)  // Assumed: as `get` of documents' rules.
    case .document(let fields):
      return wantsDocument ? e.documentObject(data: .document(fields), path: path) : .boolean(true)
    }
  }

  private func refuse(
    _ e: Evaluation, _ code: FaultCode, _ segments: UnsafePointer<PathSegment>, _ count: Int
  ) -> Operand {
    e.fault(
      code, number,
      FaultText.service(name, path: (0..<count).map { segments[$0].text?.text ?? "" }))
  }
}

extension Evaluation {
  /// `databases/D/documents/a/b`; nil when the path names no document.
  fileprivate func documentName(_ path: UnsafePointer<PathSegment>, _ count: Int) -> ByteView? {
    guard count >= 5, count % 2 == 1 else { return nil }
    var bytes: [UInt8] = []
    for index in 0..<count {
      guard let text = path[index].text, text.count > 0, text.firstSlash(from: 0) == text.count else {
        return nil
      }
      if index > 0 { bytes.append(UInt8(ascii: "/")) }
      bytes.append(contentsOf: text.buffer)
    }
    guard path[0].text.map({ $0 == constant("databases") }) == true,
      path[2].text.map({ $0 == constant("documents") }) == true
    else { return nil }
    return arena.copy(bytes)
  }
}
