/// That a store is this server's, and for how long that is certain.
///
/// The clock's row names one owner. While it lives it changes the row twice a second; who wants the store takes it when it
/// was given back, when the owner was a process of the same machine and has ended, or when the row has not changed for
/// `silenceSeconds` by the clock of who waits. So nobody's wall clock matters. An owner is certain of the store for
/// `leaseSeconds` after it sent the last change that came back, which is less: until then nobody else can have committed,
/// and reads need not ask.
///
/// State: behind one monitor. `link` belongs to the thread that beats.

internal import EngineLMDB
internal import Platform

final class PostgresOwnership: Sendable {
  /// Why no commits are taken any more, in words.
  enum Standing: Hashable {
    case owner
    case released
    case lost(String)
  }

  private struct State {
    var epoch: Int64
    var commit: Int64
    var standing = Standing.owner
    /// By the clock that only goes forward, in milliseconds.
    var leaseEnd: Double
    var isCommitting = false
    /// Whether the server has answered when it was asked last.
    var isAnswering = true
    var isStopped = false
  }

  /// How a store is had.
  enum Role: Sendable {
    /// By this server and no other.
    case alone
    /// By this server and others, who all say that they are several.
    case together
    /// Not the store: what one of several does for all.
    case leader

    var row: ClockRow { self == .leader ? .leader : .store }
    var owner: String { self == .together ? PostgresOwner.several : PostgresOwner.own }
  }

  private let address: PostgresAddress
  private let health: EngineHealth
  private let role: Role
  private let state: Monitor<State>

  var row: ClockRow { role.row }

  static let leaseSeconds = 2.0
  static let silenceSeconds = 3.0
  private static let beatMilliseconds = 500
  private static let beatAnswerSeconds = 2.0

  private init(
    _ address: PostgresAddress, _ health: EngineHealth, _ role: Role, epoch: Int64, commit: Int64,
    leaseEnd: Double
  ) {
    self.role = role
    self.address = address
    self.health = health
    state = Monitor(State(epoch: epoch, commit: commit, leaseEnd: leaseEnd))
  }

  // MARK: taking and giving back

  enum Taking {
    case taken(PostgresOwnership)
    /// By this living owner.
    case inUse(String)
  }

  /// Waits for an owner that may have ended, no longer than `silenceSeconds`.
  static func take(
    _ address: PostgresAddress, _ link: PostgresLink, _ health: EngineHealth, as role: Role = .alone
  ) throws(PostgresFailure) -> Taking {
    var seen = try settledClock(link, role.row)
    var since = SystemClock.milliseconds
    while true {
      if role == .together, seen.owner == PostgresOwner.several {
        return .taken(
          PostgresOwnership(
            address, health, role, epoch: seen.epoch, commit: seen.commit,
            leaseEnd: SystemClock.milliseconds))
      }
      let hasEnded = seen.owner.map(PostgresOwner.hasEnded) ?? true
      if hasEnded || SystemClock.milliseconds - since > silenceSeconds * 1_000 {
        let asked = SystemClock.milliseconds
        let take = PostgresTables.take(role.row, seen, owner: role.owner)
        let rows = try link.run([take], seconds: answerSeconds)
        if let row = rows.last, row.count == 1 {
          // Until then others may read without looking, and who has a store alone announces nothing.
          if seen.owner == PostgresOwner.several { usleep(UInt32(PostgresReadLease.waitSeconds * 1e6)) }
          return .taken(
            PostgresOwnership(
              address, health, role, epoch: row.integer(0, 0), commit: row.integer(0, 1),
              leaseEnd: asked + leaseSeconds * 1_000))
        }
      }
      usleep(50_000)
      let now = try settledClock(link, role.row)
      if now == seen { continue }
      if let owner = now.owner, owner == seen.owner { return .inUse(PostgresOwner.name(owner)) }
      (seen, since) = (now, SystemClock.milliseconds)
    }
  }

  private static func settledClock(
    _ link: PostgresLink, _ row: ClockRow
  ) throws(PostgresFailure) -> PostgresClock {
    guard let rows = try link.run([PostgresTables.settledClock(of: row)], seconds: answerSeconds).last else {
      throw PostgresFailure(message: "there is no answer")
    }
    return try PostgresClock(rows)
  }

  private static let answerSeconds = 10.0

  /// Nobody has to wait who takes the store next.
  func release(over link: PostgresLink?) {
    let epoch = state.change { state -> Int64? in
      guard state.standing == .owner else { return nil }
      state.standing = .released
      state.leaseEnd = 0
      return state.epoch
    }
    // What is had together stays with the others.
    guard role != .together, let epoch, let link = link ?? (try? PostgresLink(address)) else { return }
    _ = try? link.run([PostgresTables.release(row, epoch: epoch)], seconds: Self.answerSeconds)
  }

  /// The same owner again, if nobody has had the store meanwhile.
  func takeAgain(over link: PostgresLink) throws(PostgresFailure) {
    guard case .taken(let other) = try Self.take(address, link, health, as: role) else {
      return lose("another server has taken the store")
    }
    let (epoch, commit, leaseEnd) = other.state.withLock { ($0.epoch, $0.commit, $0.leaseEnd) }
    let isSame = state.change { state in
      guard role == .together ? state.epoch == epoch : state.epoch + 1 == epoch && state.commit == commit
      else { return false }
      (state.epoch, state.leaseEnd, state.standing) = (epoch, leaseEnd, .owner)
      return true
    }
    if !isSame { lose("another server has had the store meanwhile") }
  }

