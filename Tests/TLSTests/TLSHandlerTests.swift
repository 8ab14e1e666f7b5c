import COpenSSL
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import TLS

@Suite("TLS under a channel's handlers", .timeLimit(.minutes(5)))
struct TLSHandlerTests {
  struct Crossing: Sendable {
    let pieces: Int
    let sizes: [Int]
  }

  @Test(
    "what is written arrives, however the network cuts it",
    arguments: [
      Crossing(pieces: .max, sizes: [0, 1, 16_383, 16_384, 16_385, 0, 100_000]),
      Crossing(pieces: 1, sizes: [1, 0, 700]), Crossing(pieces: 7, sizes: [5_000, 1, 1]),
      Crossing(pieces: 16_400, sizes: [40_000, 3]), Crossing(pieces: .max, sizes: [2_000_000]),
    ])
  func crossing(_ row: Crossing) throws {
    let pair = try TLSPair()
    var written: [EventLoopFuture<Void>] = []
    let texts = row.sizes.enumerated().map { index, size in
      (0..<size).map { UInt8(truncatingIfNeeded: $0 / 3 + index) }
    }
    // Before there is agreement as well as after it.
    for _ in 0..<2 {
      for text in texts { written += [pair.client.write(text), pair.server.write(text)] }
      try pair.talk(pieces: row.pieces)
    }
    let all = texts.flatMap { $0 }
    #expect(pair.server.told.text == all + all)
    #expect(pair.client.told.text == all + all)
    for future in written { try future.wait() }
    #expect(pair.client.told.errors.isEmpty && pair.server.told.errors.isEmpty)
  }

