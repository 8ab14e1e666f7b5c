/// The engine on PostgreSQL: its tables are the store, this process has a copy of them to read from.
///
/// A commit is one trip: the clock's row is changed, which makes sure that the store is this server's and orders commits;
/// the mutations follow, one statement for each keyspace. Reads are answered by the copy as long as nobody else can have
/// committed (`PostgresOwnership`), else by the tables themselves, in one snapshot a view.
///
/// A commit whose outcome is not known, because the connection ended with it, is looked up by its number before anything
/// else is committed, however long that takes: whoever waits for it has a deadline of their own, and listeners must hear of it.
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

  public let health: EngineHealth

  /// Where the store is, without a password.
  public let location: String

  /// The server's version as a number, 150004 for 15.4.
  public let serverVersion: Int

  private let address: PostgresAddress
  private let pool: PostgresLinkPool
  private let ownership: PostgresOwnership
  private let copy: PostgresCopy?
  /// Of the one that writes, with the link to write over.
  private let writing: Monitor<(isHeld: Bool, link: PostgresLink?)>
  private let isClosing = Atomic(false)

  /// LIMIT: seconds for one commit, after which its outcome is looked up.
  private static let commitSeconds = 20.0
  /// LIMIT: how often a commit is sent that the server has not taken.
  private static let attemptsMax = 5

  private init(
    _ address: PostgresAddress, _ ownership: PostgresOwnership, _ health: EngineHealth, _ copy: PostgresCopy?,
    _ link: PostgresLink
  ) {
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
    ownership.stop()
    ownership.release(over: nil)
  }

  // MARK: opening

  /// Opens the store in a database, and makes it where there is none.
  ///
  /// - Parameter keepsCopy: false reads everything from PostgreSQL.
  public static func open(
    _ address: PostgresAddress, keepsCopy: Bool = true
  ) throws(PostgresOpenError) -> PostgresEngine {
    let health = EngineHealth()
    let link: PostgresLink
    let taking: PostgresOwnership.Taking
    do throws(PostgresFailure) {
      link = try PostgresLink(address)
      let layout = try PostgresTables.open(link)
      guard layout == PostgresTables.layout else {
        throw PostgresFailure(
          state: "0A000",
          message:
            "its layout is \(layout), this program knows \(PostgresTables.layout): it is of a later version")
      }
      taking = try PostgresOwnership.take(address, link, health)
    } catch {
      throw error.isLost || error.isRefusal
        ? .unreachable(store: address.text, reason: error.message)
        : .unusable(store: address.text, reason: error.message)
    }
    switch taking {
    case .inUse(let owner): throw .inUse(store: address.text, owner: owner)
    case .taken(let ownership):
      return try begin(address, ownership, health, link, keepsCopy)
    }
  }

  private static func begin(
    _ address: PostgresAddress, _ ownership: PostgresOwnership, _ health: EngineHealth, _ link: PostgresLink,
    _ keepsCopy: Bool
  ) throws(PostgresOpenError) -> PostgresEngine {
    var copy: PostgresCopy?
    if keepsCopy {
      do throws(LMDBOpenError) { copy = try PostgresCopy() } catch {
        ownership.release(over: link)
        throw .unusable(store: address.text, reason: "its copy on this machine: \(error)")
      }
    }
    let engine = PostgresEngine(address, ownership, health, copy, link)
    do throws(PlatformThread.Exhausted) {
      try ownership.start()
      if copy != nil { try engine.startFilling() }
    } catch {
      throw .unusable(store: address.text, reason: error.description)
    }
    return engine
  }

  private func startFilling() throws(PlatformThread.Exhausted) {
    try PlatformThread.start { [weak self, copy, pool, health] in
      do throws(StorageError) {
        try copy?.fill(pool) { body in self?.alone(body) }
      } catch {
        // Nobody reads from it any more.
        if self == nil { return }
        let reason = pool.lastFailure?.message ?? "\(error)"
        health.note(
          damage: "the copy of the store on this machine: \(reason). Reads ask PostgreSQL, which takes longer"
        )
      }
    }
  }

  private func alone(_ body: () -> Void) {
    _ = beginWriting()
    body()
    endWriting(nil)
  }

  /// Returns when reads are answered by the copy, or never will be.
  public func waitForCopy() { copy?.waitUntilWhole() }

  /// What is kept beside the documents. One writer at a time.
  public var journal: PostgresJournal { PostgresJournal(address, ownership) }

  // MARK: reading

  public func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    if let whole = copy?.whole, ownership.isCertain { return try whole.read(body) }
    if health.outage != nil || !ownership.isAnswering { throw E(storage: .unavailable) }
    let view = PostgresView(pool)
    defer { view.end() }
    return try body(view)
  }

  // MARK: writing

  public func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    var link = beginWriting()
    defer { endWriting(link) }
    do throws(StorageError) { try admit(&link) } catch { throw E(storage: error) }
    let result = try read { (view) throws(E) in try plan(view, batch) }
    if batch.mutations.isEmpty { return result }
    do throws(StorageError) { try commit(batch, &link) } catch { throw E(storage: error) }
    return result
  }

  private func beginWriting() -> PostgresLink? {
    writing.wait { writing -> PostgresLink?? in
      if writing.isHeld { return nil }
      writing.isHeld = true
      defer { writing.link = nil }
      return .some(writing.link)
    }
  }

  private func endWriting(_ link: PostgresLink?) {
    writing.change { writing in
      writing.isHeld = false
      if let link, link.isOpen { writing.link = link }
    }
  }

  private func admit(_ link: inout PostgresLink?) throws(StorageError) {
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
    asked = try send(statements, turn, &link)
    happened = true
    do throws(StorageError) { try copy?.follow(batch, commit: turn.after + 1) } catch {
      health.note(
        damage: "the copy of the store on this machine: \(error). Reads ask PostgreSQL, which takes longer")
    }
  }

  /// Returns when the commit has happened: the time at which it was sent.
  private func send(
    _ statements: [PostgresStatement], _ turn: PostgresOwnership.Turn, _ link: inout PostgresLink?
  ) throws(StorageError) -> Double {
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
        try current.run(statements, seconds: Self.commitSeconds)
        return asked
      } catch { failure = error }
      // Its transaction is in no order, and ends with it.
      link = nil
      if failure.isDeposed {
        ownership.lose("another server has taken the store")
        throw .unavailable
      }
      if failure.isLost {
        if try hasHappened(turn, &link) { return asked }
      } else if failure.storageError != .conflict {
        break
      }
    }
    throw pool.note(failure)
  }

  /// Whether a commit happened of which nothing was heard. The clock's row is waited for: whoever changes it may still be
  /// at it, though nobody listens any more.
  private func hasHappened(
    _ turn: PostgresOwnership.Turn, _ link: inout PostgresLink?
  ) throws(StorageError) -> Bool {
    while true {
      do throws(PostgresFailure) {
        let current = try PostgresLink.opened(&link, address)
        let rows = try current.run([PostgresTables.settledClock], seconds: Self.commitSeconds)
        guard let row = rows.last else { throw PostgresFailure(message: "there is no answer") }
        let clock = try PostgresClock(row)
        if clock.epoch == turn.epoch, clock.commit == turn.after { return false }
        if clock.epoch == turn.epoch, clock.commit == turn.after + 1 { return true }
        ownership.lose(
          clock.epoch == turn.epoch
            ? "PostgreSQL has \(clock.commit) commits and is not the one that this server wrote to"
            : "another server has taken the store")
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
