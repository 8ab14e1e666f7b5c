/// One TCP port for everything.
///
/// HTTP/2, with gRPC and everything else, and HTTP/1.1 share the port; the first bytes of a connection tell them
/// apart (`ProtocolSniffer`), under TLS (`ServerTLS`) or in plain text. The server owns its event loops; a connection lives on one of them.

package import Logging
internal import NIOCore
internal import NIOPosix
internal import Platform
internal import Synchronization

/// Where a server listens.
public struct ServerAddress: Equatable, Sendable, CustomStringConvertible {
  public let host: String
  public let port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Where clients on this machine reach it: what listens at every address is no address to connect to.
  public var reachable: ServerAddress {
    ["0.0.0.0", "::", "[::]"].contains(host) ? ServerAddress(host: "127.0.0.1", port: port) : self
  }

  /// `host:port`, with brackets around an IPv6 host.
  public var description: String {
    host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// Why a server does not start.
public enum ServerError: Error, Equatable, Sendable {
  /// Another program listens there.
  case addressInUse(host: String, port: Int)
  /// Ports below 1024 need a privilege, and some are reserved.
  case portForbidden(port: Int)
  /// The host names no address of this machine.
  case hostUnknown(host: String)
  case cannotListen(host: String, port: Int, reason: String)
  /// Who starts it has thought better of it.
  case withdrawn
}

public struct ServerOptions: Sendable {
  public var host = "127.0.0.1"
  /// 0 takes any free port; `WireServer.address` tells which.
  public var port = 8080
  /// Threads that serve connections; nil for one for every two cores: see "Half as many event loops as processors" in
  /// docs/decisions.md.
  public var eventLoopCount: Int?
  /// How long a graceful stop waits for calls under way.
  public var stopGraceSeconds = 5
  /// LIMIT: connections open at once; more are closed as they come. Nil for as many as the process may have
  /// file descriptors, less some for the store.
  public var connectionsMax: Int?
  /// LIMIT: the same for one client, which is an address, or a network of 64 bits. Nil lets one have them all.
  public var connectionsPerClientMax: Int?
  /// Nil for plain text. With TLS, nothing but TLS is served.
  public var tls: ServerTLS?
  /// Gets what clients do wrong before their first request.
  package var logger: Logger?
  /// LIMIT: how long a connection may be open without its first bytes, under TLS if that is spoken, saying which
  /// protocol it speaks.
  package var silenceMilliseconds: Int64 = 60_000
  /// A gRPC connection that was not used for one to two of these lets go of most of its memory.
  package var sleepMilliseconds: Int64 = 1_000
  /// One that has slept so long and is only told something sleeps on at once.
  package var longSleepMilliseconds: Int64 = 5_000
  package var grpc = GRPCOptions()
  package var http = HTTPOptions()
  /// Waits until the port may be opened, and says whether; what comes before goes on meanwhile.
  public var isReady: @Sendable () -> Bool = { true }

  public init() {}
}

/// What a server answers with.
package struct ServerRoutes: Sendable {
  package var methods: GRPCMethodTable
  package var http: @Sendable (HTTPExchange) -> Void

  package init(methods: GRPCMethodTable, http: @escaping @Sendable (HTTPExchange) -> Void) {
    self.methods = methods
    self.http = http
  }
}

/// A running server.
///
/// State and its owner: `connections` is shared by the event loops and guarded by its mutex; all else
/// is set at start.
public final class WireServer: Sendable {
  public let address: ServerAddress
  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let connections: ConnectionList
  private let stopGraceSeconds: Int

  private init(
    address: ServerAddress, group: MultiThreadedEventLoopGroup, listener: any Channel,
    connections: ConnectionList, stopGraceSeconds: Int
  ) {
    self.address = address
    self.group = group
    self.listener = listener
    self.connections = connections
    self.stopGraceSeconds = stopGraceSeconds
  }

  /// One that lives as long as the server.
  var eventLoop: any EventLoop { listener.eventLoop }

  /// Opens the port and serves until `stop`.
  package static func start(_ options: ServerOptions, routes: ServerRoutes)
    async throws(ServerError) -> WireServer
  {
    let group = MultiThreadedEventLoopGroup(
      numberOfThreads: options.eventLoopCount ?? max(1, System.coreCount / 2))
    let connections = ConnectionList(group, options)
    let door = ConnectionLimiter(options)
    let front = HTTPFront(options: options.http, respond: routes.http)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 128 << 10, high: 512 << 10))
      .childChannelOption(.allowRemoteHalfClosure, value: false)
      // A channel keeps its last buffer: a small one for who only listens, a larger one for who sends much.
      .childChannelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try door.enter(channel)
          try options.tls?.enter(channel, options.logger)
          let sniffer = ProtocolSniffer(
            options: options, methods: routes.methods, front: front, connections: connections)
          try channel.pipeline.syncOperations.addHandler(sniffer)
        }
      }
    ProtocolSniffer.prepareFirstConnection()
    guard options.isReady() else {
      try? await group.shutdownGracefully()
      throw .withdrawn
    }
    do {
      let listener = try await bootstrap.bind(host: options.host, port: options.port).get()
      let address = ServerAddress(
        host: listener.localAddress?.ipAddress ?? options.host,
        port: listener.localAddress?.port ?? options.port)
      return WireServer(
        address: address, group: group, listener: listener, connections: connections,
        stopGraceSeconds: options.stopGraceSeconds)
    } catch {
      try? await group.shutdownGracefully()
      throw Self.startError(error, host: options.host, port: options.port)
    }
  }

  static func startError(_ error: any Error, host: String, port: Int) -> ServerError {
    if let error = error as? IOError {
      switch error.errnoCode {
      case EADDRINUSE: return .addressInUse(host: host, port: port)
      case EACCES, EPERM: return .portForbidden(port: port)
      case EADDRNOTAVAIL: return .hostUnknown(host: host)
      default: break
      }
    }
    // The library says that a name is unknown in a type of its own.
    if error is SocketAddressError || error is SocketAddressError.UnknownHost {
      return .hostUnknown(host: host)
    }
    let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
    return .cannotListen(host: host, port: port, reason: reason ?? String(describing: error))
  }

  static var coreCount: Int { System.coreCount }

  /// How many connections have let go of their memory because nobody uses them.
  package var sleepingConnections: Int { connections.sleepingCount }

  /// Waits until the port is closed, by `stop` or by the system.
  public func waitUntilClosed() async {
    try? await listener.closeFuture.get()
  }

  /// Takes no new connection or request, lets those under way finish for a while, then closes.
  public func stop() async {
    try? await listener.close().get()
    await settleArrivals()
    connections.stopGracefully()
    let deadline = ContinuousClock.now + .seconds(stopGraceSeconds)
    while connections.count > 0, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(5))
    }
    connections.closeAll()
    try? await group.shutdownGracefully()
  }

  /// Lets connections that were accepted just now arrive at their event loops. SwiftNIO hands each over three times:
  /// to its own loop, back to the listener's, and to its own again; a loop that has ended would lose it, open.
  private func settleArrivals() async {
    for _ in 0..<3 {
      for loop in group.makeIterator() { try? await loop.submit {}.get() }
    }
  }
}

