/// The log of commits: what makes a batch of a data folder durable with one write of the disk.
///
/// The library alone needs two, and the second has to wait for the first: the pages of a batch, then the head that leads to
/// them. So it is told to sync nothing (`MDB_NOSYNC`), and each batch goes to a log before it is applied. After an unclean end
/// the data file is put back to a state that is known to be whole on the disk, and the batches of the log are applied again.
///
/// ```
///  batch ──► record in the log ──► on disk ──► applied to the data file ──► callers are told
///                                                                                 │ every 8 batches, or 4 MiB
///                                                                                 ▼
///                        a checkpoint: the data file is synced, the other file of the log is begun
/// ```
///
/// A checkpoint is a state of the data file and the head that leads to it, which is kept in the log because the library writes
/// over it. A view of that state is held from before the next batch until the next checkpoint is on disk: meanwhile the library
/// reuses none of its pages, whatever becomes of the rest of the file. A large batch is not logged: a checkpoint follows it.
///
/// State: the files and what they hold, behind `state`. Only the writer of the engine appends; checkpoints are finished by a
/// thread of their own, one at a time. `docs/decisions.md`, "Durable commits go to a log first".

internal import CLMDB
internal import DocModel
internal import DocStore
internal import Platform

final class CommitLog: Sendable {
  /// LIMIT: bytes of a batch that is logged.
  static let batchBytesMax = 1 << 20
  /// Batches, and bytes, between two checkpoints. Each batch writes pages that none before it has; the sooner the library may use
  /// them again, the fewer lie apart, and the shorter is what a batch waits for that meets a checkpoint.
  private static let recordsMax = 8
  private static let fileBytesMax = 4 << 20
  /// Batches whose pages go to the disk together, while it has nothing else to do. When they all went with the checkpoint, the
  /// next records waited behind a hundred and more of them.
  private static let writeBackInterval = 2
  /// LIMIT: a disk that is behind with a checkpoint by that many more has the next batch wait for it.
  private static let overdueFactor = 4

  private struct Checkpoint: Sendable {
    let file: CommitLogFile
    let slot: CommitLogSlot
    let held: HeldState
  }

  private struct State {
    /// The file that records go to, and the other one.
    var active: CommitLogFile?
    var other: CommitLogFile?
    var generation: UInt64 = 0
    var recordCount = 0
    /// Batches whose pages have not begun their way to the disk.
    var unwrittenCount = 0
    /// What the last checkpoint on disk needs.
    var held: HeldState?
    /// A checkpoint that is being made.
    var pending: Checkpoint?
    /// Whether a batch was applied that is neither logged nor in a checkpoint: no record may follow.
    var hasGap = false
    /// Why nothing more can be made durable.
    var failure: SystemError?
  }

  private let environment: LMDBEnvironment
  private let state = Monitor(State())

  init(_ environment: LMDBEnvironment) { self.environment = environment }

  // MARK: the writer's

  /// To be called before each batch: there must be a checkpoint before the data file is written to.
  func prepare() throws(SystemError) {
    // Not every writer says when its callers have been told. Before anything is looked at: records go to the other file then.
    beginDueCheckpoint()
    let (file, hasGap, failure) = state.withLock { ($0.active, $0.hasGap, $0.failure) }
    if let failure { throw failure }
    if file?.isInPlace == true { return hasGap ? try settle() : () }
    finishPending()
    // Files that somebody removed are made again; what they said is in the data file.
    let files = try make()
    state.withLock { state in
      (state.active, state.other) = (files.active, files.other)
    }
    try settle()
  }

  private func make() throws(SystemError) -> (active: CommitLogFile, other: CommitLogFile) {
    let paths = CommitLogFile.paths(environment.folder)
    let files = (try CommitLogFile(creating: paths[0]), try CommitLogFile(creating: paths[1]))
    do throws(FileReplacement.Failure) { try FileReplacement.syncFolder(of: paths[0]) } catch {
      throw SystemError(code: error.code)
    }
    return files
  }

  /// Has a batch on disk before it is applied as the library's transaction of this number. Nobody else may be told of it yet.
  func append(_ batch: MutationBatch, commit: UInt64) throws(SystemError) {
    let (file, generation) = state.withLock { ($0.active, $0.generation) }
    guard let file else { throw SystemError(code: EINVAL) }
    let record = CommitLogRecord.framed(batch, generation: generation, commit: commit)
    try file.write(record: record)
    do throws(SystemError) { try file.sync() } catch { throw fail(error) }
  }

  /// Undoes the last `append`: the batch could not be applied.
  func takeBack() {
    guard let file = state.withLock({ $0.active }) else { return }
    do throws(SystemError) { try file.takeBack() } catch { _ = fail(error) }
  }

  /// A batch that was logged is applied.
  func noteApplied() {
    state.withLock { state in
      state.active?.accept()
      state.recordCount += 1
      state.unwrittenCount += 1
    }
  }

