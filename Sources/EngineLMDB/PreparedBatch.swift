/// A batch that is applied while it is not known yet whether it counts.

internal import CLMDB
package import DocStore
internal import Platform

/// A batch that was applied and is not there yet. It is taken back when this ends.
///
/// INVARIANT: stays on the thread that has made it, to which the library binds its transaction.
package final class PreparedBatch {
  private let engine: LMDBEngine
  private var transaction: OpaquePointer?

  fileprivate init(_ engine: LMDBEngine, _ transaction: OpaquePointer) {
    self.engine = engine
    self.transaction = transaction
  }

  /// False where nothing has happened.
  package func commit() -> Bool {
    guard let transaction else { return false }
    self.transaction = nil
    return engine.end(transaction, commits: true)
  }

  deinit {
    if let transaction { _ = engine.end(transaction, commits: false) }
  }
}

extension LMDBEngine {
  /// Applies a batch, which nobody sees before `PreparedBatch.commit`; nil where that cannot be now, and then `write` is to
  /// do it. Nobody else writes as long as it lives. For stores that end with the process.
  package func prepare(_ batch: MutationBatch) -> PreparedBatch? {
    precondition(log == nil && !isReadOnly)
    beginWriting()
    if let transaction = environment.writing({ begun(batch) }) { return PreparedBatch(self, transaction) }
    isWriting.change { $0 = false }
    return nil
  }

  private func begun(_ batch: MutationBatch) -> OpaquePointer? {
    do throws(StorageError) { try space?.check(for: batch.byteCount) } catch { return nil }
    var begun: OpaquePointer?
    guard mdb_txn_begin(environment.pointer, nil, 0, &begun) == 0, let transaction = begun else { return nil }
    if apply(batch.mutations, transaction) == 0 { return transaction }
    mdb_txn_abort(transaction)
    return nil
  }

  fileprivate func end(_ transaction: OpaquePointer, commits: Bool) -> Bool {
    defer { isWriting.change { $0 = false } }
    return environment.writing {
      if commits { return mdb_txn_commit(transaction) == 0 }
      mdb_txn_abort(transaction)
      return false
    }
  }
}
