/// The queue of commits and the one thread that writes.
///
/// Takes what waits (LIMIT: 256 commits or 4 MiB), plans it on one view, writes it with one durability
/// point, publishes, then tells the callers; while one batch is being written the next one gathers, which
/// is the whole of group commit. When nobody waits it tidies: cleared generations, old history.
///
/// While the thread has nothing to do it lends its place to whoever asks (`writeHere`), who then need not
/// wait for another thread to wake.
///
/// State: `queue` behind its monitor. A batch's memory belongs to whoever writes it.

internal import DequeModule
internal import DocModel
internal import Platform

/// A commit in the queue.
struct CommitRequest: Sendable {
  let database: DatabaseID
  let writes: [Write]
  let transaction: TransactionID?
  let judge: CommitJudge?
  let limits: CommitLimits
  /// Who makes it and why, for those who follow the feed.
  let source: CommitSource
  /// Whoever may give the commit up while it waits.
  var cancellation: CommitCancellation?
  /// Its place among those that waited for locks; nil for a commit that never did.
  var ticket: UInt64?
  /// When it has waited for locks long enough.
  var waitsUntil: Int64?
  let completion: @Sendable (Result<CommitResult, StoreError>) -> Void

  /// About what it will take of the batch's memory.
  var weight: Int {
    writes.reduce(256) { sum, write in
      switch write.operation {
      case .update(let fields, _): sum + fields.count + 256
      case .delete, .verify: sum + 256
      }
    }
  }
}

enum CommitterLimits {
  static let batchCommitsMax = 256
  static let batchBytesMax = 4 << 20
  /// LIMIT: commits and bytes that may wait; one more is refused.
  static let queueCommitsMax = 65_536
  static let queueBytesMax = 512 << 20
  /// How often history is looked at when there is nothing else to do.
  static let tidyMilliseconds = 10_000
}

final class Committer<Engine: StorageEngine>: Sendable {
  enum Job: Sendable {
    case commit(CommitRequest)
    case clear(DatabaseID, @Sendable (Result<Int64, StoreError>) -> Void)
    /// Tidies until nothing is left to tidy.
    case tidy(@Sendable (Result<Int64, StoreError>) -> Void)
    /// Begins indexes; they are built between the batches that follow.
    case index(IndexRequest)

    var weight: Int {
      switch self {
      case .commit(let request): request.weight
      case .clear, .tidy, .index: 256
      }
    }
  }

  private struct Queue {
    var jobs: Deque<Job> = []
    var byteCount = 0
    var isClosed = false
    var isRunning = false
    /// Somebody waits for locks: time is to be looked at.
    var isAsked = false
    /// The thread has nothing to do, and lends its place.
    var isIdle = false
    /// Somebody writes in the thread's place.
    var isLent = false
    /// The thread wants its place back.
    var isReclaimed = false
    /// Memory of those who write in the thread's place, between their commits.
    var spare: MutationBatch?

    /// Whether the thread has, or waits for, something to do.
    var isPressing: Bool { isReclaimed || isAsked || isClosed || !jobs.isEmpty }
  }

  private let queue = Monitor(Queue())
  private let hasThread = Monitor(false)
  let engine: Engine
  let clock: CommitClock
  let transactions: TransactionTable
  let feed: ChangeFeed
  let housekeeping: Housekeeping<Engine>
  let indexes: IndexRegistry
  let metrics = StoreMetrics()

  init(
    engine: Engine, clock: CommitClock, transactions: TransactionTable, feed: ChangeFeed,
    housekeeping: Housekeeping<Engine>, indexes: IndexRegistry
  ) {
    self.engine = engine
    self.clock = clock
    self.transactions = transactions
    self.feed = feed
    self.housekeeping = housekeeping
    self.indexes = indexes
    transactions.connect(
      TransactionTable.Links(
        requeue: { [weak self] in self?.requeue($0) },
        wake: { [weak self] in self?.queue.change { $0.isAsked = true } },
        countRefusals: { [metrics] count in for _ in 0..<count { metrics.countRefusal() } }))
  }

  /// `stored` tells which indexes were being built when the store was closed, and which removed.
  ///
  /// The thread is one of its own: write transactions of embedded engines belong to a thread, and a durability point blocks.
  func start(_ stored: StoredIndexes) throws(StoreError) {
    queue.change { $0.isRunning = true }
    hasThread.change { $0 = true }
    do throws(PlatformThread.Exhausted) { try startThread(stored) } catch {
      hasThread.change { $0 = false }
      queue.change { $0.isClosed = true }
      throw .resourceExhausted(message: "the store cannot start: \(error)")
    }
  }

