/// Where connections come in: counts them, and closes those that are too many.

internal import NIOCore
internal import Platform
internal import Synchronization
internal import Telemetry

/// Refusing early keeps file descriptors for the store, and tells clients at once instead of letting them wait in the
/// kernel's queue.
struct ConnectionLimiter: Sendable {
  /// File descriptors that are kept for everything but connections.
  private static let reserve = 64

  private let connectionsMax: Int
  private let metrics: ServerMetrics
  /// Nil where one client may have all of them.
  private let clients: ClientConnections?

  init(_ options: ServerOptions) {
    connectionsMax = options.connectionsMax ?? max(16, ProcessMetrics.openFilesMax - Self.reserve)
    metrics = options.grpc.observer?.metrics ?? ServerMetrics(methods: [])
    clients = options.connectionsPerClientMax.map { ClientConnections(max: $0) }
  }

  /// Lets a connection in, or throws, which closes it.
  func enter(_ channel: any Channel) throws {
    let client = clients == nil ? nil : channel.remoteAddress?.ipAddress.flatMap(ClientAddress.init)
    if let client, clients?.add(client) == false {
      metrics.connectionsRefused.add()
      throw TooManyConnections()
    }
    guard metrics.connectionsOpen.increment() <= connectionsMax else {
      metrics.connectionsOpen.subtract()
      metrics.connectionsRefused.add()
      if let client { clients?.remove(client) }
      throw TooManyConnections()
    }
    metrics.connectionsAccepted.add()
    channel.closeFuture.whenComplete { [metrics, clients] _ in
      metrics.connectionsOpen.subtract()
      if let client { clients?.remove(client) }
    }
  }

  struct TooManyConnections: Error {}
}

/// Who a connection is from: an address of four bytes, or the network of one of sixteen, all of which one client has.
struct ClientAddress: Hashable, Sendable {
  private let bytes: UInt64

  /// - Parameter text: an address without a port.
  init?(_ text: String) {
    var four = [UInt8](repeating: 0, count: 4)
    var sixteen = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(v6: Array(repeating: 0, count: 10) + [0xFF, 0xFF] + four)
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      self.init(v6: sixteen)
    } else {
      return nil
    }
  }

  private init(number: UInt64) { bytes = number }

  /// - Parameter bytes: sixteen of them, ten zeros and two ones before those of an address of four.
  private init(v6 bytes: [UInt8]) {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    self.init(number: isMapped ? number(bytes[12...]) : number(bytes[..<8]))
  }
}

/// How many connections each client has.
///
/// State: behind a mutex, held to count one. Who has none is not in it.
final class ClientConnections: Sendable {
  private let counts = Mutex<[ClientAddress: Int]>([:])
  private let max: Int

  init(max: Int) { self.max = max }

  /// Counts one more; false, and nothing is counted, when the client has as many as it may.
  func add(_ client: ClientAddress) -> Bool {
    counts.withLock { counts in
      let count = counts[client] ?? 0
      guard count < max else { return false }
      counts[client] = count + 1
      return true
    }
  }

  func remove(_ client: ClientAddress) {
    counts.withLock { counts in
      let count = counts[client] ?? 0
      counts[client] = count > 1 ? count - 1 : nil
    }
  }
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
