/// google.firestore.v1.Firestore: which methods there are, and what all of them share.
///
/// One file holds each family of methods: reads by name, lists and queries, transactions, writes. Point
/// reads run on the connection's event loop, which answers them in the same turn; everything that may
/// take long, a large request and a heavy rule among it, runs on `threads`.
///
/// The order in which a request is judged is the protocol's (docs/spec/protocol.md 1.4): readable message,
/// resource name, authorization, the rest of the request, administrator's right, rules, execution.

package import Access
internal import DocModel
package import DocStore
package import Faults
internal import NIOCore
package import NIOPosix
internal import Synchronization

package struct FirestoreOptions: Sendable {
  /// Which service is followed where production and the official emulator differ.
  package var profile = ServiceProfile.production
  /// Who counts as an administrator.
  package var access = AdministratorAccess()
  /// Whose signatures of tokens are believed, where they are checked.
  package var keys = TokenKeys()
  /// LIMIT: bytes of a streamed answer that wait for a slow client; above, its reading of the store stops
  /// until the client has caught up. An answer holds one document and `unsentStreamBytesHigh` more at most.
  package var unsentBytesMax = 4 << 20
  /// LIMIT: the same for queries that are sorted again when they go on.
  package var unsentSortedBytesMax = 16 << 20
  /// Which projects are served.
  package var projects = ProjectPolicy.any
  /// What Listen streams may hold.
  package var listen = ListenLimits()
  /// LIMIT: bytes of tokens that are kept so that they are read once.
  package var tokenBytesMax = TokenCache.bytesMax
  /// What wakes calls that an injected fault delays.
  package var faultTimer = FaultTimer.standard

  package init() {}
}

package final class FirestoreService<Engine: StorageEngine>: Sendable {
  package let store: GuardedStore<Engine>
  package let tokens: TokenReader
  let threads: WorkerThreads
  let options: FirestoreOptions
  let listening: Listening<Engine>
  private let catchingUp: CatchingUp
  /// What goes wrong on purpose.
  package let faults = FaultInjector()
  /// Write streams opened so far: their ids.
  let writeStreams = Atomic(0)

  package convenience init(
    _ store: GuardedStore<Engine>, threads: NIOThreadPool, options: FirestoreOptions = FirestoreOptions()
  ) {
    self.init(store, threads: WorkerThreads(threads), options: options)
  }

  package init(_ store: GuardedStore<Engine>, threads: WorkerThreads, options: FirestoreOptions) {
    self.store = store
    self.threads = threads
    self.options = options
    catchingUp = CatchingUp(store.store)
    tokens = TokenReader(
      options.profile, options.access, cache: TokenCache(bytesMax: options.tokenBytesMax),
      keys: options.keys)
    let listening = Listening(store.store, limits: options.listen) { work in
      threads.submit(work)
    }
    self.listening = listening
    store.rulesets.observe { [weak listening] database in listening?.rulesChanged(of: database) }
  }

  /// All methods, under the current and the old name of the service.
  package var methods: [GRPCMethod] {
    methods(of: "google.firestore.v1.Firestore/") + methods(of: "google.firestore.v1beta1.Firestore/")
  }

  private func methods(of service: String) -> [GRPCMethod] {
    [
      method(service + "GetDocument", .unary, getDocument),
      method(service + "ListDocuments", .unary, listDocuments),
      method(service + "CreateDocument", .unary, createDocument),
      method(service + "UpdateDocument", .unary, updateDocument),
      method(service + "DeleteDocument", .unary, deleteDocument),
      method(service + "BatchGetDocuments", .serverStreaming, batchGetDocuments),
      method(service + "BeginTransaction", .unary, beginTransaction),
      method(service + "Commit", .unary, commit),
      method(service + "Rollback", .unary, rollback),
      method(service + "RunQuery", .serverStreaming, runQuery),
      method(service + "RunAggregationQuery", .serverStreaming, runAggregationQuery),
      method(service + "ListCollectionIds", .unary, listCollectionIDs),
      method(service + "BatchWrite", .unary, batchWrite),
      method(service + "PartitionQuery", .unary, partitionQuery),
      method(service + "ExecutePipeline", .serverStreaming, executePipeline),
      method(service + "Listen", .bidirectional, listen),
      method(service + "Write", .bidirectional, writeStream),
    ]
  }

  /// `run` may throw the call's status, before it has answered.
  private func method(
    _ name: String, _ kind: GRPCMethodKind,
    _ run: @escaping @Sendable (ServerCall) throws(GRPCStatus) -> Void
  ) -> GRPCMethod {
    let short = ServerMetrics.shortName(name)
    let current = mustBeCurrent(short) ? catchingUp.before(run) : run
    let run =
      store.store.isShared && FaultedMessage.mayHaveTransaction(short) ? bringing(short, current) : current
    guard let faulted = InjectedFault.Call(method: short) else {
      return GRPCMethod(name, kind) { call in
        do throws(GRPCStatus) { try run(call) } catch { call.finish(error) }
      }
    }
    return GRPCMethod(name, kind) { [self] call in
      if faults.areSet { return begin(call, faulted, short, run) }
      do throws(GRPCStatus) { try run(call) } catch { call.finish(error) }
    }
  }
}

// MARK: - Several servers

extension FirestoreService {
  /// Whether a method answers from what is stored, which other servers may have changed. Commits are planned on the newest
  /// state anyway, and listeners see to it themselves.
  private func mustBeCurrent(_ method: String) -> Bool {
    guard store.store.isShared else { return false }
    switch method {
    case "CreateDocument", "UpdateDocument", "DeleteDocument", "Commit", "Rollback", "BatchWrite", "Listen",
      "Write":
      return false
    default: return true
    }
  }

