import DocModel
import Testing

@testable import Wire

@Suite("gRPC connection without a socket")
struct GRPCConnectionTests {
  @Test(
    "a unary call is answered with its message and status 0, however the bytes are cut",
    arguments: [1, 2, 3, 7, 64, Int.max])
  func unary(piece: Int) {
    let harness = GRPCHarness()
    let message = Array("hello".utf8)
    let id = harness.client.request(path: "/test.Echo/Unary", body: framed(message))
    harness.exchange(piece: piece)
    let answer = harness.client.streams[id]
    #expect(answer?.headers[":status"] == "200")
    #expect(answer?.headers["content-type"] == "application/grpc")
    #expect(answer?.messages == [message])
    #expect(answer?.status == "0")
    #expect(answer?.isClosed == true)
    #expect(harness.connection.http2.openStreamCount == 0)
  }

  @Test("an empty message is a message")
  func emptyMessage() {
    let answer = GRPCHarness().call("/test.Echo/Unary", framed([]))
    #expect(answer.messages == [[]])
    #expect(answer.status == "0")
  }

  @Test("a hundred calls on one connection are each answered with their own message")
  func manyCalls() {
    let harness = GRPCHarness()
    let ids = (0..<100).map { number in
      harness.client.request(path: "/test.Echo/Unary", body: framed([UInt8(number)]))
    }
    harness.exchange()
    for (number, id) in ids.enumerated() {
      #expect(harness.client.streams[id]?.messages == [[UInt8(number)]])
    }
  }

  @Test("an error comes as trailers only, its message percent-encoded outside 0x20...0x7e")
  func errorStatus() {
    let answer = GRPCHarness().call("/test.Echo/Fail", framed([]))
    #expect(answer.headers["grpc-status"] == "5")
    #expect(answer.headers["grpc-message"] == "no such thing: 100%25 %C3%A9%0A")
    #expect(answer.body.isEmpty)
    #expect(answer.trailers.isEmpty)
  }

  @Test("an unknown method is UNIMPLEMENTED and named")
  func unknownMethod() {
    let answer = GRPCHarness().call("/google.datastore.v1.Datastore/Lookup", framed([]))
    #expect(answer.status == "12")
    #expect(answer.message == "Method not found: google.datastore.v1.Datastore/Lookup")
  }

  @Test("what is not a gRPC request gets an HTTP status")
  func notGRPC() {
    let harness = GRPCHarness()
    let wrongType = harness.client.request(
      path: "/test.Echo/Unary", body: [], contentType: "text/html")
    let wrongMethod = harness.client.request(path: "/test.Echo/Unary", body: [], method: "GET")
    harness.exchange()
    #expect(harness.client.streams[wrongType]?.headers[":status"] == "415")
    #expect(harness.client.streams[wrongMethod]?.headers[":status"] == "405")
  }

  @Test(
    "bodies that are no single message are refused",
    arguments: [
      ([], "Half-closed without a request"),
      ([0, 0, 0, 0, 9, 1], "Encountered end-of-stream mid-frame"),
      ([0, 0, 0], "Encountered end-of-stream mid-frame"),
      (framed([1], [2]), "Too many requests"),
      ([7, 0, 0, 0, 0], "gRPC frame header malformed: reserved bits not zero"),
    ] as [([UInt8], String)])
  func malformedBodies(body: [UInt8], message: String) {
    let answer = GRPCHarness().call("/test.Echo/Unary", body)
    #expect(answer.status == "13")
    #expect(answer.message == message)
  }

