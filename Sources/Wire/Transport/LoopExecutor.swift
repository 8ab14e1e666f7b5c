/// The way from other threads to a connection.

internal import NIOCore
internal import Synchronization

/// Runs closures on an event loop that is known only when a handler is added, and only while the connection is there:
/// answers come at any time, also when the event loops of a server have ended. What comes too late is dropped; the
/// call that it was for is over.
///
/// State and its owner: the mutex, which is held while a closure is handed over, so that none comes after `end`.
final class LoopExecutor: Sendable {
  private let loop = Mutex<(any EventLoop)?>(nil)

  func use(_ loop: any EventLoop) { self.loop.withLock { $0 = loop } }

  /// The connection is gone. Its event loop lives at least until then.
  func end() {
    loop.withLock { loop in
      loop.preconditionInside()
      loop = nil
    }
  }

  func perform(_ body: @escaping @Sendable () -> Void) {
    loop.withLock { loop in
      if let loop { loop.execute(body) }
    }
  }
}
