import Access
import DocStore
import FirestoreProtos
import NIOPosix
import Platform
import SwiftProtobuf
import TestSupport

@testable import Wire

/// The Firestore service on a store in memory, called through a connection without a socket. What the
/// service brings back from other threads waits in a queue that the test's thread empties.
final class ServiceHarness {
  typealias Job = @Sendable () -> Void

  let service: FirestoreService<NaiveEngine>
  let rulesets: RulesetRegistry
  private let threads = NIOThreadPool(numberOfThreads: 2)
  private let jobs = Monitor<[Job]>([])
  private let connection: GRPCConnection
  private let client = HTTP2TestClient()
  static let database = "projects/p/databases/(default)"
  static let root = database + "/documents"

  init(
    isOpen: Bool = false, profile: ServiceProfile = .production, indexes: IndexGate? = nil,
    faultTimer: FaultTimer? = nil, unsentBytesMax: Int? = nil
  ) throws {
    threads.start()
    rulesets = RulesetRegistry(isOpen: isOpen)
    let store = try DocumentStore(engine: NaiveEngine(), environment: .system)
    var options = FirestoreOptions()
    options.profile = profile
    if let faultTimer { options.faultTimer = faultTimer }
    if let unsentBytesMax { options.unsentBytesMax = unsentBytesMax }
    let guarded = GuardedStore(store, rulesets: rulesets, detail: profile.denialDetail, indexes: indexes)
    service = FirestoreService(guarded, threads: threads, options: options)
    let jobs = jobs
    connection = GRPCConnection(
      methods: GRPCMethodTable(service.methods + ReflectionService.methods), now: { 0 },
      perform: { job in jobs.change { $0.append(job) } })!
  }

  deinit { threads.shutdownGracefully { _ in } }

  func call(
    _ method: String, _ body: [UInt8], token: String? = "owner",
    service: String = "google.firestore.v1.Firestore"
  ) -> Received {
    let extra = token.map { [("authorization", "Bearer " + $0)] } ?? []
    let id = client.request(path: "/\(service)/\(method)", body: framed(body), extra: extra)
    while true {
      exchange()
      if let answer = client.streams[id], answer.isClosed { return answer }
      let ready = jobs.wait { jobs -> [Job]? in
        if jobs.isEmpty { return nil }
        defer { jobs = [] }
        return jobs
      }
      for job in ready { job() }
    }
  }

  /// Opens a stream in both directions.
  func open(_ method: String, token: String? = "owner", extra headers: [(String, String)] = []) -> Int32 {
    let extra = (token.map { [("authorization", "Bearer " + $0)] } ?? []) + headers
    return client.request(
      path: "/google.firestore.v1.Firestore/\(method)", body: [], ends: false, extra: extra)
  }

  func say(_ message: some SwiftProtobuf.Message, on id: Int32, ends: Bool = false) throws {
    client.append(id, framed(try message.serializedBytes()), ends: ends)
  }

  /// Lets everything run until a stream has received what is waited for, or is over.
  func receive(on id: Int32, until isEnough: (Received) -> Bool) -> Received {
    while true {
      exchange()
      if let answer = client.streams[id], answer.isClosed || isEnough(answer) { return answer }
      let ready = jobs.wait { jobs -> [Job]? in
        if jobs.isEmpty { return nil }
        defer { jobs = [] }
        return jobs
      }
      for job in ready { job() }
    }
  }

  private func exchange() {
    while true {
      let toServer = client.output()
      _ = toServer.withUnsafeBytes { connection.receive($0) }
      var toClient: [UInt8] = []
      while connection.output(atMost: 1 << 20, { toClient.append(contentsOf: $0) }) > 0 {}
      client.receive(toClient)
      if toServer.isEmpty, toClient.isEmpty { return }
    }
  }

  func call(_ method: String, _ message: some SwiftProtobuf.Message, token: String? = "owner") throws
    -> Received
  {
    call(method, try message.serializedBytes(), token: token)
  }

  /// Sets documents of one integer field each.
  func set(_ documents: [String: Int64]) throws {
    var request = Google_Firestore_V1_CommitRequest()
    request.database = Self.database
    request.writes = documents.sorted { $0.key < $1.key }.map { path, number in
      .with {
        $0.update.name = Self.root + "/" + path
        $0.update.fields["n"] = .with { $0.integerValue = number }
      }
    }
    _ = try call("Commit", request)
  }
}
