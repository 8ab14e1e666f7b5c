/// The engine on PostgreSQL: its tables are the store, this process has a copy of them to read from.
///
/// A commit is one trip: the clock's row is changed, which makes sure that the store is this server's and orders commits;
/// the mutations follow, one statement for each keyspace. Reads are answered by the copy as long as nobody else can have
/// committed (`PostgresOwnership`), else by the tables themselves, in one snapshot a view.
///
/// A commit whose outcome is not known, because the connection ended with it, is looked up by its number before anything
/// else is committed, however long that takes: whoever waits for it has a deadline of their own, and listeners must hear of it.
///
/// Where several servers have the store (`PostgresEngine+Sharing`), a commit is two trips: the clock's row is taken first.
///
/// State and what guards it: the link to write over, by the turn that `writing` gives; `isClosing` by itself.
///
/// LIMIT: keys of 511 bytes, as data folders have them, so that a store can move between the two.
/// Source: docs/decisions.md, "PostgreSQL keeps the store, and a process that serves it has a copy".

public import DocStore
public import EngineLMDB
internal import Platform
internal import Synchronization

public final class PostgresEngine: StorageEngine {
  public let limits = EngineLimits(keyBytesMax: 511, valueBytesMax: Int(Int32.max))

  /// Where servers share the store each batch also takes the clock's row from the others: fewer and larger ones are better.
  public var writesElsewhere: Bool { feed == nil }

  public let health: EngineHealth

  /// Where the store is, without a password.
  public let location: String

  /// The server's version as a number, 150004 for 15.4.
  public let serverVersion: Int

  let address: PostgresAddress
  let pool: PostgresLinkPool
  let ownership: PostgresOwnership
  let copy: PostgresCopy?
  /// What the other servers commit; nil where there can be none.
  let feed: PostgresFeed?
  /// Which of them is the leader.
  let leadership: PostgresLeadership?
  /// Of the thread that has the feed's order, to commit.
  let turn = Monitor<PostgresTurn?>(nil)
  /// Of the one that writes, with the link to write over.
  private let writing: Monitor<(isHeld: Bool, link: PostgresLink?)>
  private let isClosing = Atomic(false)

  /// LIMIT: seconds for one commit, after which its outcome is looked up.
  static let commitSeconds = 20.0
  /// LIMIT: how often a commit is sent that the server has not taken.
  static let attemptsMax = 5

  private init(
    _ address: PostgresAddress, _ ownership: PostgresOwnership, _ health: EngineHealth, _ copy: PostgresCopy?,
    _ link: PostgresLink, isShared: Bool
  ) {
    feed =
      isShared
      ? PostgresFeed(address, ownership, health, copy, known: ownership.commit) : nil
    leadership = isShared ? PostgresLeadership(address) : nil
    self.address = address
    location = address.text
    serverVersion = link.serverVersion
    pool = PostgresLinkPool(address)
    self.ownership = ownership
    self.health = health
    self.copy = copy
    writing = Monitor((false, link))
  }

  deinit {
    copy?.fail()
    feed?.stop()
    leadership?.stop()
    ownership.stop()
    ownership.release(over: nil)
  }

  // MARK: opening

  /// Opens the store in a database, and makes it where there is none.
  ///
  /// - Parameters:
  ///   - keepsCopy: false reads everything from PostgreSQL.
  ///   - isShared: other servers, which say so too, may have the store at the same time.
  public static func open(
    _ address: PostgresAddress, keepsCopy: Bool = true, isShared: Bool = false
  ) throws(PostgresOpenError) -> PostgresEngine {
    let health = EngineHealth()
    let link: PostgresLink
    let taking: PostgresOwnership.Taking
    do throws(PostgresFailure) {
      var first: PostgresLink?
      link = try PostgresLink.opened(&first, address)
      let layout = try PostgresTables.open(link)
      guard layout == PostgresTables.layout else {
        throw PostgresFailure(
          state: "0A000",
          message:
            "its layout is \(layout), this program knows \(PostgresTables.layout): it is of a later version")
      }
      if isShared { try PostgresTables.openShared(link) }
      taking = try PostgresOwnership.take(address, link, health, as: isShared ? .together : .alone)
    } catch {
      throw error.isLost || error.isRefusal
        ? .unreachable(store: address.text, reason: error.message)
        : .unusable(store: address.text, reason: error.message)
    }
    switch taking {
    case .inUse(let owner): throw .inUse(store: address.text, owner: owner)
    case .taken(let ownership):
      return try begin(address, ownership, health, link, keepsCopy, isShared)
    }
  }