  @Test(
    "ALPN agrees on the server's first choice that the client has, or on none",
    arguments: [
      (["h2", "http/1.1"], ["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], ["h2", "http/1.1"], "h2"),
      (["http/1.1"], ["h2", "http/1.1"], "http/1.1"), (["h"], ["h2"], nil), (["h22"], ["h2"], nil),
      ([], ["h2"], nil),
      (["h2"], [], nil),
    ] as [([String], [String], String?)])
  func protocols(_ client: [String], _ server: [String], _ agreed: String?) throws {
    let pair = try TLSPair(
      TLSPair.clientContext(protocols: client), TLSPair.serverContext(protocols: server))
    try pair.talk()
    #expect(pair.client.told.agreed == .some(agreed) && pair.server.told.agreed == .some(agreed))
  }

  struct Belief: Sendable {
    let certificate: String
    let believed: [String]
    let name: String?
    /// Nil where there is agreement.
    let error: TLSError?
  }

  @Test(
    "a certificate has to be vouched for, and to be for the name or address that was meant",
    arguments: [
      Belief(certificate: "a", believed: ["a"], name: "localhost", error: nil),
      Belief(certificate: "a", believed: ["b", "a"], name: "LOCALHOST", error: nil),
      Belief(certificate: "a", believed: ["a"], name: "localhost.", error: nil),
      Belief(certificate: "a", believed: ["a"], name: "localhost.test", error: .wrongName),
      Belief(certificate: "a", believed: ["a"], name: "127.0.0.1", error: .wrongName),
      // The name of a time before `subjectAltName`.
      Belief(certificate: "a", believed: ["a"], name: "common.test", error: .wrongName),
      Belief(certificate: "r", believed: ["r"], name: "r", error: .wrongName),
      Belief(certificate: "n", believed: ["n"], name: "127.0.0.1", error: nil),
      Belief(certificate: "n", believed: ["n"], name: "127.0.0.2", error: .wrongName),
      Belief(certificate: "n", believed: ["n"], name: "::1", error: .wrongName),
      Belief(certificate: "n", believed: ["n"], name: "x.wild.test", error: nil),
      Belief(certificate: "n", believed: ["n"], name: "x.y.wild.test", error: .wrongName),
      Belief(certificate: "n", believed: ["n"], name: "wild.test", error: .wrongName),
      Belief(
        certificate: "a", believed: ["b"], name: "localhost", error: .untrusted("self-signed certificate")),
      Belief(certificate: "old", believed: ["b"], name: nil, error: .untrusted("certificate has expired")),
    ])
  func belief(_ row: Belief) throws {
    let pair = try TLSPair(
      TLSPair.clientContext(row.believed), TLSPair.serverContext(row.certificate), name: row.name)
    _ = pair.client.write([1, 2, 3])
    try pair.talk()
    #expect(pair.client.told.errors == (row.error.map { [$0] } ?? []))
    #expect(pair.server.told.text == (row.error == nil ? [1, 2, 3] : []))
    #expect(
      pair.client.channel.isActive == (row.error == nil) && pair.server.channel.isActive == (row.error == nil)
    )
    guard row.error != nil else { return }
    guard
      case .handshakeFailed(let words)? = pair.server.told.errors.first
    else {
      Issue.record("\(pair.server.told.errors)")
      return
    }
    #expect(words.contains("alert"))
  }

  @Test("who believes anybody agrees with anybody, and says all the same who was meant")
  func anybody() throws {
    let pair = try TLSPair(TLSContext(trusting: .anybody), TLSPair.serverContext("old"), name: "meant.test")
    let hello = try pair.client.sent()
    #expect(String(decoding: hello, as: UTF8.self).contains("meant.test"))
    try pair.server.hear(hello)
    try pair.talk()
    #expect(pair.client.told.agreed != nil && pair.client.told.errors.isEmpty)
  }

  @Test("what is no name of one server is refused", arguments: ["", ".", ".test", "..", "a%00.test"])
  func noName(escaped: String) throws {
    // A zero as it is would end the log's line.
    let name = escaped.replacing("%00", with: "\0")
    let client = try End(try TLSPair.clientContext(), server: name)
    try client.connect()
    guard case .refused? = client.told.errors.first else {
      Issue.record("\(client.told.errors)")
      return
    }
    #expect(try client.sent().isEmpty && !client.channel.isActive)
  }

  // MARK: the end

  @Test(
    "an end that closes says so, the other one closes, too, and neither takes it for an error",
    arguments: [true, false])
  func goodbye(isClients: Bool) throws {
    let pair = try TLSPair.open()
    let (first, other) = isClients ? (pair.client, pair.server) : (pair.server, pair.client)
    _ = first.write([1])
    let closed = first.channel.close()
    #expect(first.channel.isActive)
    try other.hear(first.sent())
    #expect(other.told.text == [1] && !other.channel.isActive)
    try first.hear(other.sent())
    #expect(!first.channel.isActive)
    try closed.wait()
    #expect(first.told.errors.isEmpty && other.told.errors.isEmpty)
    #expect(throws: ChannelError.ioOnClosedChannel) { try first.write([2]).wait() }
  }

  @Test("who does not answer a goodbye is waited for a second, and what they still say is passed over")
  func farewell() throws {
    let pair = try TLSPair.open()
    let closed = pair.server.channel.close()
    let again = pair.server.channel.close()
    _ = pair.client.write([1])
    try pair.server.hear(pair.client.sent())
    pair.server.channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
    #expect(pair.server.channel.isActive && pair.server.told.text.isEmpty)
    pair.server.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(!pair.server.channel.isActive)
    try closed.wait()
    try again.wait()
  }

  @Test("a connection that ends without a goodbye may lack something, and says so")
  func truncated() throws {
    let pair = try TLSPair.open()
    pair.client.channel.pipeline.fireChannelInactive()
    #expect(pair.client.told.errors == [.truncated] && pair.client.told.isInactive)
    let begun = try TLSPair()
    let waiting = begun.client.write([1])
    begun.client.channel.pipeline.fireChannelInactive()
    #expect(begun.client.told.errors == [.handshakeFailed("")])
    #expect(throws: ChannelError.ioOnClosedChannel) { try waiting.wait() }
  }

  @Test("a close before there is agreement closes at once, and fails what was written")
  func earlyClose() throws {
    let pair = try TLSPair()
    let waiting = pair.client.write([1])
    try pair.client.channel.close().wait()
    #expect(!pair.client.channel.isActive)
    #expect(throws: ChannelError.ioOnClosedChannel) { try waiting.wait() }
  }

  @Test("a handler that closes while it is told something is told nothing more")
  func closeWhileRead() throws {
    let pair = try TLSPair.open()
    pair.server.told.whenRead = { $0.close(promise: nil) }
    for byte in 0..<3 { _ = pair.client.write([UInt8](repeating: UInt8(byte), count: 16_384)) }
    try pair.talk()
    #expect(pair.server.told.text == [UInt8](repeating: 0, count: 16_384))
    #expect(!pair.server.channel.isActive && !pair.client.channel.isActive)
  }

  @Test("a handler that answers while it is told something is heard")
  func answerWhileRead() throws {
    let pair = try TLSPair.open()
    pair.server.told.whenRead = { context in
      context.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: [7])), promise: nil)
    }
    _ = pair.client.write([1])
    try pair.talk()
    #expect(pair.client.told.text == [7])
  }

  // MARK: what others send

  @Test(
    "a changed byte of a record ends the connection, and nothing of the record is told",
    arguments: [0, 1, 3, 5, 30, 100])
  func changedRecord(place: Int) throws {
    let pair = try TLSPair.open()
    _ = pair.client.write([UInt8](repeating: 1, count: 100))
    var record = try pair.client.sent()
    record[place] ^= 0x55
    try pair.server.hear(record + [UInt8](repeating: 0, count: 40_000))
    #expect(pair.server.told.text.isEmpty && !pair.server.channel.isActive)
    guard case .broken(let words)? = pair.server.told.errors.first else {
      Issue.record("\(pair.server.told.errors)")
      return
    }
    #expect(!words.isEmpty)
  }

  @Test("who asks for another handshake is refused once, and closed")
  func renegotiation() throws {
    let context = try TLSPair.clientContext(isOld: true)
    // SSL_OP_NO_RENEGOTIATION, which Swift cannot read: this client is to ask.
    SSL_CTX_clear_options(context.pointer, 1 << 30)
    let pair = try TLSPair(context)
    try pair.talk()
    let session = try #require(pair.client.handler.session)
    #expect(SSL_renegotiate(session.connection) == 1)
    SSL_do_handshake(session.connection)
    let asked = try #require(session.takeOutput())
    try pair.server.hear(Array(asked.readableBytesView))
    #expect(pair.server.told.errors == [.broken("it asked for another handshake")])
    #expect(!pair.server.channel.isActive)
    #expect(try pair.server.sent().count < 100)
  }

  @Test(
    "what is no TLS, or too old, is answered with an alert and closed",
    arguments: [
      Array("GET / HTTP/1.1\r\n\r\n".utf8), [UInt8](repeating: 22, count: 300), Self.oldHello,
      [22, 3, 1, 0xFF, 0xFF, 1],
    ])
  func noTLS(bytes: [UInt8]) throws {
    let pair = try TLSPair()
    try pair.server.hear(bytes)
    #expect(!pair.server.channel.isActive && pair.server.told.agreed == nil)
    guard case .handshakeFailed(let words)? = pair.server.told.errors.first else {
      Issue.record("\(pair.server.told.errors)")
      return
    }
    #expect(!words.isEmpty)
  }

  /// The first words of a client that speaks TLS 1.1 at most (RFC 4346 7.4.1.2).
  static let oldHello: [UInt8] =
    [22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2] + [UInt8](repeating: 5, count: 32) + [0, 0, 2, 0xC0, 0x14, 1, 0]

  @Test("whatever bytes are changed on the way: what is told is what was written, or nothing")
  func changedHandshakes() throws {
    var random = Pattern()
    let (client, server) = (try TLSPair.clientContext(), try TLSPair.serverContext())
    let text = Array("what was written".utf8)
    var (endCount, toldCount) = (0, 0)
    for _ in 0..<400 {
      let pair = try TLSPair(client, server)
      _ = (pair.client.write(text), pair.server.write(text))
      for _ in 0..<3 {
        for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
          var bytes = try from.sent()
          if !bytes.isEmpty, random.next() % 4 == 0 {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
          }
          if random.next() % 8 == 0 { bytes.removeLast(bytes.count / 2) }
          try to.hear(bytes, pieces: 1 + Int(random.next() % 2_000))
        }
      }
      for told in [pair.client.told, pair.server.told] {
        #expect(told.text.isEmpty || told.text == text)
        toldCount += told.text.isEmpty ? 0 : 1
        endCount += told.errors.isEmpty ? 0 : 1
      }
    }
    #expect(toldCount > 50 && endCount > 50, "\(toldCount) told, \(endCount) ended")
  }

  /// The same for each run.
  private struct Pattern {
    var state: UInt64 = 17

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }

  @Test("a read that brought half a record is asked for once more, and one that brought text is not")
  func owedReads() throws {
    let pair = try TLSPair.open()
    _ = pair.client.write([UInt8](repeating: 1, count: 100))
    let record = try pair.client.sent()
    pair.server.channel.read()
    let before = pair.server.reads.count
    try pair.server.hear(Array(record[..<50]))
    #expect(pair.server.reads.count == before + 1)
    try pair.server.hear(Array(record[50...]))
    #expect(pair.server.reads.count == before + 1 && pair.server.told.text.count == 100)
  }

  // MARK: files

  @Test("authorities that cannot be read are refused")
  func badAuthorities() {
    #expect(throws: TLSError.self) { _ = try TLSContext(trusting: .authorities(file: "/nothing/there")) }
    #expect(throws: TLSError.self) { _ = try TLSContext(trusting: .authorities(file: "/dev/null")) }
  }
}
