/// An object that is made when it is first asked for, by whoever asks first.

package import Synchronization

/// As `AtomicLazyReference`, whose functions are called as generic code: the runtime looked up a type for each load, 450
/// instructions. These become part of those that call them.
///
/// INVARIANT: what is stored is kept until the end, so what `load` gives is alive.
/// `@unchecked Sendable`: the pointer is to an object that is sendable, and changes once.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let stored = Atomic<UnsafeRawPointer?>(nil)

  package init() {}

  deinit {
    if let stored = stored.load(ordering: .acquiring) { Unmanaged<Object>.fromOpaque(stored).release() }
  }

  @inlinable @inline(__always)
  package func load() -> Object? {
    guard let stored = stored.load(ordering: .acquiring) else { return nil }
    return Unmanaged<Object>.fromOpaque(stored).takeUnretainedValue()
  }

  /// What is stored: `new`, or what another thread has stored before.
  package func storeIfNil(_ new: Object) -> Object {
    let kept = Unmanaged.passRetained(new)
    let (isStored, original) = stored.compareExchange(
      expected: nil, desired: UnsafeRawPointer(kept.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isStored, let original else { return new }
    kept.release()
    return Unmanaged<Object>.fromOpaque(original).takeUnretainedValue()
  }
}