  private static func begin(
    _ address: PostgresAddress, _ ownership: PostgresOwnership, _ health: EngineHealth, _ link: PostgresLink,
    _ keepsCopy: Bool, _ isShared: Bool
  ) throws(PostgresOpenError) -> PostgresEngine {
    var copy: PostgresCopy?
    if keepsCopy {
      do throws(LMDBOpenError) { copy = try PostgresCopy(health, isShared: isShared) } catch {
        ownership.release(over: link)
        throw .unusable(store: address.text, reason: "its copy on this machine: \(error)")
      }
    }
    let engine = PostgresEngine(address, ownership, health, copy, link, isShared: isShared)
    do throws(PlatformThread.Exhausted) {
      try ownership.start()
      try engine.feed?.start()
      try engine.leadership?.start()
      if copy != nil { try engine.startFilling() }
    } catch {
      throw .unusable(store: address.text, reason: error.description)
    }
    return engine
  }

  private func startFilling() throws(PlatformThread.Exhausted) {
    try PlatformThread.start { [weak self, copy, pool] in
      do throws(StorageError) {
        try copy?.fill(pool) { body in
          if let self { self.alone(body) } else { copy?.fail() }
        }
      } catch {
        // Nobody reads from it any more.
        if self == nil { return }
        let reason = pool.lastFailure?.message ?? "\(error)"
        copy?.noteDamage(reason)
      }
    }
  }

  private func alone(_ body: (_ known: Int64) -> Void) {
    if let feed {
      feed.takeOrder()
      defer { feed.giveOrderBack() }
      return body(feed.known)
    }
    let link = beginWriting()
    body(.max)
    endWriting(link)
  }

  /// Returns when reads are answered by the copy, or never will be.
  public func waitForCopy() { copy?.waitUntilWhole() }

  /// What is kept beside the documents. One writer at a time.
  public var journal: PostgresJournal { PostgresJournal(address, leadership?.term ?? ownership) }

  // MARK: reading

