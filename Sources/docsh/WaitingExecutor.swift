/// Asynchronous work on the thread that waits for it.

import Platform
import Synchronization

/// Runs the jobs of one task on the thread that asked for it.
///
/// A shell is synchronous and runs on a thread of the concurrency pool. Were that thread only to wait, a pool
/// of one thread (a machine with one processor) would have none left for the work.
final class WaitingExecutor: TaskExecutor {
  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  private let jobs = Mutex<[UnownedJob]>([])
  /// Counts the jobs that wait.
  private nonisolated(unsafe) let waiting: UnsafeMutablePointer<sem_t>

  private init() {
    waiting = .allocate(capacity: 1)
    sem_init(waiting, 0, 0)
  }

  deinit {
    sem_destroy(waiting)
    waiting.deallocate()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    sem_post(waiting)
  }

  /// Runs `body` to its end, here.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let executor = WaitingExecutor()
    let outcome = Outcome<Value>()
    Task(executorPreference: executor) {
      let value = await body()
      outcome.value.withLock { $0 = value }
    }
    while true {
      if let value = outcome.value.withLock({ $0 }) { return withExtendedLifetime(executor) { value } }
      executor.runNext()
    }
  }

  /// Waits for a job and runs it.
  private func runNext() {
    // A signal ends the wait early; the caller comes again.
    guard sem_wait(waiting) == 0 else { return }
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
