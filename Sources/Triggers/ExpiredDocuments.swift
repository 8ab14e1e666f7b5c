/// TTL policies: documents are deleted when the time in one of their fields has come.
///
/// Every document of a collection group that holds a timestamp in the policy's field, not after the store's time, is deleted
/// by the server, past the rules; what lies below it stays. Other values never expire. The deletions are ordinary
/// commits: listeners see them, triggers fire.
///
/// Looking for them costs what there is to delete: the query needs an index, which the store builds when it is first
/// worth it.
/// Source: the service's documentation of TTL policies; `ttl` of `fieldOverrides` in a firestore.indexes.json.

public import DocModel
public import DocStore
internal import Synchronization

public final class ExpiredDocuments<Engine: StorageEngine>: TimedWork {
  /// Seconds between two looks. A document is deleted a minute after its time at the latest.
  private static var interval: Duration { .seconds(10) }
  /// LIMIT: documents deleted in one commit.
  private static var batchMax: Int { 300 }

  private let store: DocumentStore<Engine>
  private let indexes: @Sendable (DatabaseID) -> DefinedIndexes?
  private let report: @Sendable (DatabaseID?, StoreError) -> Void
  private let deleted = Atomic<Int>(0)

  /// - Parameters:
  ///   - indexes: what is defined for a database now.
  ///   - report: called when storage fails; what was not deleted is looked for at the next time.
  public init(
    _ store: DocumentStore<Engine>, indexes: @escaping @Sendable (DatabaseID) -> DefinedIndexes?,
    report: @escaping @Sendable (DatabaseID?, StoreError) -> Void
  ) {
    self.store = store
    self.indexes = indexes
    self.report = report
  }

  /// Documents deleted so far.
  public var deletedCount: Int { deleted.load(ordering: .relaxed) }

  /// It looks now and then, and does not know.
  public var nextTime: Int64? { nil }

  public func run() async {
    repeat { await runDue() } while (try? await Task.sleep(for: Self.interval)) != nil
  }

  public func runDue() async {
    if !store.leads { return }
    let databases: [DatabaseID]
    do throws(StoreError) { databases = try store.databases() } catch { return report(nil, error) }
    for database in databases {
      do throws(StoreError) {
        for (collectionID, path) in indexes(database)?.expiries ?? [] {
          try await delete(database, collectionID, path)
        }
      } catch {
        report(database, error)
      }
    }
  }

  private func delete(
    _ database: DatabaseID, _ collectionID: String, _ path: FieldPath
  ) async throws(StoreError) {
    let now = Value.timestamp(Timestamp(microseconds: store.environment.now()))
    let query = StructuredQuery(
      database: database, from: [.init(collectionID, includesDescendants: true)],
      where: .field(path.text, .lessThanOrEqual, now), orderBy: [.init(path.text)], limit: Self.batchMax)
    var count = Self.batchMax
    while count == Self.batchMax, !Task.isCancelled {
      // Without a lock: usually there is nothing.
      if try store.documents(query).isEmpty { return }
      let found = Atomic<Int>(0)
      try await store.transaction(database) { (reads) throws(StoreError) in
        // Asked again, so that nobody's later time is overlooked.
        let documents = try reads.documents(query)
        found.store(documents.count, ordering: .relaxed)
        return documents.map { Write($0.path, .delete) }
      }
      count = found.load(ordering: .relaxed)
      deleted.add(count, ordering: .relaxed)
    }
  }
}
