/// Clients that ask for much and read nothing: they hold neither threads nor views, nor much memory.

import Access
import DocModel
import DocStore
import FirestoreProtos
import NIOPosix
import Platform
import SwiftProtobuf
import Synchronization
import TestSupport
import Testing

@testable import Wire

/// Several clients of one service, each on a connection of its own without a socket, on two threads.
final class ClientsHarness {
  typealias Job = @Sendable () -> Void

  /// Nanoseconds; stands still until it is set.
  final class Clock: Sendable {
    let nanoseconds = Atomic<UInt64>(0)
  }

  final class Peer {
    let connection: GRPCConnection
    let client = HTTP2TestClient()

    init(_ connection: GRPCConnection) { self.connection = connection }

    func request(
      _ method: String, _ message: some SwiftProtobuf.Message, timeout: String = "1H", ends: Bool = true
    ) throws -> Int32 {
      client.request(
        path: "/google.firestore.v1.Firestore/" + method, body: framed(try message.serializedBytes()),
        ends: ends, extra: [("authorization", "Bearer owner"), ("grpc-timeout", timeout)])
    }

    /// A client that does not read leaves everything with the server.
    func exchange(reading: Bool = true) {
      while true {
        let toServer = client.output()
        _ = toServer.withUnsafeBytes { connection.receive($0) }
        var toClient: [UInt8] = []
        if reading { while connection.output(atMost: 1 << 20, { toClient.append(contentsOf: $0) }) > 0 {} }
        client.receive(toClient)
        if toServer.isEmpty, toClient.isEmpty { return }
      }
    }
  }

  let store: DocumentStore<NaiveEngine>
  let threads = NIOThreadPool(numberOfThreads: 2)
  let clock = Clock()
  private let methods: GRPCMethodTable
  private let jobs = Monitor<[Job]>([])

  init(
    _ change: (inout FirestoreOptions) -> Void = { _ in },
    more: (NIOThreadPool) -> [GRPCMethod] = { _ in [] }
  ) throws {
    threads.start()
    store = try DocumentStore(engine: NaiveEngine(), environment: .system)
    var options = FirestoreOptions()
    options.unsentSortedBytesMax = 6 << 20
    change(&options)
    let guarded = GuardedStore(store, rulesets: RulesetRegistry(isOpen: true))
    let service = FirestoreService(guarded, threads: threads, options: options)
    methods = GRPCMethodTable(service.methods + more(threads))
  }

  deinit { threads.shutdownGracefully { _ in } }

  func connect() throws -> Peer {
    let jobs = jobs
    let clock = clock
    let connection = GRPCConnection(
      methods: methods, now: { clock.nanoseconds.load(ordering: .relaxed) },
      perform: { job in jobs.change { $0.append(job) } })
    return Peer(try #require(connection))
  }

  struct Stuck: Error {}

  /// Runs what threads bring back until `isDone`; `turn` lets clients talk. Throws when nothing comes.
  func run(until isDone: @autoclosure () throws -> Bool, _ turn: () -> Void = {}) throws {
    turn()
    while try !isDone() {
      try runOnce()
      turn()
    }
  }

  /// Waits until a thread has brought something back, and runs it. Throws when nothing comes.
  func runOnce() throws {
    let ready = jobs.wait(atMost: 30_000) { jobs -> [Job]? in
      if jobs.isEmpty { return nil }
      defer { jobs = [] }
      return jobs
    }
    guard let ready else { throw Stuck() }
    for job in ready { job() }
  }

  /// One call from beginning to end.
  func call(_ peer: Peer, _ method: String, _ message: some SwiftProtobuf.Message) throws -> Received {
    let id = try peer.request(method, message)
    try run(until: peer.client.streams[id]?.isClosed == true) { peer.exchange() }
    return peer.client.streams[id] ?? Received()
  }
}

@Suite("slow clients")
struct SlowClientTests {
  typealias H = ServiceHarness
  static let database = DatabaseID(project: "p")
  static let documentBytes = 150_000
  static let ids = (0..<60).map { $0 < 10 ? "0\($0)" : "\($0)" }

