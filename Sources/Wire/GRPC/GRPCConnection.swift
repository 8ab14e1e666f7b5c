/// gRPC over one HTTP/2 connection, free of I/O.
///
/// Turns the events of an `HTTP2Connection` into calls of the methods in its table: checks headers,
/// collects and unpacks messages, keeps deadlines, passes on cancellation. Its host (the channel, or a
/// test) gives it bytes, a clock and a way to be woken, and takes bytes from it. Requests that are no
/// gRPC calls become exchanges (`HTTP2Request`).
///
/// State and its owner: one event loop, like the connection below it.

internal import DequeModule
internal import DocModel
internal import NIOCore

package final class GRPCConnection {
  package typealias Perform = @Sendable (@escaping @Sendable () -> Void) -> Void

  package let http2: HTTP2Connection
  private let methods: GRPCMethodTable
  let options: GRPCOptions
  /// What answers requests that are no gRPC calls; nil for 415.
  let front: HTTPFront?
  /// Nanoseconds of a clock that never goes back.
  let now: () -> UInt64
  /// Runs a closure on this connection's event loop.
  let perform: Perform
  /// There is output although nobody called `receive`.
  package var onOutput: (() -> Void)?
  /// An answer goes on for long: the client's machine is to be given up after so many seconds of silence.
  var onLongAnswer: ((Int) -> Void)?
  /// The owner; nil where there is none, as in tests. Set before the first bytes come.
  var eventLoop: (any EventLoop)? {
    didSet {
      http2.eventLoop = eventLoop
      ties.eventLoop = eventLoop
    }
  }

  /// Calls of this batch that may have to wait for their deadline.
  private var undecided: [GRPCCall] = []
  /// Open calls with a deadline, by stream.
  private var waiting: [Int32: GRPCCall] = [:]
  /// Requests that are no calls and whose body is not there yet, by stream.
  var arriving: [Int32: HTTP2Request] = [:]
  /// The earliest deadline of `waiting` and `arriving`, or earlier.
  package internal(set) var nextDeadline: UInt64?
  /// The earliest end of a call whose client does not say how long it waits, or earlier.
  private var laterDeadline: UInt64?
  /// Bytes of unfinished requests, calls or not.
  var bufferedBytes = 0
  /// What the connection holds of the server's memory; nil where nobody counts.
  private(set) var account: MemoryAccount?
  var tally = MemoryTally()
  /// Bytes that were given to the channel and have not gone out.
  var channelBytes = 0
  /// Streams whose request is there and waits for room.
  var parked: Deque<HTTP2Stream> = []
  var isWaitingForRoom = false
  /// The peer does not even take what the channel holds: its host is to close the connection.
  var onGiveUp: (() -> Void)?
  /// Inside `receive`, `expire` or `drain`: whoever called it will ask for output.
  private var isBusy = false
  private var lastRefusal: (status: GRPCStatus, block: HeaderBlock)?
  private var lastPath: [UInt8] = []
  private var lastMethod: GRPCMethod?
  /// Transactions that end with this connection.
  let ties = ConnectionTransactions()

  package init?(
    methods: GRPCMethodTable, options: GRPCOptions = GRPCOptions(), front: HTTPFront? = nil,
    now: @escaping () -> UInt64, perform: @escaping Perform
  ) {
    guard let http2 = HTTP2Connection(options.http2) else { return nil }
    self.http2 = http2
    self.methods = methods
    self.options = options
    self.front = front
    self.now = now
    self.perform = perform
    account = options.memory.map { openAccount($0) }
  }

  /// Takes bytes from the peer and runs what they ask for. False: send the output and close.
  package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    eventLoop.assertInside()
    let isWell = http2.receive(bytes)
    drainEvents()
    count()
    return isWell
  }

  /// Gives bytes for the peer; see `HTTP2Connection.output`.
  package func output(atMost limit: Int, _ body: (UnsafeRawBufferPointer) -> Void) -> Int {
    eventLoop.assertInside()
    let produced = http2.output(atMost: limit, body)
    drainEvents()
    count()
    if !parked.isEmpty { resumeParked() }
    account?.wakeWhereRead()
    return produced
  }

  /// Ends the calls whose deadline has passed.
  package func expire() {
    eventLoop.assertInside()
    let time = now()
    isBusy = true
    let late = waiting.values.filter { ($0.deadline ?? .max) <= time }
    for call in late { call.expire() }
    expireRequests(at: time)
    isBusy = false
    let earliest = waiting.values.lazy.compactMap(\.deadline).min() ?? .max
    nextDeadline = min(earliest, arriving.values.lazy.map(\.deadline).min() ?? .max)
    if let later = laterDeadline, later <= time { laterDeadline = nil }
    forgetDeadlines()
  }

  /// The peer is gone.
  package func loseConnection() {
    eventLoop.preconditionInside()
    http2.loseConnection()
    drainEvents()
    ties.cut()
    closeAccount()
  }

  func wake() {
    eventLoop.assertInside()
    count()
    if !isBusy { onOutput?() }
  }

  /// Lets go of memory that an idle connection does not need; see `HTTP2Connection.sleep`.
  package func sleep() -> Bool {
    eventLoop.assertInside()
    if undecided.isEmpty { undecided = [] }
    lastRefusal = nil
    return http2.sleep()
  }
}

