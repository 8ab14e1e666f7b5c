/// Partitions of collection groups.

public import DocStore

extension GuardedStore {
  /// Names that cut a collection group into parts. For administrators; the caller checks that.
  public func partition(
    _ partition: QueryPartition.Validated, at time: ReadTime = .newest
  ) throws(StoreError) -> PartitionPage {
    try store.read(partition.database, at: time) { (view) throws(StoreError) in
      try partition.run(on: view)
    }
  }
}
