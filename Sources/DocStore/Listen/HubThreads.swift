/// Threads that do nothing but the work of hubs, so that long queries hold up no listener.
///
/// Work is done in the order in which it came. A hub gives one piece at a time, and the next one only behind
/// what waits already, so busy hubs share the threads evenly.

internal import DequeModule
internal import Platform

/// State and what guards it: everything behind the monitor. Threads are started when work waits that no idle
/// one will take, and end with `close`.
final class HubThreads: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var waiting: Deque<Work> = []
    var threadCount = 0
    var idleCount = 0
    var isClosed = false
  }

  /// LIMIT: hubs at work at once. What they do is short, but for rules that are judged.
  private let threadsMax: Int
  private let state = Monitor(State())

  init(threadsMax: Int = 4) { self.threadsMax = threadsMax }

  /// Work that comes after `close` is dropped.
  func submit(_ work: @escaping Work) {
    let threadsMax = threadsMax
    let needsThread = state.changeForOne { state in
      guard !state.isClosed else { return false }
      state.waiting.append(work)
      guard state.idleCount < state.waiting.count, state.threadCount < threadsMax else { return false }
      state.threadCount += 1
      return true
    }
    guard needsThread else { return }
    do throws(PlatformThread.Exhausted) {
      try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes) { [state] in Self.run(state) }
    } catch {
      doHere()
    }
  }

  /// The system gives no thread: those that are there go on, and without any the work is done by whoever brings it.
  private func doHere() {
    let isAlone = state.withLock { state in
      state.threadCount -= 1
      return state.threadCount == 0
    }
    while isAlone, let work = state.withLock({ $0.waiting.popFirst() }) { work() }
  }

  /// Ends the threads after the pieces they are at; what waits is dropped.
  func close() {
    state.change { state in
      state.isClosed = true
      state.waiting.removeAll()
    }
  }

  private static func run(_ state: Monitor<State>) {
    while let work = next(state) { work() }
  }

  /// Nil when the threads are to end.
  private static func next(_ state: Monitor<State>) -> Work? {
    state.withLock { $0.idleCount += 1 }
    return state.wait { state -> Work?? in
      if state.isClosed { return .some(nil) }
      guard let work = state.waiting.popFirst() else { return .none }
      state.idleCount -= 1
      return .some(work)
    }
  }
}
