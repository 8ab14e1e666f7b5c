/// What one of several servers knows of the commits of the others.
///
/// A thread reads the log of commits: when somebody reads documents, who must not miss what was committed before; when the
/// server says that something was committed; and every `pollMilliseconds`. All who wait are answered by one trip. What was
/// committed is applied to the copy and told to the store, in the order of the commits, by whoever has the order: that
/// thread, or the one that commits.
///
/// INVARIANT: a commit is applied once, after the one before it and before the one behind it.
/// INVARIANT: who is told that it may read has been asked for before the log was read, or nobody can have committed since
/// (`PostgresReadLease`).
///
/// State: `state` and `order` behind their monitors; what has the order may change `State.known`.

internal import DocModel
internal import DocStore
internal import EngineLMDB
internal import Platform

final class PostgresFeed: Sendable {
  private struct State {
    /// The last commit that was applied, and its token where it is known.
    var known: Int64
    var token: [UInt8]?
    var waiting: [@Sendable (StorageError?) -> Void] = []
    /// The log is to be read.
    var isAsked = true
    /// The others are to be told that something was committed.
    var mustRing = false
    /// What all are to be told.
    var messages: [String] = []
    /// When the server has answered last.
    var contact: Double
    var appliedCount = 0
    var follower: StoreFollowing?
    var hear: (@Sendable (String) -> Void)?
    var isStopped = false
  }

  private let address: PostgresAddress
  private let ownership: PostgresOwnership
  private let health: EngineHealth
  private let copy: PostgresCopy?
  private let state: Monitor<State>
  private let glances: PostgresGlances
  let lease = PostgresReadLease()
  /// The thread that applies commits.
  private let order = Monitor<PlatformThread.ID?>(nil)

  private static let pollMilliseconds = 50
  /// Microseconds between the beginnings of two looks, for each request that waited for the first: about what it takes to answer
  /// it, so that those who are answered and ask again wait together. One that comes alone does not wait.
  private static let pauseMicroseconds = (each: 30.0, most: 1_500.0)
  private static let answerSeconds = 5.0
  /// It waits for a standby, as commits do.
  private static let takeBackSeconds = 0.5
  /// LIMIT: milliseconds without an answer of the server after which listeners are told nothing from the copy.
  private static let contactMilliseconds = 10_000.0
  /// LIMIT: those who wait to read.
  private static let waitingMax = 100_000
  /// LIMIT: messages to all that wait; more are forgotten.
  private static let messagesMax = 1_000
  private static let messageBytesMax = 7_000

  init(
    _ address: PostgresAddress, _ ownership: PostgresOwnership, _ health: EngineHealth, _ copy: PostgresCopy?,
    known: Int64
  ) {
    self.address = address
    self.ownership = ownership
    self.health = health
    self.copy = copy
    glances = PostgresGlances(address)
    state = Monitor(State(known: known, contact: SystemClock.milliseconds))
  }

  func start() throws(PlatformThread.Exhausted) {
    try PlatformThread.start { [weak self] in Self.follow { self } }
    try PlatformThread.start { [weak self] in Self.listen { self } }
  }

  func stop() { state.change { $0.isStopped = true } }

  /// Commits of others that were applied, and seconds since the log was read.
  var condition: (appliedCount: Int, lagSeconds: Double) {
    state.withLock { ($0.appliedCount, (SystemClock.milliseconds - $0.contact) / 1_000) }
  }

  var known: Int64 { state.withLock { $0.known } }

  /// Whether the copy may be read without asking: nobody is answered from it who has not asked, but listeners are.
  var isInContact: Bool {
    state.withLock { SystemClock.milliseconds - $0.contact < Self.contactMilliseconds }
  }

  // MARK: those who wait

  /// Calls `body` when what was committed before is in the copy: at once where that is known, else on a thread of this.
  func whenCurrent(_ body: @escaping @Sendable (StorageError?) -> Void) {
    if lease.holds { return body(nil) }
    let isTaken = state.change { state in
      if state.isStopped || state.waiting.count >= Self.waitingMax { return false }
      state.waiting.append(body)
      state.isAsked = true
      return true
    }
    if !isTaken { body(.unavailable) }
  }