  public func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    if let whole = copy?.whole, isCopyRight { return try whole.read(body) }
    if health.outage != nil || !ownership.isAnswering { throw E(storage: .unavailable) }
    let view = PostgresView(pool)
    defer { view.end() }
    return try body(view)
  }

  /// Whether the copy is what reads may see. Who must not miss what other servers have committed has waited for it
  /// (`whenCurrent`); who plans a commit has the order.
  private var isCopyRight: Bool {
    guard let feed else { return ownership.isCertain }
    return ownership.standing == .owner && (feed.isInContact || feed.hasOrder)
  }

  // MARK: writing

  public func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    if let feed { return try write(batch, in: feed, plan) }
    var link = beginWriting()
    defer { endWriting(link) }
    do throws(StorageError) { try admit(&link) } catch { throw E(storage: error) }
    let result = try read { (view) throws(E) in try plan(view, batch) }
    if batch.mutations.isEmpty { return result }
    do throws(StorageError) { try commit(batch, &link) } catch { throw E(storage: error) }
    return result
  }

  func beginWriting() -> PostgresLink? {
    writing.wait { writing -> PostgresLink?? in
      if writing.isHeld { return nil }
      writing.isHeld = true
      defer { writing.link = nil }
      return .some(writing.link)
    }
  }

  func endWriting(_ link: PostgresLink?) {
    writing.change { writing in
      writing.isHeld = false
      if let link, link.isOpen { writing.link = link }
    }
  }

  func admit(_ link: inout PostgresLink?) throws(StorageError) {
    if ownership.standing == .released {
      isClosing.store(false, ordering: .relaxed)
      do throws(PostgresFailure) {
        let current = try PostgresLink.opened(&link, address)
        try ownership.takeAgain(over: current)
      } catch { throw pool.note(error) }
    }
    if ownership.standing != .owner || health.outage != nil { throw .unavailable }
  }

  private func commit(_ batch: MutationBatch, _ link: inout PostgresLink?) throws(StorageError) {
    let turn = ownership.beginCommit()
    var (happened, asked) = (false, 0.0)
    defer { ownership.endCommit(happened: happened, asked: asked) }
    let statements =
      [PostgresTables.begin, PostgresTables.commit(epoch: turn.epoch, after: turn.after)]
      + PostgresBatch.statements(batch.mutations) + [PostgresTables.end]
    let prepared: PreparedBatch?
    (asked, prepared) = try send(statements, batch, turn, &link)
    happened = true
    copy?.follow(batch, prepared, commit: turn.after + 1)
  }

  /// Returns when the commit has happened: the time at which it was sent, and what the copy has been prepared for.
  private func send(
    _ statements: [PostgresStatement], _ batch: MutationBatch, _ turn: PostgresOwnership.Turn,
    _ link: inout PostgresLink?
  ) throws(StorageError) -> (asked: Double, PreparedBatch?) {
    var failure = PostgresFailure(message: "there was no attempt")
    for _ in 0..<Self.attemptsMax {
      let current: PostgresLink
      do throws(PostgresFailure) { current = try PostgresLink.opened(&link, address) } catch {
        // Nothing was sent.
        health.begin(.away(store: location, reason: error.message))
        throw pool.note(error)
      }
      let asked = SystemClock.milliseconds
      do throws(PostgresFailure) {
        var prepared: PreparedBatch?
        try current.run(statements, seconds: Self.commitSeconds) { prepared = copy?.prepare(batch) }
        return (asked, prepared)
      } catch { failure = error }
      // Its transaction is in no order, and ends with it.
      link = nil
      if failure.isDeposed {
        ownership.lose("another server has taken the store")
        throw .unavailable
      }
      if failure.isLost {
        let happened = try settled(epoch: turn.epoch, [], &link) { [location, ownership] clock, _ in
          if clock.commit == turn.after { return false }
          if clock.commit == turn.after + 1 { return true }
          ownership.lose(
            "PostgreSQL at \(location) has \(clock.commit) commits and is not the one that this server wrote to"
          )
          return nil
        }
        if happened { return (asked, nil) }
      } else if failure.storageError != .conflict {
        break
      }
    }
    throw pool.note(failure)
  }

  /// Whether a commit happened of which nothing was heard. The clock's row is waited for: whoever changes it may still be
  /// at it, though nobody listens any more.
  ///
  /// - Parameters:
  ///   - statements: asked after the clock's row.
  ///   - decide: whether it happened, by the row and what came of the statements; nil where the store is lost.
  func settled(
    epoch: Int64, _ statements: [PostgresStatement], _ link: inout PostgresLink?,
    _ decide: (PostgresClock, [PostgresRows]) -> Bool?
  ) throws(StorageError) -> Bool {
    while true {
      do throws(PostgresFailure) {
        let current = try PostgresLink.opened(&link, address)
        let rows = try current.run([PostgresTables.settledClock] + statements, seconds: Self.commitSeconds)
        guard let row = rows.first else { throw PostgresFailure(message: "there is no answer") }
        let clock = try PostgresClock(row)
        if clock.epoch != epoch { ownership.lose("another server has taken the store") }
        if clock.epoch == epoch, let happened = decide(clock, rows) { return happened }
        throw PostgresFailure(state: "57000", message: "the store is not this server's")
      } catch {
        link = nil
        health.begin(.away(store: location, reason: error.message))
        guard error.isLost else { throw pool.note(error) }
        if isClosing.load(ordering: .relaxed) { throw .outcomeUnknown }
      }
      usleep(100_000)
    }
  }

  public func stopWaiting() { isClosing.store(true, ordering: .relaxed) }

  public func settle() {
    let link = beginWriting()
    defer { endWriting(link) }
    ownership.release(over: link)
    leadership?.release()
  }

  public func explanation(of error: StorageError) -> String? {
    switch error {
    case .unavailable:
      // What was so may be over by now.
      health.outage?.text
        ?? "PostgreSQL at \(location) could not be reached"
        + (pool.lastFailure.map { ": \($0.message)" } ?? "") + ". Try again"
    case .full: pool.lastFailure.map { "PostgreSQL at \(location) has no room: \($0.message)" }
    case .conflict, .corrupt, .outcomeUnknown, .versionCollected: nil
    }
  }
}