// MARK: - Events

extension GRPCConnection {
  private func drainEvents() {
    let wasBusy = isBusy
    isBusy = true
    while let event = http2.nextEvent() {
      switch event {
      case .request(let stream): open(stream)
      case .body(let stream):
        switch stream.owner {
        case .call(let call): collect(call)
        case .request(let request): collect(request)
        case .nobody: break
        }
      case .halfClosed(let stream):
        switch stream.owner {
        case .call(let call): complete(call)
        case .request(let request): complete(request)
        case .nobody: endArrival(on: stream)
        }
      case .writable(let stream):
        switch stream.owner {
        case .call(let call): call.onWritable?()
        case .request(let request): request.exchange?.onWritable?()
        case .nobody: break
        }
      case .cancelled(let stream):
        switch stream.owner {
        case .call(let call): abandon(call)
        case .request(let request): abandon(request)
        case .nobody: break
        }
      }
    }
    isBusy = wasBusy
    if !undecided.isEmpty { trackDeadlines() }
  }

  private func open(_ stream: HTTP2Stream) {
    guard stream.head.listBytes <= options.http2.headerListBytesMax else {
      return refuse(stream, GRPCHeaders.plain(httpStatus: 431))
    }
    guard stream.head.isGRPC else { return open(requestOn: stream) }
    guard stream.head.method.holds("POST") else {
      return refuse(stream, GRPCHeaders.plain(httpStatus: 405))
    }
    // A page can ask over TLS, and what it asks here no gate of origins sees.
    guard !stream.head.hasOrigin else {
      countRefusal(.permissionDenied)
      return refuse(stream, GRPCStatus(.permissionDenied, "gRPC is not for pages of browsers"))
    }
    guard let method = method(path: stream.head.path) else {
      countRefusal(.unimplemented)
      let name = String(decoding: stream.head.path.dropFirst(), as: UTF8.self)
      return refuse(stream, GRPCStatus(.unimplemented, "Method not found: \(name)"))
    }
    guard
      stream.head.encoding.isEmpty || stream.head.encoding.holds("identity")
        || stream.head.encoding.holds("gzip")
    else {
      let name = String(decoding: stream.head.encoding, as: UTF8.self)
      return refuse(stream, GRPCStatus(.unimplemented, "Can't find decompressor for \(name)"))
    }
    var deadline: UInt64?
    if !stream.head.timeout.isEmpty {
      guard let timeout = GRPCTimeout.nanoseconds(stream.head.timeout) else {
        return refuse(stream, GRPCStatus(.internal, "malformed grpc-timeout"))
      }
      let (sum, overflow) = now().addingReportingOverflow(timeout)
      deadline = overflow ? .max : sum
    }
    let call = GRPCCall(method: method, stream: stream, connection: self, deadline: deadline)
    if let observer = options.observer { call.observe(observer, method: method.metric, .grpc) }
    stream.owner = .call(call)
    if method.kind != .bidirectional || deadline != nil { undecided.append(call) }
    if method.kind == .bidirectional { method.begin(call) }
  }

  private func method(path: [UInt8]) -> GRPCMethod? {
    if let lastMethod, path == lastPath { return lastMethod }
    guard let method = methods.method(path: path) else { return nil }
    lastPath = path
    lastMethod = method
    return method
  }

  /// Counts a request that became no call.
  private func countRefusal(_ code: StatusCode) {
    guard let observer = options.observer else { return }
    let method = observer.metrics.index(of: ServerMetrics.unknownMethod)
    observer.begin(method, .grpc).end(GRPCStatus(code))
  }

  private func refuse(_ stream: HTTP2Stream, _ status: GRPCStatus) {
    refuse(stream, GRPCHeaders.trailersOnly(status))
  }

  /// The headers of a call that ends without a message: clients ask for what they may not have again and again.
  func trailersOnly(_ status: GRPCStatus) -> HeaderBlock {
    if let lastRefusal, lastRefusal.status == status { return lastRefusal.block }
    let block = GRPCHeaders.trailersOnly(status)
    lastRefusal = (status, block)
    return block
  }

  func refuse(_ stream: HTTP2Stream, _ head: HeaderBlock) {
    stream.inbound = []
    http2.respond(stream, headOnly: head)
  }

