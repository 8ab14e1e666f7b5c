/// The embedded engine: LMDB, in a durable folder or in one that has no name any more.
///
/// Reads take a view from a pool (a reset read transaction that is renewed) and never wait for the writer.
/// Writes plan on a view of the newest state and then apply the batch in one write transaction, all or
/// none.
///
/// State and what guards it: `views` (idle views, how many are out, whether the map is being grown) behind
/// its monitor; `isWriting` behind its own. The map grows only while no view is out and no write runs.
///
/// LIMIT: keys of 511 bytes, `settings.readersMax` views at a time.
/// Source: lmdb.h, "Caveats"; docs/design/storage-and-scale.md section 3.

internal import CLMDB
public import DocStore
internal import Platform
internal import Synchronization

public final class LMDBEngine: StorageEngine {
  private struct Views {
    var idle: [LMDBView] = []
    var outCount = 0
    var isGrowing = false
    var mapBytes: Int
  }

  public let limits = EngineLimits(keyBytesMax: 511, valueBytesMax: Int(UInt32.max))

  let environment: LMDBEnvironment
  private let lock: FolderLock?
  private let settings: LMDBSettings
  let space: FreeSpace?
  private let watch: FolderWatch?
  private let heads: PageHeaderChecksums?
  let log: CommitLog?
  let isReadOnly: Bool
  /// Batches written, to look at the readers now and then.
  private let batchCount = Atomic(0)
  private let views: Monitor<Views>
  let isWriting = Monitor(false)

  private init(
    _ environment: LMDBEnvironment, lock: FolderLock? = nil, space: FreeSpace? = nil,
    watch: FolderWatch? = nil, heads: PageHeaderChecksums? = nil, log: CommitLog? = nil,
    _ settings: LMDBSettings,
    isReadOnly: Bool = false
  ) {
    self.environment = environment
    self.lock = lock
    self.space = space
    self.watch = watch
    self.heads = heads
    self.log = log
    self.settings = settings
    self.isReadOnly = isReadOnly
    views = Monitor(Views(mapBytes: settings.mapBytes))
  }

  /// Views that somebody holds at the moment.
  package var heldViewCount: Int { views.withLock { $0.outCount } }

  /// What keeps commits from being taken, and what was found damaged.
  public var health: EngineHealth { environment.health }

  deinit {
    watch?.stop()
    // Views end before the environment they belong to.
    views.change { $0.idle.removeAll() }
    log?.close()
  }

  /// Opens a folder whose contents outlive the process: every write is on disk when it returns.
  public static func durable(
    folder: String, settings: LMDBSettings = LMDBSettings()
  ) throws(LMDBOpenError) -> LMDBEngine {
    let lock = try FolderLock(folder)
    let files = ["data.mdb", "lock.mdb"].map { folder + "/" + $0 }
    let isNew = files.allSatisfy { FolderWatch.Identity(path: $0) == nil }
    let remains = try CommitLogRemains(folder: folder)
    let outcome = try remains?.restore()
    let environment: LMDBEnvironment
    do throws(LMDBOpenError) {
      environment = try LMDBEnvironment(path: folder, folder: folder, flags: UInt32(MDB_NOSYNC), settings)
    } catch {
      // Half of a store, made on a disk that was full, would be taken for a damaged one.
      if isNew { for file in files { unlink(file) } }
      throw error
    }
    var data: Int32 = -1
    _ = mdb_env_get_fd(environment.pointer, &data)
    let watch = FolderWatch(
      folder, [("data.mdb", data), ("owner.lock", lock.descriptor)], environment.health)
    do throws(PlatformThread.Exhausted) { try watch.start() } catch {
      throw .system(folder: folder, operation: "look after it", reason: error.description)
    }
    let heads = PageHeaderChecksums(folder: folder)
    let log = CommitLog(environment)
    let engine = LMDBEngine(environment, lock: lock, watch: watch, heads: heads, log: log, settings)
    if let remains, let outcome {
      try remains.settle(outcome, environment) { (batch, commit) throws(LMDBOpenError) in
        try engine.applyAgain(batch, commit)
      }
    } else if isNew, environment.sync() != 0 {
      throw .system(folder, "write to its disk", code: errno)
    }
    if let heads { for back in UInt64(0)..<2 { environment.noteHead(in: heads, back: back) } }
    return engine
  }

