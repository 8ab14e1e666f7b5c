/// Commit and BatchWrite: many writes in one request.

internal import Access
internal import DocModel
internal import DocStore
internal import NIOPosix

/// A commit that has passed every check but the store's.
struct CheckedCommit: Sendable {
  let database: DatabaseID
  let writes: [Write]
  let transaction: TransactionID?
}

extension FirestoreService {
  /// LIMIT: bytes of a request whose writes are checked on the event loop; larger ones take a thread.
  private static var onEventLoopBytesMax: Int { 256 << 10 }

  /// Source: spec/protocol.md 1.11.
  @Sendable
  func commit(_ call: ServerCall) throws(GRPCStatus) {
    let credentials = try databaseCredentials(call)
    try checkWrites(call, isBatch: false) { [self] call, commit in
      carryOut(commit, as: credentials, for: call)
    }
  }

  /// The database's name is judged before the header, the header before the writes.
  private func databaseCredentials(_ call: ServerCall) throws(GRPCStatus) -> Credentials {
    let database = try call.withRequest { bytes throws(GRPCStatus) in
      // Only the name is asked for, which both kinds of request have in the same place.
      let request = try CommitRequest(bytes, isBatch: true)
      return try Self.checked { () throws(Complaint) in try ResourceNameParser.database(request.database) }
    }
    return try credentials(call, in: database)
  }

  /// Checks the writes of a request, here or on a thread, and goes on with them on the event loop.
  private func checkWrites(
    _ call: ServerCall, isBatch: Bool, then next: @escaping @Sendable (ServerCall, CheckedCommit) -> Void
  ) throws(GRPCStatus) {
    let request = call.requestMessage
    guard request.count > Self.onEventLoopBytesMax else {
      return next(call, try Self.checkedCommit(request, isBatch: isBatch))
    }
    let reference = call.reference
    threads.submit { state in
      guard state == .active else { return }
      do throws(GRPCStatus) {
        let commit = try Self.checkedCommit(request, isBatch: isBatch)
        // Who cancelled meanwhile wants nothing written.
        reference { if !$0.isFinished { next($0, commit) } }
      } catch {
        reference { $0.finish(error) }
      }
    }
  }

  private static func checkedCommit(
    _ message: RequestMessage, isBatch: Bool
  ) throws(GRPCStatus) -> CheckedCommit {
    try message.withBytes { bytes throws(GRPCStatus) in
      let request = try CommitRequest(bytes, isBatch: isBatch)
      let database = try checked { () throws(Complaint) in try ResourceNameParser.database(request.database) }
      let writes = try checked { () throws(Complaint) in try WriteList.read(request.writes, in: database) }
      let transaction = try stored { () throws(StoreError) in
        try request.transaction.map { (token) throws(StoreError) in try TransactionID(token) }
      }
      return CheckedCommit(database: database, writes: writes, transaction: transaction)
    }
  }

  private func carryOut(_ commit: CheckedCommit, as credentials: Credentials, for call: ServerCall) {
    let reference = call.reference
    if let transaction = commit.transaction { tie(transaction, to: call) }
    call.withOrigin(of: credentials) {
      store.submit(
        commit.database, commit.writes, transaction: commit.transaction, as: credentials,
        cancellation: cancellation(for: call)
      ) { result in
        reference { call in
          let isOver =
            switch result {
            case .success: true
            case .failure(let error): error.endsTransaction
            }
          if let transaction = commit.transaction, isOver { call.ties?.remove(transaction) }
          switch result {
          case .success(let result): call.respond(Answers.commit(result))
          case .failure(let error): call.finish(GRPCStatus(error))
          }
        }
      }
    }
  }

  /// Each write is a commit of its own. Source: spec/protocol.md 1.12.
  @Sendable
  func batchWrite(_ call: ServerCall) throws(GRPCStatus) {
    let credentials = try databaseCredentials(call)
    try checkWrites(call, isBatch: true) { [self] call, batch in
      do throws(GRPCStatus) {
        try Self.checked { () throws(Complaint) in try store.store.checkBatch(batch.writes) }
        try requireAdmin(credentials, orSay: "Batch writes require admin authentication.")
      } catch {
        return call.finish(error)
      }
      call.withOrigin(of: credentials) { carryOutEach(batch, as: credentials, for: call) }
    }
  }

  private func carryOutEach(_ batch: CheckedCommit, as credentials: Credentials, for call: ServerCall) {
    if batch.writes.isEmpty { return call.respond([]) }
    let outcomes = Monitor(BatchOutcomes(count: batch.writes.count))
    let reference = call.reference
    let cancellation = cancellation(for: call)
    for (index, write) in batch.writes.enumerated() {
      store.submit(batch.database, [write], as: credentials, cancellation: cancellation) { result in
        let outcome = result.map { $0.results.first ?? WriteResult(updateTime: nil) }.mapError(
          GRPCStatus.init)
        let all = outcomes.change { outcomes in outcomes.set(outcome, at: index) }
        if let all { reference { $0.respond(Answers.batchWrite(all)) } }
      }
    }
  }
}

/// The outcomes of a batch as they come.
private struct BatchOutcomes {
  private var outcomes: [Result<WriteResult, GRPCStatus>?]
  private var missing: Int

  init(count: Int) {
    outcomes = Array(repeating: nil, count: count)
    missing = count
  }

  /// All of them, once the last one is there.
  mutating func set(
    _ outcome: Result<WriteResult, GRPCStatus>, at index: Int
  ) -> [Result<WriteResult, GRPCStatus>]? {
    outcomes[index] = outcome
    missing -= 1
    return missing == 0 ? outcomes.compactMap { $0 } : nil
  }
}
