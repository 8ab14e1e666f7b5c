/// BeginTransaction and Rollback.

internal import Access
internal import DocModel
internal import DocStore

extension FirestoreService {
  /// Source: docs/spec/protocol.md 1.10.
  @Sendable
  func beginTransaction(_ call: ServerCall) throws(GRPCStatus) {
    let request = try call.withRequest { bytes throws(GRPCStatus) in
      try BeginTransactionRequest(bytes)
    }
    let database = try Self.database(request.database)
    let credentials = try credentials(call, in: database)
    let transaction = try begin(request.choice, in: database, as: credentials)
    tie(transaction, to: call)
    call.respond(Answers.transaction(token(of: transaction, in: database, as: credentials)))
  }

  @Sendable
  func rollback(_ call: ServerCall) throws(GRPCStatus) {
    let request = try call.withRequest { bytes throws(GRPCStatus) in
      try RollbackRequest(bytes)
    }
    let database = try Self.database(request.database)
    let credentials = try credentials(call, in: database)
    let transaction = try transaction(request.transaction, in: database, as: credentials)
    try Self.stored { () throws(StoreError) in try store.store.rollBack(transaction, in: database) }
    call.ties?.remove(transaction)
    call.respond([])
  }
}
