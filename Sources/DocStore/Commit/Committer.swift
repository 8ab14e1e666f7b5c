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

/// What planning made of a job. Not a part of `Committer`, which is generic: its metadata would be looked up for each commit.
private enum CommitOutcome {
  case commit(CommitRequest, Result<CommitResult, StoreError>)
  /// The transactions have it.
  case waits
  /// It takes too long for an event loop.
  case isForThread(CommitRequest)
  case clear(@Sendable (Result<Int64, StoreError>) -> Void, Result<Int64, StoreError>)
  case tidy(@Sendable (Result<Int64, StoreError>) -> Void)
  case index(IndexRequest)
  /// It comes again with a later batch.
  case postponed(CommitJob)
}

final class Committer<Engine: StorageEngine>: Sendable {
  private let queue = CommitQueue()
  private let hasThread = Monitor(false)
  let engine: Engine
  /// Where other processes commit to the same store.
  private let sharing: (any SharedStore)?
  let clock: CommitClock
  let transactions: TransactionTable
  let feed: ChangeFeed
  let housekeeping: Housekeeping<Engine>
  let indexes: IndexRegistry
  private let generations: KnownGeneration
  let metrics = StoreMetrics()
  let releases = ReleaseFollower()
  /// Whether commits wait a moment for each other; else the thread lends its place.
  private let hasPace: Bool

  init(
    engine: Engine, clock: CommitClock, transactions: TransactionTable, feed: ChangeFeed,
    housekeeping: Housekeeping<Engine>, indexes: IndexRegistry, generations: KnownGeneration,
    commitsOnCaller: Bool
  ) {
    hasPace = engine.isDurable && !commitsOnCaller
    self.engine = engine
    sharing = engine.sharing
    self.clock = clock
    self.transactions = transactions
    self.feed = feed
    self.housekeeping = housekeeping
    self.indexes = indexes
    self.generations = generations
    transactions.connect(
      TransactionTable.Links(
        requeue: { [weak self] in self?.requeue($0) },
        wake: { [weak self] in self?.queue.ask() },
        countRefusals: { [metrics] count in for _ in 0..<count { metrics.countRefusal() } }))
  }

  /// `stored` tells which indexes were being built when the store was closed, and which removed.
  ///
  /// The thread is one of its own: write transactions of embedded engines belong to a thread, and a durability point blocks.
  func start(_ stored: StoredIndexes) throws(StoreError) {
    queue.open()
    hasThread.change { $0 = true }
    do throws(PlatformThread.Exhausted) { try startThread(stored) } catch {
      hasThread.change { $0 = false }
      queue.close()
      throw .resourceExhausted(message: "the store cannot start: \(error)")
    }
  }

