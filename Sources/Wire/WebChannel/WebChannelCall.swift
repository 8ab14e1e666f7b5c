/// One Listen or Write stream of a browser, as the service sees it.

internal import DocModel
internal import JSON
internal import NIOCore
internal import Synchronization

/// A stream above, a WebChannel session below, and the clock between them.
///
/// State and its owner: the event loop on which the session began; back channels and forms that come by connections of
/// other loops hand over to it. `@unchecked Sendable`: other threads only pass it on, through `perform`.
final class WebChannelCall: ServerCall, @unchecked Sendable {
  let sid: String
  let stream: WebChannelStream
  private let session: WebChannelSession
  private let executor: LoopExecutor
  private let loop: any EventLoop
  private var isFlushScheduled = false
  /// What the session holds of the server's memory; nil where nobody counts.
  private var account: MemoryAccount?
  private var tally = MemoryTally()
  private var timer: Scheduled<Void>?
  private var timerDeadline: UInt64 = .max
  /// The client is asked and told nothing more; the stream may still carry out what it was sent.
  private var isOver = false
  /// Runs once when the session is over for its client.
  var onOver: (() -> Void)?
  /// Runs once behind that, when the stream has ended, too.
  var onReleased: (() -> Void)?
  /// When the client was last heard of, for who makes room; any thread may ask. The largest number while a back
  /// channel is open.
  let lastSeen: Atomic<UInt64>

  init(
    sid: String, _ stream: WebChannelStream, authorization: [UInt8]?, cause: [UInt8]?,
    limits: WebChannelLimits, memory: MemoryBudget? = nil,
    eventLoop: any EventLoop
  ) {
    self.sid = sid
    self.stream = stream
    loop = eventLoop
    let now = Self.now
    session = WebChannelSession(limits: limits, now: now)
    lastSeen = Atomic(now)
    let executor = LoopExecutor()
    executor.use(eventLoop)
    self.executor = executor
    super.init(
      authorization: authorization.map { Authorization($0) }, cause: cause, perform: { executor.perform($0) })
    account = memory.map { memory in MemoryAccount(memory) { [weak self] in self?.onLoop { $0.abandon() } } }
    session.onWritable = { [unowned self] in onWritable?() }
    armTimer()
  }

  private static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }

  override var eventLoop: (any EventLoop)? { loop }

  override var memory: MemoryAccount? { account }

  override var methodName: String { "google.firestore.v1.Firestore/" + stream.rawValue }

  override var elementForm: (@Sendable ([UInt8]) -> [UInt8])? {
    { [stream] message in
      var writer = JSONWriter(.ascii)
      stream.write(message, to: &writer)
      return writer.bytes
    }
  }

  override func transmit(next message: [UInt8]) -> Bool {
    var writer = JSONWriter(.ascii)
    stream.write(message, to: &writer)
    return transmit(formed: [writer.bytes])
  }

  override func transmit(formed elements: [[UInt8]]) -> Bool {
    assertOnLoop()
    scheduleFlush()
    defer { count() }
    var hasRoom = true
    for element in elements { hasRoom = session.append(element) }
    return hasRoom
  }

  /// Tells the account what the session holds.
  private func count() { tally.set(session.heldBytes, in: account) }

  override func transmit(only message: [UInt8]) {
    _ = transmit(next: message)
    transmitEnd(.ok, afterMessages: true)
  }

  /// The session stays until the client has fetched the end and said goodbye, or is silent for long.
  override func transmitEnd(_ status: GRPCStatus, afterMessages: Bool) {
    if isOver {
      release()
    } else {
      _ = session.append(WebChannelStream.end(status))
      scheduleFlush()
    }
    forget()
  }

  /// Runs a closure on the session's event loop; dropped when the session is over.
  func onLoop(_ body: @escaping @Sendable (WebChannelCall) -> Void) {
    perform { [self] in body(self) }
  }
}

// MARK: - What the client asks

extension WebChannelCall {
  /// A form: its messages go to the stream as their turn comes. Answers what the client is told of the back channel.
  func take(
    _ messages: [(number: Int, bytes: [UInt8])], acknowledged: Int?
  ) throws(WebChannelSession.Fault) -> [UInt8] {
    let now = Self.now
    session.acknowledge(acknowledged, now: now)
    do throws(WebChannelSession.Fault) {
      for message in try session.receive(messages, now: now) where !isFinished { onMessage?(message) }
    } catch {
      end { $0.cancel() }
      throw error
    }
    touched()
    return session.formAnswer
  }

  func open(
    _ sink: any WebChannelSink, acknowledged: Int?, isPolling: Bool, holdMilliseconds: Int?
  ) {
    session.open(
      sink, acknowledging: acknowledged, isPolling: isPolling, holdMilliseconds: holdMilliseconds,
      now: Self.now)
    touched()
  }

  func flushed(_ count: Int, of sink: any WebChannelSink) {
    session.flushed(count, of: sink, now: Self.now)
    touched()
  }

  func lost(_ sink: any WebChannelSink) {
    session.lost(sink, now: Self.now)
    touched()
  }

  /// The client says goodbye. What it had sent is still carried out.
  func terminate() { end { $0.onHalfClose?() } }

  /// Nobody asks any more, or the server stops.
  func abandon() {
    guard isOver else { return end { $0.cancel() } }
    cancel()
    release()
  }

  private func end(_ tell: (WebChannelCall) -> Void) {
    guard !isOver else { return }
    eventLoop.preconditionInside()
    isOver = true
    timer?.cancel()
    session.closeBackChannel(now: Self.now)
    // Nobody fetches what it keeps.
    tally.set(0, in: account)
    account?.close()
    onOver?()
    onOver = nil
    tell(self)
    if isFinished { release() }
  }

  /// The stream has ended: nothing comes back from other threads that anybody waits for.
  private func release() {
    eventLoop.preconditionInside()
    executor.end()
    onReleased?()
    onReleased = nil
  }
}

// MARK: - Time

extension WebChannelCall {
  /// Something happened to the session: its deadline is another, and what it had to say may have gone.
  private func touched() {
    assertOnLoop()
    lastSeen.store(session.lastSeen, ordering: .relaxed)
    guard !isOver else { return }
    count()
    account?.wakeWhereRead()
    guard !session.isOverfull else { return abandon() }
    armTimer()
  }

  /// A timer is left alone where it would ring too early: it asks again then. So a request moves none.
  private func armTimer() {
    let deadline = session.deadline
    guard deadline < timerDeadline else { return }
    timer?.cancel()
    timerDeadline = deadline
    timer = loop.scheduleTask(deadline: .uptimeNanoseconds(deadline)) { [weak self] in self?.ring() }
  }

  private func ring() {
    timer = nil
    timerDeadline = .max
    guard !isOver else { return }
    guard session.tick(now: Self.now) else { return abandon() }
    touched()
  }

  /// What is said in one turn of the event loop goes out together.
  fileprivate func scheduleFlush() {
    assertOnLoop()
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    onLoop { call in
      call.isFlushScheduled = false
      call.session.flush(now: Self.now)
      call.touched()
    }
  }
}
