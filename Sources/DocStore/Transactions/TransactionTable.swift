/// The open transactions of a store, and for a while the ended ones.
///
/// Conflicts are found when a transaction commits, by checking what it read (`ReadLog`). A lock manager
/// that makes writers wait sits between `Committer`'s queue and the planner and uses the same logs; this
/// table stays as it is.
///
/// State: one table behind one lock, held for look-ups only.
/// Source: spec/protocol.md 1.10; spec/production-differences.md T5 to T13.

internal import DocModel
internal import Synchronization

final class TransactionTable: Sendable {
  enum Outcome {
    case committed, rolledBack, expired
    /// The commit's precondition failed: the same words as for the others, with another status (T6).
    case failedPrecondition
    /// A write was tried in a read-only transaction (T8).
    case wroteReadOnly
  }

  private enum Phase {
    case open
    case ended(Outcome)
  }

  private enum Mode {
    case readWrite(ReadLog)
    case readOnly(readTime: Int64?)
  }

  private struct Entry {
    let database: DatabaseID
    var mode: Mode
    var phase: Phase = .open
    let began: Int64
    var lastUsed: Int64
  }

  /// How a transaction wants a read to happen.
  enum ReadPlan {
    case newest(ReadLog)
    case at(Int64)
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    let firstCounter: UInt64
    var nextCounter: UInt64
    var lastSweep: Int64 = 0
  }

  private let state: Mutex<State>
  private let now: @Sendable () -> Int64

  /// Counters begin at the present, so an id is not used again after a restart.
  init(now: @escaping @Sendable () -> Int64) {
    self.now = now
    let first = UInt64(max(1, now()))
    state = Mutex(State(firstCounter: first, nextCounter: first))
  }

  func begin(_ database: DatabaseID, _ options: TransactionOptions) throws(StoreError) -> TransactionID {
    let now = now()
    return try state.withLock { (state) throws(StoreError) in
      Self.sweep(&state, now)
      guard state.entries.count < TransactionLimits.countMax else {
        throw .resourceExhausted(message: "too many open transactions")
      }
      let mode: Mode
      switch options.mode {
      case .readWrite(let retrying):
        try Self.checkRetried(retrying, database, state)
        mode = .readWrite(ReadLog())
      case .readOnly(let readTime):
        mode = .readOnly(readTime: readTime)
      }
      let counter = state.nextCounter
      state.nextCounter += 1
      state.entries[counter] = Entry(database: database, mode: mode, began: now, lastUsed: now)
      return TransactionID(counter: counter)
    }
  }

  /// What a retry names must be a transaction of this database, and nothing else follows from it.
  ///
  /// It may be one that is still open: the Python client keeps the id in the decorated function, which
  /// threads share, so a retry can name the live transaction of another thread. Nobody waits for an open
  /// transaction here, so there is no reason to end it.
  private static func checkRetried(
    _ bytes: [UInt8], _ database: DatabaseID, _ state: State
  ) throws(StoreError) {
    if bytes.isEmpty { return }
    guard let id = TransactionID.parse(bytes), state.entries[id.counter]?.database == database else {
      throw .invalid(TransactionText.malformedRetry)
    }
  }

  /// How to read in a transaction. `fix` gives the time of a read-only transaction's first read.
  func planRead(
    _ id: TransactionID, _ database: DatabaseID, fix: () -> Int64
  ) throws(StoreError) -> ReadPlan {
    let now = now()
    return try state.withLock { (state) throws(StoreError) in
      var entry = try Self.openEntry(id, database, &state, now)
      entry.lastUsed = now
      let plan: ReadPlan
      switch entry.mode {
      case .readWrite(let log): plan = .newest(log)
      case .readOnly(.some(let time)): plan = .at(time)
      case .readOnly(.none):
        let time = fix()
        entry.mode = .readOnly(readTime: time)
        plan = .at(time)
      }
      state.entries[id.counter] = entry
      return plan
    }
  }

  /// Checks on the caller's thread that a commit may queue. A read-only transaction may only commit
  /// nothing.
  func admitCommit(_ id: TransactionID, _ database: DatabaseID, writes: Int) throws(StoreError) {
    let now = now()
    try state.withLock { (state) throws(StoreError) in
      var entry = try Self.openEntry(id, database, &state, now)
      entry.lastUsed = now
      if case .readOnly = entry.mode, writes > 0 {
        state.entries[id.counter]?.phase = .ended(.wroteReadOnly)
        throw .invalid(TransactionText.readOnly)
      }
      state.entries[id.counter] = entry
    }
  }

