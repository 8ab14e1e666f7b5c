/// The WebSocket that the requests page of the emulators' UI listens to: `ws://HOST:PORT/requests`.
///
/// A client gets one array of what rules have judged so far, then an object for each operation. What it sends is
/// read and forgotten. Administrators' calls are not judged and so not told. Source: the official emulator 1.19.

internal import Access
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import Synchronization

/// One open port. Clients read from the feed as fast as they can; nothing waits for one that is slow but its place
/// in the feed, so it misses what the feed has let go.
final class RequestsServer: Sendable {
  /// One entry as a message; nil for what is not told.
  typealias Render = @Sendable (FeedEntry) -> [UInt8]?

  let address: ServerAddress
  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let connections: ConnectionList

  /// LIMIT: pages that are open at once.
  static let connectionsMax = 32
  /// LIMIT: bytes of a message from a client, which has nothing to say.
  private static let frameBytesMax = 1 << 12

  private init(
    _ address: ServerAddress, _ group: MultiThreadedEventLoopGroup, _ listener: any Channel,
    _ connections: ConnectionList
  ) {
    self.address = address
    self.group = group
    self.listener = listener
    self.connections = connections
  }

  static func start(
    host: String, port: Int, _ feed: RequestFeed, _ render: @escaping Render
  ) async throws(ServerError) -> RequestsServer {
    feed.begin()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let connections = ConnectionList()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try enter(channel, connections, feed, render) }
      }
    do {
      let listener = try await bootstrap.bind(host: host, port: port).get()
      let address = ServerAddress(
        host: listener.localAddress?.ipAddress ?? host, port: listener.localAddress?.port ?? port)
      return RequestsServer(address, group, listener, connections)
    } catch {
      try? await group.shutdownGracefully()
      throw WireServer.startError(error, host: host, port: port)
    }
  }

  private struct TooMany: Error {}

  private static func enter(
    _ channel: any Channel, _ connections: ConnectionList, _ feed: RequestFeed, _ render: @escaping Render
  ) throws {
    guard connections.count < connectionsMax else { throw TooMany() }
    connections.add(.init(channel: channel) { channel.close(promise: nil) })
    channel.closeFuture.whenComplete { _ in connections.remove(channel) }
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: frameBytesMax,
      shouldUpgrade: { channel, head in
        let path = head.uri.split(separator: "?", maxSplits: 1).first ?? ""
        return channel.eventLoop.makeSucceededFuture(path == "/requests" ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RequestsChannelHandler(feed, render))
        }
      })
    let refusal = RequestsRefusal()
    let bound = NIOLoopBound(refusal, eventLoop: channel.eventLoop)
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [upgrader],
        completionHandler: { context in
          context.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
        }
      ))
    try channel.pipeline.syncOperations.addHandler(refusal)
  }

  /// Closes the port and its connections.
  func stop() async {
    try? await listener.close().get()
    connections.closeAll()
    try? await group.shutdownGracefully()
  }
}

/// Answers what is no WebSocket of ours, and ends connections that say nothing.
private final class RequestsRefusal: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// LIMIT: how long a connection may be open without asking for the WebSocket.
  private static let silence = TimeAmount.seconds(60)
  private var end: Scheduled<Void>?

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    end = context.eventLoop.scheduleTask(in: Self.silence) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    let headers = HTTPHeaders([("content-length", "0"), ("connection", "close")])
    context.write(
      wrapOutboundOut(.head(.init(version: .http1_1, status: .notFound, headers: headers))), promise: nil)
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
  }

  /// A path that is not ours comes as an error first, then as a request.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is NIOWebSocketUpgradeError { return }
    context.close(promise: nil)
  }
}

/// One open page. State and its owner: the channel's event loop, but for `isComing`, which says that a look at the
/// feed is already on its way there.
private final class RequestsChannelHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private final class Coming: Sendable {
    let flag = Atomic(false)
  }

  /// LIMIT: bytes of the first message; the newest entries that fit.
  private static let firstBytesMax = 8 << 20
  /// LIMIT: entries that are looked at in one turn.
  private static let turnMax = 50

  private let feed: RequestFeed
  private let render: RequestsServer.Render
  private let coming = Coming()
  private var watcher: Int?
  private var last = 0

  init(_ feed: RequestFeed, _ render: @escaping RequestsServer.Render) {
    self.feed = feed
    self.render = render
  }

  func handlerAdded(context: ChannelHandlerContext) {
    sendPast(context)
    let loop = context.eventLoop
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    let coming = coming
    watcher = feed.watch {
      // One look finds all that came until then.
      guard !coming.flag.exchange(true, ordering: .acquiringAndReleasing) else { return }
      loop.execute {
        coming.flag.store(false, ordering: .releasing)
        let (handler, context) = bound.value
        handler.sendNew(context)
      }
    }
    if watcher == nil { return context.close(promise: nil) }
    sendNew(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    if let watcher { feed.unwatch(watcher) }
    watcher = nil
  }

  /// Everything so far as one array, in the order in which it came.
  private func sendPast(_ context: ChannelHandlerContext) {
    let page = feed.entries()
    last = page.next
    var messages: [[UInt8]] = []
    var bytes = 0
    for entry in page.entries.reversed() {
      guard let message = render(entry) else { continue }
      bytes += message.count
      if bytes > Self.firstBytesMax { break }
      messages.append(message)
    }
    send(
      [UInt8(ascii: "[")] + messages.reversed().joined(separator: [UInt8(ascii: ",")])
        + [UInt8(ascii: "]")], context)
  }

  /// What came since, as long as the client reads.
  private func sendNew(_ context: ChannelHandlerContext) {
    guard watcher != nil else { return }
    while context.channel.isWritable {
      let page = feed.entries(after: last, atMost: Self.turnMax)
      guard page.next != last else { return }
      last = page.next
      for entry in page.entries {
        if let message = render(entry) { send(message, context) }
      }
    }
  }

  private func send(_ message: [UInt8], _ context: ChannelHandlerContext) {
    let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    sendNew(context)
    context.fireChannelWritabilityChanged()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .ping:
      context.writeAndFlush(
        wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
    case .connectionClose:
      let channel = context.channel
      let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in channel.close(promise: nil) }
    // What a client says is of no interest.
    default: return
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
