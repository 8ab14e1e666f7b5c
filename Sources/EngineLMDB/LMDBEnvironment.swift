/// The engine's library environment: opened once, closed once, with the handles of its keyspaces.

internal import CGuard
internal import CLMDB
internal import CProcess
internal import DocStore
internal import Platform

/// How an engine is opened.
public struct LMDBSettings: Sendable {
  /// Address space, not disk: the file grows with its contents.
  public var mapBytes: Int
  /// How far the map may grow when it is full.
  public var mapBytesMax: Int
  /// Views open at a time.
  public var readersMax: UInt32
  /// How long growing the map waits for open views, before the write is refused as `full`.
  public var growWaitMilliseconds: Int

  public init(
    mapBytes: Int = 64 << 30, mapBytesMax: Int = 1 << 40, readersMax: UInt32 = 1_024,
    growWaitMilliseconds: Int = 5_000
  ) {
    self.mapBytes = mapBytes
    self.mapBytesMax = mapBytesMax
    self.readersMax = readersMax
    self.growWaitMilliseconds = growWaitMilliseconds
  }
}

/// `@unchecked Sendable`: the library allows its environment to be used from any thread; handles are
/// written once, in `init`.
final class LMDBEnvironment: @unchecked Sendable {
  let pointer: OpaquePointer
  let folder: String
  let health = EngineHealth()
  /// Ends the process with words where the map cannot be read.
  let guardian: OpaquePointer?
  /// By raw value of `Keyspace`.
  let handles: [MDB_dbi]

  /// Opens `path`, a folder that exists and belongs to this process. `folder` is for messages.
  init(
    path: String, folder: String, flags: UInt32, _ settings: LMDBSettings
  ) throws(LMDBOpenError) {
    var created: OpaquePointer?
    guard mdb_env_create(&created) == 0, let created else {
      throw .system(folder, "make an environment", code: ENOMEM)
    }
    var guardian: OpaquePointer?
    do throws(LMDBOpenError) {
      mdb_env_set_maxreaders(created, settings.readersMax)
      mdb_env_set_maxdbs(created, MDB_dbi(Keyspace.allCases.count))
      let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
      let mapBytes = (settings.mapBytes + pageBytes - 1) / pageBytes * pageBytes
      try Self.check(mdb_env_set_mapsize(created, mapBytes), folder, "reserve its map")
      if flags & UInt32(MDB_WRITEMAP) == 0 { try StoredPages.checkBeforeOpening(path: path, folder: folder) }
      if flags & UInt32(MDB_RDONLY) == 0 { try Self.reserveLocks(path, folder, settings) }
      let opened = mdb_env_open(created, path, flags | UInt32(MDB_NOTLS), 0o644)
      try Self.check(opened, folder, "open its data")
      guardian = Self.watchMap(created, folder, isEphemeral: flags & UInt32(MDB_WRITEMAP) != 0)
      var dead: Int32 = 0
      // Slots of readers that died without closing would keep their pages for ever.
      try Self.check(mdb_reader_check(created, &dead), folder, "check its readers")
      handles = try Self.openKeyspaces(created, folder, isReadOnly: flags & UInt32(MDB_RDONLY) != 0)
    } catch {
      mdb_env_close(created)
      if let guardian { docstore_guard_end(guardian) }
      throw error
    }
    pointer = created
    self.folder = folder
    self.guardian = guardian
  }

  deinit {
    // The map goes first: until then its failures have words.
    mdb_env_close(pointer)
    if let guardian { docstore_guard_end(guardian) }
  }

  /// Gives the map another size. No view may be out.
  func resizeMap(to bytes: Int) -> Bool {
    guard mdb_env_set_mapsize(pointer, bytes) == 0 else { return false }
    if let guardian { Self.place(guardian, pointer) }
    return true
  }

  /// The number of the last commit of the library.
  var lastCommit: UInt64 {
    var info = MDB_envinfo()
    return mdb_env_info(pointer, &info) == 0 ? UInt64(info.me_last_txnid) : 0
  }

  /// The head of the last commit or the one before it; nothing where it cannot be read.
  func head(of commit: UInt64) -> [UInt8] {
    var descriptor: Int32 = -1
    guard mdb_env_get_fd(pointer, &descriptor) == 0 else { return [] }
    return PageHeader.read(descriptor, at: PageHeader.page(of: commit) * pageBytes)
  }

  /// Notes what the head of the last commit is, or of that many before it.
  func noteHead(in heads: PageHeaderChecksums, back: UInt64) {
    let commit = lastCommit &- back
    heads.note(PageHeader.page(of: commit), head(of: commit))
  }

  /// Has all that was written on disk; the library's code otherwise.
  func sync() -> Int32 { mdb_env_sync(pointer, 1) }

  /// Begins to write to the disk what was written to the file.
  func beginWriteBack() {
    var descriptor: Int32 = -1
    if mdb_env_get_fd(pointer, &descriptor) == 0 { docstore_begin_write_back(descriptor) }
  }

