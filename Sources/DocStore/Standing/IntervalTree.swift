/// Ranges of key bytes, found by a key that lies in them.
///
/// A search tree in the order of lower ends in which each node knows the highest upper end below it. Balanced by
/// chance: nodes with the higher priority stand above, and priorities are numbers that look random.
///
/// INVARIANT: a node's priority is not below its children's; `reach` is the highest `upper` of a node and all below it.
/// Checked by: `checkInvariants`, and `IntervalTreeTests` against looking at every range.

internal import DocModel

final class IntervalTree<Element: AnyObject> {
  private final class Node {
    let lower: [UInt8]
    let upper: [UInt8]
    let element: Element
    let priority: UInt64
    var reach: [UInt8]
    var left: Node?
    var right: Node?

    init(_ range: SuffixRange, _ element: Element, priority: UInt64) {
      lower = range.lower
      upper = range.upper ?? IntervalTree.end
      self.element = element
      self.priority = priority
      reach = upper
    }

    func update() {
      reach = upper
      if let left, reach.precedes(left.reach) { reach = left.reach }
      if let right, reach.precedes(right.reach) { reach = right.reach }
    }

    /// Negative, zero or positive as this node stands before, at or after another.
    func compare(_ other: Node) -> Int {
      let lowers = lower.compare(other.lower)
      if lowers != 0 { return lowers }
      let uppers = upper.compare(other.upper)
      if uppers != 0 { return uppers }
      let (a, b) = (ObjectIdentifier(element), ObjectIdentifier(other.element))
      return a == b ? 0 : (a < b ? -1 : 1)
    }
  }

  /// Above the keys of all values and names.
  private static var end: [UInt8] { [0xFF] }

  private var root: Node?
  private var random: UInt64 = 0
  #if DEBUG
    private var changeCount = 0
  #endif

  var isEmpty: Bool { root == nil }

  // MARK: changing

  func insert(_ range: SuffixRange, _ element: Element) {
    if range.isEmpty { return }
    root = inserted(Node(range, element, priority: nextPriority()), root)
    noteChange()
  }

  /// Takes out one such range of the element.
  func remove(_ range: SuffixRange, _ element: Element) {
    if range.isEmpty { return }
    root = removed(Node(range, element, priority: 0), root)
    noteChange()
  }

  @inline(__always)
  private func noteChange() {
    #if DEBUG
      changeCount += 1
      if Invariants.areDue(at: changeCount) { checkInvariants() }
    #endif
  }

  func checkInvariants() {
    var last: Node?
    Self.check(root, &last)
  }

  private static func check(_ node: Node?, _ last: inout Node?) {
    guard let node else { return }
    check(node.left, &last)
    assert(last.map { $0.compare(node) <= 0 } ?? true, "ranges are in the order of their lower ends")
    last = node
    check(node.right, &last)
    let children = [node.left, node.right].compactMap { $0 }
    assert(children.allSatisfy { $0.priority <= node.priority }, "nobody stands above a higher priority")
    let highest = children.map(\.reach).reduce(node.upper) { $0.precedes($1) ? $1 : $0 }
    assert(node.reach == highest, "`reach` is the highest upper end from here down")
  }

  /// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators": SplitMix64.
  private func nextPriority() -> UInt64 {
    // Wraps on purpose.
    random &+= 0x9E37_79B9_7F4A_7C15
    var mixed = random
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  private func inserted(_ new: Node, _ node: Node?) -> Node {
    guard let node else { return new }
    if new.priority > node.priority {
      (new.left, new.right) = split(node, at: new)
      new.update()
      return new
    }
    if new.compare(node) < 0 {
      node.left = inserted(new, node.left)
    } else {
      node.right = inserted(new, node.right)
    }
    node.update()
    return node
  }

  private func removed(_ gone: Node, _ node: Node?) -> Node? {
    guard let node else { return nil }
    let order = gone.compare(node)
    if order == 0 { return merged(node.left, node.right) }
    if order < 0 { node.left = removed(gone, node.left) } else { node.right = removed(gone, node.right) }
    node.update()
    return node
  }

  /// What stands before a node and what does not.
  private func split(_ node: Node?, at place: Node) -> (Node?, Node?) {
    guard let node else { return (nil, nil) }
    defer { node.update() }
    if node.compare(place) < 0 {
      let (before, after) = split(node.right, at: place)
      node.right = before
      return (node, after)
    }
    let (before, after) = split(node.left, at: place)
    node.left = after
    return (before, node)
  }

  private func merged(_ left: Node?, _ right: Node?) -> Node? {
    guard let left else { return right }
    guard let right else { return left }
    if left.priority > right.priority {
      left.right = merged(left.right, right)
      left.update()
      return left
    }
    right.left = merged(left, right.left)
    right.update()
    return right
  }

  // MARK: looking up

  /// The elements with a range that a key lies in. Returns how many nodes were looked at: about the logarithm of
  /// their number for each that is found.
  @discardableResult
  func forEach(containing key: [UInt8], _ body: (Element) -> Void) -> Int {
    Self.visit(root, key, body)
  }

  private static func visit(_ node: Node?, _ key: [UInt8], _ body: (Element) -> Void) -> Int {
    guard let node else { return 0 }
    guard key.precedes(node.reach) else { return 1 }
    let before = visit(node.left, key, body)
    if key.precedes(node.lower) { return before + 1 }
    if key.precedes(node.upper) { body(node.element) }
    return before + 1 + visit(node.right, key, body)
  }
}

extension [UInt8] {
  fileprivate func compare(_ other: [UInt8]) -> Int {
    withUnsafeBytes { own in other.withUnsafeBytes { WireCursor.compare(own, $0) } }
  }

  fileprivate func precedes(_ other: [UInt8]) -> Bool { compare(other) < 0 }
}
