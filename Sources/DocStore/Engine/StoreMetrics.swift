/// What a store counts about its commits.

internal import Synchronization

/// Counted by the thread that commits, read by anybody.
public final class StoreMetrics: Sendable {
  private let commitCount = Atomic(0)
  private let refusalCount = Atomic(0)
  private let writeCount = Atomic(0)

  init() {}

  /// Commits that were applied.
  public var commits: Int { commitCount.load(ordering: .relaxed) }
  /// Commits that were refused: preconditions, rules, conflicts, storage.
  public var refusals: Int { refusalCount.load(ordering: .relaxed) }
  /// Writes of the commits that were applied.
  public var writes: Int { writeCount.load(ordering: .relaxed) }

  func countCommit(writes: Int) {
    commitCount.add(1, ordering: .relaxed)
    writeCount.add(writes, ordering: .relaxed)
  }

  func countRefusal() { refusalCount.add(1, ordering: .relaxed) }
}
