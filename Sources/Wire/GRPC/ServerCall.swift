/// One call, as a service sees it, whichever way it came.

internal import Access
package import DocModel
internal import DocStore
internal import NIOCore
internal import Synchronization

/// A request and the way to answer it. `GRPCCall` came as gRPC, `RESTCall` as JSON.
///
/// State and its owner: a call belongs to its connection's event loop; every member but `isCancelled`
/// is used there only. A service that works elsewhere takes a `reference`, which is `Sendable`, and
/// comes back through it.
///
/// INVARIANT: exactly one of `respond`, `finish` or cancellation ends a call; what is said after that
/// is dropped without harm, because a client may go away at any moment.
package class ServerCall {
  /// The `authorization` header as it came.
  package final let authorization: Authorization?
  /// What made the client write, as it came; goes with the commits of the call.
  package final let cause: [UInt8]?
  /// Runs a closure on the event loop that owns the call.
  final let perform: GRPCConnection.Perform

  /// The request message, complete when the method begins. Empty for bidirectional calls.
  package final private(set) var requestMessage = RequestMessage()
  private let cancelled = Atomic(false)
  final private(set) var isFinished = false
  private final var hasBegunAnswer = false
  /// Who counts this call; nil where nobody does.
  fileprivate final var observation: CallObservation?

  /// The client cancelled, its deadline passed, or the connection was lost.
  package final var onCancel: (() -> Void)?
  /// `send` answered false before, and there is room again.
  package final var onWritable: (() -> Void)?
  /// Bidirectional calls: one more message from the client.
  package final var onMessage: (([UInt8]) -> Void)?
  /// Bidirectional calls: the client has said everything.
  package final var onHalfClose: (() -> Void)?

  init(authorization: Authorization?, cause: [UInt8]? = nil, perform: @escaping GRPCConnection.Perform) {
    self.authorization = authorization
    self.cause = cause
    self.perform = perform
  }

  /// What made the client write. Only administrators, as functions are, are believed: a user could end chains of
  /// triggers, or hide writes from them.
  final func origin(of credentials: Credentials) -> CommitOrigin? {
    guard let cause, credentials.isAdmin else { return nil }
    return CommitOrigin(String(decoding: cause, as: UTF8.self))
  }

  /// Commits in the name of what made the client write.
  final func withOrigin(of credentials: Credentials, _ commit: () -> Void) {
    guard let origin = origin(of: credentials) else { return commit() }
    CommitOrigin.$current.withValue(origin, operation: commit)
  }

  /// Whether answering is still of use. Any thread may ask.
  package final var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// The request message, in place.
  package final func withRequest<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try requestMessage.withBytes(body)
  }

  final func take(_ message: RequestMessage) {
    assertOnLoop()
    requestMessage = message
  }

  /// The event loop that owns the call; nil where there is none, as in tests.
  var eventLoop: (any EventLoop)? { nil }

  @inline(__always)
  final func assertOnLoop() { eventLoop.assertInside() }

  /// The transactions of the call's connection; nil where connections come and go.
  var ties: ConnectionTransactions? { nil }

  /// What the call's connection, or session, holds of the server's memory; nil where nobody counts. Any thread may use
  /// the account.
  var memory: MemoryAccount? { nil }

  /// `google.firestore.v1.Firestore/GetDocument`
  var methodName: String { "" }

  // MARK: observation

  /// Begins to be counted; goes on with an observation that began before.
  final func observe(
    _ observer: CallObserver, method: Int, _ transport: ServerMetrics.Transport,
    since earlier: CallObservation? = nil
  ) {
    assertOnLoop()
    var observation = earlier ?? observer.begin(method, transport)
    observation.method = method
    observation.transport = transport
    self.observation = observation
  }

  /// Tells who asks for what, for the log.
  final func note(_ database: DatabaseID, _ credentials: Credentials) {
    observation?.note(
      database, credentials,
      target: requestMessage.withBytes { CallTarget.text(methodName, $0) })
  }

  fileprivate final func observeEnd(_ status: GRPCStatus) {
    guard let ended = observation else { return }
    observation = nil
    ended.end(status)
  }

  // MARK: what each way of calling does

  /// The call is over, or will be when its answer is sent.
  func ended() {}

  /// Makes a whole answer what is sent of it, on any thread; nil where it is sent as it is.
  var answerForm: (@Sendable ([UInt8]) -> [UInt8])? { nil }
  /// Sends the whole answer and success.
  func transmit(only message: [UInt8]) {}
  /// The same of an answer in its form.
  func transmit(formed answer: [UInt8]) { transmit(only: answer) }
  /// Sends what comes before the first of several messages.
  func transmitHead() {}
  /// Sends one of several messages. False: the client has to read first.
  func transmit(next message: [UInt8]) -> Bool { false }
  /// Makes one of several messages what is sent of it, on any thread; nil where it is sent as it is.
  var elementForm: (@Sendable ([UInt8]) -> [UInt8])? { nil }
  /// Sends some of several messages in their form.
  func transmit(formed elements: [[UInt8]]) -> Bool {
    var hasRoom = true
    for element in elements { hasRoom = transmit(next: element) }
    return hasRoom
  }
  /// Sends the end, after messages or without any.
  func transmitEnd(_ status: GRPCStatus, afterMessages: Bool) {}
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
  package final func respond(_ message: [UInt8]) {
    assertOnLoop()
    guard !isFinished else { return }
    guard !hasBegunAnswer else {
      _ = send(message)
      return finish(.ok)
    }
    isFinished = true
    transmit(only: message)
    observeEnd(.ok)
  }

  /// The same with an answer that was brought into its form on another thread.
  final func respond(formed answer: [UInt8]) {
    assertOnLoop()
    guard !isFinished, !hasBegunAnswer else { return }
    isFinished = true
    transmit(formed: answer)
    observeEnd(.ok)
  }

  /// Sends one more message of a streaming answer. False: wait for `onWritable` before the next.
  package final func send(_ message: [UInt8]) -> Bool {
    assertOnLoop()
    guard !isFinished else { return false }
    beginAnswer()
    return transmit(next: message)
  }

  /// The same with messages that were brought into their form on another thread, one or more.
  final func send(formed elements: [[UInt8]]) -> Bool {
    assertOnLoop()
    guard !isFinished else { return false }
    beginAnswer()
    return transmit(formed: elements)
  }

  private func beginAnswer() {
    guard !hasBegunAnswer else { return }
    hasBegunAnswer = true
    transmitHead()
  }

  /// Ends the call with a status.
  package final func finish(_ status: GRPCStatus) {
    assertOnLoop()
    guard !isFinished else { return }
    isFinished = true
    transmitEnd(status, afterMessages: hasBegunAnswer)
    observeEnd(status)
  }

  /// Nobody waits for an answer any more.
  final func cancel() {
    assertOnLoop()
    cancelled.store(true, ordering: .relaxed)
    guard !isFinished else { return }
    isFinished = true
    observeEnd(GRPCStatus(.cancelled))
    let notify = onCancel
    forget()
    notify?()
  }

  /// Ends the call because its time is over, and tells the service.
  final func expire() {
    fail(GRPCStatus(.deadlineExceeded, "deadline exceeded"))
  }

  /// Ends the call from outside with a status, and tells the service.
  final func fail(_ status: GRPCStatus) {
    assertOnLoop()
    guard !isFinished else { return }
    cancelled.store(true, ordering: .relaxed)
    let notify = onCancel
    finish(status)
    notify?()
  }

  /// Breaks the cycles between a call and the closures of its service.
  final func forget() {
    assertOnLoop()
    ended()
    onCancel = nil
    onWritable = nil
    onMessage = nil
    onHalfClose = nil
    requestMessage = RequestMessage()
  }

  /// The call for work on another thread.
  package final var reference: CallReference { CallReference(call: self) }
}

