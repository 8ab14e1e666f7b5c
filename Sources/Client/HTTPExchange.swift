/// One request of HTTP/1.1 and its answer, on a connection of their own.

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Platform
internal import TLS

/// State and its owner: an event loop. The outcome is a promise of it: whoever keeps it first decides.
final class HTTPExchange: Sendable {
  private let promise: EventLoopPromise<HTTPAnswer>

  init(_ client: HTTPClient, _ request: HTTPRequest) {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let promise = loop.makePromise(of: HTTPAnswer.self)
    self.promise = promise
    let seconds = client.seconds
    let deadline = loop.scheduleTask(in: .seconds(Int64(seconds))) {
      promise.fail(HTTPFailure.timeout(seconds: seconds))
    }
    promise.futureResult.whenComplete { _ in deadline.cancel() }
    let route: Route
    do throws(HTTPFailure) { route = try Route(client) } catch {
      promise.fail(error)
      return
    }
    let next = route.proxy?.address ?? client.address
    ClientBootstrap(group: loop)
      .connectTimeout(.seconds(Int64(min(seconds, client.connectSeconds))))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connect(host: next.host, port: next.port)
      .flatMap { channel in
        promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
        let open = route.proxy?.tunnel(channel, to: client.address) ?? loop.makeSucceededVoidFuture()
        return open.flatMapThrowing { try Self.begin(request, client, route.tls, promise, on: channel) }
      }
      .whenFailure { promise.fail(HTTPFailure($0, connectSeconds: client.connectSeconds)) }
  }

  /// How a request reaches its server.
  private struct Route {
    var tls: TLSContext?
    var proxy: HTTPProxy?

    /// Reads certificates, which is no work for an event loop.
    init(_ client: HTTPClient) throws(HTTPFailure) {
      guard client.address.isSecure else { return }
      tls = try TLSContexts.context(client.trust)
      if client.proxy != nil {
        proxy = client.proxy
      } else if !client.address.isLocal {
        proxy = try HTTPProxy.ofSystem(for: client.address.host)
      }
    }
  }

  /// On the channel's event loop.
  private static func begin(
    _ request: HTTPRequest, _ client: HTTPClient, _ tls: TLSContext?,
    _ promise: EventLoopPromise<HTTPAnswer>, on channel: any Channel
  ) throws {
    channel.eventLoop.preconditionInEventLoop()
    let pipeline = channel.pipeline.syncOperations
    if let tls {
      try pipeline.addHandler(TLSHandler(tls, server: client.address.host))
    }
    try pipeline.addHTTPClientHandlers()
    try pipeline.addHandler(AnswerCollector(promise, client))
    var head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: request.target)
    head.headers.add(name: "host", value: client.address.authority)
    head.headers.add(name: "connection", value: "close")
    if request.method != "GET" || !request.body.isEmpty {
      head.headers.add(name: "content-length", value: String(request.body.count))
    }
    for header in request.headers { head.headers.add(name: header.name, value: header.value) }
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: request.body))), promise: nil)
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
  }

  // MARK: the outcome

  func fail(_ failure: HTTPFailure) { promise.fail(failure) }

  func whenComplete(_ body: @escaping @Sendable () -> Void) {
    promise.futureResult.whenComplete { _ in body() }
  }

  func outcome() async -> Result<HTTPAnswer, HTTPFailure> {
    do { return .success(try await promise.futureResult.get()) } catch { return .failure(HTTPFailure(error)) }
  }

  /// After `whenComplete` was called back.
  func result() -> Result<HTTPAnswer, HTTPFailure> {
    do { return .success(try promise.futureResult.wait()) } catch { return .failure(HTTPFailure(error)) }
  }
}

/// State and its owner: the channel's event loop.
private final class AnswerCollector: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let promise: EventLoopPromise<HTTPAnswer>
  private let client: HTTPClient
  private var answer = HTTPAnswer()

  init(_ promise: EventLoopPromise<HTTPAnswer>, _ client: HTTPClient) {
    self.promise = promise
    self.client = client
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.eventLoop.assertInEventLoop()
    switch unwrapInboundIn(data) {
    case .head(let head):
      answer.status = Int(head.status.code)
      answer.headers = head.headers.map { ($0.name.lowercased(), $0.value) }
    case .body(let part):
      let room = client.bytesMax - answer.body.count
      if part.readableBytes > room, !client.passesOver {
        return promise.fail(HTTPFailure.tooLarge(bytes: client.bytesMax))
      }
      answer.body.append(contentsOf: part.readableBytesView.prefix(room))
    case .end:
      if answer.status == 400, !client.address.isSecure, answer.body.starts(with: HTTPFailure.tlsWords.utf8) {
        promise.fail(HTTPFailure.speaksTLS)
      }
      promise.succeed(answer)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise.fail(HTTPFailure.hungUp)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(HTTPFailure(error))
  }
}

extension HTTPFailure {
  /// - Parameter connectSeconds: how long a connection was waited for.
  init(_ error: any Error, connectSeconds: Int = 0) {
    switch error {
    case let failure as HTTPFailure: self = failure
    case let error as NIOConnectionError:
      self =
        error.connectionErrors.first.map { HTTPFailure($0.error, connectSeconds: connectSeconds) }
        ?? .unreachable("no such host")
    case ChannelError.connectTimeout: self = .unreachable("no connection within \(connectSeconds) s")
    case HTTPParserError.invalidEOFState: self = .hungUp
    case is HTTPParserError: self = .notHTTP
    case let error as TLSError: self = Self.of(error)
    case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE: self = .hungUp
    case let error as IOError: self = .unreachable(String(cString: strerror(error.errnoCode)))
    case is SocketAddressError, is SocketAddressError.UnknownHost: self = .unreachable("no such host")
    case let error as ChannelError: self = .unreachable(Self.words(of: error))
    default: self = .unreachable("the connection failed (\(error))")
    }
  }

  /// The library's own are names of cases.
  private static func words(of error: ChannelError) -> String {
    switch error {
    case .ioOnClosedChannel, .alreadyClosed, .outputClosed, .inputClosed, .eof: "the connection was closed"
    default: "the connection failed"
    }
  }

  private static func of(_ error: TLSError) -> HTTPFailure {
    switch error {
    case .wrongName: .untrusted("its certificate is for another name")
    case .untrusted(let words): .untrusted("its certificate is not believed (\(words))")
    case .truncated: .hungUp
    case .handshakeFailed, .broken, .refused: .unreachable("no TLS: \(error.words)")
    }
  }
}
