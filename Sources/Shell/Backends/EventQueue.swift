/// Events of a live query on their way from the hub's threads to the session's.

import DocStore
import Platform
import Synchronization

/// State and its guard: `state` behind its mutex; a pipe wakes the session, which may be interrupted then.
final class EventQueue: Sendable {
  private struct State {
    var events: [ListenEvent] = []
    var failure: StoreError?
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.events.count } }

  func add(_ events: [ListenEvent]) { state.withLock { $0.events += events } }

  func fail(_ error: StoreError) { state.withLock { $0.failure = error } }

  /// What came since the last call; after a moment nothing, so that the caller can look for Ctrl-C.
  func next() throws(ShellError) -> [ListenEvent] {
    let taken = state.withLock { state in
      defer { state.events = [] }
      return (state.events, state.failure)
    }
    if !taken.0.isEmpty { return taken.0 }
    if let failure = taken.1 { throw ShellError(failure) }
    // Ends at once at a signal.
    _ = poll(nil, 0, 20)
    return []
  }
}

/// Threads for the hub of live queries, which may block for a moment.
enum EventThread {
  /// Runs the work on a thread of its own; here when there is none to be had.
  static func run(_ body: @escaping @Sendable () -> Void) {
    do throws(PlatformThread.Exhausted) { try PlatformThread.start(body) } catch { body() }
  }
}