  private func startThread(_ stored: StoredIndexes) throws(PlatformThread.Exhausted) {
    try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes) { [self] in
      run(stored)
      transactions.endWaiting()
      for job in queue.end() { job.refuse() }
    } ended: { [hasThread] in
      hasThread.change { $0 = false }
    }
  }

  /// Lets what is queued finish, then ends the thread.
  func stop() { queue.close() }

  /// Returns when the thread has ended and no longer holds the engine: a folder can be opened again when the store that
  /// had it is released after this. Must not be called by the thread.
  func join() { hasThread.wait { $0 ? nil : () } }

  /// The thread is to look whether it has something else to do.
  func look() { queue.ask() }

  /// Commits that wait.
  var waitingCount: Int { queue.waitingCount }

  func submit(_ job: CommitJob) throws(StoreError) { try queue.submit(job) }

  /// Queues a light commit, which the calling thread will write when it has looked at all that is ready for it.
  ///
  /// - Parameter later: runs what it is given then, on this thread.
  func submit(_ job: CommitJob, later: (@escaping @Sendable () -> Void) -> Void) throws(StoreError) {
    guard job.isLight else { return try queue.submit(job) }
    if try queue.gather(job) { later { [self] in writeGathered() } }
  }

  /// Commits that have waited for locks go before all others.
  private func requeue(_ requests: [CommitRequest]) {
    if queue.requeue(requests) { return }
    for request in requests { CommitJob.commit(request).refuse() }
  }

  private func run(_ stored: StoredIndexes) {
    let batch = MutationBatch()
    let builder = IndexBuilder(
      engine: engine, registry: indexes,
      retirement: IndexRetirement(engine: engine, registry: indexes, rests: stored.retired))
    if sharing == nil { builder.resume(stored.kept.filter { !$0.index.isReady }) }
    defer { builder.abandon() }
    var isTidy = false
    var pace = CommitPace(isHalfEnough: engine.writesElsewhere)
    // Batches since there was nothing to tidy.
    var untidyCount = 0
    var leads = sharing == nil
    while true {
      if let sharing, sharing.isLeader != leads {
        if changeLeadership(to: !leads, builder) { leads.toggle() }
        isTidy = !leads
      }
      let isWaitedFor = transactions.isWaitedFor
      var pause = isTidy && builder.isIdle ? CommitterLimits.tidyMilliseconds : 0
      if isWaitedFor {
        transactions.look()
        pause = min(pause, LockLimits.lookMilliseconds)
      }
      if hasPace {
        queue.linger(atMost: pause, &pace)
        pause = 0
      }
      let next = queue.next(atMost: pause, lends: isTidy && builder.isIdle && !isWaitedFor)
      switch next {
      case .jobs(let jobs):
        let began = SystemClock.monotonic
        write(jobs, batch, builder)
        pace.noteBatch(
          count: jobs.count, waiting: queue.waitingCount,
          nanoseconds: UInt64(max(0, SystemClock.monotonic - began)))
        // Under any load a build goes on by one slice a batch.
        builder.slice(batch)
        untidyCount += 1
        // What single batches leave is no more than what the next look finds.
        if untidyCount >= CommitterLimits.tidyBatches || jobs.contains(where: \.leavesMuch) {
          isTidy = !leads
        }
      case .end: return
      case .look: break
      case .none where isWaitedFor && isTidy && builder.isIdle: break
      case .none where !builder.isIdle: builder.slice(batch)
      case .none where !leads: isTidy = true
      case .none:
        // A failure to tidy is no caller's concern; it is tried again later.
        untidyCount = 0
        isTidy = !builder.retirement.slice(batch) && (try? housekeeping.tidySlice(batch)) ?? true
      }
      engine.afterBatch()
    }
  }

  /// What one of several processes does for all goes on where the one before has left it.
  ///
  /// False where that cannot be found out; it is tried again.
  private func changeLeadership(to leads: Bool, _ builder: IndexBuilder<Engine>) -> Bool {
    builder.abandon()
    if !leads { return true }
    var found: StoredIndexes?
    // Up to what the one before has written last.
    sharing?.inOrder {
      found = try? engine.read { (view) throws(StorageError) in try IndexCatalog.stored(view) }
    }
    guard let found else { return false }
    indexes.noteUseOfAll()
    builder.resume(found.kept.filter { !$0.index.isReady })
    builder.retirement.resume(found.retired)
    return true
  }

  /// Writes a commit on the calling thread while the thread that writes has nothing to do; false when it has,
  /// and then the commit is to be queued. Must not be called by a judge or a completion.
  func writeHere(_ request: CommitRequest) -> Bool {
    guard let batch = queue.lend() else { return false }
    write([.commit(request)], batch, nil)
    queue.giveBack(batch, isWaitedFor: transactions.isWaitedFor)
    return true
  }

  /// Writes what has gathered, and what gathers meanwhile, unless the thread or somebody in its place does.
  private func writeGathered() {
    guard let lent = queue.lendForGathered() else { return }
    var jobs = lent.jobs
    var count = 0
    while true {
      count += jobs.count
      write(jobs, lent.batch, nil, isHurried: true)
      guard let more = queue.takeMore(atMost: CommitterLimits.turnCommitsMax - count) else { break }
      jobs = more
    }
    queue.giveBack(lent.batch, isWaitedFor: transactions.isWaitedFor)
  }

  // MARK: one batch

  /// - Parameter builder: begins indexes; nil when `jobs` are commits only.
  private func write(
    _ jobs: [CommitJob], _ batch: MutationBatch, _ builder: IndexBuilder<Engine>?, isHurried: Bool = false
  ) {
    guard let sharing else {
      let written = writeInOrder(jobs, batch, isHurried)
      return complete(written.outcomes, written.failure, batch, builder)
    }
    var written: (outcomes: [CommitOutcome], failure: StorageError?) = ([], nil)
    sharing.inOrder { written = writeInOrder(jobs, batch, isHurried) }
    complete(written.outcomes, written.failure, batch, builder)
  }

  /// Plans, writes and publishes.
  private func writeInOrder(
    _ jobs: [CommitJob], _ batch: MutationBatch, _ isHurried: Bool
  ) -> (outcomes: [CommitOutcome], failure: StorageError?) {
    batch.reset()
    var planned: (outcomes: [CommitOutcome], planner: CommitPlanner)?
    var failure: StorageError?
    do throws(StorageError) {
      try engine.write(batch) { (view, batch) throws(StorageError) in
        guard let state = try DatabaseCatalog.state(view) else { throw .corrupt }
        let planner = CommitPlanner(
          view: view, batch: batch, state: state, clock: clock, transactions: transactions, feed: feed,
          indexes: indexes, generations: generations, isHurried: isHurried, keepsTallies: engine.isDurable)
        let until = sharing.map { _ in SystemClock.monotonic + CommitterLimits.sharedPlanNanoseconds }
        planned = (jobs.map { plan($0, planner, until) }, planner)
        // In the batch's own transaction: what makes room costs no durability point of its own.
        if sharing?.isLeader ?? true {
          housekeeping.keepToBudget(
            view, batch, &planner.state, changedCount: planner.changedCount, entered: planner.entered)
        }
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
      releases.tell(planner.releases)
    }
    clock.endBatch(committed: hasWritten ? planned?.planner.state.lastVersion : nil)
    transactions.endBatch()
    return (planned?.outcomes ?? jobs.map(unplanned), failure)
  }

  private func complete(
    _ outcomes: [CommitOutcome], _ failure: StorageError?, _ batch: MutationBatch,
    _ builder: IndexBuilder<Engine>?
  ) {
    if sharing != nil {
      let postponed = outcomes.compactMap { again($0, failure) }
      if !postponed.isEmpty { requeue(postponed) }
    }
    for outcome in outcomes where again(outcome, failure) == nil {
      complete(outcome, failure, batch, builder)
    }
  }

  /// A commit that others were in the way of, or that comes with a later batch.
  private func again(_ outcome: CommitOutcome, _ failure: StorageError?) -> CommitRequest? {
    guard sharing != nil else { return nil }
    switch outcome {
    case .postponed(.commit(let request)): return request
    case .commit(let request, .success) where failure == .conflict && request.transaction == nil:
      return request
    case .postponed, .commit, .waits, .isForThread, .clear, .tidy, .index: return nil
    }
  }

  /// - Parameter until: when other processes have waited long enough for what is planned here; nil where there are none.
  private func plan(_ job: CommitJob, _ planner: CommitPlanner, _ until: Int64?) -> CommitOutcome {
    // Commits behind a release go by it, when it is one.
    if let until, !planner.releases.isEmpty || SystemClock.monotonic > until { return .postponed(job) }
    switch job {
    case .commit(let request):
      do throws(StoreError) {
        return try planner.plan(request).map { .commit(request, .success($0)) } ?? .waits
      } catch {
        if planner.wasGivenUp { return .isForThread(request) }
        return .commit(request, .failure(error))
      }
    case .clear(let database, let completion):
      let result = Result { () throws(StorageError) in try planner.clear(database) }
      return .clear(completion, result.mapError { .storage($0) })
    case .release(let name, let bytes, let completion):
      return .clear(completion, .success(planner.release(name, bytes)))
    case .raise(let time, let completion):
      return .clear(completion, .success(planner.raise(to: time)))
    case .tidy(let completion):
      return .tidy(completion)
    case .index(let request):
      return .index(request)
    }
  }

  /// What becomes of a job when not even a view could be had.
  private func unplanned(_ job: CommitJob) -> CommitOutcome {
    switch job {
    case .commit(let request):
      // A failure of the store ends the transaction (`StoreError.endsTransaction`), and nobody else would end one that
      // has waited for locks.
      if let id = request.transaction { transactions.settle(id, failure: .storage(.unavailable)) }
      return .commit(request, .failure(.storage(.unavailable)))
    case .clear(_, let completion), .raise(_, let completion), .release(_, _, let completion):
      return .clear(completion, .failure(.storage(.unavailable)))
    case .tidy(let completion): return .tidy(completion)
    case .index(let request): return .index(request)
    }
  }

  private func complete(
    _ outcome: CommitOutcome, _ failure: StorageError?, _ batch: MutationBatch,
    _ builder: IndexBuilder<Engine>?
  ) {
    switch outcome {
    case .waits: break
    case .postponed(let job):
      do throws(StoreError) { try queue.submit(job) } catch { job.refuse() }
    case .isForThread(var request):
      request.isLong = true
      requeue([request])
    case .index(let request):
      if let sharing, !sharing.isLeader {
        tellLeader(request, sharing)
      } else {
        builder?.begin(request, batch)
      }
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
          guard sharing?.isLeader ?? true else { return clock.issue() }
          while builder?.retirement.slice(batch) == true {}
          while try !housekeeping.tidySlice(batch) {}
          return clock.issue()
        }.mapError { .storage($0) })
    }
  }
}
