/// HTTP/1.1 as clients speak it: one connection for each request, over TLS or in plain text.
///
/// Those who wait on a thread and those who wait in a task use the same exchange, which lives on an event loop.

internal import NIOConcurrencyHelpers
internal import NIOPosix
package import TLS

/// A server, and what is asked of its answers.
package struct HTTPClient: Sendable {
  package let address: HTTPOrigin
  package var trust = TLSTrust.system
  /// Seconds that an exchange may take, and of these the connection.
  package var seconds = 60
  package var connectSeconds = 10
  /// LIMIT: bytes of an answer's body.
  package var bytesMax = 64 << 20
  /// Whether what is beyond the limit is passed over; else the exchange fails.
  package var passesOver = false
  /// Nil for the system's own.
  var proxy: HTTPProxy?

  package init(_ address: HTTPOrigin) { self.address = address }

  /// Sends a request and waits in this task; cancelling it ends the exchange.
  package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
    let exchange = HTTPExchange(self, request)
    return try await withTaskCancellationHandler {
      await exchange.outcome()
    } onCancel: {
      exchange.fail(.cancelled)
    }.get()
  }

  /// Sends a request and waits on this thread, which is none of an event loop.
  ///
  /// - Parameter isGivenUp: asked a few times a second.
  package func wait(
    _ request: HTTPRequest, isGivenUp: () -> Bool = { false }
  ) throws(HTTPFailure) -> HTTPAnswer {
    precondition(
      MultiThreadedEventLoopGroup.currentEventLoop == nil,
      "waits on an event loop, which may be the exchange's own")
    let exchange = HTTPExchange(self, request)
    let outcome = ConditionLock<Bool>(value: false)
    exchange.whenComplete {
      outcome.lock()
      outcome.unlock(withValue: true)
    }
    while !outcome.lock(whenValue: true, timeoutSeconds: 0.2) {
      if isGivenUp() { exchange.fail(.cancelled) }
    }
    outcome.unlock()
    return try exchange.result().get()
  }
}
