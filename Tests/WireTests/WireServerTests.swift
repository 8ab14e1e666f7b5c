import DocModel
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Wire

@Suite("a server on a socket", .serialized)
struct WireServerTests {
  func start(_ change: (inout ServerOptions) -> Void = { _ in }) async throws -> WireServer {
    var options = ServerOptions()
    options.port = 0
    options.eventLoopCount = 1
    change(&options)
    let routes = ServerRoutes(methods: GRPCMethodTable([])) { exchange in
      exchange.respond(
        status: 200, body: Array("\(exchange.request.method) \(exchange.request.body.count)".utf8))
    }
    return try await WireServer.start(options, routes: routes)
  }

  /// Sends bytes piece by piece and reads until the server closes, which is told as `<closed>`, or `until` has come.
  func converse(
    _ port: Int, _ pieces: [String], until end: String, onBytes: (String) -> Void = { _ in }
  ) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { return "not connected" }
    for piece in pieces {
      _ = piece.withCString { send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !String(decoding: received, as: UTF8.self).contains(end) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      // What is sent to a connection that is closed already comes back as a reset.
      if count == 0 || (count < 0 && (errno == ECONNRESET || errno == EPIPE)) {
        received += Array("<closed>".utf8)
      }
      guard count > 0 else { break }
      received += buffer[..<count]
      onBytes(String(decoding: received, as: UTF8.self))
    }
    return String(decoding: received, as: UTF8.self)
  }

  @Test("a connection that is kept and asks nothing more is closed after a while")
  func idle() async throws {
    let server = try await start { $0.http.idleMilliseconds = 20 }
    let answer = converse(
      server.address.port, ["GET / HTTP/1.1\r\nhost: x\r\n\r\n"], until: "<closed>")
    #expect(answer.hasSuffix("GET 0<closed>"))
    await server.stop()
  }

  private final class Answered: Sendable {
    let flag = Atomic(false)
  }

  @Test("a connection that is kept and asks nothing more does not hold up a stop", .timeLimit(.minutes(2)))
  func idleAtStop() async throws {
    let server = try await start { $0.stopGraceSeconds = 3_600 }
    let port = server.address.port
    let answered = Answered()
    try await withThrowingTaskGroup(of: String.self) { group in
      group.addTask {
        await Task.detached {
          converse(
            port, ["GET / HTTP/1.1\r\nhost: x\r\n\r\n"], until: "<closed>",
            onBytes: { if $0.hasSuffix("GET 0") { answered.flag.store(true, ordering: .relaxed) } })
        }.value
      }
      let wasAnswered = try await eventually { answered.flag.load(ordering: .relaxed) }
      #expect(wasAnswered)
      await server.stop()
      let answer = try await group.next() ?? "none"
      #expect(answer.hasSuffix("GET 0<closed>"))
    }
  }

