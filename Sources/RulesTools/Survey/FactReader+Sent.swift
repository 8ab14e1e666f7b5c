/// Which values of the data that a write sends a condition looks at.

internal import Rules

extension FactReader {
  /// Finds which values of the data that is sent are read (`sentFields`), wherever they stand.
  mutating func findSentFields() {
    looked = 0
    if let condition { findSentFields(condition, Frame(), depth: 0) }
  }

  private mutating func findSentFields(_ node: ExpressionNode, _ frame: Frame, depth: Int) {
    looked += 1
    guard looked <= Self.expressionsMax, depth <= RulesetLimits.callStackMax else {
      // What has not been looked at may read everything.
      sentFields.append([])
      return
    }
    if let field = sentField(node, frame) { return sentFields.append(field) }
    if let (result, inner) = inlined(node.unwrapped, frame) {
      // Arguments count where the function uses them.
      for value in inner.lets { findSentFields(value, inner, depth: depth + 1) }
      return findSentFields(result, inner, depth: depth + 1)
    }
    switch node.unwrapped.kind {
    // Which fields there are, and of what type, says nothing of what stands in them.
    case .typeTest(let value, _, _) where sentField(value, frame) != nil: return
    case .methodCall(let receiver, "keys", _, _) where sentField(receiver, frame) != nil: return
    case .binary(.isIn, _, let name, let data) where sentField(data, frame) == []:
      return findSentFields(name, frame, depth: depth)
    default: for child in node.unwrapped.children { findSentFields(child, frame, depth: depth) }
    }
  }

  /// The field of `request.resource.data` that an expression is; an empty one for all of it, nil for anything else.
  private func sentField(_ node: ExpressionNode, _ frame: Frame) -> [String]? {
    guard let chain = chain(node, frame), case .request = chain.root, chain.names.first == "resource" else {
      return nil
    }
    return Array(chain.names.dropFirst(2))
  }
}
