/// Where connections come in: counts them, and closes those that are too many.

internal import NIOCore
internal import Telemetry

/// Refusing early keeps file descriptors for the store, and tells clients at once instead of letting them wait in the
/// kernel's queue.
struct ConnectionDoor: Sendable {
  /// File descriptors that are kept for everything but connections.
  private static let reserve = 64

  private let connectionsMax: Int
  private let figures: ServerFigures

  init(_ options: ServerOptions) {
    connectionsMax = options.connectionsMax ?? max(16, ProcessFigures.openFilesMax - Self.reserve)
    figures = options.grpc.observer?.figures ?? ServerFigures(methods: [])
  }

  /// Lets a connection in, or throws, which closes it.
  func enter(_ channel: any Channel) throws {
    guard figures.connectionsOpen.increment() <= connectionsMax else {
      figures.connectionsOpen.subtract()
      figures.connectionsRefused.add()
      throw TooManyConnections()
    }
    figures.connectionsAccepted.add()
    let figures = figures
    channel.closeFuture.whenComplete { _ in figures.connectionsOpen.subtract() }
  }

  struct TooManyConnections: Error {}
}

/// Counts the bytes of an HTTP/1.1 connection.
final class ByteCounter: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let figures: ServerFigures

  init(_ figures: ServerFigures) { self.figures = figures }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    figures.bytesReceived.add(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    figures.bytesSent.add(unwrapOutboundIn(data).readableBytes)
    context.write(data, promise: promise)
  }
}
