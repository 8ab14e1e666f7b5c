/// One writing process a folder.

internal import Platform

/// Holds a folder for this process by a locked file with its process id in it. The system releases the lock
/// when the process dies, however it dies.
final class FolderLock: Sendable {
  let descriptor: Int32

  /// Creates the folder when it is missing. `folder` is named as the user named it.
  init(_ folder: String) throws(LMDBOpenError) {
    try Self.create(folder)
    let descriptor = open(folder + "/owner.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .system(folder, "open its lock file", code: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      let owner = Self.owner(descriptor)
      close(descriptor)
      throw code == EWOULDBLOCK
        ? .inUse(folder: folder, process: owner) : .system(folder, "lock it", code: code)
    }
    self.descriptor = descriptor
    let text = Array("\(getpid())\n".utf8)
    // Who holds the folder is a courtesy to the next one; the lock itself is held by now.
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, text, text.count, 0)
  }

  deinit { Self.release(descriptor) }

  /// Fails when a process holds the folder; leaves everything as it is.
  static func check(_ folder: String) throws(LMDBOpenError) {
    let descriptor = open(folder + "/owner.lock", O_RDONLY | O_CLOEXEC)
    // Nobody has ever held it, or it is not ours to look at: opening it tells.
    guard descriptor >= 0 else { return }
    defer { Self.release(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return }
    if errno == EWOULDBLOCK { throw .inUse(folder: folder, process: owner(descriptor)) }
  }

  /// Closing alone would leave the lock to a child that was forked and has not yet begun its program.
  private static func release(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func create(_ folder: String) throws(LMDBOpenError) {
    if access(folder, F_OK) == 0, !Folders.exists(folder) { throw .system(folder, "use it", code: ENOTDIR) }
    do throws(SystemError) { try Folders.make(folder) } catch {
      throw .system(folder, "create it", code: error.code)
    }
  }

  private static func owner(_ descriptor: Int32) -> Int32 {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    let digits = buffer.prefix(max(0, count)).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return Int32(String(decoding: digits, as: UTF8.self)) ?? 0
  }
}