  /// Nine megabytes; `n` counts down.
  static func fill(_ harness: ClientsHarness) throws {
    for (index, id) in ids.enumerated() {
      let fields: Fields = [
        "n": .integer(Int64(60 - index)), "b": .bytes([UInt8](repeating: UInt8(index), count: documentBytes)),
      ]
      try harness.store.commitAndWait(
        database, [Write(ResourcePath(unchecked: "c/\(id)"), .update(fields: fields.encoded, mask: nil))])
    }
  }

  static func query(
    _ change: (inout Google_Firestore_V1_StructuredQuery) -> Void = { _ in }
  ) -> Google_Firestore_V1_RunQueryRequest {
    .with {
      $0.parent = H.root
      $0.structuredQuery.from = [.with { $0.collectionID = "c" }]
      change(&$0.structuredQuery)
    }
  }

  /// In order, backwards, sorted, of a group: what they ask, and the documents they must give.
  static let slowQueries: [(Google_Firestore_V1_RunQueryRequest, [String], skipped: Int32)] = [
    (query(), ids, 0),
    (
      query {
        $0.orderBy = [
          .with {
            $0.field.fieldPath = "__name__"
            $0.direction = .descending
          }
        ]
        $0.limit = 58
      }, Array(ids.reversed().prefix(58)), 0
    ),
    (query { $0.orderBy = [.with { $0.field.fieldPath = "n" }] }, ids.reversed(), 0),
    (
      query {
        $0.from[0].allDescendants = true
        $0.offset = 2
      }, Array(ids.dropFirst(2)), 2
    ),
  ]

  static let small = query { $0.limit = 2 }
  static let get = Google_Firestore_V1_GetDocumentRequest.with { $0.name = H.root + "/c/07" }
  static let getAll = Google_Firestore_V1_BatchGetDocumentsRequest.with {
    $0.database = H.database
    $0.documents = ids.map { H.root + "/c/" + $0 }
  }

  @Test("twelve queries that nobody reads leave threads for others, and are complete when read at last")
  func slowQueries() throws {
    let harness = try ClientsHarness()
    try Self.fill(harness)
    let slow = try harness.connect()
    let quick = try harness.connect()
    let requests = Array(repeating: Self.slowQueries, count: 3).flatMap { $0 }
    let streams = try requests.map { try slow.request("RunQuery", $0.0) }
    let batch = try slow.request("BatchGetDocuments", Self.getAll)
    slow.exchange(reading: false)

    for _ in 0..<10 {
      #expect(try harness.call(quick, "RunQuery", Self.small).messages.count == 2)
      #expect(try harness.call(quick, "GetDocument", Self.get).status == "0")
    }
    // What is read now shows none of this.
    for id in Self.ids {
      try harness.store.commitAndWait(Self.database, [Write(ResourcePath(unchecked: "c/\(id)"), .delete)])
    }

    let all = streams + [batch]
    try harness.run(until: all.allSatisfy { slow.client.streams[$0]?.isClosed == true }) {
      slow.exchange()
    }
    for (stream, (_, ids, skipped)) in zip(streams, requests) {
      let answer = try #require(slow.client.streams[stream])
      let rows = try answer.messages.map { try Google_Firestore_V1_RunQueryResponse(serializedBytes: $0) }
      #expect(answer.status == "0")
      let shown: [String] = rows.filter(\.hasDocument).map { String($0.document.name.suffix(2)) }
      #expect(shown == ids)
      #expect(rows.map(\.skippedResults).reduce(0, +) == skipped)
      #expect(Set(rows.map(\.readTime)).count == 1)
      #expect(rows.filter(\.hasDocument).allSatisfy { Self.isWhole($0.document) })
    }
    let answer = try #require(slow.client.streams[batch])
    let found = try answer.messages.map {
      try Google_Firestore_V1_BatchGetDocumentsResponse(serializedBytes: $0)
    }
    #expect(answer.status == "0")
    #expect(found.map(\.found.name) == Self.getAll.documents)
    #expect(found.allSatisfy { Self.isWhole($0.found) } && Set(found.map(\.readTime)).count == 1)
  }

