/// Notes what a read-write transaction reads.

internal import DocModel
internal import Synchronization

/// The recorder of one view of one transaction.
struct ReadRecorder {
  let table: TransactionTable
  let transaction: UInt64
  /// Every commit at or below this version is visible in the view.
  let seen: Int64

  func note(_ path: ResourcePath) { table.note(path, by: transaction, seen: seen) }

  func note(_ scope: QueryScope) { table.note(scope, by: transaction, seen: seen) }

  func note(_ query: NormalizedQuery) -> QueryNote {
    let predicate = ReadPredicate(query, owner: transaction)
    table.note(predicate, seen: seen)
    return QueryNote(table: table, predicate: predicate, query: query)
  }
}

/// A query that was noted before its first document was read.
public final class QueryNote {
  private let table: TransactionTable
  private let predicate: ReadPredicate
  private let keys: OrderKeyMaker?

  init(table: TransactionTable, predicate: ReadPredicate, query: NormalizedQuery) {
    self.table = table
    self.predicate = predicate
    keys = query.nearest == nil ? OrderKeyMaker(orders: query.orders) : nil
  }

  /// The result is full and ends with this document: what lies behind it does not matter.
  func end(at path: UnsafeRawBufferPointer, _ document: StoredDocument) {
    guard let keys else { return }
    var writer = KeyWriter()
    guard keys.write(path, document.fields, to: &writer) else { return }
    table.bound(predicate, writer.bytes)
  }
}

/// Lets a commit be given up while it waits for others, or before it begins to.
public final class CommitCancellation: Sendable {
  private let cancelled = Atomic(false)

  public init() {}

  /// Whether nobody waits for the commit any more.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }
}
