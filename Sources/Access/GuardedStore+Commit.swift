/// Commits of the guarded store.

public import DocModel
public import DocStore
internal import Rules

extension GuardedStore {
  /// Judges a commit where it happens, on the state it applies to; nil for administrators.
  ///
  /// All commits wait while one is judged, so one that nobody waits for any more is given up between its writes.
  private func judge(_ credentials: Credentials, _ cancellation: CommitCancellation? = nil) -> CommitJudge? {
    if credentials.isAdmin { return nil }
    return { [self] (commit) throws(StoreError) in
      try judging(commit, credentials) { (guarding) throws(StoreError) in
        for write in commit.writes {
          if cancellation?.isCancelled ?? false { throw .aborted(.transactionOver) }
          try allow(write, of: commit, guarding)
        }
      }
    }
  }

  /// Gives a hurried commit up when the rules are much work.
  private func allow(
    _ write: JudgedWrite, of commit: JudgedCommit, _ guarding: borrowing AccessGuard
  ) throws(StoreError) {
    guard commit.isHurried, !isWitnessed else { return try guarding.allowWrite(write, in: commit.database) }
    guarding.documents.isShort = true
    do throws(StoreError) { try guarding.allowWrite(write, in: commit.database) } catch {
      if guarding.documents.wasTooLong { commit.giveUp() }
      throw error
    }
  }

  /// Queues a commit. `completion` runs on the thread that commits and must return at once.
  ///
  /// - Parameter later: as of `DocumentStore.submit`.
  public func submit(
    _ database: DatabaseID, _ writes: [Write], transaction: TransactionID? = nil, as credentials: Credentials,
    cancellation: CommitCancellation? = nil, later: ((@escaping @Sendable () -> Void) -> Void)? = nil,
    completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
  ) {
    store.submit(
      database, writes, transaction: transaction, judge: judge(credentials, cancellation),
      author: credentials.author, cancellation: cancellation, later: later,
      completion: completion)
  }

  /// Applies `writes` in order, all or none, if every one of them is allowed.
  public func commit(
    _ database: DatabaseID, _ writes: [Write], transaction: TransactionID? = nil, as credentials: Credentials
  ) async throws(StoreError) -> CommitResult {
    try await store.commit(
      database, writes, transaction: transaction, judge: judge(credentials), author: credentials.author)
  }

  /// As `commit`, for a thread that may block.
  @discardableResult
  public func commitAndWait(
    _ database: DatabaseID, _ writes: [Write], transaction: TransactionID? = nil, as credentials: Credentials
  ) throws(StoreError) -> CommitResult {
    try store.commitAndWait(
      database, writes, transaction: transaction, judge: judge(credentials), author: credentials.author)
  }
}

extension Credentials {
  /// Whom a commit is said to be of, and whose transactions are whose.
  public var author: CommitAuthor {
    switch self {
    case .admin: .administrator
    case .user(.none): .anonymous
    case .user(.some(let user)): .user(user.uidText ?? "")
    }
  }
}
