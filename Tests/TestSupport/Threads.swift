/// Real threads for tests: what blocks must not block the test runner's own.

internal import DocStore
internal import Platform

/// Runs `body` on `count` threads at once and waits for all; throws the first error of any.
public func runThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) throws -> Void) throws {
  let remaining = Monitor(count)
  let failure = Monitor<(any Error)?>(nil)
  for index in 0..<count {
    try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes) {
      do { try body(index) } catch { failure.change { $0 = $0 ?? error } }
      remaining.change { $0 -= 1 }
    }
  }
  remaining.wait { $0 == 0 ? () : nil }
  if let error = failure.withLock({ $0 }) { throw error }
}