/// The open connections of a server, so that a stop can reach them.
final class ConnectionList: Sendable {
  /// What a connection does when the server stops. Called on any thread.
  struct Member: Sendable {
    let channel: any Channel
    let stopGracefully: @Sendable () -> Void
  }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    var isStopping = false
  }

  private let state = Mutex(State())
  private let watches: [ObjectIdentifier: SleepWatch]
  private let sleeping = SleepingCount()

  /// Connections that do not sleep.
  init() { watches = [:] }

  init(_ group: MultiThreadedEventLoopGroup, _ options: ServerOptions) {
    var watches: [ObjectIdentifier: SleepWatch] = [:]
    for eventLoop in group.makeIterator() {
      watches[ObjectIdentifier(eventLoop)] = SleepWatch(eventLoop, options, sleeping)
    }
    self.watches = watches
  }

  func watch(of eventLoop: any EventLoop) -> SleepWatch? { watches[ObjectIdentifier(eventLoop)] }

  /// How many connections sleep.
  var sleepingCount: Int { sleeping.count.load(ordering: .relaxed) }

  func add(_ member: Member) {
    let isStopping = state.withLock { state in
      state.members[ObjectIdentifier(member.channel)] = member
      return state.isStopping
    }
    if isStopping { member.stopGracefully() }
  }

  func remove(_ channel: any Channel) {
    state.withLock { state in
      state.members[ObjectIdentifier(channel)] = nil
    }
  }

  var count: Int { state.withLock { $0.members.count } }

  func stopGracefully() {
    let members = state.withLock { state in
      state.isStopping = true
      return Array(state.members.values)
    }
    for member in members { member.stopGracefully() }
  }

  func closeAll() {
    let members = state.withLock { Array($0.members.values) }
    for member in members { member.channel.close(promise: nil) }
  }
}
