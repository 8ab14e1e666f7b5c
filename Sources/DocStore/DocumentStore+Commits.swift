/// Commits, batches of independent writes, clearing, transactions.

public import DocModel
internal import Platform

extension DocumentStore {
  /// Queues a commit and returns at once; `completion` runs on the thread that commits, after the commit is
  /// durable or refused, and must return at once.
  ///
  /// `judge` sees the planned commit on the very state it applies to and may refuse it.
  ///
  /// A commit that would change what an open transaction has read waits for it, as long as the policy says;
  /// `cancellation` gives it up meanwhile. `author` is written down with what changes.
  ///
  /// - Parameter later: of an event loop that makes the commit: runs what it is given on the same thread when the loop has
  ///   looked at all that is ready for it. Where `StoreOptions.commitsOnCaller` says so, a commit of few bytes is then
  ///   written there, with whatever else has come meanwhile; `completion` runs before that ends.
  public func submit(
    _ database: DatabaseID, _ writes: [Write], transaction: TransactionID? = nil, judge: CommitJudge? = nil,
    author: CommitAuthor = .system, cancellation: CommitCancellation? = nil,
    later: ((@escaping @Sendable () -> Void) -> Void)? = nil,
    completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
  ) {
    do throws(StoreError) {
      let job = CommitJob.commit(
        try request(database, writes, transaction, judge, author, cancellation, completion))
      if commitsOnCaller, let later { return try committer.submit(job, later: later) }
      try committer.submit(job)
    } catch {
      completion(.failure(error))
    }
  }

  private func request(
    _ database: DatabaseID, _ writes: [Write], _ transaction: TransactionID?, _ judge: CommitJudge?,
    _ author: CommitAuthor, _ cancellation: CommitCancellation?,
    _ completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
  ) throws(StoreError) -> CommitRequest {
    let limits = commitLimits
    do { try WriteValidator.check(writes, limits) } catch { throw .invalid(error) }
    if let transaction { try transactions.admitCommit(transaction, database, writes: writes.count) }
    return CommitRequest(
      AskedCommit(
        database: database, writes: writes, transaction: transaction, judge: judge, limits: limits,
        source: CommitSource(author: author, origin: CommitOrigin.current), cancellation: cancellation,
        completion: completion))
  }

  /// Applies `writes` in order, all or none. Returns when they are durable.
  public func commit(
    _ database: DatabaseID, _ writes: [Write], transaction: TransactionID? = nil, judge: CommitJudge? = nil,
    author: CommitAuthor = .system
  ) async throws(StoreError) -> CommitResult {
    let result = await withCheckedContinuation { continuation in
      submit(database, writes, transaction: transaction, judge: judge, author: author) {
        continuation.resume(returning: $0)
      }
    }
    return try result.get()
  }

  /// As `commit`, for a thread that may block: loaders, tests, the shell. Never call it from a callback of
  /// the store.
  @discardableResult
  public func commitAndWait(
    _ database: DatabaseID, _ writes: [Write], transaction: TransactionID? = nil, judge: CommitJudge? = nil,
    author: CommitAuthor = .system
  ) throws(StoreError) -> CommitResult {
    let outcome = Monitor<Result<CommitResult, StoreError>?>(nil)
    let request = try request(database, writes, transaction, judge, author, nil) { result in
      outcome.change { $0 = result }
    }
    if !commitsOnCaller || !committer.writeHere(request) { try committer.submit(.commit(request)) }
    return try outcome.wait { $0 }.get()
  }

  /// Commits each write on its own; one failure does not affect the others. Results are in order.
  /// Source: docs/spec/protocol.md 1.12.
  public func batchWrite(
    _ database: DatabaseID, _ writes: [Write]
  ) async throws(StoreError) -> [Result<WriteResult, StoreError>] {
    do { try checkBatch(writes) } catch { throw .invalid(error) }
    if writes.isEmpty { return [] }
    return await withCheckedContinuation { continuation in
      let results = Monitor(BatchResults<StoreError>(count: writes.count))
      for (index, write) in writes.enumerated() {
        submit(database, [write]) { result in
          let finished = results.change { results in
            results.set(result.map { $0.results.first ?? WriteResult(updateTime: nil) }, at: index)
          }
          if let finished { continuation.resume(returning: finished) }
        }
      }
    }
  }

