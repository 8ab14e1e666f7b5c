/// Which `match` blocks apply to a path: a trie over the segments of all patterns.

internal import DocModel

/// The trie.
///
/// Its nodes lie in the ruleset's `ConstantPool` and name each other by index, so that a walk follows
/// plain memory.
///
/// INVARIANT: immutable after `init`.
final class PathMatcher: @unchecked Sendable {  // Immutable, see above.
  private struct Node {
    /// Ascending by length, then bytes.
    var literals: UnsafePointer<Edge>
    var literalCount: Int32
    /// The child behind `{x}`; `none` if there is none.
    var capture: Int32
    /// The child behind `{x=**}`; `none` if there is none.
    var glob: Int32
    var blockCount: Int32
    var blocks: UnsafePointer<Int32>
  }

  private struct Edge {
    let key: ByteView
    let child: Int32
  }

  private static let none: Int32 = -1
  private static let root: Int32 = 0

  private let nodes: UnsafePointer<Node>
  /// Version 1 globs take one segment at least.
  private let globMin: Int
  /// The node behind `/databases/{x}/documents` when no pattern begins otherwise; else `none`.
  private let documentsNode: Int32

  /// - Parameter patterns: of each block, in the order of the source; nil for one that no path fits.
  init(patterns: [BlockPattern?], languageVersion: Int, pool: ConstantPool) {
    globMin = languageVersion == 2 ? 0 : 1
    var builder = TrieBuilder()
    for (index, pattern) in patterns.enumerated() {
      if let pattern { builder.insert(pattern.steps, block: Int32(index)) }
    }
    nodes = pool.array(
      builder.nodes.map { node in
        let literals = node.literals.sorted { Self.order($0.key, $1.key) }
        return Node(
          literals: pool.array(literals.map { Edge(key: pool.bytes($0.key), child: Int32($0.child)) }),
          literalCount: Int32(literals.count), capture: node.capture.map { Int32($0) } ?? Self.none,
          glob: node.glob.map { Int32($0) } ?? Self.none, blockCount: Int32(node.blocks.count),
          blocks: pool.array(node.blocks))
      })
    documentsNode = builder.documentsNode.map { Int32($0) } ?? Self.none
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
  }

  @inline(__always)
  private func find(_ key: ByteView, in node: UnsafePointer<Node>) -> Int32 {
    var low = 0
    var high = Int(node.pointee.literalCount)
    let literals = node.pointee.literals
    // The first of this length, then one by one: ids of one length mostly differ in their first bytes.
    while high &- low > 4 {
      let middle = (low &+ high) / 2
      if literals[middle].key.count < key.count { low = middle &+ 1 } else { high = middle }
    }
    while low < Int(node.pointee.literalCount), literals[low].key.count <= key.count {
      if literals[low].key == key { return literals[low].child }
      low &+= 1
    }
    return Self.none
  }

  /// Finds the blocks whose whole pattern covers the path in `e.segments`, in the order of the source.
  @inline(__always)
  func match(_ e: Evaluation) {
    e.matches.reset()
    if documentsNode != Self.none, e.hasDocumentsRoot {
      walk(documentsNode, 3, e)
    } else {
      walk(Self.root, 0, e)
    }
    if e.matches.found.count > 1 { e.matches.found.sort(by: <) }
  }

  /// Follows the path from a node on. Where one way only leads further it is gone without a call.
  private func walk(_ index: Int32, _ first: Int, _ e: Evaluation) {
    var node = nodes + Int(index)
    var position = first
    while position < e.segmentCount, node.pointee.glob == Self.none {
      let literal = node.pointee.literalCount > 0 ? find(e.segments[position], in: node) : Self.none
      let capture = node.pointee.capture
      if capture == Self.none {
        guard literal != Self.none else { return }
        node = nodes + Int(literal)
      } else {
        if literal != Self.none { walk(literal, position &+ 1, e) }
        node = nodes + Int(capture)
      }
      position &+= 1
    }
    walkEnd(node, position, e)
  }

  /// At a node with a glob, or at the end of the path.
  @inline(__always)
  private func walkEnd(_ node: UnsafePointer<Node>, _ position: Int, _ e: Evaluation) {
    if position == e.segmentCount {
      report(node, e)
    } else {
      if node.pointee.literalCount > 0 {
        let child = find(e.segments[position], in: node)
        if child != Self.none { walk(child, position &+ 1, e) }
      }
      if node.pointee.capture != Self.none { walk(node.pointee.capture, position &+ 1, e) }
    }
    guard node.pointee.glob != Self.none, position + globMin <= e.segmentCount else { return }
    for end in (position + globMin)...e.segmentCount { walk(node.pointee.glob, end, e) }
  }

  @inline(__always)
  private func report(_ node: UnsafePointer<Node>, _ e: Evaluation) {
    var index = 0
    while index < Int(node.pointee.blockCount) {
      e.matches.found.append(node.pointee.blocks[index])
      index &+= 1
    }
  }

  /// Finds the blocks that cover **every** path of a query: literals meet known segments only, an
  /// unknown number of segments is taken by a glob only.
  func matchAll(_ elements: [PathElement], _ e: Evaluation) {
    e.matches.reset()
    for element in elements { e.matches.elements.append(element) }
    walkAll(Self.root, 0, e)
    e.matches.found.sort(by: <)
  }

  private func walkAll(_ index: Int32, _ position: Int, _ e: Evaluation) {
    let node = nodes + Int(index)
    let elements = e.matches.elements
    if position == elements.count {
      report(node, e)
    } else if elements[position] != .unknownParents {
      if elements[position] == .known {
        let child = find(e.segments[position], in: node)
        if child != Self.none { walkAll(child, position + 1, e) }
      }
      if node.pointee.capture != Self.none { walkAll(node.pointee.capture, position + 1, e) }
    }
    // Unknown parents count as one segment for a glob of version 1. Source: the official emulator.
    guard node.pointee.glob != Self.none, position + globMin <= elements.count else { return }
    for end in (position + globMin)...elements.count { walkAll(node.pointee.glob, end, e) }
  }
}
