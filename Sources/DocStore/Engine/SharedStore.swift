/// What an engine must be that several processes have at once.
///
/// A commit is planned on the newest state, whoever made it, while nobody else commits. What others commit comes in the
/// order of the commits and is told to the store before it is seen, as its own commits are.
/// Source: docs/decisions.md, "Several servers commit under one row, and follow one log".

/// Hears of a commit of another process: what it changed, and what brings this process's state up to it, which must be called
/// once. The two come on a thread of the engine, in the order of all commits.
public typealias StoreFollowing = @Sendable (_ commit: MutationBatch, _ apply: () -> Void) -> Void

public protocol SharedStore: AnyObject, Sendable {
  /// Whether this process does what is to be done by one of them: tidying, building indexes, triggers.
  var isLeader: Bool { get }

  /// What others have committed and was applied here, and seconds since it was asked for last.
  var feedState: (appliedCount: Int, lagSeconds: Double) { get }

  /// Runs `body` while no other process commits, and none of their commits is told. Its `write`s are of that turn.
  func inOrder(_ body: () -> Void)

  /// Tells `follower` of what others commit from now on. There is one.
  func follow(_ follower: @escaping StoreFollowing)

  /// Calls `body`, on any thread, when reads see everything that was committed by anybody before this call; with an error
  /// when that cannot be.
  func whenCurrent(_ body: @escaping @Sendable (StorageError?) -> Void)

  /// Whether that is so now; false also where it cannot be said within some milliseconds.
  func isCurrent() -> Bool
  /// Whether that is certain without asking anybody.
  var hasReadLease: Bool { get }

  /// Tells all processes something, this one among them, if they can be told. LIMIT: 7,000 bytes.
  func tell(_ text: String)

  /// Hears what any of them tells. There is one who does.
  func hear(_ body: @escaping @Sendable (String) -> Void)

  /// Calls `body` whenever this process becomes the leader or ceases to be it.
  func followLeadership(_ body: @escaping @Sendable (Bool) -> Void)
}
