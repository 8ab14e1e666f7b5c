import DocModel
import Testing

@testable import Wire

@Suite("HTTP/2 connection without a socket")
struct HTTP2ConnectionTests {
  @Test(
    "a streaming answer sends no more than the client's window, then asks its writer to wait, then goes on"
  )
  func flowControl() {
    let harness = GRPCHarness(clientWindowBytes: 10_000)
    let id = harness.client.request(path: "/test.Echo/Stream", body: framed([]))
    harness.give(harness.client.output())
    _ = harness.client.receive(harness.serverOutput())
    let call = harness.recorder.calls[0]
    var writableEvents = 0
    call.onWritable = { writableEvents += 1 }
    let message = [UInt8](repeating: 7, count: 100_000)
    #expect(call.send(message))
    #expect(call.send(message))
    #expect(!call.send(message), "over 256 KiB wait")
    let first = harness.serverOutput()
    #expect(first.count < 12_000, "the window of the stream is 10,000 bytes")
    #expect(writableEvents == 0)
    harness.client.receive(first)
    harness.exchange()
    #expect(writableEvents == 1)
    call.finish(.ok)
    harness.exchange()
    #expect(harness.client.streams[id]?.messages == [message, message, message])
    #expect(harness.client.streams[id]?.status == "0")
  }

  @Test("a large request is taken although it exceeds every window")
  func largeRequest() {
    let harness = GRPCHarness()
    let message = [UInt8](repeating: 3, count: 5_000_000)
    #expect(harness.call("/test.Echo/Unary", framed(message)).messages == [message])
  }

  @Test("the settings say what we grant")
  func settings() {
    let harness = GRPCHarness()
    harness.exchange()
    #expect(harness.client.settings[3] == 1_000)
    #expect(harness.client.settings[4] == 1 << 20)
    #expect(harness.client.settings[6] == 65_536)
  }

  @Test("pings are answered at any rate")
  func pings() {
    let harness = GRPCHarness()
    harness.exchange()
    for _ in 0..<5_000 { harness.client.ping() }
    harness.exchange()
    #expect(harness.client.pingAnswers == 5_000)
    #expect(harness.client.goAwayCodes.isEmpty)
  }

  @Test("a peer that pings and never reads is cut off")
  func pingFlood() {
    let harness = GRPCHarness()
    for _ in 0..<20_000 { harness.client.ping() }
    #expect(!harness.give(harness.client.output(), piece: 4_096))
    #expect(harness.connection.http2.isBroken)
  }

  @Test("streams above the limit are refused, not lost")
  func concurrentStreams() {
    var options = GRPCOptions()
    options.http2.concurrentStreamsMax = 2
    let harness = GRPCHarness(options: options)
    // The client does not know the limit yet when it begins.
    let ids = (0..<4).map { _ in
      harness.client.request(path: "/test.Echo/Keep", body: framed([]), ends: true)
    }
    harness.give(harness.client.output())
    harness.exchange()
    #expect(harness.recorder.calls.count == 2)
    for id in ids.dropFirst(2) { #expect(harness.client.streams[id]?.resetCode == 7) }
  }

  @Test("graceful shutdown: told first, calls under way answered, new ones refused, then finished")
  func shutdown() {
    let harness = GRPCHarness()
    let id = harness.client.request(path: "/test.Echo/Keep", body: framed([]))
    harness.exchange()
    harness.connection.http2.announceShutdown()
    harness.exchange()
    #expect(harness.client.goAwayCodes == [0])
    #expect(harness.client.goAwayLastStreams == [Int32.max])
    harness.connection.http2.refuseNewStreams()
    harness.exchange()
    #expect(harness.client.goAwayLastStreams == [Int32.max, id])
    #expect(!harness.connection.http2.isFinished)
    harness.recorder.calls[0].respond([5])
    harness.exchange()
    #expect(harness.client.streams[id]?.messages == [[5]])
    #expect(harness.connection.http2.isFinished)
  }

  @Test(
    "a frame that breaks the protocol gets a GOAWAY and ends the connection",
    arguments: [
      [0, 0, 0, 0, 0, 0, 0, 0, 0],  // DATA on stream 0
      [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0],  // WINDOW_UPDATE by zero
      [255, 255, 255, 1, 4, 0, 0, 0, 1],  // HEADERS of 16 MiB
      [0, 0, 1, 1, 4, 0, 0, 0, 1, 0xFF],  // HEADERS that do not decompress
      [0, 0, 5, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5],  // SETTINGS of a bad length
      [0, 0, 1, 9, 4, 0, 0, 0, 1, 0],  // CONTINUATION of nothing
    ] as [[UInt8]])
  func brokenFrames(frame: [UInt8]) {
    let harness = GRPCHarness()
    harness.exchange()
    harness.give(frame)
    harness.client.receive(harness.serverOutput())
    #expect(harness.client.goAwayCodes.count == 1)
    #expect(harness.client.goAwayCodes.first != 0)
    #expect(harness.connection.http2.isFinished || harness.connection.http2.isBroken)
  }

  @Test("random bytes after the preface never do more than end the connection")
  func randomBytes() {
    var random = SeededGenerator(seed: 0xD0C5)
    for _ in 0..<500 {
      let harness = GRPCHarness()
      harness.give(harness.client.output())
      let count = Int.random(in: 1...400, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      harness.give(bytes, piece: Int.random(in: 1...64, using: &random))
      _ = harness.serverOutput()
      harness.connection.loseConnection()
      #expect(harness.connection.http2.openStreamCount == 0)
    }
  }

  @Test("a good conversation with flipped bytes never does more than end the connection")
  func flippedBytes() {
    var random = SeededGenerator(seed: 0xF11B)
    for _ in 0..<500 {
      let harness = GRPCHarness()
      for path in ["Unary", "Keep", "Stream", "Talk"] {
        harness.client.request(path: "/test.Echo/" + path, body: framed([1, 2, 3]))
      }
      var bytes = harness.client.output()
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 24..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      harness.give(bytes, piece: 33)
      _ = harness.serverOutput()
      harness.connection.loseConnection()
      #expect(harness.recorder.calls.allSatisfy { $0.isFinished })
    }
  }
}

/// A generator that replays.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
