/// Which `match` blocks apply to a path: a trie over the segments of all patterns.

internal import DocModel

/// A segment of a pattern, without the capture's name: captures are told apart by position.
enum PatternStep: Hashable {
  case literal([UInt8])
  case capture
  case glob
}

/// Where a capture lies in the path that was matched.
struct CaptureRange {
  /// First segment.
  var start: Int32
  var count: Int32
  var isGlob: Bool
  /// Whether a segment that is not known takes part (lists only).
  var isUnknown: Bool
}

/// A block that applies, and its captures.
struct BlockMatch {
  let block: Int32
  /// Where its captures begin in `MatchScratch.ranges`.
  let firstRange: Int32
}

/// Results of matching, reused from evaluation to evaluation, whose owner frees them.
struct MatchScratch {
  let found = RawList<BlockMatch>(capacity: 32)
  let ranges = RawList<CaptureRange>(capacity: 64)
  /// Captures on the way to the node being looked at.
  fileprivate let open = RawList<CaptureRange>(capacity: 32)

  @inline(__always)
  func reset() {
    found.removeAll()
    ranges.removeAll()
    open.removeAll()
  }

  func free() {
    found.free()
    ranges.free()
    open.free()
  }
}

/// A segment of the path to match; lists have unknown ones.
enum PathElement {
  case known
  /// The id of any document.
  case unknown
  /// Any number of segments, none included: the parents of a collection group.
  case unknownParents
}

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

  /// - Parameter patterns: of each block, in the order of the source.
  init(patterns: [[PatternStep]], languageVersion: Int, pool: ConstantPool) {
    globMin = languageVersion == 2 ? 0 : 1
    var builder = TrieBuilder()
    for (index, pattern) in patterns.enumerated() { builder.insert(pattern, block: Int32(index)) }
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
    let scratch = e.matches
    scratch.reset()
    if documentsNode != Self.none, e.hasDocumentsRoot {
      scratch.open.append(CaptureRange(start: 1, count: 1, isGlob: false, isUnknown: false))
      walk(documentsNode, 3, e, scratch)
    } else {
      walk(Self.root, 0, e, scratch)
    }
    if scratch.found.count > 1 { sort(e) }
  }

  private func sort(_ e: Evaluation) {
    e.matches.found.sort { $0.block < $1.block }
  }

  /// Follows the path from a node on. Where one way only leads further it is gone without a call.
  private func walk(_ index: Int32, _ first: Int, _ e: Evaluation, _ scratch: MatchScratch) {
    var node = nodes + Int(index)
    var position = first
    let opened = scratch.open.count
    while position < e.segmentCount, node.pointee.glob == Self.none {
      let literal = node.pointee.literalCount > 0 ? find(e.segments[position], in: node) : Self.none
      let capture = node.pointee.capture
      if literal != Self.none {
        if capture != Self.none {
          walk(literal, position &+ 1, e, scratch)
        } else {
          node = nodes + Int(literal)
        }
      }
      if capture != Self.none {
        scratch.open.append(CaptureRange(start: Int32(position), count: 1, isGlob: false, isUnknown: false))
        node = nodes + Int(capture)
      } else if literal == Self.none {
        return scratch.open.cut(to: opened)
      }
      position &+= 1
    }
    walkEnd(node, position, e, scratch)
    scratch.open.cut(to: opened)
  }

  /// At a node with a glob, or at the end of the path.
  @inline(__always)
  private func walkEnd(
    _ node: UnsafePointer<Node>, _ position: Int, _ e: Evaluation, _ scratch: MatchScratch
  ) {
    if position == e.segmentCount {
      report(node, scratch)
    } else {
      if node.pointee.literalCount > 0 {
        let child = find(e.segments[position], in: node)
        if child != Self.none { walk(child, position &+ 1, e, scratch) }
      }
      if node.pointee.capture != Self.none {
        scratch.open.append(CaptureRange(start: Int32(position), count: 1, isGlob: false, isUnknown: false))
        walk(node.pointee.capture, position &+ 1, e, scratch)
        scratch.open.removeLast()
      }
    }
    if node.pointee.glob != Self.none { walkGlob(node.pointee.glob, position, e, scratch) }
  }

  private func walkGlob(_ child: Int32, _ position: Int, _ e: Evaluation, _ scratch: MatchScratch) {
    guard position + globMin <= e.segmentCount else { return }
    for end in (position + globMin)...e.segmentCount {
      scratch.open.append(
        CaptureRange(start: Int32(position), count: Int32(end - position), isGlob: true, isUnknown: false))
      walk(child, end, e, scratch)
      scratch.open.removeLast()
    }
  }

  @inline(__always)
  private func report(_ node: UnsafePointer<Node>, _ scratch: MatchScratch) {
    var index = 0
    while index < Int(node.pointee.blockCount) {
      scratch.found.append(
        BlockMatch(block: node.pointee.blocks[index], firstRange: Int32(scratch.ranges.count)))
      scratch.ranges.append(contentsOf: scratch.open)
      index &+= 1
    }
  }

  /// Finds the blocks that cover **every** path of a query: literals meet known segments only, an
  /// unknown number of segments is taken by a glob only.
  func matchAll(_ elements: UnsafeBufferPointer<PathElement>, _ e: Evaluation) {
    e.matches.reset()
    walk(Self.root, 0, elements, e, e.matches)
    sort(e)
  }

  private func walk(
    _ index: Int32, _ position: Int, _ elements: UnsafeBufferPointer<PathElement>, _ e: Evaluation,
    _ scratch: MatchScratch
  ) {
    let node = nodes + Int(index)
    if position == elements.count {
      report(node, scratch)
    } else {
      switch elements[position] {
      case .known:
        let child = find(e.segments[position], in: node)
        if child != Self.none { walk(child, position + 1, elements, e, scratch) }
        capture(node, position, isUnknown: false, elements, e, scratch)
      case .unknown: capture(node, position, isUnknown: true, elements, e, scratch)
      case .unknownParents: break
      }
    }
    guard node.pointee.glob != Self.none else { return }
    var taken = 0
    var isUnknown = false
    for end in position...elements.count {
      if end > position {
        // A glob of version 1 needs a segment, and unknown parents may be none.
        if elements[end - 1] != .unknownParents { taken += 1 }
        if elements[end - 1] != .known { isUnknown = true }
      }
      guard taken >= globMin else { continue }
      scratch.open.append(
        CaptureRange(
          start: Int32(position), count: Int32(end - position), isGlob: true, isUnknown: isUnknown))
      walk(node.pointee.glob, end, elements, e, scratch)
      scratch.open.removeLast()
    }
  }

  private func capture(
    _ node: UnsafePointer<Node>, _ position: Int, isUnknown: Bool,
    _ elements: UnsafeBufferPointer<PathElement>, _ e: Evaluation, _ scratch: MatchScratch
  ) {
    guard node.pointee.capture != Self.none else { return }
    scratch.open.append(
      CaptureRange(start: Int32(position), count: 1, isGlob: false, isUnknown: isUnknown))
    walk(node.pointee.capture, position + 1, elements, e, scratch)
    scratch.open.removeLast()
  }
}