  @Test("port 0 gives a port; a second server on it is told that it is in use")
  func addressInUse() async throws {
    let server = try await start()
    let port = server.address.port
    #expect(port > 0)
    await #expect(throws: ServerError.addressInUse(host: "127.0.0.1", port: port)) {
      _ = try await start { $0.port = port }
    }
    await server.stop()
  }

  @Test("the port of a server that has stopped is free")
  func addressFree() async throws {
    // One that the system gives to nobody else meanwhile.
    for port in (20_000..<32_000).shuffled() {
      guard let server = try? await start({ $0.port = port }) else { continue }
      await server.stop()
      let again = try await start { $0.port = port }
      return await again.stop()
    }
    Issue.record("no port is free")
  }

  @Test("a host that is not ours is told")
  func unknownHost() async throws {
    for host in ["192.0.2.1", "nohost.invalid", "a b"] {
      await #expect(throws: ServerError.hostUnknown(host: host)) { _ = try await start { $0.host = host } }
    }
  }

  @Test("HTTP/1.1: kept alive, pipelined in order, cut anywhere")
  func pipelining() async throws {
    let server = try await start()
    let answer = converse(
      server.address.port,
      [
        "P", "OST /a HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nab",
        "cGET /b HTTP/1.1\r\nhost: x\r\n\r\n",
      ], until: "GET 0")
    let bodies = answer.split(separator: "\r\n").filter { $0.hasPrefix("POST ") || $0.hasPrefix("GET ") }
    // A body ends where the next head begins, with nothing in between.
    #expect(bodies == ["POST 3HTTP/1.1 200 OK", "GET 0"])
    await server.stop()
  }

  @Test(
    "a body over the limit is refused, whether declared or chunked",
    arguments: [
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\n",
      "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nb\r\n12345678901\r\n",
    ])
  func bodyLimit(request: String) async throws {
    let emulator = try await start {
      $0.http.bodyBytesMax = 10
      $0.http.bodyRefusal = nil
    }
    #expect(converse(emulator.address.port, [request], until: "\r\n\r\n").hasPrefix("HTTP/1.1 413"))
    await emulator.stop()
    let production = try await start { $0.http.bodyBytesMax = 10 }
    let answer = converse(production.address.port, [request], until: "bytes.")
    #expect(answer.hasPrefix("HTTP/1.1 400"))
    #expect(answer.contains("Request payload size exceeds the limit: 11534336 bytes."))
    await production.stop()
  }

  @Test("bytes of no protocol are 400 or closed, and the server goes on")
  func garbage() async throws {
    let server = try await start()
    let answer = converse(server.address.port, ["\u{16}\u{3}\u{1} nonsense\r\n\r\n"], until: "<closed>")
    #expect(answer == "<closed>" || (answer.hasPrefix("HTTP/1.1 400") && answer.hasSuffix("<closed>")))
    #expect(
      converse(server.address.port, ["GET / HTTP/1.1\r\nhost: x\r\n\r\n"], until: "GET 0").contains("GET 0"))
    await server.stop()
  }

  @Test(
    "a connection on which nothing whole comes is closed",
    arguments: ["", "PRI * HT", "GET / HT", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\nhalf"])
  func silence(bytes: String) async throws {
    let server = try await start {
      $0.silenceMilliseconds = 20
      $0.http.arrivalMilliseconds = 20
    }
    // The second one shows that the server goes on. A whole question would have to come within its patience.
    for _ in 0..<2 {
      #expect(converse(server.address.port, [bytes], until: "<closed>") == "<closed>")
    }
    await server.stop()
  }

  /// A connection's first bytes: preface and empty SETTINGS.
  private static let greeting = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

  @Test("an HTTP/2 connection is answered with our settings")
  func http2() async throws {
    let server = try await start()
    let connection = try RawConnection(port: server.address.port)
    connection.send(Self.greeting)
    #expect(connection.nextFrame()?.type == 4)
    await server.stop()
  }

  @Test("a connection that comes while the server stops is closed")
  func arrivalAtStop() async throws {
    for _ in 0..<200 {
      let server = try await start {
        $0.eventLoopCount = 2
        $0.stopGraceSeconds = 0
      }
      let connections = try (0..<3).map { _ in try RawConnection(port: server.address.port) }
      await server.stop()
      for connection in connections { #expect(connection.isClosedByServer()) }
    }
  }

  private final class Pushed: Sendable {
    let call = Mutex<CallReference?>(nil)
  }

  @Test("a connection that is told something after a long sleep sleeps on at once")
  func toldWhileAsleep() async throws {
    var options = ServerOptions()
    options.port = 0
    options.sleepMilliseconds = 1
    options.longSleepMilliseconds = 0
    let pushed = Pushed()
    let push = GRPCMethod("test.Push/Open", .bidirectional) { call in
      let reference = call.reference
      pushed.call.withLock { $0 = reference }
    }
    let server = try await WireServer.start(
      options, routes: ServerRoutes(methods: GRPCMethodTable([push])) { _ in })
    let connection = try RawConnection(port: server.address.port)
    let client = HTTP2TestClient()
    let id = client.request(path: "/test.Push/Open", body: [], ends: false)
    connection.send(client.output())
    for round in UInt8(1)...50 {
      let isAsleep = try await eventually { server.sleepingConnections == 1 }
      #expect(isAsleep)
      let call = try #require(pushed.call.withLock { $0 })
      call { _ = $0.send([round]) }
      while client.streams[id]?.messages.last != [round] {
        client.receive(try #require(connection.receive()))
      }
      #expect(server.sleepingConnections == 1)
    }
    connection.close()
    await server.stop()
  }

  @Test("connections that nobody uses sleep, answer when they are used, and sleep again")
  func sleeping() async throws {
    let server = try await start { $0.sleepMilliseconds = 1 }
    // More than are put to sleep at once.
    let connections = try (0..<150).map { _ in try RawConnection(port: server.address.port) }
    for connection in connections { connection.send(Self.greeting) }
    for round in UInt8(1)...3 {
      let areAsleep = try await eventually { server.sleepingConnections == connections.count }
      #expect(areAsleep)
      for connection in connections {
        connection.send([0, 0, 8, 6, 0, 0, 0, 0, 0] + Array(repeating: round, count: 8))
      }
      for connection in connections {
        var frame = connection.nextFrame()
        while let other = frame, other.type != 6 { frame = connection.nextFrame() }
        #expect(frame?.payload == Array(repeating: round, count: 8))
      }
    }
    for connection in connections { connection.close() }
    let areGone = try await eventually { server.sleepingConnections == 0 }
    #expect(areGone)
    await server.stop()
  }
}

/// The client's end of a connection, in bytes.
private final class RawConnection {
  private let descriptor: Int32
  private var received: [UInt8] = []
  private var isClosed = false

  struct NotConnected: Error {}

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw NotConnected() }
  }

  deinit { close() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    _ = Glibc.close(descriptor)
  }

  func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  /// What has come; nil when the server closes or says nothing for a minute.
  func receive() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Waits for the end of the connection; false when it has not come after a minute.
  func isClosedByServer() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return true }
      if count < 0 { return errno == ECONNRESET }
    }
  }

  /// The next frame; nil when the server closes or says nothing for a minute.
  func nextFrame() -> (type: UInt8, payload: [UInt8])? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let length = received.prefix(3).reduce(0) { $0 << 8 | Int($1) }
      if received.count >= 9, received.count >= 9 + length {
        defer { received.removeFirst(9 + length) }
        return (received[3], Array(received[9..<(9 + length)]))
      }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      received += buffer[..<count]
    }
  }
}