  private var pageBytes: Int {
    var figures = MDB_stat()
    return mdb_env_stat(pointer, &figures) == 0 ? Int(figures.ms_psize) : Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// A code of the library as an error; that a page is damaged is told to whoever listens.
  func failure(_ code: Int32) -> StorageError {
    let error = StorageError(libraryCode: code)
    if error == .corrupt {
      health.note(
        damage: "data folder `\(folder)`: a page of its data.mdb: \(String(cString: mdb_strerror(code)))")
    }
    return error
  }

  private static func check(
    _ code: Int32, _ folder: String, _ operation: String
  ) throws(LMDBOpenError) {
    if code != 0 { throw .library(folder, operation, code: code) }
  }

  /// Exit status of a process whose data cannot be read in the middle of work (EX_DATAERR).
  static let damagedStatus: Int32 = 65

  private static func watchMap(
    _ environment: OpaquePointer, _ folder: String, isEphemeral: Bool
  ) -> OpaquePointer? {
    let advice =
      isEphemeral
      ? "Its disk may be full; TMPDIR names the folder in which temporary stores are made"
      : LMDBOpenError.advice(folder)
    var figures = MDB_stat()
    mdb_env_stat(environment, &figures)
    let guardian = docstore_guard_begin(
      isEphemeral
        ? "docsh: temporary store in `\(folder)`: " : "docsh: data folder `\(folder)`: data.mdb: ",
      ". \(advice)\n", damagedStatus, Int(figures.ms_psize))
    guard let guardian else { return nil }
    place(guardian, environment)
    mdb_env_set_userctx(environment, UnsafeMutableRawPointer(guardian))
    mdb_env_set_assert(environment) { environment, message in
      guard let context = mdb_env_get_userctx(environment) else { return }
      docstore_guard_fail(OpaquePointer(context), message)
    }
    return guardian
  }

  private static func place(_ guardian: OpaquePointer, _ environment: OpaquePointer) {
    var descriptor: Int32 = -1
    var status = stat()
    guard mdb_env_get_fd(environment, &descriptor) == 0, fstat(descriptor, &status) == 0 else { return }
    docstore_guard_place(guardian, UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// Runs `body`, which writes: a fault of this thread is one of the file's then.
  func writing<R>(_ body: () -> R) -> R {
    guard let guardian else { return body() }
    docstore_guard_writing(guardian, 1)
    defer { docstore_guard_writing(guardian, 0) }
    return body()
  }

  /// Gets the lock file its room on the disk: the library writes to a map of it, and a hole in such a map is a bus
  /// error where the disk is full.
  private static func reserveLocks(
    _ path: String, _ folder: String, _ settings: LMDBSettings
  ) throws(LMDBOpenError) {
    let descriptor = open(path + "/lock.mdb", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .system(folder, "open its lock.mdb", code: errno) }
    defer { close(descriptor) }
    // A head of three lines of the cache, and one for each reader but one, as the library has it.
    let code = posix_fallocate(descriptor, 0, off_t((Int(settings.readersMax) + 2) * lineBytes))
    if code != 0 { throw .system(folder, "make its lock.mdb", code: code) }
  }

  private static let lineBytes = 64

  private static func openKeyspaces(
    _ environment: OpaquePointer, _ folder: String, isReadOnly: Bool
  ) throws(LMDBOpenError) -> [MDB_dbi] {
    var transaction: OpaquePointer?
    let mode = isReadOnly ? UInt32(MDB_RDONLY) : 0
    try check(
      mdb_txn_begin(environment, nil, mode, &transaction), folder,
      isReadOnly ? "begin to read" : "begin to write")
    var handles: [MDB_dbi] = []
    for keyspace in Keyspace.allCases {
      var handle = MDB_dbi()
      let code = mdb_dbi_open(transaction, keyspace.storedName, isReadOnly ? 0 : UInt32(MDB_CREATE), &handle)
      if code != 0 {
        mdb_txn_abort(transaction)
        try check(code, folder, "open a keyspace")
      }
      handles.append(handle)
    }
    try check(mdb_txn_commit(transaction), folder, "write to it")
    return handles
  }
}

extension Keyspace {
  /// The name of the keyspace in the file; never changes.
  var storedName: String {
    switch self {
    case .catalog: "catalog"
    case .documents: "documents"
    case .documentHistory: "documentHistory"
    case .indexEntries: "indexEntries"
    case .indexHistory: "indexHistory"
    case .changes: "changes"
    }
  }
}

extension StorageError {
  /// From a code of the engine's library or of the system.
  init(libraryCode code: Int32) {
    switch code {
    case MDB_MAP_FULL, MDB_TXN_FULL, ENOSPC, EDQUOT, EFBIG: self = .full
    // A list of free pages that names pages which cannot be ends in one of the last two.
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_VERSION_MISMATCH, MDB_CURSOR_FULL, MDB_BAD_TXN,
      EINVAL:
      self = .corrupt
    default: self = .unavailable
    }
  }
}
