/// A copy of the whole store on this machine, from which reads are answered without asking PostgreSQL.
///
/// It is filled from one state of the tables while the store is used. What is committed meanwhile is applied after it: by one
/// server that has the store, it is kept; of several, it is read in their log. Where PostgreSQL goes away meanwhile, it is filled
/// from the beginning once more. It ends with the process.
///
/// State: behind one monitor. The engine's writer waits while `pendingBytesMax` are kept.

internal import DocModel
internal import DocStore
internal import EngineLMDB
internal import Platform

final class PostgresCopy: Sendable {
  private enum Phase {
    /// Commits since the filling began, in their order.
    case filling(pending: [(commit: Int64, record: [UInt8])], bytes: Int)
    case ready(LMDBEngine)
    /// Nobody fills it any more.
    case failed
  }

  /// For the first filling: made early, because it may not be possible.
  private let empty: Monitor<LMDBEngine?>
  /// Several servers have the store: nobody waits until this one has read it.
  private let isShared: Bool
  private let health: EngineHealth
  private let phase = Monitor(Phase.filling(pending: [], bytes: 0))

  /// LIMIT: bytes of commits that are kept while the copy is being filled. More are waited for by who commits.
  private static let pendingBytesMax = 64 << 20
  private static let pageBytes = 4 << 20
  private static let pauseMicroseconds: UInt32 = 500_000

  init(_ health: EngineHealth, isShared: Bool) throws(LMDBOpenError) {
    self.health = health
    empty = Monitor(try LMDBEngine.ephemeral())
    self.isShared = isShared
  }

  /// Nil while it is not whole.
  var whole: LMDBEngine? {
    phase.withLock { phase in
      if case .ready(let engine) = phase { engine } else { nil }
    }
  }

  /// Returns when the copy is whole, or cannot be.
  func waitUntilWhole() {
    phase.wait { phase -> Void? in
      if case .filling = phase { return nil }
      return ()
    }
  }

  // MARK: filling

  /// Reads the tables. On a thread of its own.
  ///
  /// - Parameter alone: runs a body while no commit is made or applied, which is told the last one that was.
  func fill(
    _ pool: PostgresLinkPool, alone: (_ body: (_ known: Int64) -> Void) -> Void
  ) throws(StorageError) {
    while true {
      do throws(StorageError) {
        if let first = empty.change({ $0.take() }) { return try fill(first, pool, alone: alone) }
        return try fill(Self.another(), pool, alone: alone)
      } catch {
        guard error == .unavailable || error == .conflict, !isFailed else {
          fail()
          throw error
        }
      }
      usleep(Self.pauseMicroseconds)
      // What was committed before the tables are read is in them.
      phase.change { phase in
        if case .filling = phase { phase = .filling(pending: [], bytes: 0) }
      }
    }
  }

  private static func another() throws(StorageError) -> LMDBEngine {
    do throws(LMDBOpenError) { return try LMDBEngine.ephemeral() } catch { throw .full }
  }

  private var isFailed: Bool {
    phase.withLock { phase in
      if case .failed = phase { true } else { false }
    }
  }

  private func fill(
    _ engine: LMDBEngine, _ pool: PostgresLinkPool, alone: (_ body: (_ known: Int64) -> Void) -> Void
  ) throws(StorageError) {
    var state = try readTables(engine, pool)
    // The rest, however quickly more is committed, is applied when nothing is.
    while let last = try catchUp(engine, pool, after: state, upTo: .max), last > state {
      defer { state = last }
      if isShared, last < state + Int64(PostgresTables.copiedMax) { break }
    }
    var outcome = Result<Bool, StorageError>.success(false)
    while try !outcome.get() {
      alone { known in
        outcome = Result { () throws(StorageError) in try finish(engine, pool, after: state, upTo: known) }
      }
      if isFailed { throw .unavailable }
      if case .success(false) = outcome { usleep(2_000) }
    }
  }

  /// While no commit is made or applied. False when the state is ahead of what this server knows of.
  private func finish(
    _ engine: LMDBEngine, _ pool: PostgresLinkPool, after state: Int64, upTo known: Int64
  ) throws(StorageError) -> Bool {
    // What comes next would be applied to it once more, the older commit over the newer one.
    if isShared, state > known { return false }
    var state = state
    while let last = try catchUp(engine, pool, after: state, upTo: known) { state = last }
    if isShared, state < known { throw .corrupt }
    phase.change { $0 = .ready(engine) }
    return true
  }