  /// A method whose calls may be of a transaction that another server has: it begins when that is here.
  private func bringing(_ method: String, _ run: @escaping Beginning) -> Beginning {
    { [self] (call) throws(GRPCStatus) in
      let token = call.withRequest { FaultedMessage.transaction(of: method, $0) }
      guard let token, store.store.isElsewhere(token) else { return try run(call) }
      let reference = call.reference
      store.store.bring(token) { reference.goOn(run) }
    }
  }
}

// MARK: - What methods share

extension FirestoreService {
  var nowSeconds: Int64 { store.store.environment.now() / 1_000_000 }

  /// Who calls, for documents of a database. Throws for a header that is none.
  func credentials(_ call: ServerCall, in database: DatabaseID) throws(GRPCStatus) -> Credentials {
    do throws(GRPCStatus) {
      let credentials = try tokens.credentials(
        call.authorization, for: database.project, nowSeconds: nowSeconds)
      call.note(database, credentials)
      try options.projects.admit(database.project)
      return credentials
    } catch {
      throw Self.refusal(error, of: call.methodName)
    }
  }

  /// The same for a thread, which may not touch the call.
  func credentials(
    _ authorization: Authorization?, in database: DatabaseID, for methodName: String
  ) throws(GRPCStatus) -> Credentials {
    do throws(GRPCStatus) {
      let credentials = try tokens.credentials(
        authorization, for: database.project, nowSeconds: nowSeconds)
      try options.projects.admit(database.project)
      return credentials
    } catch {
      throw Self.refusal(error, of: methodName)
    }
  }

  private static func refusal(_ error: GRPCStatus, of methodName: String) -> GRPCStatus {
    guard error == AuthStatus.invalidCredentials else { return error }
    return error.with(ErrorInfo.credentialsMissing(methodName).detail)
  }

  /// Users may not do what follows. Source: docs/spec/production-differences.md C10.
  func requireAdmin(_ credentials: Credentials, orSay official: String) throws(GRPCStatus) {
    guard !credentials.isAdmin else { return }
    switch options.profile.errorTexts {
    case .production: throw GRPCStatus(.permissionDenied, DenialText.bare)
    case .emulator: throw GRPCStatus(.permissionDenied, official)
    }
  }

  /// Runs a piece of the request's validation.
  static func checked<Result>(_ body: () throws(InvalidArgument) -> Result) throws(GRPCStatus) -> Result {
    do throws(InvalidArgument) { return try body() } catch { throw GRPCStatus(error) }
  }

  static func database(_ name: String) throws(GRPCStatus) -> DatabaseID {
    try checked { () throws(InvalidArgument) in try ResourceNameParser.database(name) }
  }

  static func parent(_ name: String) throws(GRPCStatus) -> (database: DatabaseID, path: ResourcePath) {
    try checked { () throws(InvalidArgument) in try ResourceNameParser.parent(name) }
  }

  /// Runs a piece of work on the store.
  static func stored<Result>(_ body: () throws(StoreError) -> Result) throws(GRPCStatus) -> Result {
    do throws(StoreError) { return try body() } catch { throw GRPCStatus(error) }
  }

  static func mask(_ paths: [String]?) throws(GRPCStatus) -> FieldMask? {
    guard let paths else { return nil }
    return try checked { () throws(InvalidArgument) in try FieldMask(parsing: paths) }
  }

  /// Begins a transaction where the request asks for one. The token is what the first answer carries.
  func readTime(
    _ choice: ConsistencyChoice, in database: DatabaseID, as credentials: Credentials
  ) throws(GRPCStatus) -> (time: ReadTime, newTransaction: [UInt8]?) {
    switch choice {
    case .latest: return (.newest, nil)
    case .transaction(let token):
      return (.transaction(try transaction(token, in: database, as: credentials)), nil)
    case .readTime(let time): return (.at(time.microseconds), nil)
    case .newTransaction(let choice):
      let transaction = try begin(choice, in: database, as: credentials)
      return (.transaction(transaction), token(of: transaction, in: database, as: credentials))
    }
  }

  /// The caller's own transaction.
  func transaction(
    _ token: [UInt8], in database: DatabaseID, as credentials: Credentials
  ) throws(GRPCStatus) -> TransactionID {
    try Self.stored { () throws(StoreError) in
      try store.store.transaction(token, in: database, of: credentials.author)
    }
  }

  func token(of transaction: TransactionID, in database: DatabaseID, as credentials: Credentials) -> [UInt8] {
    store.store.token(of: transaction, in: database, for: credentials.author)
  }

  /// Transactions that write are for servers, where the profile says so; SDKs of apps send preconditions.
  /// Source: docs/spec/production-differences.md T14.
  func begin(
    _ choice: TransactionChoice, in database: DatabaseID, as credentials: Credentials
  ) throws(GRPCStatus) -> TransactionID {
    var options: TransactionOptions
    switch choice {
    case .readWrite(let retried), .optimistic(let retried):
      guard credentials.isAdmin || self.options.profile.userTransactions == .all else {
        throw GRPCStatus(.permissionDenied, DenialText.bare)
      }
      options = TransactionOptions(.readWrite(retrying: retried))
      if case .optimistic = choice { options.isOptimistic = true }
    case .readOnly(let time): options = TransactionOptions(.readOnly(readTime: time?.microseconds))
    }
    return try Self.stored { () throws(StoreError) in
      try store.store.beginTransaction(database, options, of: credentials.author)
    }
  }
}