  /// What refuses a whole batch: an invalid write, or a document written twice.
  public func checkBatch(_ writes: [Write]) throws(InvalidArgument) {
    try WriteValidator.check(writes, commitLimits)
    var paths: Set<ResourcePath> = []
    for write in writes where !paths.insert(write.path).inserted { throw WriteErrors.writtenTwice }
  }

  // MARK: removing much

  /// Removes every document of a database at once, in constant time whatever its size. Returns the version
  /// of the clearing.
  public func clear(_ database: DatabaseID) async throws(StoreError) -> Int64 {
    try await queued { .clear(database, $0) }
  }

  /// As `clear`, for a thread that may block. Never call it from a callback of the store.
  @discardableResult
  public func clearAndWait(_ database: DatabaseID) throws(StoreError) -> Int64 {
    let outcome = Monitor<Result<Int64, StoreError>?>(nil)
    try committer.submit(.clear(database) { result in outcome.change { $0 = result } })
    return try outcome.wait { $0 }.get()
  }

  /// Keeps what holds for the whole store under a name (LIMIT: 500 bytes). Every commit after it, of whatever server, is
  /// planned by one that knows of it. For a thread that may block; never for a callback of the store.
  public func release(_ name: String, _ bytes: [UInt8]) throws(StoreError) {
    let outcome = Monitor<Result<Int64, StoreError>?>(nil)
    try committer.submit(.release(name, bytes) { result in outcome.change { $0 = result } })
    _ = try outcome.wait { $0 }.get()
  }

  /// Tells `body` of what was released so far, in the order of the releases, and of each later one, on the thread that
  /// commits or follows others. It must return soon: commits wait. One follower.
  public func followReleases(_ body: @escaping @Sendable (StoredRelease) -> Void) throws(StoreError) {
    var failure: StorageError?
    let begin = { [self] in
      do throws(StorageError) {
        let known = try engine.read { (view) throws(StorageError) in try StoredRelease.all(view) }
        committer.releases.set(body)
        committer.releases.tell(known)
      } catch { failure = error }
    }
    if let sharing = engine.sharing { sharing.inOrder(begin) } else { begin() }
    if let failure { throw engine.storeError(failure) }
  }

  /// Makes every later commit, of whatever server, one above `time`. For a thread that may block.
  func raise(to time: Int64) throws(StoreError) {
    let outcome = Monitor<Result<Int64, StoreError>?>(nil)
    try committer.submit(.raise(time) { result in outcome.change { $0 = result } })
    _ = try outcome.wait { $0 }.get()
  }

  /// Collects all history beyond the retention and removes what was cleared, now instead of when idle.
  @discardableResult
  public func tidy() async throws(StoreError) -> Int64 {
    try await queued { .tidy($0) }
  }

