/// Requests over HTTP/2 that are no gRPC calls, on a connection without a socket.

import DocModel
import Testing

@testable import Wire

@Suite("exchanges over HTTP/2")
struct HTTP2RequestTests {
  /// Keeps exchanges of `/keep`, streams those of `/stream`, and answers all others with what was asked.
  private final class Service: @unchecked Sendable {  // one test, one thread
    var kept: [HTTPExchange] = []
    var cancelled = 0
    /// Pieces that `/stream` has still to send, and how often it was told to wait.
    var pieces = 0
    var pauses = 0
    static let piece = [UInt8](repeating: 7, count: 100_000)

    func front(_ change: (inout HTTPOptions) -> Void = { _ in }) -> HTTPFront {
      var options = HTTPOptions()
      change(&options)
      return HTTPFront(options: options) { [self] in respond($0) }
    }

    private func respond(_ exchange: HTTPExchange) {
      exchange.commonHeaders = CORS.headers(exchange.request)
      exchange.onCancel = { [self] in cancelled += 1 }
      switch String(decoding: exchange.request.target, as: UTF8.self) {
      case "/keep": kept.append(exchange)
      case "/stream":
        kept.append(exchange)
        exchange.begin(status: 200, headers: [("Transfer-Encoding", "chunked"), ("X-Kind", "stream")])
        exchange.onWritable = { [self] in push(exchange) }
        push(exchange)
      default:
        let request = exchange.request
        let head = "\(request.method) \(request.header("host") ?? "-") \(request.header("x-more") ?? "-") "
        exchange.respond(
          status: request.method == "POST" ? 201 : 200, headers: [("Connection", "close"), ("X-A", "b")],
          body: request.method == "OPTIONS" ? [] : Array(head.utf8) + request.body)
      }
    }

    private func push(_ exchange: HTTPExchange) {
      while pieces > 0 {
        pieces -= 1
        guard exchange.send(Self.piece) else {
          pauses += 1
          return
        }
      }
      exchange.end()
    }
  }

  private func text(_ answer: Received?) -> String { String(decoding: answer?.body ?? [], as: UTF8.self) }

  @Test(
    "a request is handed on with its headers and body, and answered as it is",
    arguments: [
      ("GET", nil, "200", "GET localhost 1 "), ("POST", "abc", "201", "POST localhost 1 abc"),
      ("PATCH", "", "200", "PATCH localhost 1 "), ("OPTIONS", nil, "200", ""),
    ], [1, 7, Int.max])
  func requests(_ row: (String, String?, String, String), piece: Int) {
    let harness = GRPCHarness(front: Service().front())
    let id = harness.client.request(
      row.0, "/a?b=c", row.1.map { Array($0.utf8) }, headers: [("x-more", "1")])
    harness.exchange(piece: piece)
    let answer = harness.client.streams[id]
    #expect(answer?.headers[":status"] == row.2)
    #expect(text(answer) == row.3)
    #expect(answer?.headers["content-length"] == String(row.3.utf8.count))
    #expect(answer?.headers["x-a"] == "b", "names are in lower case")
    #expect(answer?.headers["connection"] == nil, "there is no such thing over HTTP/2")
    #expect(answer?.isClosed == true)
    #expect(harness.connection.http2.openStreamCount == 0)
    #expect(harness.connection.bufferedBytes == 0)
  }

