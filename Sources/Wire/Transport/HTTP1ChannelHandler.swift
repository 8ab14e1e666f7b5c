/// HTTP/1.1 on a socket: collects a request, hands it on, writes the answer.
///
/// NIO's decoder keeps the grammar, its pipelining handler keeps the order of answers.
///
/// State and its owner: the channel's event loop.

package import DocModel
internal import NIOCore
internal import NIOHTTP1
internal import Platform

package struct HTTPOptions: Sendable {
  /// LIMIT: bytes of a request's body. Source: docs/spec/production-differences.md L1.
  package var bodyBytesMax = RequestLimits.bodyBytesMax
  /// What a longer body is answered; nil for 413 without a word, as the official emulator does.
  package var bodyRefusal: GRPCStatus? = GRPCStatus(
    .invalidArgument, "Request payload size exceeds the limit: \(RequestLimits.bodyBytesMax) bytes.")
  /// LIMIT: how long the first head of a connection, and the body of a request, may take to come.
  package var arrivalMilliseconds: Int64 = 120_000
  /// LIMIT: how long a connection may wait for its next request. Longer than the pools of usual clients keep one.
  package var idleMilliseconds: Int64 = 600_000

  package init() {}
}

final class HTTP1ChannelHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let front: HTTPFront
  private let connections: ConnectionList
  private let executor = LoopExecutor()
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []
  private var isOversize = false
  private var exchange: HTTPExchange?
  /// Of that exchange.
  private var writer: HTTP1AnswerWriter?
  private var isStopping = false
  private var context: ChannelHandlerContext?
  /// What the connection holds of the server's memory; nil where nobody counts.
  private var account: MemoryAccount?
  private var tally = MemoryTally()
  /// The request that is there waits for room: until the answers before it are read, or for memory.
  private var isParked = false
  /// Ends a connection whose request does not come whole, or not at all.
  private var arrivalTimer: Scheduled<Void>?

  private var options: HTTPOptions { front.options }

  private let memory: MemoryBudget?

  init(front: HTTPFront, connections: ConnectionList, memory: MemoryBudget?) {
    self.front = front
    self.connections = connections
    self.memory = memory
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    executor.use(context.eventLoop)
    awaitRequest(options.arrivalMilliseconds, context.channel)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    account = memory.map { memory in
      MemoryAccount(memory) { [executor] in executor.perform { bound.value.shed() } }
    }
    let channel = context.channel
    connections.add(
      .init(channel: channel) {
        channel.eventLoop.execute {
          bound.value.isStopping = true
          bound.value.writer?.closesAtEnd = true
          if bound.value.head == nil, bound.value.exchange == nil { channel.close(promise: nil) }
        }
      })
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    arrivalTimer?.cancel()
    exchange?.cancel()
    executor.end()
    self.context = nil
    tally.set(0, in: account)
    account?.close()
    account = nil
    connections.remove(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body = []
      isOversize = declaredLength(head) > options.bodyBytesMax
      arrivalTimer?.cancel()
      arrivalTimer = nil
      if declaredLength(head) > 0 || head.headers.contains(name: "transfer-encoding") {
        awaitRequest(options.arrivalMilliseconds, context.channel)
      }
      if isOversize {
        refuseBody(context)
      } else if head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) {
        context.writeAndFlush(
          wrapOutboundOut(.head(.init(version: head.version, status: .continue))), promise: nil)
      }
    case .body(let bytes):
      guard !isOversize else { return }
      guard body.count + bytes.readableBytes <= options.bodyBytesMax else {
        isOversize = true
        return refuseBody(context)
      }
      body.append(contentsOf: bytes.readableBytesView)
      count()
      if let account, account.mustNotRead { pauseReading(context, until: account) }
    case .end:
      arrivalTimer?.cancel()
      arrivalTimer = nil
      if isOversize { context.close(promise: nil) } else { begin(context) }
    }
  }

  private func awaitRequest(_ milliseconds: Int64, _ channel: any Channel) {
    arrivalTimer?.cancel()
    arrivalTimer = channel.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
      channel.close(promise: nil)
    }
  }

  // MARK: memory

  /// Bytes of the request that is being answered.
  private var requestBytes = 0

  /// Tells the account what the connection holds.
  private func count() {
    guard let account, let context else { return }
    context.eventLoop.assertInEventLoop()
    let unsent = context.channel.isWritable ? 0 : context.channel.unsentBytes
    tally.set(body.count + requestBytes + unsent, in: account)
  }

  /// Whether the request may begin. A client that sends many and reads no answers would fill the memory with them.
  private func mayBegin(_ context: ChannelHandlerContext) -> Bool {
    isParked = true
    guard context.channel.isWritable else { return false }
    count()
    if let account, !account.mayTake() {
      let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
      account.wait { [executor] in
        executor.perform {
          if let context = bound.value.context, bound.value.isParked { bound.value.begin(context) }
        }
      }
      return false
    }
    isParked = false
    return true
  }

  private func pauseReading(_ context: ChannelHandlerContext, until account: MemoryAccount) {
    guard context.channel.pauseReading() else { return }
    account.waitToRead { [channel = context.channel] in channel.resumeReading() }
  }

  /// The memory of all connections is used up, and this one holds most of it: a request that nobody has answered is
  /// answered so, and the connection ends.
  private func shed() {
    guard let context else { return }
    context.eventLoop.preconditionInEventLoop()
    if let exchange, !exchange.hasBegun {
      writer?.closesAtEnd = true
      exchange.fail(MemoryBudget.exhausted)
    } else if exchange == nil, head != nil, !isOversize {
      isOversize = true
      refuse(context, MemoryBudget.exhausted)
      if isParked { context.close(promise: nil) }
      isParked = false
    } else {
      context.close(promise: nil)
    }
    if !context.channel.isWritable { context.close(promise: nil) }
    count()
  }

  /// An answer is complete. While the server stops, the connection ends with it.
  private func endExchange(_ channel: any Channel) {
    channel.eventLoop.assertInEventLoop()
    exchange = nil
    writer = nil
    requestBytes = 0
    count()
    if !isStopping { awaitRequest(options.idleMilliseconds, channel) }
  }

  private func declaredLength(_ head: HTTPRequestHead) -> Int {
    head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
  }

  /// A refusal. The rest of the body is read and forgotten, for a while: a client that is cut off while it
  /// sends does not get to read why. Then the connection ends.
  private func refuseBody(_ context: ChannelHandlerContext) { refuse(context, options.bodyRefusal) }

  private func refuse(_ context: ChannelHandlerContext, _ refusal: GRPCStatus?) {
    body = []
    let text = refusal?.json ?? []
    var headers = HTTPHeaders([("content-length", "\(text.count)"), ("connection", "close")])
    if !text.isEmpty { headers.add(name: "content-type", value: "application/json; charset=utf-8") }
    for (name, value) in CORS.headers({ head?.headers.first(name: $0) }) {
      headers.add(name: name, value: value)
    }
    let status = HTTPResponseStatus(
      statusCode: refusal?.code.httpStatus ?? Int(HTTPResponseStatus.payloadTooLarge.code))
    context.write(
      wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
    if !text.isEmpty {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: text)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    let channel = context.channel
    context.eventLoop.scheduleTask(in: .seconds(Int64(Self.drainSecondsMax))) { channel.close(promise: nil) }
  }

  /// LIMIT: seconds that the rest of a refused body is read.
  static let drainSecondsMax: UInt64 = 10

  private func begin(_ context: ChannelHandlerContext) {
    context.eventLoop.assertInEventLoop()
    guard let head, mayBegin(context) else { return }
    let request = HTTPRequest(
      method: head.method.rawValue, target: Array(head.uri.utf8),
      headers: head.headers.map { ($0.name, $0.value) }, body: body)
    self.head = nil
    body = []
    let writer = HTTP1AnswerWriter(
      channel: context.channel, executor, version: head.version, keepsAlive: head.isKeepAlive && !isStopping,
      isHead: head.method == .HEAD, memory: account)
    writer.onUnsent = { [weak self] in self?.count() }
    requestBytes = request.body.count
    let exchange = HTTPExchange(request: request, writer: writer)
    self.exchange = exchange
    self.writer = writer
    let channel = context.channel
    exchange.onEnd = { [self] in endExchange(channel) }
    front.respond(exchange)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      count()
      if isParked { begin(context) }
      exchange?.onWritable?()
      account?.wakeWhereRead()
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    exchange?.cancel()
    context.fireChannelInactive()
  }

  /// What does not parse is answered 400 by hand, because no request head exists to answer to.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is HTTPParserError, exchange == nil, head == nil else {
      return context.close(promise: nil)
    }
    let headers = HTTPHeaders([("content-length", "0"), ("connection", "close")])
    context.write(
      wrapOutboundOut(.head(.init(version: .http1_1, status: .badRequest, headers: headers))),
      promise: nil)
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(promise: nil)
    }
  }
}

