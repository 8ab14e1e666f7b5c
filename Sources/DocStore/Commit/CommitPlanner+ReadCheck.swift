/// Whether what a transaction has read is still so, asked at its commit.
///
/// This is the whole of conflict detection: optimistic, decided on the thread that commits, on the state
/// the commit will apply to. Locks that make writers wait come before the queue and change nothing here.

internal import DocModel

extension CommitPlanner {
  /// Every document read still has the version read, and nothing changed in the ranges read.
  func checkUnchanged(
    _ reads: ReadLog.Reads, _ database: DatabaseRecord?
  ) throws(StoreError) {
    let isStale: Bool
    do throws(StorageError) {
      isStale = try isOutdated(reads, database)
    } catch {
      throw .storage(error)
    }
    if isStale { throw .aborted(.contention) }
  }

  private func isOutdated(
    _ reads: ReadLog.Reads, _ database: DatabaseRecord?
  ) throws(StorageError) -> Bool {
    if reads.isContradictory { return true }
    if reads.generation != 0, reads.generation != database?.generation { return true }
    for (path, version) in reads.documents {
      let current = try recordBeforeCommit(KeyLayout.documentKey(generation, path).bytes)
      if current?.updateTime ?? 0 != version { return true }
    }
    return try hasChanged(reads.ranges)
  }

  /// Whether a change since a range was read lies in it; walks the changes since the earliest read.
  private func hasChanged(_ ranges: [ReadRange: Int64]) throws(StorageError) -> Bool {
    guard let since = ranges.values.min() else { return false }
    // Changes that old may have been collected; no transaction lives as long.
    if since < state.floor { return true }
    for change in plannedChanges where change.generation == generation {
      if ranges.contains(where: { $0.value < change.version && $0.key.contains(change.path) }) { return true }
    }
    var isChanged = false
    try ChangeRecord.scan(view, generation, after: since, upTo: .max) { version, path in
      isChanged = ranges.contains { $0.value < version && $0.key.contains(path) }
      return isChanged ? .stop : .more
    }
    return isChanged
  }
}
