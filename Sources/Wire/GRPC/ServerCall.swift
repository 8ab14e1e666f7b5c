/// One gRPC call, as a service sees it.

internal import Synchronization

/// A request and the way to answer it.
///
/// State and its owner: a call belongs to its connection's event loop; every member but `isCancelled`
/// is used there only. A service that works elsewhere takes a `reference`, which is `Sendable`, and
/// comes back through it.
///
/// INVARIANT: exactly one of `respond`, `finish` or cancellation ends a call; what is said after that
/// is dropped without harm, because a client may go away at any moment.
package final class ServerCall {
  package let method: GRPCMethod
  let stream: HTTP2Stream
  /// Kept until the stream closes; the circle through the stream is broken there.
  let connection: GRPCConnection

  /// The request message, complete when `begin` runs. Empty for bidirectional calls.
  package private(set) var requestMessage = RequestMessage()
  /// Nanoseconds on the host's clock at which the client stops waiting; nil when it did not say.
  let deadline: UInt64?
  private let cancelled = Atomic(false)
  /// The call is listed among those that wait for their deadline.
  var isTracked = false
  /// Bytes of this call that are counted in the connection's sum.
  var bufferedBytes = 0
  private(set) var isFinished = false
  private var hasBegunAnswer = false

  /// The client cancelled, its deadline passed, or the connection was lost.
  package var onCancel: (() -> Void)?
  /// `send` answered false before, and there is room again.
  package var onWritable: (() -> Void)?
  /// Bidirectional calls: one more message from the client.
  package var onMessage: (([UInt8]) -> Void)?
  /// Bidirectional calls: the client has said everything.
  package var onHalfClose: (() -> Void)?

  init(method: GRPCMethod, stream: HTTP2Stream, connection: GRPCConnection, deadline: UInt64?) {
    self.method = method
    self.stream = stream
    self.connection = connection
    self.deadline = deadline
  }

  /// The `authorization` header as it came.
  package var authorization: [UInt8]? { stream.head.authorization }

  /// Whether answering is still of use. Any thread may ask.
  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// The request message, in place.
  package func withRequest<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try requestMessage.withBytes(body)
  }

  func take(_ message: RequestMessage) { requestMessage = message }
}

/// One message: a buffer, and where in it the message begins. The rest of the buffer is the message.
package struct RequestMessage: Sendable {
  private let buffer: [UInt8]
  private let start: Int

  init(buffer: [UInt8] = [], start: Int = 0) {
    self.buffer = buffer
    self.start = start
  }

  package var count: Int { buffer.count - start }

  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try buffer.withUnsafeBufferPointer { bytes throws(Failure) -> Result in
      try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start...]))
    }
  }
}

// MARK: - Answering

extension ServerCall {
  /// Answers a unary call: one message and success, in one piece.
  package func respond(_ message: [UInt8]) {
    guard !isFinished else { return }
    guard !hasBegunAnswer else {
      _ = send(message)
      return finish(.ok)
    }
    isFinished = true
    connection.http2.respond(
      stream, head: GRPCHeaders.responseHead, message: message, trailers: GRPCHeaders.okTrailers)
    connection.callEnded(self)
  }

  /// Sends one more message of a streaming answer. False: wait for `onWritable` before the next.
  package func send(_ message: [UInt8]) -> Bool {
    guard !isFinished else { return false }
    if !hasBegunAnswer {
      hasBegunAnswer = true
      connection.http2.begin(stream, head: GRPCHeaders.responseHead)
    }
    defer { connection.wake() }
    return connection.http2.send(stream, message: message)
  }

  /// Ends the call with a status.
  package func finish(_ status: GRPCStatus) {
    guard !isFinished else { return }
    isFinished = true
    if hasBegunAnswer {
      connection.http2.end(stream, trailers: GRPCHeaders.trailers(status))
    } else {
      connection.http2.respond(stream, headOnly: GRPCHeaders.trailersOnly(status))
    }
    connection.callEnded(self)
  }

  /// Nobody waits for an answer any more.
  func cancel() {
    cancelled.store(true, ordering: .relaxed)
    guard !isFinished else { return }
    isFinished = true
    let notify = onCancel
    forget()
    notify?()
  }

  /// Ends the call because its time is over, and tells the service.
  func expire() {
    guard !isFinished else { return }
    cancelled.store(true, ordering: .relaxed)
    let notify = onCancel
    finish(GRPCStatus(.deadlineExceeded, "deadline exceeded"))
    notify?()
  }

  /// Breaks the circles between a call and the closures of its service.
  func forget() {
    onCancel = nil
    onWritable = nil
    onMessage = nil
    onHalfClose = nil
    requestMessage = RequestMessage()
  }

  /// The call for work on another thread.
  package var reference: CallReference { CallReference(call: self, perform: connection.perform) }
}

/// A call that may be carried to another thread and back.
///
/// `@unchecked Sendable`: the call itself is touched only inside `perform`, which runs its argument on
/// the event loop that owns it; `isCancelled` is atomic.
package struct CallReference: @unchecked Sendable {
  private let call: ServerCall
  private let perform: GRPCConnection.Perform

  init(call: ServerCall, perform: @escaping GRPCConnection.Perform) {
    self.call = call
    self.perform = perform
  }

  package var isCancelled: Bool { call.isCancelled }

  /// Runs `body` on the call's event loop.
  package func callAsFunction(_ body: @escaping @Sendable (ServerCall) -> Void) {
    perform { body(call) }
  }
}
