/// The threads of long reads, and how busy they are.

internal import NIOCore
package import NIOPosix
internal import Synchronization

/// A pool of threads with a count of what waits and since when what runs has been running.
///
/// A view of the store lives inside one piece of work, so the oldest piece is as old as the oldest view.
///
/// `@unchecked Sendable`: `starts` is allocated once, and everything in it is atomic.
package final class WorkerThreads: @unchecked Sendable {
  /// LIMIT: pieces whose age is known; pools are smaller.
  private static let slotCount = 256

  private let pool: NIOThreadPool
  private let waiting = Atomic(0)
  private let running = Atomic(0)
  /// When the piece in each slot began, in nanoseconds; 0 for a free slot.
  private let starts: UnsafeMutablePointer<Atomic<UInt64>>

  package init(_ pool: NIOThreadPool) {
    self.pool = pool
    starts = .allocate(capacity: Self.slotCount)
    for index in 0..<Self.slotCount { (starts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    starts.deinitialize(count: Self.slotCount)
    starts.deallocate()
  }

  /// Runs `work` on a thread; not any more when the pool ends.
  package func submit(_ work: @escaping @Sendable () -> Void) {
    waiting.add(1, ordering: .relaxed)
    pool.submit { [self] state in
      waiting.subtract(1, ordering: .relaxed)
      running.add(1, ordering: .relaxed)
      let slot = occupySlot()
      if state == .active { work() }
      if let slot { starts[slot].store(0, ordering: .relaxed) }
      running.subtract(1, ordering: .relaxed)
    }
  }

  private func occupySlot() -> Int? {
    let now = NIODeadline.now().uptimeNanoseconds
    for slot in 0..<Self.slotCount {
      guard starts[slot].load(ordering: .relaxed) == 0 else { continue }
      if starts[slot].compareExchange(expected: 0, desired: now, ordering: .relaxed).exchanged {
        return slot
      }
    }
    return nil
  }

  /// Pieces of work that no thread has begun.
  package var waitingCount: Int { waiting.load(ordering: .relaxed) }
  package var runningCount: Int { running.load(ordering: .relaxed) }

  /// Age of the oldest piece under way; 0 when there is none.
  package var oldestNanoseconds: UInt64 {
    let now = NIODeadline.now().uptimeNanoseconds
    var oldest: UInt64 = 0
    for slot in 0..<Self.slotCount {
      let start = starts[slot].load(ordering: .relaxed)
      if start != 0, start < now { oldest = max(oldest, now - start) }
    }
    return oldest
  }
}
