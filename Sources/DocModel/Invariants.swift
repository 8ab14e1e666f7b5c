/// When a structure checks what it states of itself.
///
/// A structure that states an INVARIANT has `checkInvariants()`, which looks at all of it and is made of `assert`s, so
/// that release builds have nothing of it. It is called behind changes, as far as that stays cheap: `areDue` says when.
/// Tests that make many random changes call it behind each.

package enum Invariants {
  /// Whether a structure of so many elements, or one that was changed so many times, is looked at whole now: small ones
  /// always, large ones at each power of two. Never in release builds.
  @inlinable
  package static func areDue(at count: Int) -> Bool {
    #if DEBUG
      count <= 32 || (count <= 4_096 && count & (count - 1) == 0)
    #else
      false
    #endif
  }
}
