/// Documents of many databases on one engine: reads at a time, atomic commits, a feed of changes.
///
/// ```
/// let store = try DocumentStore(engine: engine, environment: .system)
/// let result = try await store.commit(database, [Write(path, .update(fields: bytes, mask: nil))])
/// try store.read(database) { (view) throws(StoreError) in
///   if let document = try view.document(path) { ... }
/// }
/// store.close()
/// ```
///
/// Reads are synchronous and may run on any number of threads; they never wait for a commit, unless they
/// ask for a time that a commit in flight may still fall below. Commits queue for the one thread that
/// writes. Every database of every project springs into being with its first write.
///
/// Concurrency: the parts own their state (`CommitClock`, `Committer`, `TransactionTable`, `ChangeFeed`);
/// the store itself has none.

public import DocModel
internal import Platform
internal import Synchronization

public final class DocumentStore<Engine: StorageEngine>: Sendable {
  public let engine: Engine
  public let environment: Environment

  let clock: CommitClock
  let transactions: TransactionTable
  let feed: ChangeFeed
  let committer: Committer<Engine>
  let indexes: IndexRegistry
  let hold: HistoryHold
  let commitsOnCaller: Bool
  /// Whether other processes have the store at the same time.
  public let isShared: Bool
  /// Whether collections have tallies: of a store that outlives the process, and was once opened for writing since
  /// tallies are kept.
  let isTallied: Bool
  /// Whether the catalog has every collection by its id: of a store that was once opened for writing since it is kept.
  let areGroupsKnown: Bool
  let generations = KnownGeneration()
  let wanted = WantedTransactions()
  private let limits = Mutex(CommitLimits.production())

  /// Opens the store on `engine`, which must belong to nobody else, and starts the thread that writes.
  public init(
    engine: Engine, environment: Environment = .system, options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    precondition(engine.limits.keyBytesMax >= 511, "the engine's keys are too short for the key layout")
    self.engine = engine
    self.environment = environment
    var options = options
    if options.isReadOnly { options.indexBuilding = .never }
    let lastVersion: Int64
    let stored: StoredIndexes
    let secret: [UInt8]?
    if (try? StoreCopy.isFinished(engine)) == false {
      throw .engine(
        .unavailable,
        message: "a copy of another store was begun there and is not finished; make the copy again")
    }
    isShared = engine.sharing != nil
    do {
      lastVersion = try Self.openState(engine, environment)
      secret = isShared ? try Self.openSecret(engine) : nil
      isTallied = try Self.openTallies(engine, isReadOnly: options.isReadOnly)
      areGroupsKnown = try Self.openCollections(engine, isReadOnly: options.isReadOnly)
      stored =
        options.isReadOnly
        ? StoredIndexes() : try engine.read { (view) throws(StorageError) in try IndexCatalog.stored(view) }
    } catch { throw engine.storeError(error) }
    clock = CommitClock(committed: lastVersion, environment: environment, isShared: isShared)
    transactions = TransactionTable(now: environment.elapsed, secret: secret)
    feed = ChangeFeed(keepsAll: isShared)
    indexes = IndexRegistry(options, now: environment.elapsed)
    hold = HistoryHold(options.historyHeldAfter)
    commitsOnCaller = options.commitsOnCaller
    indexes.replaceAll(stored)
    committer = Committer(
      engine: engine, clock: clock, transactions: transactions, feed: feed,
      housekeeping: Housekeeping(
        engine: engine, now: environment.now, hold: hold, historyBytesMax: options.historyBytesMax),
      indexes: indexes, generations: generations, commitsOnCaller: commitsOnCaller)
    indexes.connect { [weak committer, weak indexes] request in
      do throws(StoreError) {
        guard let committer else { throw .storage(.unavailable) }
        try committer.submit(.index(request))
      } catch {
        indexes?.drop(request.shapes, request.generation)
        request.completion()
      }
    }
    if options.isReadOnly {
      committer.stop()
      return
    }
    try followOthers()
    try committer.start(stored)
  }

  deinit { committer.stop() }

