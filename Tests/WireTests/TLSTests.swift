/// TLS on the port.

import DocModel
import DocStore
import Glibc
import NIOCore
import NIOPosix
import NIOTLS
import Platform
import TLS
import TestSupport
import Testing

@testable import Wire

/// A client that collects what comes.
private final class TLSTestClient: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  struct State: Sendable {
    var bytes: [UInt8] = []
    var agreed: String??
    var isClosed = false
  }

  let state = Monitor(State())

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    state.change { $0.bytes += bytes }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case TLSUserEvent.handshakeCompleted(let agreed) = event else { return }
    state.change { $0.agreed = .some(agreed) }
  }

  func channelInactive(context: ChannelHandlerContext) { state.change { $0.isClosed = true } }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// Connects, agrees on TLS unless that fails, sends what is given and waits for an answer that ends so.
  static func ask(
    _ port: Int, trusting authorities: String, offering protocols: [String], isOld: Bool = false,
    _ bytes: [UInt8], until end: String
  ) async throws -> State {
    let tls = try TLSContext(trusting: .authorities(file: authorities), protocols: protocols, isOld: isOld)
    let client = TLSTestClient()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([TLSHandler(tls, server: "localhost"), client])
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
    let state = await Task.detached {
      client.state.wait { state in
        state.isClosed || String(decoding: state.bytes, as: UTF8.self).contains(end) ? state : nil
      }
    }.value
    try? await channel.close().get()
    return state
  }
}

@Suite("TLS", .serialized)
struct TLSTests {
  private let files: TestCertificates

  init() throws { files = try TestCertificates.shared.get() }

  @Test(
    "files that are of no use say which, and why",
    arguments: [
      (["b.pem"], ["a.key"], .keyOfAnother), (["r.pem"], ["a.key"], .keyOfAnother),
      (["b.pem", "a.pem"], ["a.key"], .keyOfAnother), (["a.key"], ["a.pem"], .noCertificate(holdsKey: true)),
      (["a.der"], ["a.key"], .noCertificate(holdsKey: false)), ([], [], .noCertificate(holdsKey: false)),
      (["a.pem"], ["a.pem"], .noKey(holdsCertificate: true)),
      (["a.pem"], ["a.der"], .noKey(holdsCertificate: false)),
      (["a.pem"], ["encrypted.key"], .encryptedKey), (["a.pem"], ["legacy.key"], .encryptedKey),
      (["a.pem"], ["a.key"], nil), (["a.pem", "b.pem"], ["a.key"], nil),
      (["a.key", "a.pem"], ["a.key"], nil),
    ] as [([String], [String], ServerTLSError?)])
  func badFiles(certificates: [String], key: [String], expected: ServerTLSError?) {
    let certificates = certificates.flatMap { files.bytes($0) }
    let key = key.flatMap { files.bytes($0) }
    var found: ServerTLSError?
    do throws(ServerTLSError) {
      _ = try ServerTLS(certificates: certificates, key: key)
    } catch {
      found = error
    }
    #expect(found == expected)
  }

  @Test("a damaged certificate and a damaged key are told apart")
  func damaged() throws {
    let (certificate, key) = (files.bytes("a.pem"), files.bytes("a.key"))
    func damage(_ bytes: [UInt8]) -> [UInt8] {
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      return Array((lines[..<1] + ["AAAA"] + lines[2...]).joined(separator: "\n").utf8)
    }
    #expect(throws: ServerTLSError.brokenCertificate) {
      _ = try ServerTLS(certificates: damage(certificate), key: key)
    }
    #expect(throws: ServerTLSError.brokenKey) {
      _ = try ServerTLS(certificates: certificate, key: damage(key))
    }
  }

  @Test("a certificate has a time")
  func validity() throws {
    let tls = try ServerTLS(certificates: files.bytes("a.pem"), key: files.bytes("a.key"))
    #expect(tls.isValid(atSeconds: Int64(time(nil))))
    #expect(!tls.isValid(atSeconds: Int64(time(nil)) + 3 * 86_400))
  }

  private func start(_ change: (inout ServerOptions) -> Void = { _ in }) async throws -> WireServer {
    let tls = try ServerTLS(certificates: files.bytes("a.pem"), key: files.bytes("a.key"))
    return try await WireServerTests().start {
      $0.tls = tls
      change(&$0)
    }
  }

  @Test(
    "both versions of HTTP come through it, whatever is offered",
    arguments: [
      (["h2", "http/1.1"], false, true, "h2"), (["h2"], true, true, "h2"),
      (["http/1.1"], false, false, "http/1.1"), ([], false, false, nil), ([], false, true, nil),
      (["h2", "http/1.1"], false, false, "h2"), (["spdy/1"], false, false, nil),
    ] as [([String], Bool, Bool, String?)])
  func versions(offer: [String], isOld: Bool, isHTTP2: Bool, agreed: String?) async throws {
    let server = try await start()
    let client = HTTP2TestClient()
    let id = isHTTP2 ? client.request("POST", "/", Array("abc".utf8)) : 0
    let state = try await TLSTestClient.ask(
      server.address.port, trusting: files.file(of: ["a.pem"]),
      offering: offer,
      isOld: isOld,
      isHTTP2 ? client.output() : Array("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc".utf8),
      until: "POST 3")
    #expect(state.agreed == .some(agreed))
    if isHTTP2 {
      client.receive(state.bytes)
      #expect(client.streams[id]?.headers[":status"] == "200")
      #expect(client.streams[id]?.body == Array("POST 3".utf8))
    } else {
      #expect(String(decoding: state.bytes, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
    }
    await server.stop()
  }

  @Test("a client that trusts another certificate is refused; the server goes on")
  func refusedHandshakes() async throws {
    let server = try await start()
    let rows: [(String, Bool, Bool)] = [("b.pem", false, false), ("a.pem", true, true)]
    for (trusted, isOld, isServed) in rows {
      let state = try await TLSTestClient.ask(
        server.address.port, trusting: files.file(of: [trusted]),
        offering: [],
        isOld: isOld, Array("GET / HTTP/1.1\r\nhost: x\r\n\r\n".utf8), until: "GET 0")
      #expect((state.agreed != nil) == isServed)
      #expect(state.isClosed == !isServed)
    }
    await server.stop()
  }

  @Test(
    "plain text is told to use TLS",
    arguments: ["GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
  func plainText(bytes: String) async throws {
    let server = try await start()
    let answer = WireServerTests().converse(server.address.port, [bytes], until: "<closed>")
    #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(
      answer.hasSuffix("This port speaks TLS only: use https here, or a channel with TLS for gRPC.\n<closed>")
    )
    await server.stop()
  }

  @Test("a handshake that never comes, or never ends, is closed", arguments: ["", "\u{16}\u{3}\u{1}\u{2}"])
  func silence(bytes: String) async throws {
    let server = try await start { $0.silenceMilliseconds = 20 }
    for _ in 0..<2 {
      #expect(
        WireServerTests().converse(server.address.port, [bytes], until: "<closed>").hasSuffix("<closed>"))
    }
    await server.stop()
  }
}
