/// Memory for what a ruleset's plans point to.

internal import DocModel

/// Owns the constants of one ruleset: keys, texts, literal lists, paths of steps.
///
/// INVARIANT: filled while planning, then never changed; freed with the ruleset.
package final class ConstantPool: @unchecked Sendable {  // Not changed after planning, see above.
  private let arena = Arena()

  package func bytes(_ bytes: [UInt8]) -> ByteView { arena.copy(bytes) }
  package func text(_ text: String) -> ByteView { arena.copy(text) }
  func array<T>(_ elements: [T]) -> UnsafePointer<T> { arena.copy(elements) }
}
