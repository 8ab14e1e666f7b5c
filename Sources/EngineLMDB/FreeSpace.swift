/// Room on the disk, asked for before it is needed.
///
/// A map that is written through memory (`MDB_WRITEMAP`) does not fail when the disk is full: the process
/// dies of a bus error. So a write is refused while there still is room.

internal import CLMDB
internal import DocStore
internal import Platform
internal import Synchronization

final class FreeSpace: Sendable {
  private let descriptor: Int32
  private let folder: String
  private let health: EngineHealth
  /// Bytes that may still be planned before the disk is asked again.
  private let allowance = Mutex(0)

  /// LIMIT: room that is left alone.
  private static let reserveBytes = 32 << 20
  /// How much is planned between two questions.
  private static let stepBytes = 4 << 20
  /// Pages written for a planned byte, at most: keys land on pages of their own.
  private static let amplification = 8

  init?(_ environment: LMDBEnvironment) {
    var descriptor: Int32 = -1
    guard mdb_env_get_fd(environment.pointer, &descriptor) == 0 else { return nil }
    self.descriptor = descriptor
    folder = environment.folder
    health = environment.health
  }

  /// Bytes that are free; nil where the file system does not tell.
  static func free(_ descriptor: Int32) -> Int? {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  func check(for byteCount: Int) throws(StorageError) {
    let isRoom = allowance.withLock { allowance in
      allowance -= byteCount
      if allowance >= 0 { return true }
      // A file system that does not tell is trusted.
      guard let free = Self.free(descriptor) else { return true }
      let needed = Self.reserveBytes + Self.amplification * (byteCount + Self.stepBytes)
      let isRoom = free >= needed
      allowance = isRoom ? Self.stepBytes : 0
      if !isRoom { health.begin(.full(folder: folder, neededBytes: needed, freeBytes: free)) }
      return isRoom
    }
    if !isRoom { throw .full }
  }
}
