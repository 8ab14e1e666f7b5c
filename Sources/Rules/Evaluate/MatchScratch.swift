/// What matching a path found, as an evaluation carries it.

/// Results of matching, reused from evaluation to evaluation, whose owner frees them.
struct MatchScratch {
  /// Numbers of the blocks that apply, in the order of the source.
  let found = RawList<Int32>(capacity: 32)
  /// Of a query's path: which of its segments are known. Empty for a path of which all are.
  let elements = RawList<PathElement>(capacity: 16)

  @inline(__always)
  func reset() {
    found.removeAll()
    elements.removeAll()
  }

  func free() {
    found.free()
    elements.free()
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