  @Test("a preflight request is answered what it asks for; HEAD has a length and no body")
  func withoutBody() {
    let harness = GRPCHarness(front: Service().front())
    let preflight = harness.client.request(
      "OPTIONS", "/v1/x",
      headers: [
        ("origin", "https://app.test"), ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization"),
      ])
    let head = harness.client.request("HEAD", "/")
    harness.exchange()
    #expect(
      harness.client.streams[preflight]?.headers["access-control-allow-origin"] == "https://app.test")
    #expect(harness.client.streams[preflight]?.headers["access-control-allow-headers"] == "authorization")
    #expect(harness.client.streams[head]?.headers["content-length"] == "17")
    #expect(harness.client.streams[head]?.body == [])
    #expect(harness.client.streams[head]?.isClosed == true)
  }

  @Test("a body comes in any number of frames, beyond the window")
  func largeBody() {
    let harness = GRPCHarness(front: Service().front())
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let whole = harness.client.request("POST", "/", body)
    let slow = harness.client.request("POST", "/", Array("one ".utf8), ends: false)
    harness.exchange()
    #expect(harness.client.streams[whole]?.body.suffix(body.count) == body[...])
    #expect(harness.client.streams[slow] == nil)
    for (piece, ends) in [("two ", false), ("three", true)] {
      harness.client.append(slow, Array(piece.utf8), ends: ends)
      harness.exchange()
    }
    #expect(text(harness.client.streams[slow]) == "POST localhost - one two three")
  }

  @Test("a streamed answer waits for a slow reader, and loses nothing")
  func backPressure() {
    let service = Service()
    service.pieces = 40
    let harness = GRPCHarness(front: service.front(), clientWindowBytes: 20_000)
    let id = harness.client.request("GET", "/stream")
    harness.give(harness.client.output())
    let first = harness.serverOutput()
    #expect(service.pauses == 1)
    #expect(service.pieces > 30, "nothing is made that nobody reads")
    harness.client.receive(first)
    harness.exchange()
    let answer = harness.client.streams[id]
    #expect(answer?.headers["content-length"] == nil)
    #expect(answer?.headers["transfer-encoding"] == nil)
    #expect(answer?.headers["x-kind"] == "stream")
    #expect(answer?.body == (0..<40).flatMap { _ in Service.piece })
    #expect(answer?.isClosed == true)
    #expect(service.pauses > 5)
    #expect(service.cancelled == 0)
  }

  @Test("a reset, or the loss of the connection, cancels the exchange", arguments: [true, false])
  func cancellation(isReset: Bool) throws {
    let service = Service()
    let harness = GRPCHarness(front: service.front())
    let id = harness.client.request("POST", "/keep", [1, 2, 3])
    let half = harness.client.request("POST", "/keep", [1, 2, 3], ends: false)
    harness.exchange()
    let exchange = try #require(service.kept.first)
    #expect(!exchange.isCancelled)
    // Three bytes of each body, and the headers.
    let headers = harness.connection.bufferedBytes - 2 * 3
    #expect(headers >= 2 * 100 && headers <= 2 * 250)
    if isReset {
      harness.client.reset(id)
      harness.client.reset(half)
      harness.exchange()
    } else {
      harness.connection.loseConnection()
    }
    #expect(exchange.isCancelled)
    #expect(service.cancelled == 1)
    #expect(service.kept.count == 1, "half a request is none")
    #expect(harness.connection.bufferedBytes == 0)
    #expect(harness.connection.nextDeadline == nil)
    exchange.respond(status: 200, body: [1])
    harness.exchange()
    #expect(harness.client.streams[id]?.body ?? [] == [])
  }

  @Test(
    "a body over the limit is refused, whether declared or not, and the connection goes on",
    arguments: [true, false], [true, false])
  func bodyLimit(isDeclared: Bool, isProduction: Bool) {
    let harness = GRPCHarness(
      front: Service().front {
        $0.bodyBytesMax = 10
        if !isProduction { $0.bodyRefusal = nil }
      })
    let id = harness.client.request(
      "POST", "/", isDeclared ? [] : [UInt8](repeating: 1, count: 11), ends: false,
      headers: isDeclared ? [("content-length", "11")] : [])
    harness.exchange()
    let answer = harness.client.streams[id]
    #expect(answer?.headers[":status"] == (isProduction ? "400" : "413"))
    #expect(text(answer).contains("Request payload size exceeds the limit") == isProduction)
    #expect(answer?.isClosed == false, "the rest is read: clients that are cut off lose the answer")
    if isDeclared {
      harness.client.append(id, [UInt8](repeating: 1, count: 11), ends: true)
    } else {
      harness.advance(nanoseconds: 10_000_000_000)
      harness.connection.expire()
    }
    harness.exchange()
    #expect(harness.client.streams[id]?.isClosed == true, "when it has come, or after a while")
    #expect(harness.client.streams[id]?.resetCode == nil)
    #expect(harness.connection.nextDeadline == nil)
    let next = harness.client.request("POST", "/", [UInt8](repeating: 97, count: 10))
    harness.exchange()
    #expect(text(harness.client.streams[next]) == "POST localhost - aaaaaaaaaa")
    #expect(harness.connection.bufferedBytes == 0)
  }

  @Test("unfinished requests of one connection are bounded together, calls or not")
  func sumLimit() {
    var options = GRPCOptions()
    // Two bodies of a hundred bytes with their headers, some 180 bytes each, and half a message.
    options.bufferedBytesMax = 600
    let harness = GRPCHarness(options: options, front: Service().front())
    let hundred = [UInt8](repeating: 1, count: 100)
    let ids = (0..<2).map { _ in harness.client.request("POST", "/", hundred, ends: false) }
    let call = harness.client.request(path: "/test.Echo/Unary", body: framed(hundred), ends: false)
    harness.exchange()
    #expect(harness.client.streams[call]?.status == "8")
    let third = harness.client.request("POST", "/", hundred, ends: false)
    harness.exchange()
    #expect(harness.client.streams[third]?.headers[":status"] == "429")
    for id in ids + [third] { harness.client.append(id, [], ends: true) }
    harness.exchange()
    #expect(ids.allSatisfy { harness.client.streams[$0]?.headers[":status"] == "201" })
    #expect(harness.connection.bufferedBytes == 0)
  }

  @Test("a body that does not come is 408; one that is asked for is told to come")
  func arrival() {
    let harness = GRPCHarness(front: Service().front { $0.arrivalMilliseconds = 2 })
    let id = harness.client.request("POST", "/", [], ends: false, headers: [("expect", "100-continue")])
    harness.exchange()
    #expect(harness.client.streams[id]?.headers[":status"] == "100")
    #expect(harness.connection.nextDeadline == 1_002_000_000)
    harness.advance(nanoseconds: 2_000_000)
    harness.connection.expire()
    harness.exchange()
    #expect(harness.client.streams[id]?.trailers[":status"] == "408")
    harness.client.append(id, [], ends: true)
    harness.exchange()
    #expect(harness.client.streams[id]?.isClosed == true)
    #expect(harness.connection.nextDeadline == nil)
  }

  @Test("exchanges and gRPC calls share a connection, awake or asleep", arguments: [false, true])
  func mixed(sleeps: Bool) {
    let service = Service()
    service.pieces = 20
    let harness = GRPCHarness(front: service.front(), sleeps: sleeps)
    let stream = harness.client.request("GET", "/stream")
    let kept = (0..<20).map { _ in harness.client.request("GET", "/keep") }
    let calls = (0..<20).map { harness.client.request(path: "/test.Echo/Unary", body: framed([UInt8($0)])) }
    let posts = (0..<20).map { harness.client.request("POST", "/", [UInt8($0) + 97]) }
    harness.exchange()
    for number in 0..<20 {
      #expect(harness.client.streams[calls[number]]?.messages == [[UInt8(number)]])
      #expect(harness.client.streams[posts[number]]?.body.last == UInt8(number) + 97)
    }
    #expect(harness.client.streams[stream]?.body.count == 2_000_000)
    // Answered in another order than they came, from outside.
    for (number, exchange) in service.kept.dropFirst().enumerated().reversed() {
      exchange.respond(status: 200, body: [UInt8(number)])
      harness.exchange()
    }
    for (number, id) in kept.enumerated() {
      #expect(harness.client.streams[id]?.body == [UInt8(number)])
      #expect(harness.client.streams[id]?.isClosed == true)
    }
    #expect(harness.connection.http2.openStreamCount == 0)
    #expect(!sleeps || harness.sleepCount > 10)
  }

  @Test("an exchange does not outlive its answer, nor its connection")
  func release() {
    let service = Service()
    weak var connection: GRPCConnection?
    weak var exchange: HTTPExchange?
    do {
      let harness = GRPCHarness(front: service.front())
      connection = harness.connection
      harness.client.request("GET", "/keep")
      harness.exchange()
      exchange = service.kept.first
      service.kept.removeFirst().respond(status: 200)
      harness.exchange()
      #expect(exchange == nil)
      harness.client.request("GET", "/keep")
      harness.exchange()
      harness.connection.loseConnection()
      service.kept = []
    }
    #expect(connection == nil)
  }
}
