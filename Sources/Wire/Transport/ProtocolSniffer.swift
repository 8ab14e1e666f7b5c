/// Tells HTTP/2 from HTTP/1.1 by the first bytes of a connection.

internal import NIOCore
internal import NIOHTTP1
internal import Platform

/// Holds bytes back until they can only be one of the two, then makes room for that protocol.
///
/// HTTP/2 with prior knowledge begins with 24 fixed bytes; no HTTP/1.1 request begins like them beyond
/// the third.
final class ProtocolSniffer: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private let options: ServerOptions
  private let methods: GRPCMethodTable
  private let front: HTTPFront
  private let connections: ConnectionList
  private var held: ByteBuffer?
  /// Ends a connection that never says what it is.
  private var timer: Scheduled<Void>?
  private var isDecided = false

  init(
    options: ServerOptions, methods: GRPCMethodTable, front: HTTPFront, connections: ConnectionList
  ) {
    self.options = options
    self.methods = methods
    self.front = front
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: .milliseconds(options.silenceMilliseconds)) {
      channel.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
  }

  enum Verdict {
    case http1, http2, undecided
  }

  static func verdict(_ bytes: some Collection<UInt8>) -> Verdict {
    for (byte, expected) in zip(bytes, preface) where byte != expected { return .http1 }
    return bytes.count >= preface.count ? .http2 : .undecided
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    guard !isDecided else { return context.fireChannelRead(data) }
    if var held {
      held.writeBuffer(&bytes)
      bytes = held
    }
    switch Self.verdict(bytes.readableBytesView) {
    case .undecided: held = bytes
    case .http1: decide(context, bytes) { try self.addHTTP1(to: context) }
    case .http2: decide(context, bytes) { try self.addHTTP2(to: context) }
    }
  }

  /// TLS could not be agreed on, and closes the connection.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    HandshakeReport.tell(error, context.channel, options.logger)
    context.fireErrorCaught(error)
  }

  private func decide(
    _ context: ChannelHandlerContext, _ bytes: ByteBuffer, _ add: () throws -> Void
  ) {
    isDecided = true
    held = nil
    do {
      try add()
    } catch {
      return context.close(promise: nil)
    }
    context.fireChannelRead(wrapInboundOut(bytes))
    context.fireChannelReadComplete()
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  /// Asks the runtime what SwiftNIO will ask of the handlers of a first connection: each question is a walk over all conformances
  /// of the program, and its answer is kept. For a start, while it waits for something else.
  ///
  /// - Returns: how many answers were yes, so that the questions are not optimized away.
  @inline(never) @discardableResult
  static func prepareFirstConnection() -> Int {
    let handlers: [any ChannelHandler.Type] = [
      ProtocolSniffer.self, ByteCounter.self, HTTPResponseEncoder.self,
      ByteToMessageHandler<HTTPRequestDecoder>.self, HTTPServerPipelineHandler.self,
      HTTP1ChannelHandler.self, HTTP2ChannelHandler.self,
    ]
    return handlers.count { $0 is any _ChannelInboundHandler.Type }
      + handlers.count { $0 is any _ChannelOutboundHandler.Type }
  }

  private func addHTTP2(to context: ChannelHandlerContext) throws {
    guard
      let handler = HTTP2ChannelHandler(
        options: options.grpc, methods: methods, front: front, connections: connections)
    else { throw ChannelError.connectPending }
    try context.pipeline.syncOperations.addHandler(handler, position: .after(self))
  }

  private func addHTTP1(to context: ChannelHandlerContext) throws {
    let pipeline = context.pipeline.syncOperations
    Self.probe(context.channel)
    if let metrics = options.grpc.observer?.metrics {
      try pipeline.addHandler(ByteCounter(metrics), position: .after(self))
      return try addHTTP1(pipeline, position: .last)
    }
    try addHTTP1(pipeline, position: .after(self))
  }

  /// Has the system ask a silent client whether it is still there, so that what a browser which vanished leaves open
  /// is given back within a minute. gRPC asks by itself.
  private static func probe(_ channel: any Channel) {
    #if os(Linux)
      // A socket that takes no such options is served all the same.
      let options = channel.syncOptions
      try? options?.setOption(.socketOption(.so_keepalive), value: 1)
      for (option, value) in [(TCP_KEEPIDLE, 20), (TCP_KEEPINTVL, 10), (TCP_KEEPCNT, 3)] {
        try? options?.setOption(.tcpOption(.init(rawValue: option)), value: value)
      }
    #endif
  }

  private func addHTTP1(
    _ pipeline: ChannelPipeline.SynchronousOperations,
    position: ChannelPipeline.SynchronousOperations.Position
  ) throws {
    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
    let exchange = HTTP1ChannelHandler(
      front: front, connections: connections, memory: options.grpc.memory)
    try pipeline.addHandlers(
      [HTTPResponseEncoder(), decoder, HTTPServerPipelineHandler(), exchange],
      position: position)
  }
}