  @Test("a message over the limit is RESOURCE_EXHAUSTED as soon as its length is known")
  func oversize() {
    var options = GRPCOptions()
    options.messageBytesMax = 100
    let harness = GRPCHarness(options: options)
    let id = harness.client.request(path: "/test.Echo/Unary", body: [0, 0, 0, 0, 101], ends: false)
    harness.exchange()
    #expect(harness.client.streams[id]?.status == "8")
    #expect(harness.client.streams[id]?.message == "gRPC message exceeds maximum size 100: 101")
    #expect(harness.client.streams[id]?.isClosed == true, "the client is told not to send the rest")
    #expect(
      harness.call("/test.Echo/Unary", framed([UInt8](repeating: 1, count: 100))).status == "0")
  }

  @Test("a header list over the limit is 431 and the connection goes on")
  func headerLimit() {
    var options = GRPCOptions()
    options.http2.headerListBytesMax = 10_000
    let harness = GRPCHarness(options: options)
    let large = (0..<4).map { ("x-large-\($0)", String(repeating: "a", count: 4_000)) }
    #expect(harness.call("/test.Echo/Unary", framed([]), extra: large).headers[":status"] == "431")
    #expect(harness.call("/test.Echo/Unary", framed([])).status == "0")
  }

  @Test("a timeout that does not parse is refused; one that passes ends the call")
  func deadlines() {
    let harness = GRPCHarness()
    #expect(
      harness.call("/test.Echo/Unary", framed([]), extra: [("grpc-timeout", "soon")]).status == "13"
    )
    let id = harness.client.request(
      path: "/test.Echo/Keep", body: framed([]), extra: [("grpc-timeout", "2S")])
    harness.exchange()
    #expect(harness.connection.nextDeadline == 3_000_000_000)
    harness.advance(nanoseconds: 1_999_999_999)
    harness.connection.expire()
    harness.exchange()
    #expect(harness.client.streams[id]?.status == nil)
    harness.advance(nanoseconds: 1)
    harness.connection.expire()
    harness.exchange()
    #expect(harness.client.streams[id]?.status == "4")
    #expect(harness.recorder.cancelled == 1)
    #expect(harness.recorder.calls[0].isCancelled)
    #expect(harness.connection.nextDeadline == nil)
    harness.recorder.calls[0].respond([1])
    harness.exchange()
    #expect(harness.client.streams[id]?.body.isEmpty == true)
  }

  @Test("a call whose client does not say how long it waits ends after a minute")
  func defaultDeadlines() {
    let harness = GRPCHarness()
    let id = harness.client.request(path: "/test.Echo/Keep", body: framed([]))
    harness.exchange()
    #expect(harness.connection.nextDeadline == 61_000_000_000)
    harness.advance(nanoseconds: 59_999_999_999)
    harness.connection.expire()
    harness.exchange()
    #expect(harness.client.streams[id]?.status == nil)
    harness.advance(nanoseconds: 1)
    harness.connection.expire()
    harness.exchange()
    #expect(harness.client.streams[id]?.status == "4")
    #expect(harness.recorder.calls[0].isCancelled)
    #expect(harness.connection.nextDeadline == nil)
  }

  @Test("a call answered at once never waits for its deadline")
  func answeredBeforeDeadline() {
    let harness = GRPCHarness()
    #expect(
      harness.call("/test.Echo/Unary", framed([]), extra: [("grpc-timeout", "2S")]).status == "0")
    #expect(harness.connection.nextDeadline == nil)
  }

  @Test("a reset is seen by the running call, and answering it afterwards does nothing")
  func cancellation() {
    let harness = GRPCHarness()
    let id = harness.client.request(path: "/test.Echo/Keep", body: framed([]))
    harness.exchange()
    #expect(harness.recorder.calls.count == 1)
    harness.client.reset(id)
    harness.exchange()
    #expect(harness.recorder.cancelled == 1)
    #expect(harness.recorder.calls[0].isCancelled)
    harness.recorder.calls[0].respond([1, 2, 3])
    harness.exchange()
    #expect(harness.connection.http2.openStreamCount == 0)
    #expect(harness.call("/test.Echo/Unary", framed([])).status == "0")
  }

  @Test("losing the connection cancels every open call")
  func lostConnection() {
    let harness = GRPCHarness()
    for _ in 0..<3 { harness.client.request(path: "/test.Echo/Keep", body: framed([])) }
    harness.exchange()
    harness.connection.loseConnection()
    #expect(harness.recorder.cancelled == 3)
    #expect(harness.recorder.calls.allSatisfy { $0.isCancelled })
  }

  @Test("a late answer wakes the host")
  func lateAnswer() {
    let harness = GRPCHarness()
    var wakes = 0
    harness.connection.onOutput = { wakes += 1 }
    let id = harness.client.request(path: "/test.Echo/Keep", body: framed([]))
    harness.exchange()
    #expect(wakes == 0)
    harness.recorder.calls[0].reference { $0.respond([9]) }
    #expect(wakes == 1)
    harness.exchange()
    #expect(harness.client.streams[id]?.messages == [[9]])
  }

  @Test("bidirectional messages arrive one by one, half-close last", arguments: [1, 4, Int.max])
  func bidirectional(piece: Int) {
    let harness = GRPCHarness()
    let id = harness.client.request(
      path: "/test.Echo/Talk", body: framed([1], [2, 2]), ends: false)
    harness.exchange(piece: piece)
    #expect(harness.recorder.messages == [[1], [2, 2]])
    #expect(harness.client.streams[id]?.messages == [[1], [2, 2]])
    #expect(harness.recorder.halfClosed == 0)
    harness.client.append(id, framed([3]), ends: true)
    harness.exchange(piece: piece)
    #expect(harness.recorder.messages.last == [3])
    #expect(harness.recorder.halfClosed == 1)
    #expect(harness.client.streams[id]?.status == "0")
  }

  @Test("an encoding we do not know is UNIMPLEMENTED")
  func unknownEncoding() {
    let answer = GRPCHarness().call(
      "/test.Echo/Unary", framed([]), extra: [("grpc-encoding", "snappy")])
    #expect(answer.status == "12")
    #expect(answer.message == "Can't find decompressor for snappy")
    #expect(answer.headers["grpc-accept-encoding"] == "gzip")
  }
}

@Suite("life of calls")
struct CallLifeTests {
  @Test(
    "answered, failed, cancelled and expired calls are released",
    arguments: ["Unary", "Fail", "Keep", "Expire", "Talk", "Lost"])
  func released(kind: String) {
    let harness = GRPCHarness()
    let path = ["Expire", "Lost"].contains(kind) ? "Keep" : kind
    let id = harness.client.request(
      path: "/test.Echo/" + path, body: framed([1]), extra: kind == "Expire" ? [("grpc-timeout", "1S")] : [])
    harness.exchange()
    switch kind {
    case "Keep": harness.client.reset(id)
    case "Lost": harness.connection.loseConnection()
    case "Expire":
      harness.advance(nanoseconds: 2_000_000_000)
      harness.connection.expire()
    default: break
    }
    harness.exchange()
    harness.recorder.calls = []
    #expect(harness.recorder.callCount == 1)
    #expect(harness.recorder.lastCall == nil)
  }
}
