/// What whoever writes is asked to do.

internal import DocModel

/// What somebody wants to commit.
final class AskedCommit: Sendable {
  let database: DatabaseID
  let writes: [Write]
  let transaction: TransactionID?
  let judge: CommitJudge?
  let limits: CommitLimits
  /// Who makes it and why, for those who follow the feed.
  let source: CommitSource
  /// Whoever may give the commit up while it waits.
  let cancellation: CommitCancellation?
  let completion: @Sendable (Result<CommitResult, StoreError>) -> Void
  /// About what it will take of the batch's memory.
  let weight: Int

  init(
    database: DatabaseID, writes: [Write], transaction: TransactionID?, judge: CommitJudge?,
    limits: CommitLimits, source: CommitSource, cancellation: CommitCancellation?,
    completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
  ) {
    self.database = database
    self.writes = writes
    self.transaction = transaction
    self.judge = judge
    self.limits = limits
    self.source = source
    self.cancellation = cancellation
    self.completion = completion
    weight = writes.reduce(256) { sum, write in
      switch write.operation {
      case .update(let fields, _): sum + fields.count + 256
      case .delete, .verify: sum + 256
      }
    }
  }
}

/// A commit in the queue. It is copied from place to place, so what never changes is behind one reference.
struct CommitRequest: Sendable {
  private let asked: AskedCommit
  /// Its place among those that waited for locks; nil for a commit that never did.
  var ticket: UInt64?
  /// When it has waited for locks long enough.
  var waitsUntil: Int64?
  /// Whether its judge has turned out to take long.
  var isLong = false

  init(_ asked: AskedCommit) { self.asked = asked }

  var database: DatabaseID { asked.database }
  var writes: [Write] { asked.writes }
  var transaction: TransactionID? { asked.transaction }
  var judge: CommitJudge? { asked.judge }
  var limits: CommitLimits { asked.limits }
  var source: CommitSource { asked.source }
  var cancellation: CommitCancellation? { asked.cancellation }
  var completion: @Sendable (Result<CommitResult, StoreError>) -> Void { asked.completion }

  var weight: Int { asked.weight }
}

enum CommitJob: Sendable {
  case commit(CommitRequest)
  case clear(DatabaseID, @Sendable (Result<Int64, StoreError>) -> Void)
  /// Keeps what holds for the whole store.
  case release(String, [UInt8], @Sendable (Result<Int64, StoreError>) -> Void)
  /// Makes sure that later commits lie above a time.
  case raise(Int64, @Sendable (Result<Int64, StoreError>) -> Void)
  /// Tidies until nothing is left to tidy.
  case tidy(@Sendable (Result<Int64, StoreError>) -> Void)
  /// Begins indexes; they are built between the batches that follow.
  case index(IndexRequest)

  var weight: Int {
    switch self {
    case .commit(let request): request.weight
    case .release(_, let bytes, _): bytes.count + 256
    case .clear, .raise, .tidy, .index: 256
    }
  }

  /// Whether it may be written on an event loop.
  var isLight: Bool {
    guard case .commit(let request) = self else { return false }
    return !request.isLong && request.writes.count <= CommitterLimits.lightWritesMax
      && request.weight <= CommitterLimits.lightBytesMax
  }

  /// Whether it leaves more to tidy than documents that were overwritten.
  var leavesMuch: Bool {
    switch self {
    case .commit, .raise, .release: false
    case .clear, .tidy, .index: true
    }
  }

  /// Answers a job that came when the thread had ended.
  func refuse() {
    switch self {
    case .commit(let request): request.completion(.failure(.storage(.unavailable)))
    case .clear(_, let completion), .raise(_, let completion), .release(_, _, let completion),
      .tidy(let completion):
      completion(.failure(.storage(.unavailable)))
    case .index: break
    }
  }
}

enum CommitterLimits {
  static let batchCommitsMax = 256
  static let batchBytesMax = 4 << 20
  /// LIMIT: how long commits are planned while other processes wait to commit.
  static let sharedPlanNanoseconds: Int64 = 500_000_000
  /// LIMIT: commits and bytes that may wait; one more is refused.
  static let queueCommitsMax = 65_536
  static let queueBytesMax = 512 << 20
  /// How often history is looked at when there is nothing else to do.
  static let tidyMilliseconds = 10_000
  /// How often it is looked at while batches come with pauses between them.
  static let tidyBatches = 64
  /// LIMIT: what is written on an event loop. A commit that takes longer is one for the thread: meanwhile the loop's
  /// connections wait.
  static let lightWritesMax = 16
  static let lightBytesMax = 64 << 10
  /// For how many batches the thread keeps its place when commits of several threads have met.
  static let crowdedBatches = 64
  /// LIMIT: commits that one turn of an event loop writes, its own and those of others.
  static let turnCommitsMax = 32
}
