/// Runs tasks in an order that a busy machine seldom brings about.

import Platform

/// One thread that runs what came last first, and nothing while it is paused.
final class LastFirstExecutor: TaskExecutor {
  private let state = Monitor((jobs: [UnownedJob](), isPaused: false, isOver: false))

  /// The thread ends with the last reference.
  init() throws {
    try PlatformThread.start { [weak self, state] in
      while let job = state.wait({ state -> UnownedJob?? in
        if state.isOver { return .some(nil) }
        return state.isPaused ? nil : state.jobs.popLast().map { .some($0) }
      }) {
        guard let executor = self else { return }
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
      }
    }
  }

  deinit { state.change { $0.isOver = true } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.change { $0.jobs.append(job) }
  }

  func pause() { state.change { $0.isPaused = true } }
  func resume() { state.change { $0.isPaused = false } }
}
