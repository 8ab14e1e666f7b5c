/// Children of a node, for loops that count no references.

/// Nodes one after the other in memory.
///
/// An array of nodes retains each of them while it runs, and many of them are smaller than that.
///
/// INVARIANT: immutable; keeps its nodes alive.
final class NodeList: @unchecked Sendable {  // Immutable, see above.
  private let owners: [PlanNode]
  private let start: UnsafeMutablePointer<Unmanaged<PlanNode>>
  let count: Int

  init(_ nodes: [PlanNode]) {
    owners = nodes
    count = nodes.count
    start = .allocate(capacity: max(1, nodes.count))
    for (index, node) in nodes.enumerated() { (start + index).initialize(to: .passUnretained(node)) }
  }

  deinit { start.deallocate() }

  /// The value of one of them.
  @inline(__always)
  func value(_ index: Int, _ e: Evaluation) -> Operand {
    start[index]._withUnsafeGuaranteedRef { $0.value(e) }
  }
}
