/// A client and a server of TLS in one thread, with the network between them in the test's hands.

import NIOCore
import NIOEmbedded
import NIOTLS
import TestSupport

@testable import TLS

/// What a handler above TLS is told.
final class Told: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  var text: [UInt8] = []
  var errors: [TLSError] = []
  var agreed: String??
  var isInactive = false
  var whenRead: (ChannelHandlerContext) -> Void = { _ in }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    text += Array(unwrapInboundIn(data).readableBytesView)
    whenRead(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted(let protocolName) = event { agreed = .some(protocolName) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let error = error as? TLSError { errors.append(error) }
  }

  func channelInactive(context: ChannelHandlerContext) { isInactive = true }
}

/// Counts what is asked of the network below TLS.
final class ReadCounter: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  var count = 0

  func read(context: ChannelHandlerContext) {
    count += 1
    context.read()
  }
}

struct End {
  let channel = EmbeddedChannel()
  let told = Told()
  let reads = ReadCounter()
  let handler: TLSHandler

  init(_ context: TLSContext, server: String? = nil) throws {
    handler = TLSHandler(context, server: server)
    try channel.pipeline.syncOperations.addHandlers([reads, handler, told])
  }

  func connect() throws { try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait() }

  func write(_ bytes: [UInt8]) -> EventLoopFuture<Void> {
    channel.writeAndFlush(channel.allocator.buffer(bytes: bytes))
  }

  /// What it has sent since the last time.
  func sent() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes += Array(part.readableBytesView) }
    return bytes
  }

  /// Bytes of the network, so many at a time. An end that is closed hears nothing.
  func hear(_ bytes: [UInt8], pieces: Int = .max) throws {
    var rest = bytes[...]
    while !rest.isEmpty, channel.isActive {
      let piece = rest.prefix(pieces)
      rest = rest.dropFirst(pieces)
      try channel.writeInbound(channel.allocator.buffer(bytes: piece))
    }
  }
}

struct TLSPair {
  let client: End
  let server: End

  static func serverContext(
    _ certificate: String = "a", protocols: [String] = ["h2", "http/1.1"]
  ) throws -> TLSContext {
    let files = try TestCertificates.shared.get()
    let key = TLSPrivateKey(pem: files.bytes(certificate == "old" ? "a.key" : "\(certificate).key"))
    guard let chain = TLSCertificate.chain(pem: files.bytes("\(certificate).pem")), let key else {
      throw TLSError.refused("the test's own certificate")
    }
    return try TLSContext(chain: chain, key: key, protocols: protocols)
  }

  static func clientContext(
    _ believed: [String] = ["a"], protocols: [String] = [], isOld: Bool = false
  ) throws -> TLSContext {
    let file = try TestCertificates.shared.get().file(of: believed.map { "\($0).pem" })
    return try TLSContext(trusting: .authorities(file: file), protocols: protocols, isOld: isOld)
  }

  init(_ client: TLSContext? = nil, _ server: TLSContext? = nil, name: String? = "localhost") throws {
    self.server = try End(try server ?? Self.serverContext())
    self.client = try End(try client ?? Self.clientContext(), server: name)
    try self.server.connect()
    try self.client.connect()
  }

  /// Carries what both send until neither sends any more.
  func talk(pieces: Int = .max) throws {
    while true {
      let (asked, answered) = (try client.sent(), try server.sent())
      if asked.isEmpty, answered.isEmpty { return }
      try server.hear(asked, pieces: pieces)
      try client.hear(answered, pieces: pieces)
    }
  }

  /// One that has agreed.
  static func open() throws -> TLSPair {
    let pair = try TLSPair()
    try pair.talk()
    return pair
  }
}