  private func queued(
    _ job: (@escaping @Sendable (Result<Int64, StoreError>) -> Void) -> CommitJob
  ) async throws(StoreError) -> Int64 {
    let result = await withCheckedContinuation { continuation in
      do throws(StoreError) {
        try committer.submit(job { continuation.resume(returning: $0) })
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try result.get()
  }

  /// Deletes a document or a collection with everything below it, in commits of 500. Returns how many
  /// documents were deleted.
  public func deleteSubtree(_ database: DatabaseID, _ path: ResourcePath) async throws(StoreError) -> Int {
    var count = 0
    while true {
      let doomed = try read(database) { (view) throws(StoreError) in try Self.subtree(path, view, limit: 500)
      }
      if doomed.isEmpty { return count }
      _ = try await commit(database, doomed.map { Write($0, .delete) })
      count += doomed.count
    }
  }

  /// As `deleteSubtree`, for a thread that may block. Never call it from a callback of the store.
  @discardableResult
  public func deleteSubtreeAndWait(_ database: DatabaseID, _ path: ResourcePath) throws(StoreError) -> Int {
    var count = 0
    while true {
      let doomed = try read(database) { (view) throws(StoreError) in try Self.subtree(path, view, limit: 500)
      }
      if doomed.isEmpty { return count }
      try commitAndWait(database, doomed.map { Write($0, .delete) })
      count += doomed.count
    }
  }

  private static func subtree(
    _ path: ResourcePath, _ view: StoreView, limit: Int
  ) throws(StoreError) -> [ResourcePath] {
    var paths: [ResourcePath] = []
    func collect(_ bytes: UnsafeRawBufferPointer, _ document: StoredDocument) -> ScanStep {
      paths.append(ResourcePath(unchecked: String(decoding: bytes, as: UTF8.self)))
      return paths.count < limit ? .more : .stop
    }
    if path.isCollection {
      try view.scanCollection(path, .forward, collect)
    } else if !path.isRoot, try view.document(path) != nil {
      paths.append(path)
    }
    if paths.count < limit { try view.scanDescendants(of: path, collect) }
    return paths
  }

  // MARK: transactions

  /// Begins a transaction. Reads name it in `ReadTime.transaction`, the commit in its own argument.
  ///
  /// - Parameter caller: whose it is. Each has only so many open ones that may write.
  public func beginTransaction(
    _ database: DatabaseID, _ options: TransactionOptions = .readWrite, of caller: CommitAuthor = .system
  ) throws(StoreError) -> TransactionID {
    if case .readOnly(.some(let readTime)) = options.mode { try checkBounds(readTime) }
    return try transactions.begin(database, options, of: caller) { clock.issue() }
  }

  /// What a caller is given of a transaction's id: nobody can make one up, and only this caller can use it, in this
  /// database of this store.
  public func token(
    of transaction: TransactionID, in database: DatabaseID, for caller: CommitAuthor = .system
  ) -> [UInt8] {
    transactions.seal.seal(transaction, database, caller)
  }

  /// The transaction that a caller's token names.
  public func transaction(
    _ token: [UInt8], in database: DatabaseID, of caller: CommitAuthor = .system
  ) throws(StoreError) -> TransactionID {
    switch transactions.seal.open(token, database, caller) {
    case .id(let id): return id
    case .unknown: throw .invalid(TransactionText.unknown)
    case .malformed: throw .invalid(TransactionText.malformed)
    }
  }

  /// Whether a read of documents by name may go ahead in a transaction at once. Otherwise it stands in line
  /// at documents that its earlier attempts, or those of others, have fought over: `ready` is called on any
  /// thread when it may go ahead: when the transactions before it have ended, or the line has not moved for two
  /// seconds. Reads outside transactions never ask.
  public func takeTurns(
    _ transaction: TransactionID, in database: DatabaseID, at paths: some Sequence<ResourcePath> = [],
    ready: @escaping @Sendable () -> Void
  ) -> Bool {
    transactions.takeTurns(transaction, database, paths, ready)
  }

  /// As `takeTurns`, for a thread that may block.
  public func takeTurnsAndWait(
    _ transaction: TransactionID, in database: DatabaseID, at paths: some Sequence<ResourcePath> = []
  ) {
    let isReady = Monitor(false)
    if takeTurns(transaction, in: database, at: paths, ready: { isReady.change { $0 = true } }) { return }
    isReady.wait { $0 ? () : nil }
  }

  /// Gives up the commits of a cancellation that wait for transactions to end, and their own transactions with
  /// them; they are answered as refused. One that does not wait runs its course.
  public func cancel(_ cancellation: CommitCancellation) { transactions.cancel(cancellation) }

  /// Notes the connection over which a transaction was heard of last.
  public func bind(_ transaction: TransactionID, toConnection connection: UInt64) {
    transactions.bind(transaction, to: connection)
  }

  /// A connection is gone, and with it the transactions that were last heard of over it.
  public func abandonTransactions(_ ids: some Sequence<TransactionID>, ofConnection connection: UInt64) {
    transactions.abandon(ids, by: connection)
  }

  public func rollBack(_ transaction: TransactionID, in database: DatabaseID) throws(StoreError) {
    try transactions.rollBack(transaction, database)
  }

  /// Forgets all transactions of all databases: the emulator's reset.
  public func forgetTransactions() { transactions.forgetAll() }
}

/// Gathers the results of a batch as they come.
public struct BatchResults<Failure: Error>: Sendable {
  private var results: [Result<WriteResult, Failure>?]
  private var missing: Int

  public init(count: Int) {
    results = Array(repeating: nil, count: count)
    missing = count
  }

  /// All results, once the last one is there.
  public mutating func set(
    _ result: Result<WriteResult, Failure>, at index: Int
  ) -> [Result<WriteResult, Failure>]? {
    results[index] = result
    missing -= 1
    return missing == 0 ? results.compactMap { $0 } : nil
  }
}