  /// The number of the commit that the state is of.
  private func readTables(_ engine: LMDBEngine, _ pool: PostgresLinkPool) throws(StorageError) -> Int64 {
    let view = PostgresView(pool)
    defer { view.end() }
    let commit: Int64
    do throws(PostgresFailure) { commit = try view.clock().commit } catch { throw pool.note(error) }
    for keyspace in Keyspace.allCases {
      var pages = PostgresPages(keyspace, .all, .forward, pageBytes: Self.pageBytes)
      while let page = try view.copiedOut(&pages) {
        if isFailed { throw .unavailable }
        try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
          for row in 0..<page.count {
            batch.put(keyspace, Array(page.bytes(row, 0)), Array(page.bytes(row, 1)))
          }
        }
      }
    }
    return commit
  }

  /// Applies some of what was committed since a state. The result is the last commit; nil where there was none.
  private func catchUp(
    _ engine: LMDBEngine, _ pool: PostgresLinkPool, after state: Int64, upTo known: Int64
  ) throws(StorageError) -> Int64? {
    let records: [(commit: Int64, record: [UInt8])]
    if isShared {
      records = try logged(pool, after: state, upTo: known)
      // One that was removed already is not there at all.
      guard records.first.map({ $0.commit == state + 1 }) ?? true else { throw .corrupt }
    } else {
      records = takePending() ?? []
    }
    try apply(records, to: engine, after: state)
    return records.last.map { max(state, $0.commit) }
  }

  private func logged(
    _ pool: PostgresLinkPool, after state: Int64, upTo known: Int64
  ) throws(StorageError) -> [(commit: Int64, record: [UInt8])] {
    do throws(PostgresFailure) {
      let found = try pool.run(
        [PostgresTables.logged(after: state, upTo: known)], seconds: PostgresView.questionSeconds)
      let rows = try PostgresView.only(found)
      return (0..<rows.count).map { (rows.integer($0, 0), Array(rows.bytes($0, 1))) }
    } catch { throw pool.note(error) }
  }

  private func takePending() -> [(commit: Int64, record: [UInt8])]? {
    phase.change { phase in
      guard case .filling(let pending, _) = phase, !pending.isEmpty else { return nil }
      phase = .filling(pending: [], bytes: 0)
      return pending
    }
  }

  private func apply(
    _ records: [(commit: Int64, record: [UInt8])], to engine: LMDBEngine, after state: Int64
  ) throws(StorageError) {
    for (commit, record) in records where commit > state {
      let batch = MutationBatch()
      let isWhole = record.withUnsafeBytes { bytes in
        RecordFrame.content(bytes, at: 0, bytes.count).flatMap { CommitLogRecord($0) }?.fill(batch) ?? false
      }
      guard isWhole else { throw .corrupt }
      try engine.write(batch) { (_, _) throws(StorageError) in }
    }
  }

  // MARK: following

  /// Makes a commit ready that PostgreSQL may not have yet; nil where there is nothing to make ready.
  func prepare(_ batch: MutationBatch) -> PreparedBatch? { whole?.prepare(batch) }

  /// Applies a commit that PostgreSQL has, or keeps it for later.
  ///
  /// Where that fails, reads ask PostgreSQL from now on, which is said.
  /// - Parameter prepared: where it was made ready.
  func follow(_ batch: MutationBatch, _ prepared: PreparedBatch? = nil, commit: Int64) {
    if prepared?.commit() == true { return }
    let ready = phase.wait { phase -> LMDBEngine?? in
      switch phase {
      case .ready(let engine): return engine
      case .failed: return .some(nil)
      case .filling(var pending, let bytes):
        if isShared { return .some(nil) }
        if bytes > Self.pendingBytesMax { return nil }
        let record = CommitLogRecord.framed(batch, generation: 1, commit: UInt64(commit))
        phase = .filling(pending: [], bytes: 0)
        pending.append((commit, record))
        phase = .filling(pending: pending, bytes: bytes + record.count)
        return .some(nil)
      }
    }
    guard let engine = ready else { return }
    do throws(StorageError) {
      try engine.write(batch) { (_, _) throws(StorageError) in }
    } catch {
      fail()
      noteDamage("\(error)")
    }
  }

  func noteDamage(_ reason: String) {
    health.note(
      damage: "the copy of the store on this machine: \(reason). Reads ask PostgreSQL, which takes longer")
  }

  /// Reads ask PostgreSQL from now on.
  func fail() { phase.change { $0 = .failed } }
}
