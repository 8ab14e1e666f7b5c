internal import Rules

/// Evaluation by cases: which outcome every question of a branch got.
///
/// A branch is evaluated from its beginning. Questions get the outcomes that the trail says, and past its
/// end the first one; `advance` makes it the trail of the next branch, depth first.
struct ChoiceTrail {
  private var taken: [UInt8] = []
  private var counts: [UInt8] = []
  private var position = 0

  var length: Int { position }

  /// Starts the branch.
  mutating func rewind() { position = 0 }

  /// Which of the possible outcomes, two at least, the question has in this branch.
  @inline(__always)
  mutating func choose(_ count: Int) -> Int {
    defer { position += 1 }
    if position < taken.count { return Int(taken[position]) }
    taken.append(0)
    counts.append(UInt8(count))
    return 0
  }

  /// Goes on to the next branch; false when that was the last.
  mutating func advance() -> Bool {
    // A branch that ended early has not used all of the trail.
    while taken.count > position { drop() }
    while let last = taken.last {
      if last + 1 < counts[counts.count - 1] {
        taken[taken.count - 1] = last + 1
        return true
      }
      drop()
    }
    return false
  }

  private mutating func drop() {
    taken.removeLast()
    counts.removeLast()
  }
}
