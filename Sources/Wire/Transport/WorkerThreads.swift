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

  private let waiting = Atomic(0)
  private let running = Atomic(0)
  /// When the piece in each slot began, in nanoseconds; 0 for a free slot.
  private let starts: UnsafeMutablePointer<Atomic<UInt64>>

  private enum Life {
    /// Threads that nobody has needed yet are not there: a server answers sooner, and one that is only asked small things never
    /// has them.
    case idle(count: Int)
    case running(NIOThreadPool)
    case ended
  }

  private let life: Mutex<Life>

  /// Those of a pool that runs, and is somebody else's to end.
  package convenience init(_ pool: NIOThreadPool) { self.init(.running(pool)) }

  /// So many, which start with the first piece of work.
  package convenience init(count: Int) { self.init(.idle(count: count)) }

  private init(_ life: Life) {
    self.life = Mutex(life)
    starts = .allocate(capacity: Self.slotCount)
    for index in 0..<Self.slotCount { (starts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    starts.deinitialize(count: Self.slotCount)
    starts.deallocate()
  }

  /// Runs `work` on a thread; not any more when the pool ends.
  package func submit(_ work: @escaping @Sendable () -> Void) {
    guard let pool = begun() else { return }
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

  /// The threads, which are there now; nil when they have ended.
  private func begun() -> NIOThreadPool? {
    life.withLock { life in
      switch life {
      case .running(let pool): return pool
      case .ended: return nil
      case .idle(let count):
        let pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
        life = .running(pool)
        return pool
      }
    }
  }

  /// Lets what runs end, and takes nothing more.
  package func end() async {
    let last = life.withLock { life in
      defer { life = .ended }
      return life
    }
    if case .running(let pool) = last { try? await pool.shutdownGracefully() }
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
