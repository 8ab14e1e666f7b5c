/// An HTTP/2 connection on a socket.
///
/// The only place where the protocol meets I/O: it moves bytes between the channel and a
/// `GRPCConnection`, keeps its deadline timer, and stops moving while the peer does not read.
///
/// State and its owner: the channel's event loop, which NIO guarantees for its callbacks.

internal import NIOCore
internal import Telemetry

final class HTTP2ChannelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Bytes taken from the connection for one write to the channel.
  private static let writeBytes = 128 << 10
  /// Between "no new requests, please" and refusing them: one round trip of a slow client.
  private static let shutdownNotice = TimeAmount.milliseconds(100)

  private let connection: GRPCConnection
  private let connections: ConnectionList
  private let executor: LoopExecutor
  private let metrics: ServerMetrics?
  private var context: ChannelHandlerContext?
  private var deadlineTimer: Scheduled<Void>?
  private var armedDeadline: UInt64?
  private var isFlushScheduled = false
  private var isReading = false
  private var isClosing = false
  private var watch: SleepWatch?
  /// Place among the connections that are awake; nil while this one sleeps.
  var watchSlot: Int?
  /// The watch's time when the connection was last used.
  private(set) var lastUse = 0
  private var lastSleep = NIODeadline.uptimeNanoseconds(0)

  init?(options: GRPCOptions, methods: GRPCMethodTable, front: HTTPFront, connections: ConnectionList) {
    let executor = LoopExecutor()
    let connection = GRPCConnection(
      methods: methods, options: options, front: front, now: { NIODeadline.now().uptimeNanoseconds },
      perform: { executor.perform($0) })
    guard let connection else { return nil }
    self.connection = connection
    self.connections = connections
    self.executor = executor
    metrics = options.observer?.metrics
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    executor.use(context.eventLoop)
    connection.eventLoop = context.eventLoop
    connection.onOutput = { [weak self] in self?.scheduleFlush() }
    connection.onGiveUp = { [weak self] in self?.giveUpUnlessRead() }
    connection.onLongAnswer = { [weak self] in self?.context?.channel.giveUp(afterSilence: $0) }
    let shutdown = NIOLoopBound(self, eventLoop: context.eventLoop)
    let eventLoop = context.eventLoop
    connections.add(
      .init(channel: context.channel) { eventLoop.execute { shutdown.value.beginShutdown() } })
    watch = connections.watch(of: context.eventLoop)
    lastUse = watch?.time ?? 0
    watch?.add(self, isNew: true)
    pump(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    watch?.remove(self)
    watch = nil
    executor.end()
    deadlineTimer?.cancel()
    connection.onOutput = nil
    connection.onGiveUp = nil
    connection.onLongAnswer = nil
    connection.loseConnection()
    connections.remove(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    noteUse()
    isReading = true
    let bytes = unwrapInboundIn(data)
    metrics?.bytesReceived.add(bytes.readableBytes)
    let isWell = bytes.withUnsafeReadableBytes { connection.receive($0) }
    if !isWell {
      pump(context)
      close(context)
    } else if let account = connection.account, account.mustNotRead {
      pauseReading(context, until: account)
    }
  }

  /// Reads nothing while the memory of all connections is used up and this one holds more than its part.
  private func pauseReading(_ context: ChannelHandlerContext, until account: MemoryAccount) {
    guard context.channel.pauseReading() else { return }
    account.waitToRead { [channel = context.channel] in channel.resumeReading() }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    pump(context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { pump(context) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosing = true
    connection.loseConnection()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

// MARK: - Sleeping

extension HTTP2ChannelHandler {
  private func noteUse() {
    guard let watch else { return }
    lastUse = watch.time
    if watchSlot == nil { watch.add(self, isNew: false) }
  }

  /// Lets go of memory until the connection is used. False while there is something to send.
  func sleep() -> Bool {
    connection.eventLoop.assertInside()
    guard !isClosing, !isFlushScheduled, connection.sleep() else { return false }
    lastSleep = .now()
    return true
  }

  /// Sends what others have said meanwhile. After a long sleep that was a sign of life, as all idle listeners get one
  /// at the same time, and the connection sleeps on instead of staying awake with all of them.
  private func flush(_ context: ChannelHandlerContext) {
    guard watchSlot == nil, let watch, watch.isLong(since: lastSleep) else { return pump(context) }
    move(context)
    if self.watch != nil, !sleep() { noteUse() }
  }
}

// MARK: - Output

extension HTTP2ChannelHandler {
  private func pump(_ context: ChannelHandlerContext) {
    noteUse()
    move(context)
  }

  /// Moves what the connection has to say into the channel, as long as the peer takes it.
  private func move(_ context: ChannelHandlerContext) {
    while context.channel.isWritable {
      var buffer: ByteBuffer?
      let count = connection.output(atMost: Self.writeBytes) { piece in
        if buffer == nil {
          buffer = context.channel.allocator.buffer(capacity: max(piece.count * 4, 1_024))
        }
        buffer?.writeBytes(piece)
      }
      guard count > 0, let buffer else { break }
      metrics?.bytesSent.add(count)
      context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
    noteUnsent(context.channel)
    armDeadline(context)
    if connection.http2.isFinished, context.channel.isWritable { close(context) }
  }

  /// Counts what the channel holds because the peer does not take it.
  private func noteUnsent(_ channel: any Channel) {
    let bytes = channel.isWritable ? 0 : channel.unsentBytes
    guard bytes != connection.channelBytes else { return }
    connection.channelBytes = bytes
    connection.count()
  }

  /// Between losing what was held and being closed: the time to take what the channel holds, and read why.
  private static let lastChance = TimeAmount.milliseconds(200)

  /// Closes the connection if the peer takes nothing.
  private func giveUpUnlessRead() {
    connection.eventLoop.preconditionInside()
    guard let channel = context?.channel else { return }
    channel.eventLoop.scheduleTask(in: Self.lastChance) {
      if !channel.isWritable { channel.close(promise: nil) }
    }
  }

  private func close(_ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    context.close(promise: nil)
  }

  /// Somebody answered a call outside of a read: all such answers of this turn go out together.
  private func scheduleFlush() {
    connection.eventLoop.assertInside()
    guard !isFlushScheduled, !isReading, let context else { return }
    isFlushScheduled = true
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let handler = bound.value
      handler.isFlushScheduled = false
      if let context = handler.context, !handler.isClosing { handler.flush(context) }
    }
  }

  private func armDeadline(_ context: ChannelHandlerContext) {
    guard armedDeadline != connection.nextDeadline else { return }
    deadlineTimer?.cancel()
    deadlineTimer = nil
    armedDeadline = connection.nextDeadline
    guard let deadline = armedDeadline, deadline < UInt64(Int64.max) else { return }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    deadlineTimer = context.eventLoop.scheduleTask(deadline: .uptimeNanoseconds(deadline)) {
      let handler = bound.value
      handler.armedDeadline = nil
      handler.connection.expire()
      if let context = handler.context { handler.pump(context) }
    }
  }

  private func beginShutdown() {
    guard let context, !isClosing else { return }
    connection.http2.announceShutdown()
    pump(context)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.shutdownNotice) {
      let handler = bound.value
      guard let context = handler.context, !handler.isClosing else { return }
      handler.connection.http2.refuseNewStreams()
      handler.pump(context)
    }
  }
}