  /// Fails with `inUse` when a process has the folder open for writing; creates nothing.
  public static func checkUnused(folder: String) throws(LMDBOpenError) { try FolderLock.check(folder) }

  /// Opens a folder that another process may be writing to, for reading: each view is of the newest state, writes are
  /// refused as `unavailable`. The writer is never waited for and never waits; what a view sees is kept on disk as long
  /// as it lasts.
  public static func readOnly(
    folder: String, settings: LMDBSettings = LMDBSettings()
  ) throws(LMDBOpenError) -> LMDBEngine {
    let environment = try LMDBEnvironment(path: folder, folder: folder, flags: UInt32(MDB_RDONLY), settings)
    return LMDBEngine(environment, settings, isReadOnly: true)
  }

  /// Opens an empty store that ends with the process: a private folder under `directory` (by default
  /// TMPDIR, or /tmp) whose files have no name once they are open, and no syncs. Nothing is read ahead: what
  /// lies beyond the data is a hole, and reading megabytes of a hole is writing zeros.
  public static func ephemeral(
    in directory: String? = nil, settings: LMDBSettings = LMDBSettings()
  ) throws(LMDBOpenError) -> LMDBEngine {
    let parent = directory ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/docstore-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .system(parent, "make a folder in it", code: errno) }
    let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? parent }
    defer {
      unlink(path + "/data.mdb")
      unlink(path + "/lock.mdb")
      rmdir(path)
    }
    let flags = UInt32(MDB_NOSYNC | MDB_WRITEMAP | MDB_NORDAHEAD)
    let environment = try LMDBEnvironment(path: path, folder: path, flags: flags, settings)
    return LMDBEngine(environment, space: FreeSpace(environment), settings)
  }

  // MARK: reading

  public func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    let view: LMDBView
    do throws(StorageError) { view = try takeView() } catch { throw E(storage: error) }
    defer { giveBack(view) }
    return try body(view)
  }

  private func takeView() throws(StorageError) -> LMDBView {
    let idle = views.wait { views -> LMDBView?? in
      if views.isGrowing { return nil }
      views.outCount += 1
      return .some(views.idle.popLast())
    }
    do throws(StorageError) {
      guard let idle else { return try LMDBView(environment) }
      try idle.renew()
      return idle
    } catch {
      views.change { $0.outCount -= 1 }
      throw error
    }
  }

  private func giveBack(_ view: LMDBView) {
    view.reset()
    let mustWake = views.withLock { views in
      views.outCount -= 1
      views.idle.append(view)
      return views.isGrowing
    }
    if mustWake { views.change { _ in } }
  }

  // MARK: writing

  public func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    if isReadOnly { throw E(storage: .unavailable) }
    beginWriting()
    defer { isWriting.change { $0 = false } }
    let result = try read { (view) throws(E) in try plan(view, batch) }
    do throws(StorageError) { try apply(batch) } catch { throw E(storage: error) }
    return result
  }

  func beginWriting() {
    isWriting.wait { isWriting -> Void? in
      if isWriting { return nil }
      isWriting = true
      return ()
    }
  }

  public func afterBatch() {
    guard let log else { return }
    beginWriting()
    defer { isWriting.change { $0 = false } }
    log.goOn()
  }

  public func settle() {
    beginWriting()
    defer { isWriting.change { $0 = false } }
    log?.close()
  }

  /// Batches between two looks at the readers.
  private static let readerLookInterval = 256

  private func apply(_ batch: MutationBatch) throws(StorageError) {
    if batch.mutations.isEmpty { return }
    try space?.check(for: batch.byteCount)
    if watch?.isInPlace() == false { throw .unavailable }
    // Slots of readers in other processes that were killed would keep their pages, and the file would grow.
    if batchCount.wrappingAdd(1, ordering: .relaxed).newValue % Self.readerLookInterval == 0 {
      var dead: Int32 = 0
      _ = mdb_reader_check(environment.pointer, &dead)
    }
    let code = environment.writing { applyDurably(batch) }
    if code == 0 {
      if let heads { environment.noteHead(in: heads, back: 0) }
      health.endFull()
      return
    }
    if isForWantOfRoom(code, batch) { throw .full }
    throw environment.failure(code)
  }

  /// Applies a batch and has it on disk, where there is a log; the code of what failed.
  private func applyDurably(_ batch: MutationBatch) -> Int32 {
    guard let log else { return applyGrowing(batch, nil) }
    do throws(SystemError) {
      try log.prepare()
      let isLogged = batch.byteCount <= CommitLog.batchBytesMax
      let code = applyGrowing(batch, isLogged ? log : nil)
      if code != 0 { return code }
      if isLogged { log.noteApplied() } else { try log.noteUnlogged() }
      return 0
    } catch { return error.code }
  }

  /// Makes the map larger where a batch does not fit.
  private func applyGrowing(_ batch: MutationBatch, _ log: CommitLog?) -> Int32 {
    while true {
      let code = attempt(batch, log)
      if code == MDB_MAP_FULL, grow() { continue }
      return code
    }
  }

  /// Applies a batch that an unclean end left in the log.
  private func applyAgain(_ batch: MutationBatch, _ commit: UInt64) throws(LMDBOpenError) {
    let code = environment.writing { applyGrowing(batch, nil) }
    if code != 0 { throw .library(environment.folder, "apply what its log holds", code: code) }
    guard environment.lastCommit == commit else {
      throw .system(
        folder: environment.folder, operation: "apply what its log of commits holds",
        reason: "commit \(commit) became commit \(environment.lastCommit)")
    }
  }

  /// Whether a write failed because the disk is full, which is told.
  private func isForWantOfRoom(_ code: Int32, _ batch: MutationBatch) -> Bool {
    // The library says EIO when the system took a part of what it was given.
    guard [ENOSPC, EDQUOT, EIO].contains(code) else { return false }
    var data: Int32 = -1
    _ = mdb_env_get_fd(environment.pointer, &data)
    let free = FreeSpace.free(data) ?? 0
    let needed = batch.byteCount + Self.pagesPerMutation * Self.pageBytes * batch.mutations.count
    guard code != EIO || free < needed else { return false }
    health.begin(.full(folder: environment.folder, neededBytes: needed, freeBytes: free))
    return true
  }

  /// About how many pages a mutation writes: its own, and those above it.
  private static let pagesPerMutation = 3
  static let pageBytes = 4_096

  /// Whether what is written outlives the process.
  public var isDurable: Bool { space == nil }

  public func explanation(of error: StorageError) -> String? {
    switch (error, health.outage) {
    case (.full, let outage?), (.unavailable, let outage?): outage.text
    default: nil
    }
  }

  /// Applies the whole batch in one transaction of the library; its code otherwise.
  ///
  /// - Parameter log: has the batch on disk before the transaction ends.
  private func attempt(_ batch: MutationBatch, _ log: CommitLog?) -> Int32 {
    var begun: OpaquePointer?
    var code = mdb_txn_begin(environment.pointer, nil, 0, &begun)
    guard code == 0, let transaction = begun else { return code }
    let commit = UInt64(mdb_txn_id(transaction))
    code = apply(batch.mutations, transaction)
    if code == 0, let log {
      do throws(SystemError) { try log.append(batch, commit: commit) } catch { code = error.code }
    }
    if code != 0 {
      mdb_txn_abort(transaction)
      return code
    }
    code = mdb_txn_commit(transaction)
    // A batch that changes nothing is no commit of the library.
    if let log, code != 0 || environment.lastCommit != commit { log.takeBack() }
    return code
  }

  func apply(_ mutations: [Mutation], _ transaction: OpaquePointer) -> Int32 {
    let writer = LMDBWriter(transaction, environment.handles)
    for mutation in mutations {
      let code = writer.apply(mutation)
      if code != 0 { return code }
    }
    return 0
  }

  // MARK: growing

  /// Doubles the map once no view is out. False when it is as large as it may be, or a view stays open.
  private func grow() -> Bool {
    views.change { $0.isGrowing = true }
    defer { views.change { $0.isGrowing = false } }
    let isQuiet = views.wait(atMost: settings.growWaitMilliseconds) { $0.outCount == 0 ? () : nil } != nil
    guard isQuiet else { return false }
    return views.change { views in
      let next = min(views.mapBytes * 2, settings.mapBytesMax)
      guard next > views.mapBytes else { return false }
      views.idle.removeAll()
      guard environment.resizeMap(to: next) else { return false }
      views.mapBytes = next
      return true
    }
  }
}