  /// Whether everything that was committed is here. False also where PostgreSQL does not say so at once.
  func isCurrent() -> Bool {
    if lease.holds { return true }
    let began = SystemClock.monotonic
    let (before, token, isStopped) = state.withLock { ($0.known, $0.token, $0.isStopped) }
    guard !isStopped, ownership.standing == .owner, let news = glances.news(from: before),
      news.integer(0, 3) == ownership.epoch, news.integer(0, 4) == before
    else { return false }
    if let token, !news.isNull(0, 0), token != Array(news.bytes(0, 2)) { return false }
    state.withLock { $0.contact = SystemClock.milliseconds }
    lease.note(PostgresTables.announcement(in: news), began: began)
    return true
  }

  /// Hears of what others commit from now on.
  func follow(_ follower: @escaping StoreFollowing) { state.change { $0.follower = follower } }

  /// Hears what any server tells all of them.
  func hear(_ body: @escaping @Sendable (String) -> Void) { state.change { $0.hear = body } }

  func tell(_ text: String) {
    state.change { state in
      if state.messages.count < Self.messagesMax, text.utf8.count <= Self.messageBytesMax {
        state.messages.append(text)
      }
      state.isAsked = true
    }
  }

  /// This server has committed.
  func ring() {
    state.change { state in
      state.mustRing = true
      state.isAsked = true
    }
  }

  // MARK: the order

  /// Whether the calling thread has it.
  var hasOrder: Bool { order.withLock { $0 == PlatformThread.current } }

  func takeOrder() {
    let caller = PlatformThread.current
    order.wait { holder -> Void? in
      if holder != nil { return nil }
      holder = caller
      return ()
    }
  }

  func giveOrderBack() { order.change { $0 = nil } }

  /// A commit of this server is in the copy. With the order.
  func note(own commit: Int64, token: [UInt8]) { state.withLock { ($0.known, $0.token) = (commit, token) } }

  /// Applies what others have committed. With the order.
  ///
  /// - Parameter news: what `PostgresTables.news` gave.
  func apply(_ news: PostgresRows) throws(StorageError) {
    if news.isNull(0, 0) { return }
    for row in 0..<news.count {
      let commit = news.integer(row, 0)
      let (known, token) = state.withLock { ($0.known, $0.token) }
      let own = Array(news.bytes(row, 2))
      if commit == known, let token, token != own {
        ownership.lose("commit \(commit) in PostgreSQL is another one than the one that this server knows")
        throw .unavailable
      }
      if commit <= known { continue }
      guard commit == known + 1 else { throw missedTooMuch() }
      try apply(news.bytes(row, 1), commit, own)
    }
  }

  func missedTooMuch() -> StorageError {
    ownership.lose(
      "this server has heard nothing for so long that the log of commits no longer has what it missed. Start it again"
    )
    return .unavailable
  }

  /// Whether the store is still what this server has joined. Throws, and it is lost, where not.
  ///
  /// - Parameter known: the last commit that was applied when it was asked.
  func check(_ news: PostgresRows, knowing known: Int64) throws(StorageError) {
    let (epoch, commit) = (news.integer(0, 3), news.integer(0, 4))
    if epoch != ownership.epoch {
      ownership.lose("another server has taken the store")
    } else if commit < known {
      ownership.lose("PostgreSQL has \(commit) commits and is not the one that this server wrote to")
    } else if commit > known, news.isNull(0, 0) || news.integer(news.count - 1, 0) <= known {
      throw missedTooMuch()
    } else {
      return
    }
    throw .unavailable
  }

  private func apply(
    _ record: UnsafeRawBufferPointer, _ commit: Int64, _ token: [UInt8]
  ) throws(StorageError) {
    let batch = MutationBatch()
    let content = RecordFrame.content(record, at: 0, record.count)
    guard content.flatMap({ CommitLogRecord($0) })?.fill(batch) == true else {
      ownership.lose("commit \(commit) in docstore.log cannot be read: it is of a later version, or damaged")
      throw .corrupt
    }
    let apply = { [copy] in
      copy?.follow(batch, commit: commit)
      return
    }
    if let follower = state.withLock({ $0.follower }) { follower(batch, apply) } else { apply() }
    // Last: who finds nothing new in the log takes it that all is told.
    state.withLock { state in
      (state.known, state.token) = (commit, token)
      state.appliedCount += 1
    }
  }

  // MARK: the log

  /// What the thread has to do next.
  private enum Task {
    case stop
    case read([@Sendable (StorageError?) -> Void], telling: [String])
  }

