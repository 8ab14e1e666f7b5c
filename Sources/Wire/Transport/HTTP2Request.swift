/// Requests over HTTP/2 that are no gRPC calls: REST, administration, browsers.
///
/// Browsers speak HTTP/2 wherever a server offers it. What they ask is answered by the same service as over HTTP/1.1: a
/// request's body is collected, then it is an `HTTPExchange`, whose answer goes to the stream as it is.

internal import CNGHTTP2
internal import DocModel
internal import NIOCore

/// One such request. Belongs to its connection's event loop.
final class HTTP2Request {
  let stream: HTTP2Stream
  /// Nanoseconds on the host's clock at which its body has to be there.
  fileprivate(set) var deadline: UInt64
  /// Nil until the body is there.
  fileprivate(set) var exchange: HTTPExchange?
  /// Bytes of this request that are counted in the connection's sum.
  fileprivate(set) var bufferedBytes = 0

  fileprivate init(_ stream: HTTP2Stream, deadline: UInt64) {
    self.stream = stream
    self.deadline = deadline
  }
}

// MARK: - From headers to an exchange

extension GRPCConnection {
  private static let continueHead = HeaderBlock([(":status", Array("100".utf8))], isConstant: true)

  /// Headers of something that is no gRPC call are there.
  func open(requestOn stream: HTTP2Stream) {
    eventLoop.assertInside()
    guard let front else { return refuse(stream, GRPCHeaders.plain(httpStatus: 415)) }
    let patience = UInt64(clamping: front.options.arrivalMilliseconds) &* 1_000_000
    let request = HTTP2Request(stream, deadline: now() &+ patience)
    stream.owner = .request(request)
    count(request)
    guard stream.head.declaredLength <= front.options.bodyBytesMax else { return refuseBody(request, front) }
    // What has no body is complete already; the event that says so follows.
    guard !stream.isHalfClosed else { return }
    awaitBody(of: request)
    if stream.head.value("expect")?.lowercased() == "100-continue" {
      http2.inform(stream, head: Self.continueHead)
    }
  }

  /// A piece of the body arrived.
  func collect(_ request: HTTP2Request) {
    guard let front, !request.stream.isAnswered else { return }
    count(request)
    guard request.stream.inbound.count <= front.options.bodyBytesMax else {
      return refuseBody(request, front)
    }
    guard bufferedBytes <= options.bufferedBytesMax else {
      return refuse(request, GRPCStatus(.resourceExhausted, "too many bytes of unfinished requests"))
    }
  }

  /// The body is there.
  func complete(_ request: HTTP2Request) {
    eventLoop.assertInside()
    let stream = request.stream
    endArrival(on: stream)
    guard let front, !stream.isAnswered, request.exchange == nil, mayBegin(stream) else { return }
    let method = String(decoding: stream.head.method, as: UTF8.self)
    let exchange = HTTPExchange(
      request: HTTPRequest(
        method: method, target: stream.head.path, headers: stream.head.fields, body: stream.inbound),
      writer: HTTP2AnswerWriter(self, stream, isHead: method == "HEAD"))
    stream.head.fields = []
    stream.inbound = []
    request.exchange = exchange
    exchange.onEnd = { [self] in release(request) }
    front.respond(exchange)
  }

  /// The client is gone, or wants no answer any more.
  func abandon(_ request: HTTP2Request) {
    release(request)
    request.stream.owner = .nobody
    request.exchange?.cancel()
  }

  /// Ends a request because it holds too much memory.
  func fail(_ request: HTTP2Request) {
    guard let exchange = request.exchange else {
      return request.stream.isAnswered ? () : refuse(request, MemoryBudget.exhausted)
    }
    release(request)
    guard exchange.hasBegun else { return exchange.fail(MemoryBudget.exhausted) }
    exchange.cancel()
    // An answer that ended here would pass for a whole one.
    if !request.stream.isAnswered { http2.reset(request.stream, code: NGHTTP2_ENHANCE_YOUR_CALM.rawValue) }
  }

  /// Ends requests whose body does not come, and those that were answered and still come.
  func expireRequests(at time: UInt64) {
    for request in arriving.values where request.deadline <= time {
      if request.stream.isAnswered {
        endArrival(on: request.stream)
        http2.reset(request.stream, code: NGHTTP2_NO_ERROR.rawValue)
      } else {
        answer(request, status: 408, headers: [], body: [])
      }
    }
  }

