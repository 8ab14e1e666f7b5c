/// The engine's library environment: opened once, closed once, with the handles of its keyspaces.

internal import CLMDB
internal import DocStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

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
    do throws(LMDBOpenError) {
      mdb_env_set_maxreaders(created, settings.readersMax)
      mdb_env_set_maxdbs(created, MDB_dbi(Keyspace.allCases.count))
      let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
      let mapBytes = (settings.mapBytes + pageBytes - 1) / pageBytes * pageBytes
      try Self.check(mdb_env_set_mapsize(created, mapBytes), folder, "reserve its map")
      try Self.check(mdb_env_open(created, path, flags | UInt32(MDB_NOTLS), 0o644), folder, "open its data")
      var dead: Int32 = 0
      // Slots of readers that died without closing would keep their pages for ever.
      try Self.check(mdb_reader_check(created, &dead), folder, "check its readers")
      handles = try Self.openKeyspaces(created, folder, isReadOnly: flags & UInt32(MDB_RDONLY) != 0)
    } catch {
      mdb_env_close(created)
      throw error
    }
    pointer = created
  }

  deinit { mdb_env_close(pointer) }

  private static func check(
    _ code: Int32, _ folder: String, _ operation: String
  ) throws(LMDBOpenError) {
    if code != 0 { throw .library(folder, operation, code: code) }
  }

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
        throw .library(folder, "open a keyspace", code: code)
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
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_VERSION_MISMATCH: self = .corrupt
    default: self = .unavailable
    }
  }
}