/// Writes one answer to a channel.
final class HTTP1AnswerWriter: HTTPAnswerWriter {
  private let channel: any Channel
  private let executor: LoopExecutor
  private let version: HTTPVersion
  private let keepsAlive: Bool
  private let isHead: Bool
  let memory: MemoryAccount?
  /// Something was written that the peer has not taken at once.
  var onUnsent: (() -> Void)?
  /// Whether the connection ends with the answer whatever its head says.
  var closesAtEnd = false

  init(
    channel: any Channel, _ executor: LoopExecutor, version: HTTPVersion, keepsAlive: Bool, isHead: Bool,
    memory: MemoryAccount?
  ) {
    self.channel = channel
    self.executor = executor
    self.version = version
    self.keepsAlive = keepsAlive
    self.isHead = isHead
    self.memory = memory
  }

  func head(status: Int, headers: [(String, String)], length: Int?) {
    var all = HTTPHeaders(headers)
    if let length {
      all.replaceOrAdd(name: "content-length", value: String(length))
    } else if version == .http1_1 {
      all.replaceOrAdd(name: "transfer-encoding", value: "chunked")
    }
    if !keepsAlive { all.replaceOrAdd(name: "connection", value: "close") }
    let head = HTTPResponseHead(version: version, status: .init(statusCode: status), headers: all)
    channel.write(HTTPServerResponsePart.head(head), promise: nil)
  }