/// A call that may be carried to another thread and back.
///
/// `@unchecked Sendable`: the call itself is touched only inside `perform`, which runs its argument on
/// the event loop that owns it; `isCancelled` is atomic.
package struct CallReference: @unchecked Sendable {
  private let call: ServerCall

  init(call: ServerCall) { self.call = call }

  package var isCancelled: Bool { call.isCancelled }

  /// For state that belongs to the call's event loop.
  @inline(__always)
  func assertOnLoop() { call.assertOnLoop() }

  /// Whether what is worked on for the call is of no use any more.
  ///
  /// INVARIANT: true only when the call has got its end, so that what was left unfinished is never sent.
  var abandonment: @Sendable () -> Bool { { call.isCancelled } }

  /// Runs `body` on the call's event loop.
  package func callAsFunction(_ body: @escaping @Sendable (ServerCall) -> Void) {
    let reference = self
    call.perform { body(reference.call) }
  }

  /// Goes on with the call on its event loop, unless it is over by then; what is thrown ends it.
  func goOn(_ body: @escaping @Sendable (ServerCall) throws(GRPCStatus) -> Void) {
    self { call in
      guard !call.isFinished else { return }
      do throws(GRPCStatus) { try body(call) } catch { call.finish(error) }
    }
  }
}

/// What belongs to a call's event loop, on its way through threads that only pass it on.
///
/// `@unchecked Sendable`: it is touched on that loop alone.
struct LoopConfined<Value>: @unchecked Sendable {
  let value: Value
}
