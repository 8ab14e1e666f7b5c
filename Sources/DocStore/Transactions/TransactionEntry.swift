/// One transaction as the table keeps it, open or ended, and what belongs to it.

internal import DocModel

/// The attempts of one transaction of a client.
///
/// State and its owner: the transaction table's monitor.
final class Lineage {
  /// The place in line.
  let firstAttempt: UInt64
  /// How often attempts were given up.
  var aborts = 0
  /// Documents over which an attempt was given up: the next one takes its turn at them.
  var lost: [ResourcePath] = []

  init(firstAttempt: UInt64) { self.firstAttempt = firstAttempt }
}

/// One attempt.
///
/// State and its owner: the transaction table's monitor.
final class TransactionEntry {
  enum Outcome: UInt64 {
    case committed, rolledBack, expired
    /// Given up so that others could go on, or because what it had read has changed.
    case aborted
    /// The commit's precondition failed: the same words as for the others, with another status (T6).
    case failedPrecondition
    /// A write was tried in a read-only transaction (T8).
    case wroteReadOnly
    /// Another server goes on with it.
    case moved
  }

  enum Phase {
    case open
    /// Its commit is being planned, or waits.
    case committing
    case ended(Outcome)
  }

  enum Mode {
    /// Others wait for what it has read.
    case pessimistic
    /// Nobody waits; what it has read must be unchanged when it commits.
    case optimistic
  }

  let id: UInt64
  let database: DatabaseID
  /// Whose it is.
  let owner: CommitAuthor
  let mode: Mode
  var phase = Phase.open
  let began: Int64
  var lastUsed: Int64
  /// The connection that carried its latest request; nil where connections come and go.
  var connection: UInt64?

  /// What it shares with its earlier attempts, whichever of them its retry named.
  var lineage: Lineage
  /// An earlier attempt that was named when it was still open.
  var named: UInt64?

  // What it has read.

  var documents: Set<ResourcePath> = []
  var scopes: Set<QueryScope> = []
  var predicates: [ReadPredicate] = []
  /// Something it has read has changed.
  var isStale = false
  /// Reads that may still note something.
  var readsUnderWay = 0
  /// The questions of other servers that it has moved for.
  var answered: [UInt64] = []

  // Waiting.

  /// Its own commit, while that waits.
  var parked: UInt64?
  /// Commits that wait for it.
  var blocked: Set<UInt64> = []
  /// Documents at which it has its turn, or waits for it.
  var turns: Set<ResourcePath> = []
  var turnWaits: Set<UInt64> = []

  init(
    id: UInt64, database: DatabaseID, owner: CommitAuthor, mode: Mode, began: Int64, lastUsed: Int64
  ) {
    self.id = id
    self.database = database
    self.owner = owner
    self.mode = mode
    self.began = began
    self.lastUsed = lastUsed
    lineage = Lineage(firstAttempt: id)
  }

  var isOver: Bool {
    switch phase {
    case .open, .committing: false
    case .ended: true
    }
  }

  var isPessimistic: Bool {
    switch mode {
    case .pessimistic: true
    case .optimistic: false
    }
  }

  /// Whether its time is over. A commit on its way is not idle.
  func isExpired(_ now: Int64, _ policy: TransactionPolicy) -> Bool {
    guard case .open = phase else { return false }
    return now - lastUsed > policy.idleSeconds * 1_000_000
      || now - began > TransactionLimits.lifetimeSeconds * 1_000_000
  }

  /// Whether it shares an origin with another one.
  func isNamed(by other: TransactionEntry) -> Bool { other.named == id }
}

/// A commit that waits for the reads of open transactions.
struct CommitWaiter {
  let request: CommitRequest
  var holders: Set<UInt64>
  let deadline: Int64
}

/// A read that waits for its turn at contended documents.
struct ContentionWait {
  let owner: UInt64
  let database: DatabaseID
  var pending: Set<ResourcePath>
  let began: Int64
  let ready: @Sendable () -> Void
}

/// What a database's open transactions have read.
struct LockSpace {
  var documents: [ResourcePath: [UInt64]] = [:]
  var predicates = StandingIndex<ReadPredicate>()
  var turns: [ResourcePath: ContentionQueue] = [:]

  var isEmpty: Bool { documents.isEmpty && predicates.isEmpty && turns.isEmpty }

  /// Whether who reads a document for the first time stands in line.
  func isContended(_ path: ResourcePath, _ now: Int64) -> Bool {
    if documents.isEmpty && turns.isEmpty { return false }
    let readers = documents[path]?.count ?? 0
    if let queue = turns[path] { return queue.isContended(now, readers: readers) }
    return readers >= LockLimits.crowdMin
  }
}

/// What is to be done once the monitor was left.
struct LockEffects {
  let now: Int64
  /// Commits that need wait no longer, in the order in which they began to.
  var requeued: [(ticket: UInt64, request: CommitRequest)] = []
  var failed: [(request: CommitRequest, error: StoreError)] = []
  var ready: [@Sendable () -> Void] = []

  var isEmpty: Bool { requeued.isEmpty && failed.isEmpty && ready.isEmpty }
}