  private func awaitBody(of request: HTTP2Request) {
    arriving[request.stream.id] = request
    nextDeadline = min(nextDeadline ?? .max, request.deadline)
  }

  /// Nothing more comes, or nobody waits for it.
  func endArrival(on stream: HTTP2Stream) {
    guard arriving.removeValue(forKey: stream.id) != nil else { return }
    forgetDeadlines()
  }

  private func count(_ request: HTTP2Request) {
    eventLoop.assertInside()
    // Compressed headers cost their client next to nothing.
    let bytes = request.stream.inbound.count + request.stream.head.listBytes
    bufferedBytes += bytes - request.bufferedBytes
    request.bufferedBytes = bytes
  }

  private func release(_ request: HTTP2Request) {
    eventLoop.assertInside()
    endArrival(on: request.stream)
    bufferedBytes -= request.bufferedBytes
    request.bufferedBytes = 0
    request.stream.inbound = []
  }
}

// MARK: - Refusals

extension GRPCConnection {
  private func refuseBody(_ request: HTTP2Request, _ front: HTTPFront) {
    guard let refusal = front.options.bodyRefusal else {
      return answer(request, status: 413, headers: [], body: [])
    }
    refuse(request, refusal)
  }

  private func refuse(_ request: HTTP2Request, _ status: GRPCStatus) {
    answer(
      request, status: status.code.httpStatus,
      headers: [("content-type", "application/json; charset=utf-8")], body: status.json)
  }

  /// Answers before the body is there. The rest of it is read and forgotten, for a while.
  private func answer(_ request: HTTP2Request, status: Int, headers: [(String, String)], body: [UInt8]) {
    release(request)
    if !request.stream.isHalfClosed {
      request.deadline = now() &+ HTTP1ChannelHandler.drainSecondsMax * 1_000_000_000
      awaitBody(of: request)
    }
    let writer = HTTP2AnswerWriter(self, request.stream, isHead: request.stream.head.method.holds("HEAD"))
    writer.head(status: status, headers: headers, length: body.count)
    writer.body(body)
    writer.end()
  }
}

extension RequestHead {
  /// The first value of a header.
  fileprivate func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Bytes of the body, as the client says; 0 when it does not.
  fileprivate var declaredLength: Int { value("content-length").flatMap { Int($0) } ?? 0 }
}

// MARK: - The answer

/// Writes one answer to a stream.
final class HTTP2AnswerWriter: HTTPAnswerWriter {
  private let connection: GRPCConnection
  private let stream: HTTP2Stream
  private let isHead: Bool

  init(_ connection: GRPCConnection, _ stream: HTTP2Stream, isHead: Bool) {
    self.connection = connection
    self.stream = stream
    self.isHead = isHead
  }

  /// Headers that speak of an HTTP/1.1 connection (RFC 9113 8.2.2).
  private static let ofConnection: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
  ]

  func head(status: Int, headers: [(String, String)], length: Int?) {
    var fields = [(name: ":status", value: Array(String(status).utf8))]
    for (name, value) in headers {
      let name = name.lowercased()
      if Self.ofConnection.contains(name) || (length != nil && name == "content-length") { continue }
      fields.append((name, Array(value.utf8)))
    }
    if let length { fields.append(("content-length", Array(String(length).utf8))) }
    guard !isHead, length != 0 else { return connection.http2.respond(stream, headOnly: HeaderBlock(fields)) }
    stream.outbound.hasPrefixes = false
    connection.http2.begin(stream, head: HeaderBlock(fields))
  }

  func body(_ bytes: [UInt8]) {
    guard !isHead, !bytes.isEmpty else { return }
    _ = connection.http2.send(stream, message: bytes)
  }

  func flush() { connection.wake() }

  var isWritable: Bool { stream.isOpen && !stream.isPaused }

  func end() {
    connection.http2.end(stream)
    connection.wake()
  }

  func giveUp(afterSilence seconds: Int) { connection.onLongAnswer?(seconds) }

  var perform: GRPCConnection.Perform { connection.perform }

  var eventLoop: (any EventLoop)? { connection.eventLoop }

  var memory: MemoryAccount? { connection.account }
}
