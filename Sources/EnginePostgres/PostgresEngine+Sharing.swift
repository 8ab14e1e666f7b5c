/// Commits where several servers have the store.
///
/// The clock's row is taken, and with the same trip comes what others have committed; the commit is planned on that state,
/// and a second trip has its mutations, its entry in the log and the end of the transaction. Where others may still read without
/// looking, that commits come is announced between them, and waited for (`PostgresReadLease`): what changes nothing announces
/// nothing. Who waits for the row waits in PostgreSQL. A server that is stopped while it has the row loses it (`PostgresTables.limitIdleness`).

public import DocStore
internal import EngineLMDB
internal import Platform

/// The clock's row, had by this server. Belongs to the thread that has the feed's order.
final class PostgresTurn {
  var link: PostgresLink?
  /// The number of the commit that may be made.
  var commit: Int64 = 0
  /// When it may be sent: who reads without looking has stopped by then. Nil where it has to be announced.
  var sendTime: Int64?
  /// Why there is none to make.
  var failure: StorageError?
  /// The transaction has begun and has not ended.
  var isOpen = false
  var hasCommitted = false
}

extension PostgresEngine: SharedStore {
  public var sharing: (any SharedStore)? { feed == nil ? nil : self }

  public var isLeader: Bool { leadership?.isLeader ?? true }

  public var feedState: (appliedCount: Int, lagSeconds: Double) { feed?.condition ?? (0, 0) }

  public func follow(_ follower: @escaping StoreFollowing) { feed?.follow(follower) }

  public func whenCurrent(_ body: @escaping @Sendable (StorageError?) -> Void) {
    // Also where reads ask PostgreSQL itself: what they see must have been told before.
    if let feed { feed.whenCurrent(body) } else { body(nil) }
  }

  public func isCurrent() -> Bool { feed?.isCurrent() ?? true }

  public var hasReadLease: Bool { feed?.lease.holds ?? true }

  public func tell(_ text: String) { feed?.tell(text) }

  public func hear(_ body: @escaping @Sendable (String) -> Void) { feed?.hear(body) }

  public func followLeadership(_ body: @escaping @Sendable (Bool) -> Void) {
    if let leadership { leadership.follow(body) } else { body(true) }
  }

  public func inOrder(_ body: () -> Void) {
    guard let feed, !feed.hasOrder else { return body() }
    let turn = PostgresTurn()
    turn.link = beginWriting()
    // Whoever applies what others commit does not wait behind who waits for the row.
    let missed = lock(turn, feed)
    feed.takeOrder()
    if let missed { apply(missed, turn, feed) }
    self.turn.withLock { $0 = turn }
    body()
    self.turn.withLock { $0 = nil }
    feed.giveOrderBack()
    if turn.isOpen { rollBack(turn) }
    endWriting(turn.link)
    if turn.hasCommitted { feed.ring() }
  }

  // MARK: the row

  /// Takes the row. Nil, and the turn says why, where that cannot be.
  private func lock(_ turn: PostgresTurn, _ feed: PostgresFeed) -> PostgresRows? {
    do throws(StorageError) {
      try admit(&turn.link)
      return try lockNow(turn, feed)
    } catch {
      turn.failure = error
      return nil
    }
  }

  private func lockNow(_ turn: PostgresTurn, _ feed: PostgresFeed) throws(StorageError) -> PostgresRows {
    var failure = PostgresFailure(message: "there was no attempt")
    for _ in 0..<Self.attemptsMax {
      do throws(PostgresFailure) {
        let current = try PostgresLink.opened(&turn.link, address)
        let rows = try current.run(
          [
            PostgresTables.begin, PostgresTables.limitIdleness, PostgresTables.lock(epoch: ownership.epoch),
            PostgresTables.news(from: feed.known),
          ], seconds: Self.commitSeconds)
        guard rows.count >= 2, rows[rows.count - 2].count == 1 else {
          throw PostgresFailure(message: "there is no answer")
        }
        let news = try PostgresTables.checked(rows.last)
        turn.commit = rows[rows.count - 2].integer(0, 0)
        turn.isOpen = true
        turn.sendTime = feed.lease.commitTime(PostgresTables.announcement(in: news), over: current)
        return news
      } catch { failure = error }
      // Its transaction is in no order, and ends with it.
      turn.link = nil
      if failure.isDeposed { ownership.lose("another server has taken the store") }
      if !failure.isLost, failure.storageError != .conflict { break }
    }
    if failure.isLost { health.begin(.away(store: location, reason: failure.message)) }
    throw pool.note(failure)
  }

  /// Brings this server to the state that the commit is planned on. With the order.
  ///
  /// Who has waited long for it may have lost the row meanwhile, and what others have committed since is known already.
  private func apply(_ news: PostgresRows, _ turn: PostgresTurn, _ feed: PostgresFeed) {
    do throws(StorageError) {
      var news = news
      for _ in 0..<Self.attemptsMax {
        try feed.apply(news)
        while news.count == PostgresTables.missedMax {
          news = try more(turn, feed)
          try feed.apply(news)
        }
        if feed.known + 1 == turn.commit { return }
        guard feed.known >= turn.commit else { throw feed.missedTooMuch() }
        turn.link = nil
        turn.isOpen = false
        news = try lockNow(turn, feed)
      }
      throw .conflict
    } catch { turn.failure = error }
  }