  /// What others commit is told from here on; what they did since the store's state was read is read once more.
  private func followOthers() throws(StoreError) {
    guard let sharing = engine.sharing else { return }
    var failure: StorageError?
    sharing.inOrder {
      do throws(StorageError) {
        let state = try engine.read { (view) throws(StorageError) in try DatabaseCatalog.state(view) }
        if let last = state?.lastVersion {
          clock.raise(to: last)
          clock.endBatch(committed: last)
        }
        indexes.replaceAll(try engine.read { (view) throws(StorageError) in try IndexCatalog.stored(view) })
      } catch { failure = error }
      sharing.follow { [weak committer] batch, apply in
        if let committer { committer.note(batch, apply) } else { apply() }
      }
    }
    if let failure { throw engine.storeError(failure) }
    sharing.hear { [weak self] text in self?.hear(text) }
    indexes.tellUse { [weak sharing] generation, number in
      if let sharing, !sharing.isLeader { sharing.tell(IndexUse(generation, number).text) }
    }
    sharing.followLeadership { [weak committer] _ in committer?.look() }
  }

  /// Whether this process does what is to be done once for all that have the store.
  public var leads: Bool { engine.sharing?.isLeader ?? true }

  /// Calls `body`, on any thread, when reads see everything that was committed anywhere before this call.
  public func whenCurrent(_ body: @escaping @Sendable (StoreError?) -> Void) {
    guard let sharing = engine.sharing else { return body(nil) }
    sharing.whenCurrent { [engine] error in body(error.map { engine.storeError($0) }) }
  }

  /// Whether reads see everything that was committed anywhere before this call, as far as that can be said within some
  /// milliseconds.
  public func isCurrent() -> Bool { engine.sharing?.isCurrent() ?? true }

  /// Whether they do without asking anybody.
  public var hasReadLease: Bool { engine.sharing?.hasReadLease ?? true }

  /// As `whenCurrent`, for a thread that may block.
  public func waitUntilCurrent() throws(StoreError) {
    if !isShared { return }
    let outcome = Monitor<StoreError??>(nil)
    whenCurrent { error in outcome.change { $0 = .some(error) } }
    if let error = outcome.wait({ $0 }) { throw error }
  }

  /// Lets queued commits finish and ends the thread that writes. Commits that come later are refused.
  public func close() {
    committer.stop()
    committer.engine.stopWaiting()
    committer.join()
    committer.engine.settle()
  }

