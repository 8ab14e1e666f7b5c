/// Seeds into a store of this process.

public import DocModel
public import DocStore

/// Writes past the rules, as a server does, and only what differs from what is stored.
///
/// Some commits are under way at a time, in order: the next batch is looked at while the disk takes the last one.
public struct StoreSink<Engine: StorageEngine>: SeedSink {
  /// LIMIT: batches that wait for the disk.
  private static var underWayMax: Int { 4 }

  private struct Batch {
    let outcome: SeedOutcome
    /// Of its commit, once.
    let end: AsyncStream<Result<CommitResult, StoreError>>
  }

  private let store: DocumentStore<Engine>
  private let database: DatabaseID
  private var underWay: [Batch] = []

  public init(_ store: DocumentStore<Engine>, _ database: DatabaseID) {
    self.store = store
    self.database = database
  }

  public mutating func write(_ batch: [SeedWrite]) async throws(SeedSinkError) -> SeedOutcome {
    var outcome = SeedOutcome()
    let writes: [Write]
    do throws(StoreError) {
      writes = try store.read(database) { (view) throws(StoreError) in
        try Self.needed(batch, in: view, &outcome)
      }
    } catch {
      throw SeedSinkError(error.message)
    }
    // Somebody else may write between the look and the commit; the documents then are as the seed says
    // all the same, and only the counts are off.
    if writes.isEmpty { return outcome }
    let (end, continuation) = AsyncStream.makeStream(of: Result<CommitResult, StoreError>.self)
    store.submit(database, writes) { result in
      continuation.yield(result)
      continuation.finish()
    }
    underWay.append(Batch(outcome: outcome, end: end))
    return underWay.count < Self.underWayMax ? SeedOutcome() : try await first()
  }

  public mutating func finish() async throws(SeedSinkError) -> SeedOutcome {
    var outcome = SeedOutcome()
    var failure: SeedSinkError?
    while !underWay.isEmpty {
      do throws(SeedSinkError) { outcome += try await first() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    return outcome
  }

  /// What became of the batch that was begun first.
  private mutating func first() async throws(SeedSinkError) -> SeedOutcome {
    let batch = underWay.removeFirst()
    for await result in batch.end {
      do throws(StoreError) { _ = try result.get() } catch { throw SeedSinkError(error.message) }
    }
    return batch.outcome
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
