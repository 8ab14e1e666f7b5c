/// BeginTransaction and Rollback.

internal import Access
internal import DocModel
internal import DocStore
internal import SwiftProtobuf

extension FirestoreService {
  /// Source: spec/protocol.md 1.10.
  @Sendable
  func beginTransaction(_ call: ServerCall) throws(GRPCStatus) {
    let request = try call.withRequest { bytes throws(GRPCStatus) in
      try Self.control(Google_Firestore_V1_BeginTransactionRequest.self, bytes)
    }
    let database = try Self.checked { () throws(Complaint) in
      try ResourceNameParser.database(request.database)
    }
    let credentials = try credentials(call, in: database)
    let choice = try Self.choice(request.options)
    let transaction = try begin(choice, in: database, as: credentials)
    tie(transaction, to: call)
    call.respond(Answers.transaction(token(of: transaction, in: database, as: credentials)))
  }

  private static func choice(_ options: Google_Firestore_V1_TransactionOptions) throws(GRPCStatus)
    -> TransactionChoice
  {
    switch options.mode {
    case nil: return .readWrite(retrying: [])
    case .readWrite(let readWrite):
      let retried = Array(readWrite.retryTransaction)
      switch readWrite.concurrencyMode {
      case .optimistic: return .optimistic(retrying: retried)
      case .pessimistic, .unspecified, .UNRECOGNIZED: return .readWrite(retrying: retried)
      }
    case .readOnly(let readOnly):
      switch readOnly.consistencySelector {
      case nil: return .readOnly(at: nil)
      case .readTime(let time): return .readOnly(at: try Timestamp(wire: time))
      }
    }
  }

  @Sendable
  func rollback(_ call: ServerCall) throws(GRPCStatus) {
    let request = try call.withRequest { bytes throws(GRPCStatus) in
      try Self.control(Google_Firestore_V1_RollbackRequest.self, bytes)
    }
    let database = try Self.checked { () throws(Complaint) in
      try ResourceNameParser.database(request.database)
    }
    let credentials = try credentials(call, in: database)
    let transaction = try transaction(Array(request.transaction), in: database, as: credentials)
    try Self.stored { () throws(StoreError) in try store.store.rollBack(transaction, in: database) }
    call.ties?.remove(transaction)
    call.respond([])
  }
}