  private func startThread(_ stored: StoredIndexes) throws(PlatformThread.Exhausted) {
    try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes) { [self] in
      run(stored)
      transactions.endWaiting()
      let left = queue.change { queue in
        queue.isRunning = false
        defer { queue.jobs = [] }
        return queue.jobs
      }
      for job in left { Self.refuse(job) }
    } ended: { [hasThread] in
      hasThread.change { $0 = false }
    }
  }

  /// Lets what is queued finish, then ends the thread.
  func stop() { queue.change { $0.isClosed = true } }

  /// Returns when the thread has ended and no longer holds the engine: a folder can be opened again when the store that
  /// had it is released after this. Must not be called by the thread.
  func join() { hasThread.wait { $0 ? nil : () } }

  /// Commits that wait.
  var waitingCount: Int { queue.withLock { $0.jobs.count } }

  func submit(_ job: Job) throws(StoreError) {
    let weight = job.weight
    let refusal = queue.change { queue -> StoreError? in
      if queue.isClosed { return .storage(.unavailable) }
      if queue.jobs.count >= CommitterLimits.queueCommitsMax
        || queue.byteCount + weight > CommitterLimits.queueBytesMax && !queue.jobs.isEmpty
      {
        return .resourceExhausted(message: "too many commits are waiting")
      }
      queue.jobs.append(job)
      queue.byteCount += weight
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Commits that have waited for locks go before all others. They were counted when they came.
  private func requeue(_ requests: [CommitRequest]) {
    let isRunning = queue.change { queue in
      if !queue.isRunning { return false }
      for request in requests.reversed() {
        queue.jobs.prepend(.commit(request))
        queue.byteCount += request.weight
      }
      return true
    }
    if !isRunning { for request in requests { Self.refuse(.commit(request)) } }
  }

  /// Answers a job that came when the thread had ended.
  private static func refuse(_ job: Job) {
    switch job {
    case .commit(let request): request.completion(.failure(.storage(.unavailable)))
    case .clear(_, let completion), .tidy(let completion): completion(.failure(.storage(.unavailable)))
    case .index: break
    }
  }

  private enum Next {
    case jobs([Job])
    case look
    case end
  }

  private func run(_ stored: StoredIndexes) {
    let batch = MutationBatch()
    let builder = IndexBuilder(
      engine: engine, registry: indexes,
      retirement: IndexRetirement(engine: engine, registry: indexes, rests: stored.retired))
    builder.resume(stored.kept.filter { !$0.index.isReady })
    defer { builder.abandon() }
    var isTidy = false
    while true {
      let isWaitedFor = transactions.isWaitedFor
      var pause = isTidy && builder.isIdle ? CommitterLimits.tidyMilliseconds : 0
      if isWaitedFor {
        transactions.look()
        pause = min(pause, LockLimits.lookMilliseconds)
      }
      let next = next(atMost: pause, lends: isTidy && builder.isIdle && !isWaitedFor)
      switch next {
      case .jobs(let jobs):
        write(jobs, batch, builder)
        // Under any load a build goes on by one slice a batch.
        builder.slice(batch)
        isTidy = false
      case .end: return
      case .look: break
      case .none where isWaitedFor && isTidy && builder.isIdle: break
      case .none where !builder.isIdle: builder.slice(batch)
      case .none:
        // A failure to tidy is no caller's concern; it is tried again later.
        isTidy = !builder.retirement.slice(batch) && (try? housekeeping.tidySlice(batch)) ?? true
      }
    }
  }

  /// What the thread has to do next; nil when nothing came in `pause` milliseconds.
  private func next(atMost pause: Int, lends: Bool) -> Next? {
    queue.withLock { $0.isIdle = lends }
    let next = queue.wait(atMost: pause) { queue -> Next? in
      guard !queue.isLent, let next = Self.next(&queue) else { return nil }
      queue.isIdle = false
      return next
    }
    if next == nil, lends { reclaim() }
    return next
  }

  private static func next(_ queue: inout Queue) -> Next? {
    if !queue.jobs.isEmpty { return .jobs(takeBatch(&queue)) }
    if queue.isClosed { return .end }
    if !queue.isAsked { return nil }
    queue.isAsked = false
    return .look
  }

  /// Returns when nobody writes in the thread's place, nor will.
  private func reclaim() {
    queue.wait { queue -> Void? in
      queue.isIdle = false
      queue.isReclaimed = queue.isLent
      return queue.isLent ? nil : ()
    }
  }

  /// Writes a commit on the calling thread while the thread that writes has nothing to do; false when it has,
  /// and then the commit is to be queued. Must not be called by a judge or a completion.
  func writeHere(_ request: CommitRequest) -> Bool {
    let lent = queue.withLock { queue -> MutationBatch? in
      guard queue.isIdle, !queue.isLent, !queue.isPressing else { return nil }
      queue.isLent = true
      defer { queue.spare = nil }
      return queue.spare ?? MutationBatch()
    }
    guard let batch = lent else { return false }
    write([.commit(request)], batch, nil)
    let isWaitedFor = transactions.isWaitedFor
    let isPressing = queue.withLock { queue -> Bool in
      queue.isLent = false
      if isWaitedFor { queue.isAsked = true }
      queue.spare = batch
      return queue.isPressing
    }
    if isPressing { queue.change { _ in } }
    return true
  }

  private static func takeBatch(_ queue: inout Queue) -> [Job] {
    var jobs: [Job] = []
    var byteCount = 0
    while let job = queue.jobs.first, jobs.count < CommitterLimits.batchCommitsMax {
      let weight = job.weight
      if byteCount + weight > CommitterLimits.batchBytesMax, !jobs.isEmpty { break }
      queue.jobs.removeFirst()
      queue.byteCount -= weight
      byteCount += weight
      jobs.append(job)
    }
    return jobs
  }

  // MARK: one batch

  private enum Outcome {
    case commit(CommitRequest, Result<CommitResult, StoreError>)
    /// The transactions have it.
    case waits
    case clear(@Sendable (Result<Int64, StoreError>) -> Void, Result<Int64, StoreError>)
    case tidy(@Sendable (Result<Int64, StoreError>) -> Void)
    case index(IndexRequest)
  }

  /// - Parameter builder: begins indexes; nil when `jobs` are commits only.
  private func write(_ jobs: [Job], _ batch: MutationBatch, _ builder: IndexBuilder<Engine>?) {
    batch.reset()
    var planned: (outcomes: [Outcome], planner: CommitPlanner)?
    var failure: StorageError?
    do throws(StorageError) {
      try engine.write(batch) { (view, batch) throws(StorageError) in
        guard let state = try DatabaseCatalog.state(view) else { throw .corrupt }
        let planner = CommitPlanner(
          view: view, batch: batch, state: state, clock: clock, transactions: transactions, feed: feed,
          indexes: indexes, keepsTallies: engine.isDurable)
        planned = (jobs.map { plan($0, planner) }, planner)
        // In the batch's own transaction: what makes room costs no durability point of its own.
        housekeeping.keepToBudget(
          view, batch, &planner.state, changedCount: planner.changedCount, entered: planner.entered)
        try planner.finish()
      }
    } catch {
      failure = error
    }
    let hasWritten = failure == nil && !batch.mutations.isEmpty
    // Published before the batch counts as ended: who has settled a time has every event up to it.
    if hasWritten, let planner = planned?.planner {
      for event in planner.events { feed.publish(event.event, version: event.version, to: event.database) }
      for generation in planner.clearedGenerations { indexes.forget(generation) }
    }
    clock.endBatch(committed: hasWritten ? planned?.planner.state.lastVersion : nil)
    transactions.endBatch()
    for outcome in planned?.outcomes ?? jobs.map(unplanned) {
      complete(outcome, failure, batch, builder)
    }
  }

  private func plan(_ job: Job, _ planner: CommitPlanner) -> Outcome {
    switch job {
    case .commit(let request):
      do throws(StoreError) {
        return try planner.plan(request).map { .commit(request, .success($0)) } ?? .waits
      } catch {
        return .commit(request, .failure(error))
      }
    case .clear(let database, let completion):
      let result = Result { () throws(StorageError) in try planner.clear(database) }
      return .clear(completion, result.mapError { .storage($0) })
    case .tidy(let completion):
      return .tidy(completion)
    case .index(let request):
      return .index(request)
    }
  }

  /// What becomes of a job when not even a view could be had.
  private func unplanned(_ job: Job) -> Outcome {
    switch job {
    case .commit(let request):
      // A failure of the store ends the transaction (`StoreError.endsTransaction`), and nobody else would end one that
      // has waited for locks.
      if let id = request.transaction { transactions.settle(id, failure: .storage(.unavailable)) }
      return .commit(request, .failure(.storage(.unavailable)))
    case .clear(_, let completion): return .clear(completion, .failure(.storage(.unavailable)))
    case .tidy(let completion): return .tidy(completion)
    case .index(let request): return .index(request)
    }
  }

  private func complete(
    _ outcome: Outcome, _ failure: StorageError?, _ batch: MutationBatch, _ builder: IndexBuilder<Engine>?
  ) {
    switch outcome {
    case .waits: break
    case .index(let request): builder?.begin(request, batch)
    case .commit(let request, let result):
      switch (result, failure) {
      case (.success, nil): metrics.countCommit(writes: request.writes.count)
      case (.success, .some), (.failure, _): metrics.countRefusal()
      }
      guard let failure, (try? result.get()) != nil else { return request.completion(result) }
      if let transaction = request.transaction {
        transactions.settle(transaction, failure: .storage(failure))
      }
      request.completion(.failure(engine.storeError(failure)))
    case .clear(let completion, let result):
      completion(failure.map { .failure(engine.storeError($0)) } ?? result)
    case .tidy(let completion):
      completion(
        Result { () throws(StorageError) in
          while builder?.retirement.slice(batch) == true {}
          while try !housekeeping.tidySlice(batch) {}
          return clock.issue()
        }.mapError { .storage($0) })
    }
  }
}