  // MARK: commits

  /// What a commit needs to be this owner's next one.
  struct Turn {
    let epoch: Int64
    let after: Int64
  }

  var epoch: Int64 { state.withLock { $0.epoch } }

  /// The last commit, by what this server has made or found when it took the store.
  var commit: Int64 { state.withLock { $0.commit } }

  var standing: Standing { state.withLock { $0.standing } }

  func beginCommit() -> Turn {
    state.change { state in
      state.isCommitting = true
      return Turn(epoch: state.epoch, after: state.commit)
    }
  }

  /// - Parameter asked: when the commit was sent.
  func endCommit(happened: Bool, asked: Double) {
    state.change { state in
      state.isCommitting = false
      guard happened else { return }
      state.isAnswering = true
      state.commit += 1
      state.leaseEnd = max(state.leaseEnd, asked + Self.leaseSeconds * 1_000)
    }
    if happened { health.endAway() }
  }

  /// The store is not this server's any more, or is not what it was.
  func lose(_ reason: String) {
    let isNew = state.change { state in
      defer {
        state.standing = .lost(reason)
        state.leaseEnd = 0
      }
      return state.standing != .lost(reason)
    }
    if isNew { health.begin(.lost(store: address.text, reason: reason)) }
  }

  /// Whether nobody else can have committed. A commit of this server's that is under way counts for nothing yet: nobody has
  /// been told of it.
  var isCertain: Bool { state.withLock { SystemClock.milliseconds < $0.leaseEnd } }

  /// Whether it is of use to ask the server: who waits for it on an event loop holds others up.
  var isAnswering: Bool { state.withLock { $0.isAnswering } }

  // MARK: the beat

  /// Starts the thread that keeps the store.
  func start() throws(PlatformThread.Exhausted) {
    try PlatformThread.start { [self] in beat() }
  }

  func stop() { state.change { $0.isStopped = true } }

  private func beat() {
    var link: PostgresLink?
    while state.wait(atMost: Self.beatMilliseconds, { $0.isStopped ? () : nil }) == nil {
      let epoch = state.withLock { $0.standing == .owner ? $0.epoch : nil }
      guard let epoch else { continue }
      do throws(PostgresFailure) {
        // A link that was cut says nothing of the server: what another one says counts.
        let wasThere = link != nil
        do throws(PostgresFailure) { try beat(over: &link, epoch) } catch {
          link = nil
          guard error.isLost, wasThere else { throw error }
          try beat(over: &link, epoch)
        }
      } catch {
        link = nil
        // Behind a commit that takes long a beat waits, and says nothing.
        let isBehind = state.change { state in
          state.isAnswering = state.isCommitting && state.isAnswering
          return state.isCommitting
        }
        // Behind the commits of others, too; who shares the store hears of the server otherwise.
        if !isBehind, role == .alone { health.begin(.away(store: address.text, reason: error.message)) }
      }
    }
  }

  private func beat(over link: inout PostgresLink?, _ epoch: Int64) throws(PostgresFailure) {
    let current = try PostgresLink.opened(&link, address)
    // A commit is a beat itself, and holds the row. Whether the server answers is asked without it.
    if state.withLock({ $0.isCommitting }) {
      do throws(PostgresFailure) {
        try current.run([PostgresTables.clock], seconds: Self.beatAnswerSeconds)
        state.change { $0.isAnswering = true }
      } catch {
        state.change { $0.isAnswering = false }
        throw error
      }
      return
    }
    let known = state.withLock { $0.commit }
    let asked = SystemClock.milliseconds
    let rows = try current.run([PostgresTables.beat(of: row, epoch: epoch)], seconds: Self.beatAnswerSeconds)
    note(rows.last, asked, epoch, known: known)
  }

  /// What the number of the last commit says.
  enum Finding: Hashable {
    /// Nobody else has committed.
    case own
    case foreign
    /// Nothing: what is under way may be in the row already, and is told when it is in the copy, too; what came to its end
    /// meanwhile may not have been there.
    case open

    /// - Parameters:
    ///   - said: what stands in the row.
    ///   - before: what was known when it was asked.
    ///   - now: what is known when it answers.
    init(said: Int64, before: Int64, now: Int64, isCommitting: Bool) {
      self = isCommitting || now != before ? .open : said == now ? .own : .foreign
    }
  }

  /// - Parameter known: the last commit when it was asked.
  private func note(_ rows: PostgresRows?, _ asked: Double, _ epoch: Int64, known: Int64) {
    guard let rows, rows.count == 1 else {
      if state.withLock({ $0.standing == .owner && $0.epoch == epoch }) {
        lose("another server has taken the store")
      }
      return
    }
    if role == .together { return state.change { $0.isAnswering = true } }
    let commit = rows.integer(0, 0)
    let finding = state.change { state in
      state.isAnswering = true
      let finding = Finding(said: commit, before: known, now: state.commit, isCommitting: state.isCommitting)
      if finding == .own { state.leaseEnd = max(state.leaseEnd, asked + Self.leaseSeconds * 1_000) }
      return finding
    }
    if finding != .foreign { return health.endAway() }
    lose("PostgreSQL has \(commit) commits and is not the one that this server wrote to")
  }
}