  private static func isWhole(_ document: Google_Firestore_V1_Document) -> Bool {
    let bytes = document.fields["b"]?.bytesValue
    return bytes?.count == documentBytes && bytes?.last == UInt8(document.name.suffix(2))
  }

  // MARK: pieces

  /// An endless answer of kilobytes in pieces; counts what runs.
  final class Endless: Sendable {
    let sent = Atomic(0)
    let pieces = Atomic(0)
    let last: Int

    init(last: Int) { self.last = last }

    func piece(from start: Int) -> AnswerPiece {
      AnswerPiece { [self] stream in
        pieces.add(1, ordering: .relaxed)
        for number in start..<last {
          sent.add(1, ordering: .relaxed)
          let message = [UInt8(truncatingIfNeeded: number)] + [UInt8](repeating: 0, count: 1_023)
          if stream.send(message) == .stop { return piece(from: number + 1) }
        }
        return nil
      }
    }

    /// Starts on a thread, or at once on the event loop, as short answers do.
    func method(_ pool: NIOThreadPool, isHere: Bool) -> GRPCMethod {
      let threads = WorkerThreads(pool)
      return GRPCMethod("google.firestore.v1.Firestore/Endless", .serverStreaming) { [self] call in
        let stream = ResultStream(call, threads: threads, unsentBytesMax: 1 << 20)
        if isHere {
          do throws(GRPCStatus) { try stream.runHere(piece(from: 0), call) } catch { call.finish(error) }
        } else {
          stream.run(piece(from: 0))
        }
      }
    }
  }

  @Test("an answer stops at its limit, goes on when read, and keeps its order", arguments: [false, true])
  func limit(isHere: Bool) throws {
    let endless = Endless(last: 10_000)
    let harness = try ClientsHarness(more: { [endless.method($0, isHere: isHere)] })
    let slow = try harness.connect()
    let quick = try harness.connect()
    let stream = try slow.request("Endless", Self.get)
    slow.exchange(reading: false)
    try harness.run(until: endless.sent.load(ordering: .relaxed) >= 1_024)
    for _ in 0..<3 { _ = try harness.call(quick, "RunQuery", Self.small) }
    #expect(endless.pieces.load(ordering: .relaxed) == 1)
    // A kilobyte a message: the limit, what the stream of the connection holds, and one batch.
    #expect(endless.sent.load(ordering: .relaxed) <= 1_024 + 256 + 1 + 64)
    try harness.run(until: slow.client.streams[stream]?.isClosed == true) { slow.exchange() }
    let messages = slow.client.streams[stream]?.messages ?? []
    #expect(messages.count == 10_000)
    #expect(messages.indices.allSatisfy { messages[$0][0] == UInt8(truncatingIfNeeded: $0) })
    #expect(endless.pieces.load(ordering: .relaxed) > 1)
  }

  enum End: CaseIterable { case cancelled, connectionLost, late }

  @Test("a call that is cancelled, lost or late drops what would follow", arguments: End.allCases)
  func over(end: End) throws {
    let endless = Endless(last: .max)
    let harness = try ClientsHarness(more: { [endless.method($0, isHere: false)] })
    let slow = try harness.connect()
    let quick = try harness.connect()
    let stream = try slow.request("Endless", Self.get, timeout: "1S")
    slow.exchange(reading: false)
    try harness.run(until: endless.sent.load(ordering: .relaxed) >= 1_024)
    for _ in 0..<3 { _ = try harness.call(quick, "RunQuery", Self.small) }
    switch end {
    case .cancelled: slow.client.reset(stream)
    case .connectionLost: slow.connection.loseConnection()
    case .late:
      harness.clock.nanoseconds.store(1_000_000_000, ordering: .relaxed)
      slow.connection.expire()
    }
    for _ in 0..<3 {
      slow.exchange()
      _ = try harness.call(quick, "RunQuery", Self.small)
    }
    #expect(endless.pieces.load(ordering: .relaxed) == 1)
    #expect(slow.connection.http2.openStreamCount == 0)
    #expect(slow.connection.output(atMost: .max) { _ in } == 0)
    #expect(slow.client.streams[stream]?.status == (end == .late ? "4" : nil))
  }
}
