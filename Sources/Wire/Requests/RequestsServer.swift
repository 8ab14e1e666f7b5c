/// The WebSocket that the requests page of the emulators' UI listens to: `ws://HOST:PORT/requests`.
///
/// A client gets one array of what rules have judged so far, then an object for each operation. What it sends is
/// read and forgotten. Administrators' calls are not judged and so not told. Source: the official emulator 1.19.

internal import Access
internal import DocModel
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import Synchronization

/// One open port. Clients read from the feed as fast as they can; nothing waits for one that is slow but its place
/// in the feed, so it misses, untold, what the feed has let go.
final class RequestsServer: Sendable {
  /// One entry as a message; nil for what is not told.
  typealias Render = @Sendable (FeedEntry) -> [UInt8]?

  /// What pages show.
  struct Source: Sendable {
    let feed: RequestFeed
    /// Entries are judged again to be shown, which may wait for a commit: never on the thread of the connections.
    let threads: WorkerThreads
    let render: Render
  }

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
    host: String, port: Int, _ feed: RequestFeed, _ gate: RequestGate, threads: WorkerThreads,
    _ render: @escaping Render
  ) async throws(ServerError) -> RequestsServer {
    // A page shows what was before it was opened.
    feed.beginForGood()
    let source = Source(feed: feed, threads: threads, render: render)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let connections = ConnectionList()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try enter(channel, connections, source, gate) }
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
    _ channel: any Channel, _ connections: ConnectionList, _ source: Source, _ gate: RequestGate
  ) throws {
    guard connections.count < connectionsMax else { throw TooMany() }
    connections.add(.init(channel: channel) { channel.close(promise: nil) })
    channel.closeFuture.whenComplete { _ in connections.remove(channel) }
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: frameBytesMax,
      shouldUpgrade: { channel, head in
        let path = head.uri.split(separator: "?", maxSplits: 1).first ?? ""
        let isOurs = path == "/requests" && refusal(head, gate) == nil
        return channel.eventLoop.makeSucceededFuture(isOurs ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RequestsPage(source))
        }
      })
    let rest = RequestsRefusal(gate)
    let bound = NIOLoopBound(rest, eventLoop: channel.eventLoop)
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [upgrader],
        completionHandler: { context in
          context.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
        }
      ))
    try channel.pipeline.syncOperations.addHandler(rest)
  }

  /// Why a page may not look; nil when it may. What is shown are the documents, tokens and rules of a developer, and
  /// a browser lets any page of the web open a WebSocket to this machine.
  fileprivate static func refusal(_ head: HTTPRequestHead, _ gate: RequestGate) -> GRPCStatus? {
    let host = RequestSource.only(head.headers["host"])
    let source = RequestSource(method: head.method.rawValue) { head.headers[$0] }
    let authorization = RequestSource.only(head.headers["authorization"]).map { Array($0.utf8) }
    return gate.refusal(host: host) ?? gate.refusal(administration: source, authorization: authorization)
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
  private let gate: RequestGate
  private var end: Scheduled<Void>?
  private var refusal: GRPCStatus?

  init(_ gate: RequestGate) { self.gate = gate }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    end = context.eventLoop.scheduleTask(in: Self.silence) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): refusal = RequestsServer.refusal(head, gate)
    case .body: break
    case .end: answer(context)
    }
  }

  private func answer(_ context: ChannelHandlerContext) {
    let body = refusal?.json ?? []
    var headers = HTTPHeaders([("content-length", "\(body.count)"), ("connection", "close")])
    if refusal != nil { headers.add(name: "content-type", value: "application/json; charset=utf-8") }
    let status = refusal.map { HTTPResponseStatus(statusCode: $0.code.httpStatus) } ?? .notFound
    context.write(
      wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
    if !body.isEmpty {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    }
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
  }

  /// A path that is not ours comes as an error first, then as a request.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is NIOWebSocketUpgradeError { return }
    context.close(promise: nil)
  }
}
