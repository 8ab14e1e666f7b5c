/// The transactions that were heard of over one connection.
///
/// State and its owner: the connection's event loop.

internal import DocStore
internal import NIOCore
internal import Synchronization

package final class ConnectionTransactions {
  private static let made = Atomic<UInt64>(0)
  /// LIMIT: transactions that end with their connection; those beyond it end by themselves when idle.
  private static let idsMax = 10_000

  /// The owner; nil where there is none, as in tests.
  var eventLoop: (any EventLoop)?
  /// Another one for every connection of the process.
  let number = ConnectionTransactions.made.add(1, ordering: .relaxed).newValue
  private var ids: Set<TransactionID> = []
  private var abandon: (@Sendable (Set<TransactionID>, UInt64) -> Void)?

  func add(_ id: TransactionID, _ abandon: @escaping @Sendable (Set<TransactionID>, UInt64) -> Void) {
    eventLoop.assertInside()
    if ids.count < Self.idsMax { ids.insert(id) }
    self.abandon = abandon
  }

  func remove(_ id: TransactionID) {
    eventLoop.assertInside()
    ids.remove(id)
  }

  /// The connection is gone.
  func cut() {
    eventLoop.preconditionInside()
    if !ids.isEmpty { abandon?(ids, number) }
    ids = []
    abandon = nil
  }
}
