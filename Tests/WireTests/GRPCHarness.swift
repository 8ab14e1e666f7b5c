import CNGHTTP2
import DocModel

@testable import Wire

/// A server connection and a client joined by hand, with a clock that stands still.
final class GRPCHarness {
  /// Calls that a test method left open.
  final class Recorder: @unchecked Sendable {  // one test, one thread
    var calls: [ServerCall] = []
    weak var lastCall: ServerCall?
    var callCount = 0

    func note(_ call: ServerCall) {
      lastCall = call
      callCount += 1
    }

    var cancelled = 0
    var messages: [[UInt8]] = []
    var halfClosed = 0
  }

  let recorder = Recorder()
  let connection: GRPCConnection
  let client: HTTP2TestClient
  private let clock: Clock

  final class Clock { var nanoseconds: UInt64 = 1_000_000_000 }

  /// The connection is put to sleep at every opportunity.
  private let sleeps: Bool
  private(set) var sleepCount = 0

  init(
    options: GRPCOptions = GRPCOptions(), front: HTTPFront? = nil, clientWindowBytes: Int32? = nil,
    sleeps: Bool = false
  ) {
    self.sleeps = sleeps
    let recorder = recorder
    let clock = Clock()
    self.clock = clock
    client = HTTP2TestClient(windowBytes: clientWindowBytes)
    connection = GRPCConnection(
      methods: GRPCMethodTable([
        GRPCMethod("test.Echo/Unary", .unary) { call in
          recorder.note(call)
          call.respond(call.withRequest { Array($0) })
        },
        GRPCMethod("test.Echo/Fail", .unary) { call in
          recorder.note(call)
          call.finish(GRPCStatus(.notFound, "no such thing: 100% \u{e9}\n"))
        },
        GRPCMethod("test.Echo/Keep", .unary) { call in
          recorder.note(call)
          recorder.calls.append(call)
          call.onCancel = { recorder.cancelled += 1 }
        },
        GRPCMethod("test.Echo/Stream", .serverStreaming) { call in
          recorder.note(call)
          recorder.calls.append(call)
          call.onCancel = { recorder.cancelled += 1 }
        },
        GRPCMethod("test.Echo/Talk", .bidirectional) { call in
          recorder.note(call)
          recorder.calls.append(call)
          call.onMessage = {
            recorder.messages.append($0)
            _ = call.send($0)
          }
          call.onHalfClose = {
            recorder.halfClosed += 1
            call.finish(.ok)
          }
          call.onCancel = { recorder.cancelled += 1 }
        },
      ]), options: options, front: front, now: { clock.nanoseconds }, perform: { $0() })!
  }

  func advance(nanoseconds: UInt64) { clock.nanoseconds += nanoseconds }

  /// Everything the server has to say, without giving it to the client.
  func serverOutput() -> [UInt8] {
    var bytes: [UInt8] = []
    while connection.output(atMost: 1 << 20, { bytes.append(contentsOf: $0) }) > 0 { sleep() }
    return bytes
  }

  private func sleep() {
    if sleeps, !connection.http2.isAsleep, connection.sleep() { sleepCount += 1 }
  }

  @discardableResult
  func give(_ bytes: [UInt8], piece: Int = .max) -> Bool {
    var offset = 0
    while offset < bytes.count {
      let end = min(bytes.count, offset + min(piece, bytes.count))
      let isWell = bytes[offset..<end].withUnsafeBytes { connection.receive($0) }
      if !isWell { return false }
      sleep()
      offset = end
    }
    return true
  }

  /// Lets both sides talk until neither has anything to say. `piece` cuts what they send.
  func exchange(piece: Int = .max) {
    while true {
      let toServer = client.output()
      give(toServer, piece: piece)
      let toClient = serverOutput()
      var offset = 0
      while offset < toClient.count {
        let end = min(toClient.count, offset + min(piece, toClient.count))
        client.receive(Array(toClient[offset..<end]))
        offset = end
      }
      if toServer.isEmpty, toClient.isEmpty { return }
    }
  }

  /// One call from beginning to end.
  func call(_ path: String, _ body: [UInt8], extra: [(String, String)] = []) -> Received {
    let id = client.request(path: path, body: body, extra: extra)
    exchange()
    return client.streams[id] ?? Received()
  }
}
