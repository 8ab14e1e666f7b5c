/// Where connections come in: counts them, and closes those that are too many.

internal import NIOCore
internal import Telemetry

/// Refusing early keeps file descriptors for the store, and tells clients at once instead of letting them wait in the
/// kernel's queue.
struct ConnectionLimiter: Sendable {
  /// File descriptors that are kept for everything but connections.
  private static let reserve = 64

  private let connectionsMax: Int
  private let metrics: ServerMetrics

  init(_ options: ServerOptions) {
    connectionsMax = options.connectionsMax ?? max(16, ProcessMetrics.openFilesMax - Self.reserve)
    metrics = options.grpc.observer?.metrics ?? ServerMetrics(methods: [])
  }

  /// Lets a connection in, or throws, which closes it.
  func enter(_ channel: any Channel) throws {
    guard metrics.connectionsOpen.increment() <= connectionsMax else {
      metrics.connectionsOpen.subtract()
      metrics.connectionsRefused.add()
      throw TooManyConnections()
    }
    metrics.connectionsAccepted.add()
    let metrics = metrics
    channel.closeFuture.whenComplete { _ in metrics.connectionsOpen.subtract() }
  }

  struct TooManyConnections: Error {}
}

/// Counts the bytes of an HTTP/1.1 connection.
final class ByteCounter: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let metrics: ServerMetrics

  init(_ metrics: ServerMetrics) { self.metrics = metrics }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    metrics.bytesReceived.add(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    metrics.bytesSent.add(unwrapOutboundIn(data).readableBytes)
    context.write(data, promise: promise)
  }
}