  /// The last version of the stored commits; a fresh store gets the present as its first.
  private static func openState(_ engine: Engine, _ environment: Environment) throws(StorageError) -> Int64 {
    let stored = try engine.read { (view) throws(StorageError) in try DatabaseCatalog.state(view) }
    if let stored { return stored.lastVersion }
    let now = environment.now()
    return try engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
      // Another process may have begun it meanwhile.
      if let stored = try DatabaseCatalog.state(view) { return stored.lastVersion }
      let state = StoreState(lastVersion: now, floor: 0, nextGeneration: 1)
      batch.put(.catalog, KeyLayout.stateKey, state.encoded)
      batch.put(.catalog, CollectionCatalog.completeKey, [])
      return now
    }
  }

  /// A store of before tallies were kept gets them in one pass over its documents.
  private static func openTallies(_ engine: Engine, isReadOnly: Bool) throws(StorageError) -> Bool {
    guard engine.isDurable else { return false }
    let isComplete = try engine.read { (view) throws(StorageError) in
      try view.get(.catalog, CollectionTally.completeKey) != nil
    }
    if isComplete || isReadOnly { return isComplete }
    try engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
      guard let state = try DatabaseCatalog.state(view) else { throw .corrupt }
      try CollectionTally.makeAll(view, batch)
      batch.put(.catalog, KeyLayout.stateKey, state.encoded)
    }
    return true
  }

  /// A store of before collections were entered gets its catalog of them in one pass.
  private static func openCollections(
    _ engine: Engine, isReadOnly: Bool
  ) throws(StorageError) -> Bool {
    let isComplete = try engine.read { (view) throws(StorageError) in
      try view.get(.catalog, CollectionCatalog.completeKey) != nil
    }
    if isComplete || isReadOnly { return isComplete }
    return try engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
      guard let state = try DatabaseCatalog.state(view) else { throw .corrupt }
      guard try CollectionCatalog.makeAll(view, batch) else { return false }
      batch.put(.catalog, KeyLayout.stateKey, state.encoded)
      return true
    }
  }

  /// The databases somebody has written to, in key order.
  public func databases() throws(StoreError) -> [DatabaseID] {
    try engine.read { (view) throws(StoreError) in
      do throws(StorageError) {
        return try DatabaseCatalog.databases(view).map(\.id)
      } catch { throw .storage(error) }
    }
  }

  /// What was committed so far.
  public var metrics: StoreMetrics { committer.metrics }
  /// Commits that wait for the thread that writes.
  public var waitingCommitCount: Int { committer.waitingCount }
  /// Transactions that were begun and not ended.
  public var openTransactionCount: Int { transactions.openCount }
  /// Commits that wait for the reads of open transactions.
  public var lockWaitCount: Int { transactions.waitingCount }
  /// Reads of transactions that wait for their turn at a contended document.
  public var turnWaitCount: Int { transactions.turnWaitCount }

  /// How transactions wait and end; the service's ways to begin with.
  public var transactionPolicy: TransactionPolicy { transactions.policy }

  /// Holds transactions to other ways from now on.
  public func setTransactionPolicy(_ new: TransactionPolicy) { transactions.setPolicy(new) }

  // MARK: limits

  /// What commits are held to; the service's limits to begin with.
  public var commitLimits: CommitLimits { limits.withLock { $0 } }

  /// Holds commits that come from now on to other limits.
  public func setCommitLimits(_ new: CommitLimits) { limits.withLock { $0 = new } }

  // MARK: feed

  /// Follows a database from now on. `wake` is called, on the thread that commits, when something comes
  /// after nothing was waiting; it must return at once. End it with `unsubscribe`.
  ///
  /// - Parameter namesCleared: clearings are to name the documents that they removed, which makes them wait
  ///   for up to 10,000 reads.
  public func subscribe(
    _ database: DatabaseID, eventsMax: Int = 1_024, namesCleared: Bool = false,
    wake: @escaping @Sendable () -> Void
  ) -> FeedSubscription {
    feed.subscribe(database, eventsMax: eventsMax, namesCleared: namesCleared, wake: wake) { clock.issue() }
  }

  public func unsubscribe(_ subscription: FeedSubscription) { feed.cancel(subscription) }

  /// Below this version history may have been collected; 0 in a store where nothing was.
  public func historyFloor() throws(StoreError) -> Int64 {
    try engine.read { (view) throws(StoreError) in
      do throws(StorageError) {
        guard let state = try DatabaseCatalog.state(view) else { throw .corrupt }
        return state.floor
      } catch { throw .storage(error) }
    }
  }

  /// What earlier states and the changes that lead to them take (`StoreOptions.historyBytesMax`).
  public func historyBytes() throws(StoreError) -> Int {
    try engine.read { (view) throws(StoreError) in
      do throws(StorageError) { return try HistorySize(view).bytes } catch { throw .storage(error) }
    }
  }

  /// Keeps what happened after `version`, also beyond the hour (LIMIT: a week), for `changes(isHeld:)` and
  /// `readHeld`. One holder; nil lets go.
  public func holdHistory(after version: Int64?) { hold.set(version) }

  /// Visits what was changed after `version`, in commit order, from storage: for whoever comes back. The
  /// states are those of the read times `version - 1` and `version` of each change. The commit's source comes with
  /// its first change.
  ///
  /// Fails with `readTimeTooOld` when changes since then may have been collected.
  ///
  /// - Parameter isHeld: goes back further than an hour, as far as history is there.
  public func changes(
    _ database: DatabaseID, after version: Int64, isHeld: Bool = false,
    _ visit: (_ version: Int64, _ path: ResourcePath, _ source: CommitSource?) -> ScanStep
  ) throws(StoreError) {
    let oldest = isHeld ? .min : environment.now() - Retention.seconds * 1_000_000
    try engine.read { (view) throws(StoreError) in
      do throws(StorageError) {
        guard let state = try DatabaseCatalog.state(view) else { throw .corrupt }
        guard version >= max(state.floor, oldest) else { throw .versionCollected }
        let generation = try DatabaseCatalog.generation(view, database)
        if generation == 0 { return }
        try ChangeRecord.scanSources(view, generation, after: version, upTo: .max, visit)
      } catch {
        throw error == .versionCollected ? .failedPrecondition(.readTimeTooOld) : .storage(error)
      }
    }
  }
}
