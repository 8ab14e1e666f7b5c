/// Requests to functions: one connection each, because a function's process may end between two of them.

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Why an event did not reach its function, or was not taken.
public enum EndpointFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case unreachable(EndpointAddress, reason: String)
  /// Its certificate does not say that it is who was meant.
  case untrusted(EndpointAddress, reason: String)
  case timeout(EndpointAddress, seconds: Int)
  case hungUp(EndpointAddress)
  /// An answer beside 200 to 299, with the beginning of its body.
  case refused(EndpointAddress, status: Int, text: String)

  public var description: String {
    switch self {
    case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
    case .untrusted(let address, let reason):
      "\(address) is not trusted: \(reason) (`ca_file` in a triggers.yaml names other authorities)"
    case .timeout(let address, let seconds): "\(address) did not answer within \(seconds) s"
    case .hungUp(let address): "\(address) hung up before it answered"
    case .refused(let address, let status, let text):
      "\(address) answered \(status)" + (text.isEmpty ? "" : ": \(text)")
    }
  }
}

struct HTTPPost: Sendable {
  /// LIMIT: bytes of an answer that are read; the rest is passed over.
  fileprivate static let answerBytesMax = 2_048
  static let connectSeconds: Int64 = 10

  private let group: MultiThreadedEventLoopGroup

  init() { group = .singleton }

  /// Sends one request; returns for an answer from 200 to 299.
  func send(_ request: EventRequest, to endpoint: FunctionEndpoint) async throws {
    if endpoint.address.isSecure {
      try await HTTPSPost.send(request, to: endpoint)
    } else {
      try await send(request, to: endpoint.address, seconds: endpoint.timeout)
    }
  }

  private func send(_ request: EventRequest, to address: EndpointAddress, seconds: Int) async throws {
    let loop = group.next()
    let promise = loop.makePromise(of: Answer.self)
    let deadline = loop.scheduleTask(in: .seconds(Int64(seconds))) {
      promise.fail(EndpointFailure.timeout(address, seconds: seconds))
    }
    defer { deadline.cancel() }
    let channel: any Channel
    do {
      channel = try await ClientBootstrap(group: loop)
        .connectTimeout(.seconds(min(Int64(seconds), Self.connectSeconds)))
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(AnswerReader(promise, address))
          }
        }
        .connect(host: address.host, port: address.port).get()
    } catch {
      let failure = EndpointFailure.unreachable(address, reason: Self.text(of: error))
      promise.fail(failure)
      throw failure
    }
    var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: address.target)
    head.headers.add(name: "host", value: address.authority)
    head.headers.add(name: "content-length", value: String(request.body.count))
    head.headers.add(name: "connection", value: "close")
    for header in request.headers { head.headers.add(name: header.name, value: header.value) }
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    channel.write(
      HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: request.body))), promise: nil)
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    defer { channel.close(promise: nil) }
    let answer = try await withTaskCancellationHandler {
      try await promise.futureResult.get()
    } onCancel: {
      channel.close(promise: nil)
    }
    try Self.check(answer.status, answer.body, from: address)
  }

  /// Whether an answer means that the event is done with.
  static func check(_ status: Int, _ body: [UInt8], from address: EndpointAddress) throws(EndpointFailure) {
    if (200...299).contains(status) { return }
    // Enough to tell what went wrong.
    let line = body.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(200)
    throw .refused(address, status: status, text: String(decoding: line, as: UTF8.self))
  }

  private static func text(of error: any Error) -> String {
    if let error = error as? NIOConnectionError {
      return error.connectionErrors.first.map { text(of: $0.error) } ?? "no such host"
    }
    if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
    if case .connectTimeout = error as? ChannelError { return "no connection within \(connectSeconds) s" }
    return "\(error)"
  }
}

private struct Answer: Sendable {
  var status = 0
  var body: [UInt8] = []
}

/// State and its owner: the channel's event loop.
private final class AnswerReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let promise: EventLoopPromise<Answer>
  private let address: EndpointAddress
  private var answer = Answer()

  init(_ promise: EventLoopPromise<Answer>, _ address: EndpointAddress) {
    self.promise = promise
    self.address = address
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): answer.status = Int(head.status.code)
    case .body(let part):
      let room = HTTPPost.answerBytesMax - answer.body.count
      if room > 0 { answer.body.append(contentsOf: part.readableBytesView.prefix(room)) }
    case .end:
      promise.succeed(answer)
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise.fail(EndpointFailure.hungUp(address))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(EndpointFailure.hungUp(address))
    context.close(promise: nil)
  }
}
