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
    host: String, port: Int, _ feed: RequestFeed, threads: WorkerThreads, _ render: @escaping Render
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
        channel.eventLoop.makeCompletedFuture { try enter(channel, connections, source) }
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
    _ channel: any Channel, _ connections: ConnectionList, _ source: Source
  ) throws {
    guard connections.count < connectionsMax else { throw TooMany() }
    connections.add(.init(channel: channel) { channel.close(promise: nil) })
    channel.closeFuture.whenComplete { _ in connections.remove(channel) }
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: frameBytesMax,
      shouldUpgrade: { channel, head in
        let path = head.uri.split(separator: "?", maxSplits: 1).first ?? ""
        let isOurs = path == "/requests" && RequestsOrigin.isAdmitted(head.headers)
        return channel.eventLoop.makeSucceededFuture(isOurs ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RequestsPage(source))
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

/// Which pages may look. What they are shown are the documents, tokens and rules of a developer, and a browser lets any page of
/// the web open a WebSocket to this machine.
enum RequestsOrigin {
  /// Programs name no origin. A page has to come from this machine, or from the address that it asks.
  static func isAdmitted(_ headers: HTTPHeaders) -> Bool {
    let origins = headers["origin"]
    guard let origin = origins.first else { return true }
    guard origins.count == 1, let name = host(ofOrigin: origin) else { return false }
    if isLoopback(name) { return true }
    // A name could be anybody's that leads here; an address cannot.
    guard let asked = headers["host"].first, isAddress(name) else { return false }
    return host(asked) == name
  }

  private static func host(ofOrigin origin: String) -> String? {
    guard let mark = origin.firstRange(of: "://") else { return nil }
    return host(String(origin[mark.upperBound...]))
  }

  /// Without its port: `[::1]:4000` is `[::1]`.
  private static func host(_ text: String) -> String {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return String(text[...end]) }
    return String(text.prefix { $0 != ":" && $0 != "/" })
  }

  private static func isLoopback(_ host: String) -> Bool {
    let name = host.lowercased()
    return name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]"
      || (isAddress(name) && name.hasPrefix("127."))
  }

  private static func isAddress(_ host: String) -> Bool {
    if host.hasPrefix("[") {
      return (try? SocketAddress(ipAddress: String(host.dropFirst().dropLast()), port: 0)) != nil
    }
    return (try? SocketAddress(ipAddress: host, port: 0)) != nil
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
