/// The whole front of a store: gRPC and HTTP on one port.

public import Access
public import DocStore
internal import NIOPosix

/// How a server answers, beyond where it listens.
public struct FirestoreServerOptions: Sendable {
  public var server = ServerOptions()
  /// Which service is followed where production and the official emulator differ.
  public var profile = ServiceProfile.production
  /// LIMIT: bytes of one gRPC request. Production's is the default.
  public var messageBytesMax = 11_534_336
  /// Threads for queries and large commits; nil for four per core.
  public var workerThreadCount: Int?

  public init() {}
}

/// A running server and the threads of its queries.
///
/// ```
/// let server = try await FirestoreServer.start(store, options) { ... }
/// print(server.address)
/// await server.stop()
/// ```
public final class FirestoreServer: Sendable {
  private let server: WireServer
  private let threads: NIOThreadPool

  private init(_ server: WireServer, _ threads: NIOThreadPool) {
    self.server = server
    self.threads = threads
  }

  /// Where it listens, with the port it got.
  public var address: ServerAddress { server.address }

  /// - Parameter onShutdownRequest: somebody asked over HTTP that the process end.
  public static func start<Engine: StorageEngine>(
    _ store: GuardedStore<Engine>, _ options: FirestoreServerOptions = FirestoreServerOptions(),
    onShutdownRequest: @escaping @Sendable () -> Void = {}
  ) async throws(ServerError) -> FirestoreServer {
    let threads = NIOThreadPool(numberOfThreads: options.workerThreadCount ?? 4 * WireServer.coreCount)
    threads.start()
    var serviceOptions = FirestoreOptions()
    serviceOptions.profile = options.profile
    let firestore = FirestoreService(store, threads: threads, options: serviceOptions)
    let http = HTTPService(firestore, shutDown: onShutdownRequest)
    var server = options.server
    server.grpc.messageBytesMax = options.messageBytesMax
    let routes = ServerRoutes(methods: GRPCMethodTable(firestore.methods + ReflectionService.methods)) {
      http.respond($0)
    }
    do throws(ServerError) {
      return FirestoreServer(try await WireServer.start(server, routes: routes), threads)
    } catch {
      try? await threads.shutdownGracefully()
      throw error
    }
  }

  public func waitUntilClosed() async { await server.waitUntilClosed() }

  /// Takes nothing new, lets what is under way finish for a while, then closes.
  public func stop() async {
    await server.stop()
    try? await threads.shutdownGracefully()
  }
}
