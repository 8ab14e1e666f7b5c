/// A lock with waiting: what `Mutex` lacks.

/// A value behind a lock, and threads that wait for it to change.
///
/// Its functions become part of those that call them: a call would be to generic code, which looks up the result's type in the
/// runtime's tables, for 400 instructions each time.
///
/// `@unchecked Sendable`: `value` is touched only while `mutex` is held, by `withLock` and `wait`.
package final class Monitor<Value>: @unchecked Sendable {
  @usableFromInline var value: Value
  // In memory of their own, because pthread objects must never move.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let condition: UnsafeMutablePointer<pthread_cond_t>

  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    // Waits by a clock that nobody sets: else a step of the wall clock would end them at once, or hold them for hours.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the value; held for a lookup, never across a call we do not own.
  @inlinable @inline(__always)
  package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Changes the value and wakes everybody who waits.
  @inlinable @inline(__always)
  package func change<R>(_ body: (inout Value) -> R) -> R {
    let result = withLock(body)
    wake()
    return result
  }

  /// Wakes everybody who waits, for a change that was made before. Not with the lock: who is woken takes it, and would have to
  /// sleep once more until it is free.
  @inlinable @inline(__always)
  package func wake() {
    withExtendedLifetime(self) { _ = pthread_cond_broadcast(condition) }
  }

  /// Changes the value and wakes one of those who wait, for a change that concerns only one.
  @inlinable @inline(__always)
  package func changeForOne<R>(_ body: (inout Value) -> R) -> R {
    let result = withLock(body)
    withExtendedLifetime(self) { _ = pthread_cond_signal(condition) }
    return result
  }

  /// Runs `body` until it gives a result, sleeping in between until the value changes.
  @inlinable @inline(__always)
  package func wait<R>(_ body: (inout Value) -> R?) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// As `wait`, but asks at the latest after `milliseconds`; nil when nothing changed by then.
  @inlinable @inline(__always)
  package func wait<R>(atMost milliseconds: Int, _ body: (inout Value) -> R?) -> R? {
    wait(atMostNanoseconds: UInt64(max(0, milliseconds)) * 1_000_000, body)
  }

  /// As `wait(atMost:)`.
  @inlinable @inline(__always)
  package func wait<R>(atMostNanoseconds wait: UInt64, _ body: (inout Value) -> R?) -> R? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if let result = body(&value) { return result }
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = Int(deadline.tv_nsec) + Int(wait % 1_000_000_000)
    deadline.tv_sec += Int(wait / 1_000_000_000) + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    while pthread_cond_timedwait(condition, mutex, &deadline) == 0 {
      if let result = body(&value) { return result }
    }
    return body(&value)
  }
}