  private static func follow(_ feed: () -> PostgresFeed?) {
    var link: PostgresLink?
    var (began, pause) = (0.0, 0.0)
    while let feed = feed() {
      let rest = began + pause - SystemClock.milliseconds * 1_000
      if rest > 1 { usleep(UInt32(rest)) }
      guard case .read(let waiting, let texts) = feed.nextTask() else { return }
      began = SystemClock.milliseconds * 1_000
      pause =
        waiting.count > 1 ? min(Double(waiting.count) * pauseMicroseconds.each, pauseMicroseconds.most) : 0
      var failure: StorageError?
      var news: PostgresRows?
      do throws(StorageError) { news = try feed.catchUp(&link, telling: texts) } catch {
        failure = error
        link = nil
      }
      for body in waiting { body(failure) }
      if let news {
        feed.takeBack(news, link)
        feed.glances.refill()
      }
    }
  }

  private func nextTask() -> Task {
    _ = state.wait(atMost: Self.pollMilliseconds) { $0.isStopped || $0.isAsked ? () : nil }
    let (waiting, texts, isStopped) = state.withLock { state in
      defer { (state.waiting, state.messages, state.isAsked, state.mustRing) = ([], [], false, false) }
      return (state.waiting, state.messages + (state.mustRing ? [""] : []), state.isStopped)
    }
    guard isStopped else { return .read(waiting, telling: texts) }
    for body in waiting { body(.unavailable) }
    return .stop
  }

  /// - Returns: what was read last.
  private func catchUp(
    _ link: inout PostgresLink?, telling texts: [String]
  ) throws(StorageError) -> PostgresRows {
    if case .lost = ownership.standing { throw .unavailable }
    var texts = texts
    while true {
      let before = known
      let news: PostgresRows
      do throws(PostgresFailure) { news = try read(&link, telling: texts) } catch {
        health.begin(.away(store: address.text, reason: error.message))
        throw error.storageError
      }
      try check(news, knowing: before)
      texts = []
      state.withLock { $0.contact = SystemClock.milliseconds }
      health.endAway()
      if news.isNull(0, 0) || news.integer(news.count - 1, 0) <= before { return news }
      takeOrder()
      defer { giveOrderBack() }
      try apply(news)
      if news.count < PostgresTables.missedMax { return news }
    }
  }

  /// The announcement of commits, where none have come for a while. What fails is tried again; nobody waits for it.
  private func takeBack(_ news: PostgresRows, _ link: PostgresLink?) {
    let (announcement, commit) = (PostgresTables.announcement(in: news), news.integer(0, 4))
    guard lease.isQuiet(announcement, after: commit) else { return }
    _ = try? link?.run([PostgresTables.takeBack(announcement, after: commit)], seconds: Self.takeBackSeconds)
  }

  /// A link that has been cut says nothing of the server: what another one says counts.
  private func read(
    _ link: inout PostgresLink?, telling texts: [String]
  ) throws(PostgresFailure) -> PostgresRows {
    let wasThere = link != nil
    do throws(PostgresFailure) { return try readOnce(&link, telling: texts) } catch {
      link = nil
      guard error.isLost, wasThere else { throw error }
    }
    return try readOnce(&link, telling: texts)
  }

  private func readOnce(
    _ link: inout PostgresLink?, telling texts: [String]
  ) throws(PostgresFailure) -> PostgresRows {
    let current = try PostgresLink.opened(&link, address)
    let rows = try current.run(
      texts.map { PostgresTables.tell($0) } + [PostgresTables.news(from: known)],
      seconds: Self.answerSeconds)
    return try PostgresTables.checked(rows.last)
  }

  // MARK: notices

  private static func listen(_ feed: () -> PostgresFeed?) {
    var link: PostgresLink?
    while let address = feed()?.address {
      do throws(PostgresFailure) {
        if link == nil {
          let new = try PostgresLink(address)
          try new.run([PostgresTables.listen], seconds: answerSeconds)
          link = new
        }
        let texts = try link?.notices(seconds: 1) ?? []
        guard let feed = feed(), !feed.state.withLock({ $0.isStopped }) else { return }
        if !texts.isEmpty { feed.hear(texts) }
      } catch {
        link = nil
        usleep(200_000)
      }
    }
  }

  private func hear(_ texts: [String]) {
    let hear = state.change { state in
      state.isAsked = true
      return state.hear
    }
    for text in texts where !text.isEmpty { hear?(text) }
  }
}