  /// Says that commits come, with the clock's row had. From when on this one may be sent.
  private func announce(over link: PostgresLink, _ feed: PostgresFeed) throws(PostgresFailure) -> Int64 {
    // Not in the commit's transaction, which nobody sees before its end.
    _ = try pool.run([PostgresTables.announce], seconds: Self.commitSeconds)
    // Said to the PostgreSQL that has the commit, too.
    let news = try PostgresTables.checked(
      try link.run([PostgresTables.news(from: feed.known)], seconds: Self.commitSeconds).last)
    let time = feed.lease.commitTime(PostgresTables.announcement(in: news), over: link)
    guard let time else { throw PostgresFailure(message: "another PostgreSQL has taken over") }
    return time
  }

  private func more(_ turn: PostgresTurn, _ feed: PostgresFeed) throws(StorageError) -> PostgresRows {
    do throws(PostgresFailure) {
      guard let link = turn.link,
        let rows = try link.run([PostgresTables.news(from: feed.known)], seconds: Self.commitSeconds).last
      else { throw PostgresFailure(message: "there is no answer") }
      return rows
    } catch { throw pool.note(error) }
  }

  private func rollBack(_ turn: PostgresTurn) {
    turn.isOpen = false
    do throws(PostgresFailure) {
      try turn.link?.run([PostgresTables.rollback], seconds: Self.commitSeconds)
    } catch { turn.link = nil }
  }

  // MARK: writing

  private static let shortBytesMax = 4_096

  func write<R, E: StorageFailure>(
    _ batch: MutationBatch, in feed: PostgresFeed, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    guard feed.hasOrder else {
      var result: Result<R, E>?
      inOrder { result = Result { () throws(E) in try write(batch, in: feed, plan) } }
      guard let result else { throw E(storage: .unavailable) }
      return try result.get()
    }
    guard let turn = turn.withLock({ $0 }) else { throw E(storage: .unavailable) }
    // One turn is for one commit: who writes once more takes the row once more.
    if turn.failure == nil, !turn.isOpen, let missed = lock(turn, feed) { apply(missed, turn, feed) }
    if let failure = turn.failure { throw E(storage: failure) }
    let result = try read { (view) throws(E) in try plan(view, batch) }
    if batch.mutations.isEmpty { return result }
    do throws(StorageError) { try commit(batch, turn, feed) } catch { throw E(storage: error) }
    return result
  }

  private func commit(_ batch: MutationBatch, _ turn: PostgresTurn, _ feed: PostgresFeed) throws(StorageError)
  {
    let number = turn.commit
    var random = SystemRandomNumberGenerator()
    let token = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    let record = CommitLogRecord.framed(batch, generation: 1, commit: UInt64(number))
    // What comes in more than some packets may come in part.
    let isLong = record.count > Self.shortBytesMax
    let statements =
      (isLong ? [PostgresTables.limitIdleness(awaiting: 2 * record.count)] : [])
      + PostgresBatch.statements(batch.mutations)
      + [PostgresTables.log(number, token: token, record), PostgresTables.end]
    let prepared = try send(statements, batch, isLong, number, token, turn, feed)
    turn.isOpen = false
    turn.hasCommitted = true
    copy?.follow(batch, prepared, commit: number)
    feed.note(own: number, token: token)
  }

  /// Returns when the commit has happened: what the copy has been prepared for.
  ///
  /// INVARIANT: nothing is prepared any more when what others have committed is applied.
  private func send(
    _ statements: [PostgresStatement], _ batch: MutationBatch, _ isLong: Bool, _ number: Int64,
    _ token: [UInt8], _ turn: PostgresTurn, _ feed: PostgresFeed
  ) throws(StorageError) -> PreparedBatch? {
    var failure = PostgresFailure(message: "there was no attempt")
    for _ in 0..<Self.attemptsMax {
      do throws(PostgresFailure) {
        guard let link = turn.link else { throw PostgresFailure(message: "there is no connection") }
        if turn.sendTime == nil { turn.sendTime = try announce(over: link, feed) }
        // A signal may end a wait.
        while let rest = turn.sendTime.map({ $0 - SystemClock.monotonic }), rest > 0 {
          usleep(UInt32(rest / 1_000 + 1))
        }
        var prepared: PreparedBatch?
        try link.run(statements, seconds: Self.commitSeconds, isLong: isLong) {
          prepared = copy?.prepare(batch)
        }
        return prepared
      } catch { failure = error }
      turn.link = nil
      turn.isOpen = false
      guard failure.isLost || failure.storageError == .conflict else { break }
      let happened = try settled(
        epoch: ownership.epoch, [PostgresTables.logged(number, token: token)], &turn.link
      ) { _, rows in rows.last?.count == 1 }
      if happened { return nil }
      // What was planned is right only if nobody has committed meanwhile.
      let missed = try lockNow(turn, feed)
      if turn.commit != number {
        apply(missed, turn, feed)
        throw .conflict
      }
    }
    throw pool.note(failure)
  }
}