  private func trackDeadlines() {
    for call in undecided where !call.isFinished {
      if call.deadline == nil, let patience = options.deadlines.nanoseconds(call.method.kind) {
        let deadline = now() &+ patience
        call.deadline = deadline
        laterDeadline = min(laterDeadline ?? .max, deadline)
      }
      guard let deadline = call.deadline else { continue }
      call.isTracked = true
      waiting[call.stream.id] = call
      nextDeadline = min(nextDeadline ?? .max, deadline)
    }
    undecided.removeAll(keepingCapacity: true)
    forgetDeadlines()
  }

  /// Nobody waits for a time any more, perhaps. A time of our own is kept all the same: it is looked at once in a minute,
  /// where a timer that is set and put back for each call would cost.
  func forgetDeadlines() {
    if waiting.isEmpty, arriving.isEmpty { nextDeadline = laterDeadline }
  }

  /// A call got its answer; its stream may still be sending it.
  func callEnded(_ call: GRPCCall) {
    eventLoop.assertInside()
    release(call)
    call.forget()
    wake()
  }

  private func abandon(_ call: GRPCCall) {
    release(call)
    call.cancel()
    call.stream.owner = .nobody
  }

  private func release(_ call: GRPCCall) {
    bufferedBytes -= call.bufferedBytes
    call.bufferedBytes = 0
    call.stream.inbound = []
    guard call.isTracked else { return }
    call.isTracked = false
    waiting[call.stream.id] = nil
    forgetDeadlines()
  }
}

// MARK: - Messages

extension GRPCConnection {
  /// Bytes arrived: bidirectional calls take whole messages out at once, the others wait for the end.
  private func collect(_ call: GRPCCall) {
    guard !call.isFinished else { return }
    bufferedBytes += call.stream.inbound.count - call.bufferedBytes
    call.bufferedBytes = call.stream.inbound.count
    guard bufferedBytes <= options.bufferedBytesMax else {
      return call.finish(GRPCStatus(.resourceExhausted, "too many bytes of unfinished requests"))
    }
    if call.method.kind == .bidirectional { return deliver(call) }
    do throws(GRPCStatus) {
      if let frame = try GRPCFrame(call.stream.inbound, at: 0, limit: options.messageBytesMax) {
        call.stream.inbound.reserveCapacity(frame.end)
      }
    } catch {
      call.finish(error)
    }
  }

  private func deliver(_ call: GRPCCall) {
    var start = 0
    do throws(GRPCStatus) {
      while !call.isFinished, !call.isInflating,
        let frame = try GRPCFrame(call.stream.inbound, at: start, limit: options.messageBytesMax),
        frame.end <= call.stream.inbound.count
      {
        let body = call.stream.inbound
        start = frame.end
        let isLater = isInflatedLater(frame, in: body, for: call) { call, message in
          call.isInflating = false
          call.onMessage?(message.withBytes { Array($0) })
          call.connection.goOn(with: call)
        }
        if isLater {
          call.isInflating = true
          break
        }
        let message = try frame.message(
          in: body, encoding: call.stream.head.encoding, limit: options.messageBytesMax)
        call.onMessage?(message.withBytes { Array($0) })
      }
    } catch {
      return call.finish(error)
    }
    guard !call.isFinished, start > 0 else { return }
    call.stream.inbound.removeFirst(start)
    bufferedBytes -= start
    call.bufferedBytes -= start
  }

  /// A message was inflated: those behind it follow, and the end if it came meanwhile.
  private func goOn(with call: GRPCCall) {
    deliver(call)
    if call.isHalfClosed, !call.isInflating { complete(call) }
  }

  /// The client has sent everything.
  func complete(_ call: GRPCCall) {
    eventLoop.assertInside()
    guard !call.isFinished else { return }
    if call.method.kind == .bidirectional {
      call.isHalfClosed = true
      if call.isInflating { return }
      guard call.stream.inbound.isEmpty else {
        return call.finish(GRPCStatus(.internal, "Encountered end-of-stream mid-frame"))
      }
      call.onHalfClose?()
      return
    }
    guard mayBegin(call.stream) else { return }
    do throws(GRPCStatus) {
      let bytes = call.stream.inbound
      guard let frame = try GRPCFrame(bytes, at: 0, limit: options.messageBytesMax),
        frame.end <= bytes.count
      else {
        throw GRPCStatus(
          .internal,
          bytes.isEmpty ? "Half-closed without a request" : "Encountered end-of-stream mid-frame")
      }
      guard frame.end == bytes.count else { throw GRPCStatus(.internal, "Too many requests") }
      let isLater = isInflatedLater(frame, in: bytes, for: call) { call, message in
        call.take(message)
        call.method.begin(call)
      }
      if isLater {
        call.stream.inbound = []
        return
      }
      let message = try frame.message(
        in: bytes, encoding: call.stream.head.encoding, limit: options.messageBytesMax)
      call.take(message)
      call.stream.inbound = []
      // Unpacked it may be larger.
      bufferedBytes += message.count - call.bufferedBytes
      call.bufferedBytes = message.count
      call.method.begin(call)
    } catch {
      call.finish(error)
    }
  }
}
