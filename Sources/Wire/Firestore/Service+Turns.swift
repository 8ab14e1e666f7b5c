/// Transactions and the calls and connections that carry them: reads that stand in line, commits whose answer
/// nobody wants any more, connections that take their transactions with them.

internal import Access
internal import DocModel
internal import DocStore
internal import NIOCore
internal import Synchronization

extension FirestoreService {
  /// Notes over which connection a transaction is heard of. Connections of HTTP/1.1 come and go.
  /// Source: docs/spec/streams.md 4.3 item 8.
  func tie(_ transaction: TransactionID, to call: ServerCall) {
    guard let ties = call.ties else { return }
    let store = store.store
    store.bind(transaction, toConnection: ties.number)
    ties.add(transaction) { ids, number in store.abandonTransactions(ids, ofConnection: number) }
  }

  /// Goes on with a read at once, or when it is the transaction's turn.
  /// Source: docs/spec/streams.md 4.3 item 6.
  func inTurn(
    _ time: ReadTime, in database: DatabaseID, at paths: some Sequence<ResourcePath>,
    _ call: ServerCall, _ read: @escaping @Sendable (ServerCall) throws(GRPCStatus) -> Void
  ) throws(GRPCStatus) {
    guard case .transaction(let transaction) = time else { return try read(call) }
    tie(transaction, to: call)
    let reference = call.reference
    let mayGoAhead = store.store.takeTurns(transaction, in: database, at: paths) {
      reference.goOn(read)
    }
    if mayGoAhead { try read(call) }
  }

  /// What gives a commit up when its call is cancelled, late or lost while it waits for locks.
  func cancellation(for call: ServerCall) -> CommitCancellation {
    let cancellation = CommitCancellation()
    let store = store.store
    call.onCancel = { store.cancel(cancellation) }
    return cancellation
  }
}
