/// The whole front of a store: gRPC and HTTP on one port.

public import Access
internal import DocModel
public import DocStore
public import Logging
internal import Requests
internal import Synchronization
public import Telemetry

/// How a server answers, beyond where it listens.
public struct FirestoreServerOptions: Sendable {
  public var server = ServerOptions()
  /// Which service is followed where production and the official emulator differ.
  public var profile = ServiceProfile.production
  /// LIMIT: bytes of one gRPC request. Production's is the default.
  public var messageBytesMax = RequestLimits.bodyBytesMax
  /// LIMIT: bytes of anonymous memory that connections may make the process take; the map of the store does not count.
  public var memoryBudget = MachineMemory.usualBudget
  /// Threads for queries and large commits; nil for four per core.
  public var workerThreadCount: Int?
  /// The one project that is served; nil for any.
  public var singleProject: SingleProject?
  /// Gets what happens; a line for each request at `info`.
  public var logger: Logger?
  /// After `POST /reset` has removed everything: brings back what the server began with. May block.
  public var afterReset: @Sendable () -> Void = {}
  /// Why no traffic should come, for `/readyz`; nil while all is well.
  public var unreadiness: @Sendable () -> String? = { nil }
  /// What is answered below `/emulator/v1/` beside the server's own.
  public var administration: EmulatorAdministration?
  /// What tools say of rules.
  public var rules = RulesHooks()
  /// The port of the WebSocket that tells what rules judged, on the server's host; 0 takes any free one, nil
  /// opens none. Needs a store with a feed.
  public var requestsPort: Int?
  /// Limits of browsers' streams.
  package var webChannel = WebChannelLimits()
  /// Pages that may do what pages of this machine may: administrate, and pass by the rules.
  public var allowedOrigins: [OriginPattern] = []
  /// Who may administrate and pass by the rules.
  public var access = AdministratorAccess()
  /// Whose signatures of tokens are believed, where they are checked.
  package var keys = TokenKeys()
  /// Names under which the server may be asked for over HTTP, beside those of this machine and `server.host`.
  public var allowedHosts: [HostPattern] = []
  /// More metrics for `/metrics`.
  public var moreMetrics: @Sendable (inout PrometheusText) -> Void = { _ in }

  public init() {}

  /// Whether a server on this host is reached by its own machine alone.
  public static func isLoopback(_ host: String) -> Bool {
    // Addresses of six stand without brackets here.
    (HostName(host) ?? HostName("[\(host)]"))?.isLoopback == true
  }

  var gate: RequestGate {
    let own = (try? HostPattern(server.host)).map { [$0] } ?? []
    return RequestGate(
      allowedOrigins: allowedOrigins, allowedHosts: allowedHosts + own, tokenChecks: profile.tokenChecks,
      access: access)
  }
}

/// The one project a server is for.
public struct SingleProject: Sendable {
  public let project: String
  /// Whether others are refused, or served with a warning.
  public let refusesOthers: Bool

  public init(_ project: String, refusesOthers: Bool) {
    self.project = project
    self.refusesOthers = refusesOthers
  }

  fileprivate func policy(_ logger: Logger?) -> ProjectPolicy {
    refusesOthers ? .refusing(project) : logger.map { .warning(project, $0) } ?? .any
  }
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
  private let threads: WorkerThreads
  private let isStopping: Flag
  private let requests: RequestsServer?
  private let webChannel: WebChannelService
  private let memory: MemoryBudget

  private init(
    _ server: WireServer, _ threads: WorkerThreads, _ isStopping: Flag, _ requests: RequestsServer?,
    _ webChannel: WebChannelService, _ memory: MemoryBudget
  ) {
    self.memory = memory
    self.webChannel = webChannel
    self.server = server
    self.requests = requests
    self.isStopping = isStopping
    self.threads = threads
  }

  /// Where it listens, with the port it got.
  public var address: ServerAddress { server.address }

  /// Where it tells what rules judged; nil when that was not asked for.
  public var requestsAddress: ServerAddress? { requests?.address }

  /// Streams of browsers that have not ended.
  package var webChannelSessionCount: Int { webChannel.sessionCount }

  /// - Parameter onShutdownRequest: somebody asked over HTTP that the process end.
  public static func start<Engine: StorageEngine>(
    _ store: GuardedStore<Engine>, _ options: FirestoreServerOptions = FirestoreServerOptions(),
    onShutdownRequest: @escaping @Sendable () -> Void = {}
  ) async throws(ServerError) -> FirestoreServer {
    let threads = WorkerThreads(count: options.workerThreadCount ?? 4 * WireServer.coreCount)
    var serviceOptions = FirestoreOptions()
    serviceOptions.profile = options.profile
    serviceOptions.access = options.access
    serviceOptions.keys = options.keys
    serviceOptions.tokenBytesMax = min(TokenCache.bytesMax, options.memoryBudget / 16)
    if let single = options.singleProject { serviceOptions.projects = single.policy(options.logger) }
    let firestore = FirestoreService(store, threads: threads, options: serviceOptions)
    let known = firestore.methods + ReflectionService.methods
    let metrics = ServerMetrics(methods: known.map(\.name))
    let observer = CallObserver(metrics: metrics, requestLog: options.logger, feed: store.feed)
    let isStopping = Flag()
    var hooks = ServerHooks()
    hooks.shutDown = onShutdownRequest
    hooks.afterReset = options.afterReset
    hooks.unreadiness = { isStopping.isSet ? "stopping" : options.unreadiness() }
    hooks.moreMetrics = options.moreMetrics
    hooks.administration = options.administration
    hooks.rules = options.rules
    hooks.observer = observer
    let memory = MemoryBudget(bytes: options.memoryBudget)
    hooks.memory = memory
    let gate = options.gate
    let http = HTTPService(firestore, hooks: hooks, gate: gate, webChannel: options.webChannel)
    var server = options.server
    server.logger = options.logger
    server.grpc.messageBytesMax = options.messageBytesMax
    if options.profile.limits == .emulator {
      server.http.bodyBytesMax = RequestLimits.emulatorBodyBytesMax
      server.http.bodyRefusal = nil
    }
    server.grpc.observer = observer
    server.grpc.offload = { [threads = firestore.threads] work in
      threads.submit(work)
    }
    server.grpc.memory = memory
    server.grpc.http2.tokens = firestore.tokens.cache
    let methods = known.map { $0.counted(as: metrics.index(of: $0.name)) }
    let routes = ServerRoutes(methods: GRPCMethodTable(methods)) { http.respond($0) }
    var requests: RequestsServer?
    do throws(ServerError) {
      if let port = options.requestsPort, let feed = store.feed {
        guard server.isReady() else { throw ServerError.withdrawn }
        requests = try await RequestsServer.start(
          host: server.host, port: port, feed, gate, threads: firestore.threads
        ) { EvaluationJSON.object($0, in: store) }
      }
      let wire = try await WireServer.start(server, routes: routes)
      QuietWatch(metrics).begin(on: wire.eventLoop)
      return FirestoreServer(wire, threads, isStopping, requests, http.webChannel, memory)
    } catch {
      await requests?.stop()
      await threads.end()
      throw error
    }
  }

  public func waitUntilClosed() async { await server.waitUntilClosed() }

  /// Takes nothing new, lets what is under way finish for a while, then closes.
  public func stop() async {
    isStopping.set()
    webChannel.stop()
    await requests?.stop()
    await server.stop()
    memory.close()
    await threads.end()
  }
}
