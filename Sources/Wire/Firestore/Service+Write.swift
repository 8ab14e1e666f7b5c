/// Commit and BatchWrite: many writes in one request.

internal import Access
internal import DocModel
internal import DocStore
internal import Platform

/// A commit that has passed every check but the store's.
struct CheckedCommit: Sendable {
  let database: DatabaseID
  let writes: [Write]
  let transaction: TransactionID?
  let credentials: Credentials
}

extension FirestoreService {
  /// Source: docs/spec/protocol.md 1.11.
  @Sendable
  func commit(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { [self] (bytes, authorize) throws(GRPCStatus) in
      try checkedCommit(bytes, isBatch: false, authorize)
    } then: { [self] (call, commit) throws(GRPCStatus) in
      carryOut(commit, as: commit.credentials, for: call)
    }
  }

  /// The database's name is judged before the header, the header before the writes.
  private func checkedCommit(
    _ bytes: UnsafeRawBufferPointer, isBatch: Bool, _ authorize: Authorize
  ) throws(GRPCStatus) -> CheckedCommit {
    let request = try CommitRequest(bytes, isBatch: isBatch)
    let database = try Self.database(request.database)
    let credentials = try authorize(database)
    let writes = try Self.checked { () throws(InvalidArgument) in
      try WriteList.read(request.writes, in: database)
    }
    let own = try request.transaction.map { (token) throws(GRPCStatus) in
      try transaction(token, in: database, as: credentials)
    }
    return CheckedCommit(
      database: database, writes: writes, transaction: own, credentials: credentials)
  }

  private func carryOut(_ commit: CheckedCommit, as credentials: Credentials, for call: ServerCall) {
    let reference = call.reference
    if let transaction = commit.transaction { tie(transaction, to: call) }
    call.withOrigin(of: credentials) {
      store.submit(
        commit.database, commit.writes, transaction: commit.transaction, as: credentials,
        cancellation: cancellation(for: call), later: call.perform
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

  /// Each write is a commit of its own. Source: docs/spec/protocol.md 1.12.
  @Sendable
  func batchWrite(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { [self] (bytes, authorize) throws(GRPCStatus) in
      let batch = try checkedCommit(bytes, isBatch: true, authorize)
      try Self.checked { () throws(InvalidArgument) in try store.store.checkBatch(batch.writes) }
      return batch
    } then: { [self] (call, batch) throws(GRPCStatus) in
      try requireAdmin(batch.credentials, orSay: "Batch writes require admin authentication.")
      call.withOrigin(of: batch.credentials) { carryOutEach(batch, as: batch.credentials, for: call) }
    }
  }

  private func carryOutEach(_ batch: CheckedCommit, as credentials: Credentials, for call: ServerCall) {
    if batch.writes.isEmpty { return call.respond([]) }
    let results = Monitor(BatchResults<GRPCStatus>(count: batch.writes.count))
    let reference = call.reference
    let cancellation = cancellation(for: call)
    let origin = call.origin(of: credentials)
    let submit: @Sendable () -> Void = { [store] in
      CommitOrigin.$current.withValue(origin) {
        for (index, write) in batch.writes.enumerated() {
          store.submit(batch.database, [write], as: credentials, cancellation: cancellation) { result in
            let answer = result.map { $0.results.first ?? WriteResult(updateTime: nil) }.mapError(
              GRPCStatus.init)
            let all = results.change { results in results.set(answer, at: index) }
            if let all { reference { $0.respond(Answers.batchWrite(all)) } }
          }
        }
      }
    }
    guard batch.writes.count > Self.queuedOnEventLoopMax else { return submit() }
    threads.submit(submit)
  }

  /// LIMIT: commits of a batch that are queued on the event loop.
  private static var queuedOnEventLoopMax: Int { 500 }
}
