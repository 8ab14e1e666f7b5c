/// Which field paths a ruleset names more than once.

internal import DocModel

/// Gives the nodes of one field path a common place to keep its value in. A condition asks for
/// `resource.data.ownerId` in one `allow` and again in the next, and looks it up once.
///
/// INVARIANT: plans that run in one evaluation, a ruleset's own and its proof plan, have different places.
package final class MemoPlan {
  private struct Path: Hashable {
    let root: RequestPart
    let keys: [[UInt8]]
  }

  private var first: [Path: FieldPathNode] = [:]
  /// The end of the places given so far.
  package private(set) var count: Int

  /// - Parameter start: the end of the places that another plan of the ruleset has.
  init(from start: Int) { count = start }

  /// Takes a node in. A path that is named once has no place.
  func share(_ node: FieldPathNode) {
    let path = Path(root: node.root.part, keys: (0..<node.stepCount).map { Array(node.steps[$0].key.buffer) })
    guard let known = first[path] else {
      first[path] = node
      return
    }
    if known.memo == FieldPathNode.noMemo {
      known.memo = count
      count += 1
    }
    node.memo = known.memo
  }
}
