/// A server in this process and one connection to it, without sockets and event loops: what instructions are counted of.

internal import Access
internal import DocModel
internal import DocStore
internal import EngineLMDB
internal import NIOPosix
internal import Platform
internal import Rules
internal import Wire

/// State and its owner: the thread that made it. What comes back from other threads waits in `jobs`.
final class CountedServer {
  private typealias Job = @Sendable () -> Void

  static let database = DatabaseID(project: "bench")
  /// LIMIT: what valgrind gives; docsh's own map is larger.
  private static let mapBytes = 256 << 20

  let store: DocumentStore<LMDBEngine>
  private let threads = NIOThreadPool(numberOfThreads: 1)
  private let jobs = Monitor<[Job]>([])
  private let connection: GRPCConnection
  private var nextStream = 1
  /// Bytes of answers so far.
  private(set) var answeredBytes = 0
  /// What the last call was answered, frames and all.
  private(set) var answer: [UInt8] = []

  init(rules source: String, _ detail: DenialDetail = .explained) throws {
    guard let ruleset = Ruleset.compile(source: source, name: "counted.rules").ruleset else {
      throw BenchmarkFailure(description: "the rules do not compile")
    }
    threads.start()
    var storeOptions = StoreOptions()
    storeOptions.commitsOnCaller = true
    store = try DocumentStore(
      engine: LMDBEngine.ephemeral(settings: LMDBSettings(mapBytes: Self.mapBytes)), options: storeOptions)
    let rulesets = RulesetRegistry()
    rulesets.setStandard(ruleset)
    let service = FirestoreService(
      GuardedStore(store, rulesets: rulesets, detail: detail, feed: RequestFeed()), threads: threads)
    let jobs = jobs
    var options = GRPCOptions()
    options.http2.tokens = service.tokens.cache
    let connection = GRPCConnection(
      methods: GRPCMethodTable(service.methods), options: options, now: { 0 },
      perform: { job in jobs.change { $0.append(job) } })
    guard let connection else { throw BenchmarkFailure(description: "no memory for a connection") }
    self.connection = connection
    CountedFrames.opening.withUnsafeBytes { exchange($0) }
  }

  func close() throws {
    connection.loseConnection()
    store.close()
    try threads.syncShutdownGracefully()
  }

  /// Writes a document past the rules.
  func put(_ fields: Fields, _ path: String) throws { try put(Self.write(fields, path)) }

  func put(_ write: Write) throws { try store.commitAndWait(Self.database, [write]) }

  static func write(_ fields: Fields, _ path: String) -> Write {
    Write(ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil))
  }

  /// A document's fields; empty for none.
  func fields(of path: String) throws -> Fields {
    try store.read(Self.database) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: path)).map { Fields($0.fields) } ?? [:]
    }
  }

  /// Makes a call and waits for its answer; the bytes of it.
  @discardableResult
  func make(_ call: inout CountedCall) -> Int {
    let before = answeredBytes
    answer.removeAll(keepingCapacity: true)
    open(&call)
    while answeredBytes == before { runJobs() }
    return answeredBytes - before
  }

  /// Begins a call, or a stream that stays.
  func open(_ call: inout CountedCall) {
    call.withBytes(stream: nextStream) { exchange($0) }
    nextStream += 2
  }

  /// Lets the thread that writes tidy up, which it does behind a commit unless another one comes: else it would now be
  /// counted and now not.
  func rest() { usleep(2_000) }

  /// Waits until so many bytes of answers have come since `before`.
  func awaitAnswers(since before: Int, bytes: Int) {
    while answeredBytes - before < bytes { runJobs() }
  }

  private func exchange(_ bytes: UnsafeRawBufferPointer) {
    precondition(connection.receive(bytes), "the server takes what is sent")
    takeOutput()
  }

  private func takeOutput() {
    while true {
      let count = connection.output(atMost: 1 << 20) { answer += $0 }
      answeredBytes += count
      if count == 0 { return }
    }
  }

  /// Waits for what other threads bring, and does it.
  private func runJobs() {
    let ready = jobs.wait { jobs -> [Job]? in
      if jobs.isEmpty { return nil }
      defer { jobs = [] }
      return jobs
    }
    for job in ready { job() }
    takeOutput()
  }
}