  /// What nobody need wait for, when who waited for the last batch has been told: the pages of two batches begin their way to the
  /// disk, and a checkpoint that is due is begun.
  func goOn() {
    let isDue = state.withLock { state in
      if state.unwrittenCount < Self.writeBackInterval { return false }
      state.unwrittenCount = 0
      return true
    }
    if isDue { environment.beginWriteBack() }
    beginDueCheckpoint()
  }

  private func beginDueCheckpoint() {
    let (isDue, isOverdue) = state.withLock { state in
      let end = state.active?.end ?? 0
      return (
        state.recordCount >= Self.recordsMax || end > Self.fileBytesMax,
        state.recordCount >= Self.overdueFactor * Self.recordsMax
          || end > Self.overdueFactor * Self.fileBytesMax
      )
    }
    if !isDue { return }
    if isOverdue { finishPending() }
    guard state.withLock({ $0.pending == nil && $0.failure == nil }) else { return }
    // Another batch tries again where that fails; the thread's own failures are noted.
    guard (try? begin()) != nil else { return }
    do throws(PlatformThread.Exhausted) {
      // Who waits for the end may close the folder then: the thread holds nothing of it any more.
      try PlatformThread.start { [self] in
        try? finish()
      } ended: { [state] in
        state.change { $0.pending = nil }
      }
    } catch {
      try? finish()
      state.change { $0.pending = nil }
    }
  }

  /// Makes a batch durable that was applied without being logged; returns when it is.
  func noteUnlogged() throws(SystemError) {
    // Not before: a checkpoint that is being made does not have the batch.
    finishPending()
    state.withLock { $0.hasGap = true }
    try settle()
  }

  private func settle() throws(SystemError) {
    finishPending()
    try begin()
    defer { state.change { $0.pending = nil } }
    try finish()
  }

  /// Makes all durable and removes the log, which is not needed then. Must not run beside the writer. After a failure the log stays
  /// for whoever opens the folder next, and still nothing more is taken.
  func close() {
    finishPending()
    let (files, failure) = state.withLock { ([$0.other, $0.active].compactMap { $0?.path }, $0.failure) }
    if failure == nil, !files.isEmpty, environment.sync() == 0 { Self.remove(files) }
    state.withLock { $0 = State(failure: failure) }
  }

  /// - Parameter files: the older one first: without the newer one it would lead back.
  static func remove(_ files: [String]) {
    for file in files { unlink(file) }
    if let file = files.first { try? FileReplacement.syncFolder(of: file) }
  }

  // MARK: checkpoints

  /// Takes the present state for the next checkpoint and goes on in the other file.
  private func begin() throws(SystemError) {
    let commit = environment.lastCommit
    guard let held = HeldState(environment) else { throw SystemError(code: ENOMEM) }
    guard let file = state.withLock({ $0.other }) else { throw SystemError(code: EINVAL) }
    let generation = state.withLock { $0.generation + 1 }
    try file.begin(CommitLogSlot(generation: generation, base: commit))
    let slot = CommitLogSlot(generation: generation, base: commit, head: environment.head(of: commit))
    state.withLock { state in
      state.other = state.active
      state.active = file
      state.generation = generation
      state.recordCount = 0
      state.pending = Checkpoint(file: file, slot: slot, held: held)
    }
  }

  /// Has the pending checkpoint on disk, and lets go of the one before it.
  private func finish() throws(SystemError) {
    guard let pending = state.withLock({ $0.pending }) else { return }
    do throws(SystemError) {
      let code = environment.sync()
      if code != 0 { throw SystemError(code: code) }
      try pending.file.seal(pending.slot)
    } catch { throw fail(error) }
    state.withLock { state in
      state.held = pending.held
      state.hasGap = false
    }
  }

  private func finishPending() { state.wait { $0.pending == nil ? () : nil } }

  /// After a sync that failed nobody knows what is on the disk: nothing more is taken.
  private func fail(_ error: SystemError) -> SystemError {
    let isFirst = state.withLock { state in
      defer { state.failure = state.failure ?? error }
      return state.failure == nil
    }
    if isFirst {
      environment.health.note(
        damage:
          "data folder `\(environment.folder)`: its log of commits cannot be written to the disk: \(error). "
          + "Commits are refused until the folder is opened again")
    }
    return error
  }
}

/// A view of the library that nobody reads: its pages are not reused.
///
/// `@unchecked Sendable`: the library does not tie it to a thread (`MDB_NOTLS`); used only to end it.
final class HeldState: @unchecked Sendable {
  private let transaction: OpaquePointer

  init?(_ environment: LMDBEnvironment) {
    var begun: OpaquePointer?
    guard mdb_txn_begin(environment.pointer, nil, UInt32(MDB_RDONLY), &begun) == 0, let begun else {
      return nil
    }
    transaction = begun
  }

  deinit { mdb_txn_abort(transaction) }
}
