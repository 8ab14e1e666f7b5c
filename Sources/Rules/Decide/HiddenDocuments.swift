/// An evaluation that looks at no stored document: for what a client may be told.
///
/// Every question about one has no value, with the code `undetermined`, as in the official emulator's first round.

internal import DocModel

extension Evaluation {
  /// What nobody may look at.
  @inline(never)
  func hiddenValue(_ node: Int32) -> Operand { .fault(.undetermined, node: node, detail: -1) }

  /// `resource`, where it cannot be read.
  @inline(never)
  func unreadableResource(_ node: Int32) -> Operand {
    hidesDocuments ? hiddenValue(node) : fault(.serviceCall, node, FaultText.unreadableResource)
  }

  /// Makes `resource` something that nobody may look at.
  func hideResource() {
    resourceData = .null
    isResourceReadable = false
  }

  /// Opens an operation on one document as its client knows it: without what is stored, and of a write that names
  /// fields without what comes of them.
  func openHidden(
    _ request: borrowing RuleRequest, _ documents: DocumentAccess, _ ruleset: Ruleset, as method: RuleMethod
  ) {
    open(request, documents, ruleset, isRepeat: true)
    self.method = method
    hideResource()
    writtenPaths = request.writtenPaths
    isNewResourceHidden = writtenPaths?.mask != nil
    let isKnown = method == .create || method == .update
    let fields = isKnown && !isNewResourceHidden ? request.newResource : nil
    newResourceData = fields.map { .document(ByteView($0.bytes)) } ?? .null
    ruleset.matcher.match(self)
  }
}

/// The innermost questions of a condition that stored documents would answer.
struct HiddenQuestions {
  private let e: Evaluation

  init(_ e: Evaluation) { self.e = e }

  /// Adds the numbers of the expressions, each once, in the order of the source.
  func collect(_ node: PlanNode, _ found: inout [Int32]) {
    guard case .fault(.undetermined, _, _) = e.logical(e.probe(node), node.number) else {
      // A fault of another kind can stand beside a question that has no answer.
      if e.probe(node).isFault { descend(node, &found) }
      return
    }
    if !descend(node, &found), !found.contains(node.number) { found.append(node.number) }
  }

  /// Whether the node joins other questions.
  @discardableResult
  private func descend(_ node: PlanNode, _ found: inout [Int32]) -> Bool {
    switch node {
    case let and as AndNode:
      collect(and.left, &found)
      collect(and.right, &found)
    case let or as OrNode:
      collect(or.left, &found)
      collect(or.right, &found)
    case let call as FunctionCallNode:
      let saved = call.enter(e)
      defer { e.frame = saved }
      collect(call.function.body, &found)
    default: return false
    }
    return true
  }
}