  func body(_ bytes: [UInt8]) {
    guard !isHead, !bytes.isEmpty else { return }
    channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
  }

  func flush() {
    channel.flush()
    noteUnsent()
  }

  private func noteUnsent() {
    if !channel.isWritable { onUnsent?() }
  }

  func giveUp(afterSilence seconds: Int) { channel.giveUp(afterSilence: seconds) }

  var isWritable: Bool { channel.isWritable }

  func end() {
    let channel = channel
    let done = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    noteUnsent()
    if !keepsAlive || closesAtEnd { done.whenComplete { _ in channel.close(promise: nil) } }
  }

  var perform: GRPCConnection.Perform { { [executor] in executor.perform($0) } }

  var eventLoop: (any EventLoop)? { channel.eventLoop }
}

extension Channel {
  /// Bytes that were written and that the peer's machine has not taken. On the event loop.
  var unsentBytes: Int {
    eventLoop.assertInEventLoop()
    return (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  /// Reads nothing until `resumeReading`; false where nothing is read already. On the event loop.
  func pauseReading() -> Bool {
    eventLoop.preconditionInEventLoop()
    guard let options = syncOptions, (try? options.getOption(.autoRead)) ?? false else { return false }
    return (try? options.setOption(.autoRead, value: false)) != nil
  }

  /// On any thread. A channel that is gone needs no reading.
  func resumeReading() { setOption(.autoRead, value: true).whenFailure { _ in } }

  /// From now on the connection is given up when the peer's machine takes nothing of what was sent for so long.
  ///
  /// The kernel tries again for a quarter of an hour otherwise, and a browser that vanished without a word would hold
  /// its connection as long.
  func giveUp(afterSilence seconds: Int) {
    let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT))
    setOption(option, value: seconds * 1_000).whenFailure { _ in }
  }
}
