/// Which `match` blocks apply to a path: a trie over the segments of all patterns.

internal import DocModel

/// One `allow`, planned.
struct AllowPlan: Sendable {
  let number: Int
  /// Nil for an `allow` without condition.
  let condition: PlanNode?
}

/// One `match` block that has `allow`s, with the pattern from the service down to it.
final class BlockPlan: Sendable {
  /// By `RuleMethod.rawValue`.
  let allows: [[AllowPlan]]
  let captureCount: Int

  init(allows: [[AllowPlan]], captureCount: Int) {
    self.allows = allows
    self.captureCount = captureCount
  }
}

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

/// Results of matching, reused from evaluation to evaluation.
final class MatchScratch {
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
/// INVARIANT: immutable after `init`. Keys of `literals` belong to the ruleset's `ConstantPool`.
final class PathMatcher: @unchecked Sendable {  // Immutable, see above.
  private final class Node {
    /// Ascending by length, then bytes.
    var literals: [(key: ByteView, node: Node)] = []
    var capture: Node?
    var glob: Node?
    var blocks: [Int32] = []
  }

  private let root = Node()
  /// Version 1 globs take one segment at least.
  private let globMin: Int

  /// - Parameter patterns: of each block, in the order of the source.
  init(patterns: [[PatternStep]], languageVersion: Int, pool: ConstantPool) {
    globMin = languageVersion == 2 ? 0 : 1
    for (index, pattern) in patterns.enumerated() { insert(pattern, Int32(index), pool) }
  }

  private func insert(_ pattern: [PatternStep], _ block: Int32, _ pool: ConstantPool) {
    var node = root
    for step in pattern {
      switch step {
      case .literal(let bytes): node = literal(bytes, under: node, pool)
      case .capture:
        if node.capture == nil { node.capture = Node() }
        node = node.capture ?? node
      case .glob:
        if node.glob == nil { node.glob = Node() }
        node = node.glob ?? node
      }
    }
    node.blocks.append(block)
  }

  private func literal(_ bytes: [UInt8], under node: Node, _ pool: ConstantPool) -> Node {
    let key = pool.bytes(bytes)
    if let found = Self.find(key, in: node) { return found }
    let child = Node()
    let place = node.literals.firstIndex { Self.order($0.key, key) > 0 } ?? node.literals.count
    node.literals.insert((key, child), at: place)
    return child
  }

  @inline(__always)
  private static func order(_ left: ByteView, _ right: ByteView) -> Int {
    left.count != right.count ? left.count - right.count : WireCursor.compare(left.buffer, right.buffer)
  }

  @inline(__always)
  private static func find(_ key: ByteView, in node: Node) -> Node? {
    var low = 0
    var high = node.literals.count
    while low < high {
      let middle = (low + high) / 2
      let order = order(node.literals[middle].key, key)
      if order == 0 { return node.literals[middle].node }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Finds the blocks whose whole pattern covers the path in `e.segments`, in the order of the source.
  @inline(__always)
  func match(_ e: Evaluation) {
    e.matches.reset()
    walk(root, 0, e)
    if e.matches.found.count > 1 { sort(e) }
  }

  private func sort(_ e: Evaluation) {
    e.matches.found.sort { $0.block < $1.block }
  }

  private func walk(_ node: Node, _ position: Int, _ e: Evaluation) {
    let scratch = e.matches
    if position == e.segmentCount {
      report(node, scratch)
    } else {
      if let child = Self.find(e.segments[position], in: node) { walk(child, position + 1, e) }
      if let child = node.capture {
        scratch.open.append(CaptureRange(start: Int32(position), count: 1, isGlob: false, isUnknown: false))
        walk(child, position + 1, e)
        scratch.open.removeLast()
      }
    }
    guard let child = node.glob, position + globMin <= e.segmentCount else { return }
    for end in (position + globMin)...e.segmentCount {
      scratch.open.append(
        CaptureRange(start: Int32(position), count: Int32(end - position), isGlob: true, isUnknown: false))
      walk(child, end, e)
      scratch.open.removeLast()
    }
  }

  private func report(_ node: Node, _ scratch: MatchScratch) {
    for block in node.blocks {
      scratch.found.append(BlockMatch(block: block, firstRange: Int32(scratch.ranges.count)))
      scratch.ranges.append(contentsOf: scratch.open)
    }
  }

  /// Finds the blocks that cover **every** path of a query: literals meet known segments only, an
  /// unknown number of segments is taken by a glob only.
  func matchAll(_ elements: [PathElement], _ e: Evaluation) {
    e.matches.reset()
    walk(root, 0, elements, e)
    sort(e)
  }

  private func walk(_ node: Node, _ position: Int, _ elements: [PathElement], _ e: Evaluation) {
    let scratch = e.matches
    if position == elements.count {
      report(node, scratch)
    } else {
      switch elements[position] {
      case .known:
        if let child = Self.find(e.segments[position], in: node) { walk(child, position + 1, elements, e) }
        capture(node, position, isUnknown: false, elements, e)
      case .unknown: capture(node, position, isUnknown: true, elements, e)
      case .unknownParents: break
      }
    }
    guard let child = node.glob else { return }
    for end in position...elements.count {
      let taken = elements[position..<end]
      // A glob of version 1 needs a segment, and unknown parents may be none.
      guard taken.count(where: { $0 != .unknownParents }) >= globMin else { continue }
      scratch.open.append(
        CaptureRange(
          start: Int32(position), count: Int32(end - position), isGlob: true,
          isUnknown: taken.contains { $0 != .known }))
      walk(child, end, elements, e)
      scratch.open.removeLast()
    }
  }

  private func capture(
    _ node: Node, _ position: Int, isUnknown: Bool, _ elements: [PathElement], _ e: Evaluation
  ) {
    guard let child = node.capture else { return }
    e.matches.open.append(
      CaptureRange(start: Int32(position), count: 1, isGlob: false, isUnknown: isUnknown))
    walk(child, position + 1, elements, e)
    e.matches.open.removeLast()
  }
}

extension Evaluation {
  /// Makes the captures of a match the current ones: strings, paths for globs, faults for what a
  /// query leaves open.
  @inline(__always)
  func bindCaptures(_ match: BlockMatch, count: Int) {
    let first = Int(match.firstRange)
    for index in 0..<count {
      let range = matches.ranges[first + index]
      if range.isUnknown {
        captures[index] = range.isGlob ? openGlob() : .fault(.nullValue, node: 0, detail: -1)
      } else if range.isGlob {
        captures[index] = globPath(range)
      } else {
        captures[index] = .string(segments[Int(range.start)])
      }
    }
  }

  /// A path, but one whose segments nobody knows. Source: the official emulator.
  private func openGlob() -> Operand {
    let start = arena.allocate(PathSegment.self, count: 1)
    start.initialize(to: PathSegment(name: ByteView(WireCursor.empty), isGlob: true))
    return .path(UnsafePointer(start), 1)
  }

  private func globPath(_ range: CaptureRange) -> Operand {
    let count = Int(range.count)
    let start = arena.allocate(PathSegment.self, count: count)
    for index in 0..<count {
      (start + index).initialize(to: PathSegment(text: segments[Int(range.start) + index]))
    }
    return .path(UnsafePointer(start), count)
  }
}
