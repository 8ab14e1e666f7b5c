/// Which field paths a ruleset names more than once.

internal import DocModel

/// Gives the nodes of one field path a common place to keep its value in. A condition asks for
/// `resource.data.ownerId` in one `allow` and again in the next, and looks it up once.
final class MemoPlan {
  private struct Path: Hashable {
    let root: RequestPart
    let keys: [[UInt8]]
  }

  private var first: [Path: FieldPathNode] = [:]
  /// Places given so far.
  private(set) var count = 0

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
