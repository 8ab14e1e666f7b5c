/// Seeds into a store of this process.

public import DocModel
public import DocStore

/// Writes past the rules, as a server does, and only what differs from what is stored.
public struct StoreSink<Engine: StorageEngine>: SeedSink {
  private let store: DocumentStore<Engine>
  private let database: DatabaseID

  public init(_ store: DocumentStore<Engine>, _ database: DatabaseID) {
    self.store = store
    self.database = database
  }

  public mutating func write(_ batch: [SeedWrite]) async throws(SeedSinkError) -> SeedOutcome {
    do throws(StoreError) {
      var outcome = SeedOutcome()
      let writes = try store.read(database) { (view) throws(StoreError) in
        try Self.needed(batch, in: view, &outcome)
      }
      // Somebody else may write between the look and the commit; the documents then are as the seed says
      // all the same, and only the counts are off.
      if !writes.isEmpty { _ = try await store.commit(database, writes) }
      return outcome
    } catch {
      throw SeedSinkError(error.message)
    }
  }

  /// The writes of documents that are not stored as the seed has them.
  private static func needed(
    _ batch: [SeedWrite], in view: StoreView, _ outcome: inout SeedOutcome
  ) throws(StoreError) -> [Write] {
    var writes: [Write] = []
    writes.reserveCapacity(batch.count)
    for write in batch {
      if let stored = try view.document(write.path) {
        if write.isSame(as: stored.fields) {
          outcome.unchanged += 1
          continue
        }
        outcome.updated += 1
      } else {
        outcome.created += 1
      }
      let transforms = write.serverTimes.map { FieldTransform($0, .serverTime) }
      writes.append(Write(write.path, .update(fields: write.fields, mask: nil), transforms: transforms))
    }
    return writes
  }
}
