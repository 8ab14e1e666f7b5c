/// A copy of the whole store on this machine, from which reads are answered without asking PostgreSQL.
///
/// It is filled from one state of the tables while the store is used; what is committed meanwhile is kept and applied
/// after it. It ends with the process.
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
    case ready
    case failed
  }

  private let engine: LMDBEngine
  /// Several servers have the store: nobody may wait until this one has read it.
  private let isShared: Bool
  private let health: EngineHealth
  private let phase = Monitor(Phase.filling(pending: [], bytes: 0))

  /// LIMIT: bytes of commits that are kept while the copy is being filled. More are waited for by who commits; of several
  /// servers this one goes on without a copy.
  private static let pendingBytesMax = 64 << 20
  private static let pageBytes = 4 << 20

  init(_ health: EngineHealth, isShared: Bool) throws(LMDBOpenError) {
    self.health = health
    engine = try LMDBEngine.ephemeral()
    self.isShared = isShared
  }

  /// Nil while it is not whole.
  var whole: LMDBEngine? {
    phase.withLock { phase in
      if case .ready = phase { engine } else { nil }
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
  /// - Parameter alone: runs a body while no commit is under way.
  func fill(_ pool: PostgresLinkPool, alone: (() -> Void) -> Void) throws(StorageError) {
    do throws(StorageError) {
      let state = try readTables(pool)
      while let records = takePending(atLeast: 1) { try apply(records, after: state) }
      var failure: StorageError?
      alone {
        do throws(StorageError) {
          if let records = takePending(atLeast: 0) { try apply(records, after: state) }
          phase.change { $0 = .ready }
        } catch { failure = error }
      }
      if let failure { throw failure }
    } catch {
      fail()
      throw error
    }
  }

  /// The number of the commit that the state is of.
  private func readTables(_ pool: PostgresLinkPool) throws(StorageError) -> Int64 {
    let view = PostgresView(pool)
    defer { view.end() }
    let commit: Int64
    do throws(PostgresFailure) { commit = try view.clock().commit } catch { throw pool.note(error) }
    for keyspace in Keyspace.allCases {
      var pages = PostgresPages(keyspace, .all, .forward, pageBytes: Self.pageBytes)
      while let page = try view.copiedOut(&pages) {
        if case .failed = phase.withLock({ $0 }) { throw .unavailable }
        try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
          for row in 0..<page.count {
            batch.put(keyspace, Array(page.bytes(row, 0)), Array(page.bytes(row, 1)))
          }
        }
      }
    }
    return commit
  }

  /// - Parameter least: nil is returned instead of fewer.
  private func takePending(atLeast least: Int) -> [(commit: Int64, record: [UInt8])]? {
    phase.change { phase in
      guard case .filling(let pending, _) = phase, pending.count >= least else { return nil }
      phase = .filling(pending: [], bytes: 0)
      return pending
    }
  }

  private func apply(
    _ records: [(commit: Int64, record: [UInt8])], after state: Int64
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

  /// Applies a commit that PostgreSQL has, or keeps it for later.
  ///
  /// Where that fails, reads ask PostgreSQL from now on, which is said.
  func follow(_ batch: MutationBatch, commit: Int64) {
    let isReady = phase.wait { phase -> Bool? in
      switch phase {
      case .ready: return true
      case .failed: return false
      case .filling(var pending, let bytes):
        if bytes > Self.pendingBytesMax {
          if !isShared { return nil }
          phase = .failed
          return false
        }
        let record = CommitLogRecord.framed(batch, generation: 1, commit: UInt64(commit))
        phase = .filling(pending: [], bytes: 0)
        pending.append((commit, record))
        phase = .filling(pending: pending, bytes: bytes + record.count)
        return false
      }
    }
    guard isReady else { return }
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