  /// Takes an open transaction for its commit: from here on it is over, whoever asks. Nil for a read-only
  /// one, which has nothing to check.
  func take(_ id: TransactionID, _ database: DatabaseID) throws(StoreError) -> ReadLog.Reads? {
    let now = now()
    return try state.withLock { (state) throws(StoreError) in
      let entry = try Self.openEntry(id, database, &state, now)
      state.entries[id.counter]?.phase = .ended(.committed)
      switch entry.mode {
      case .readWrite(let log): return log.snapshot
      case .readOnly: return nil
      }
    }
  }

  /// Corrects what `take` assumed after the commit failed: an invalid or refused commit leaves the
  /// transaction open, an unmet precondition ends it in its own way.
  func settle(_ id: TransactionID, failure: StoreError) {
    state.withLock { state in
      switch failure {
      case .notFound, .alreadyExists, .failedPrecondition:
        state.entries[id.counter]?.phase = .ended(.failedPrecondition)
      case .invalid, .permissionDenied, .resourceExhausted, .storage:
        state.entries[id.counter]?.phase = .open
      case .aborted: break
      }
    }
  }

  /// Ends a transaction. One that was rolled back, has expired or failed may be rolled back again; one
  /// that committed may not (T7).
  func rollBack(_ id: TransactionID, _ database: DatabaseID) throws(StoreError) {
    let now = now()
    try state.withLock { (state) throws(StoreError) in
      Self.expire(id, &state, now)
      guard let entry = state.entries[id.counter], entry.database == database else {
        throw Self.unknown(id, state)
      }
      switch entry.phase {
      case .open: state.entries[id.counter]?.phase = .ended(.rolledBack)
      case .ended(.committed): throw .aborted(.transactionOver)
      case .ended(.rolledBack), .ended(.expired), .ended(.failedPrecondition), .ended(.wroteReadOnly): break
      }
    }
  }

  /// Forgets all transactions: the emulator's reset. Ids are not used again.
  func forgetAll() {
    state.withLock { $0.entries.removeAll() }
  }

  /// How many transactions are open.
  var openCount: Int {
    state.withLock { state in
      state.entries.values.reduce(0) { count, entry in
        if case .open = entry.phase { count + 1 } else { count }
      }
    }
  }

  // MARK: inside the lock

  private static func openEntry(
    _ id: TransactionID, _ database: DatabaseID, _ state: inout State, _ now: Int64
  ) throws(StoreError) -> Entry {
    expire(id, &state, now)
    guard let entry = state.entries[id.counter], entry.database == database else { throw unknown(id, state) }
    switch entry.phase {
    case .open: return entry
    case .ended(.failedPrecondition), .ended(.wroteReadOnly):
      throw .invalid(Complaint(TransactionText.over))
    case .ended(.committed), .ended(.rolledBack), .ended(.expired): throw .aborted(.transactionOver)
    }
  }

  /// An id that was given out and is forgotten by now reads otherwise than one that never was (T12).
  private static func unknown(_ id: TransactionID, _ state: State) -> StoreError {
    let wasGivenOut = id.counter >= state.firstCounter && id.counter < state.nextCounter
    return .invalid(wasGivenOut ? TransactionText.malformed : TransactionText.unknown)
  }

  private static func expire(_ id: TransactionID, _ state: inout State, _ now: Int64) {
    guard let entry = state.entries[id.counter] else { return }
    if now - entry.began > TransactionLimits.rememberedSeconds * 1_000_000 {
      state.entries[id.counter] = nil
    } else if case .open = entry.phase, isExpired(entry, now) {
      state.entries[id.counter]?.phase = .ended(.expired)
    }
  }

  private static func isExpired(_ entry: Entry, _ now: Int64) -> Bool {
    now - entry.lastUsed > TransactionLimits.idleSeconds * 1_000_000
      || now - entry.began > TransactionLimits.lifetimeSeconds * 1_000_000
  }

  /// Drops what nobody remembers, at most once a second.
  private static func sweep(_ state: inout State, _ now: Int64) {
    guard now - state.lastSweep >= 1_000_000 else { return }
    state.lastSweep = now
    let remembered = now - TransactionLimits.rememberedSeconds * 1_000_000
    state.entries = state.entries.filter { $0.value.began >= remembered }
  }
}
