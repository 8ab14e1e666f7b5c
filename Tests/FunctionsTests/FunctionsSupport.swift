/// A function of our own behind a port, and a store with a runner beside it.

import DocModel
import DocStore
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport
import Triggers

@testable import Functions

/// One request as a function sees it.
struct SeenRequest: Sendable {
  let target: String
  let headers: [String: String]
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A server on a free port that notes requests and answers them as it is told.
final class TestFunction: Sendable {
  private let seen = Mutex<[SeenRequest]>([])
  private let statuses: @Sendable (SeenRequest, Int) -> Int
  private let channel = Mutex<(any Channel)?>(nil)
  let port: Int

  var requests: [SeenRequest] { seen.withLock { $0 } }

  /// - Parameter status: what to answer, by the request and how many came before it; 0 hangs up, -1 never answers.
  init(port: Int = 0, status: @escaping @Sendable (SeenRequest, Int) -> Int = { _, _ in 200 }) async throws {
    statuses = status
    let owner = Owner()
    let bound = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Reader { owner.take($0) })
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
    self.port = bound.localAddress?.port ?? 0
    channel.withLock { $0 = bound }
    owner.function.withLock { $0 = self }
  }

  /// Who takes requests, once there is somebody.
  private final class Owner: Sendable {
    let function = Mutex<TestFunction?>(nil)

    func take(_ request: SeenRequest) -> Int { function.withLock { $0 }?.take(request) ?? 503 }
  }

  private func take(_ request: SeenRequest) -> Int {
    let before = seen.withLock { seen in
      seen.append(request)
      return seen.count - 1
    }
    return statuses(request, before)
  }

  func stop() async throws {
    let open = channel.withLock { channel in
      defer { channel = nil }
      return channel
    }
    try await open?.close().get()
  }

  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let take: @Sendable (SeenRequest) -> Int
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ take: @escaping @Sendable (SeenRequest) -> Int) { self.take = take }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): self.head = head
      case .body(let part): body += Array(part.readableBytesView)
      case .end:
        var headers: [String: String] = [:]
        for header in head?.headers ?? [:] { headers[header.name.lowercased()] = header.value }
        let status = take(SeenRequest(target: head?.uri ?? "", headers: headers, body: body))
        if status < 0 { return }
        guard status != 0 else { return context.close(promise: nil) }
        var answer = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status))
        answer.headers.add(name: "content-length", value: "5")
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "hello")))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      }
    }
  }
}

extension FunctionEndpoint {
  /// A function of this machine that is tried again soon.
  init(_ name: String, _ event: DocumentTrigger.Event, _ document: String, port: Int) {
    self.init(
      name: name, event: event, document: document,
      address: EndpointAddress(host: "127.0.0.1", port: port, target: "/"))
  }
}

let database = DatabaseID(project: "demo-f")

extension DocumentStore {
  @discardableResult
  func set(_ path: String, _ fields: Fields) async throws -> CommitResult {
    try await commit(
      database, [Write(ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil))])
  }

  @discardableResult
  func delete(_ path: String) async throws -> CommitResult {
    try await commit(database, [Write(ResourcePath(unchecked: path), .delete)])
  }
}

/// A store, a runner and the host of its functions, running while `body` does.
func hosting(
  sink: (host: String, port: Int)? = nil, settings: TriggerSettings = .init(),
  _ body: (DocumentStore<NaiveEngine>, TriggerRunner<NaiveEngine>, FunctionsHost<NaiveEngine>) async throws ->
    Void
) async throws {
  let store = try DocumentStore(engine: NaiveEngine())
  var settings = settings
  settings.discoveryInterval = .milliseconds(20)
  let runner = try TriggerRunner(store, [], settings: settings)
  let host = FunctionsHost(runner, on: store, sink: sink)
  let running = Task { await runner.run() }
  do {
    try await body(store, runner, host)
  } catch {
    running.cancel()
    await running.value
    throw error
  }
  running.cancel()
  await running.value
  store.close()
}
