/// What keeps the bytes of a journal.

internal import Platform
internal import Synchronization

/// Bytes that are appended to, cut, or replaced as a whole; by one writer.
public protocol JournalStorage: Sendable {
  /// What messages call it.
  var name: String { get }

  func contents() throws(JournalError) -> [UInt8]

  /// Puts bytes at the end, which is at `offset`. When that fails, what is there ends where it did.
  ///
  /// - Parameter isSynced: they must outlive a power failure.
  func append(_ bytes: [UInt8], at offset: Int, isSynced: Bool) throws(JournalError)

  func cut(to count: Int) throws(JournalError)

  /// A crash leaves the old bytes or the new ones.
  func replace(by bytes: [UInt8]) throws(JournalError)
}

/// A file of a data folder.
///
/// State: the descriptor, behind a lock.
final class JournalFile: JournalStorage {
  let name: String
  private let descriptor: Mutex<Int32>
  /// Writes bytes at an offset. Tests put a full disk in its place.
  typealias Writing =
    @Sendable (_ bytes: [UInt8], _ descriptor: Int32, _ offset: Int) throws(SystemError) -> Void
  private let write: Writing

  init(path: String, write: @escaping Writing = JournalFile.writeAll) throws(JournalError) {
    name = path
    self.write = write
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard opened >= 0 else { throw .system(path) }
    descriptor = Mutex(opened)
    // A file whose name is lost with the power is none.
    try Self.syncFolder(of: path)
  }

  deinit {
    descriptor.withLock { _ = close($0) }
  }

  @Sendable
  static func writeAll(_ bytes: [UInt8], _ descriptor: Int32, _ offset: Int) throws(SystemError) {
    try Descriptor.writeAll(bytes, to: descriptor, at: offset)
  }

  /// What a file has that may not be there.
  static func contents(_ path: String) throws(JournalError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(path)
    }
    defer { close(descriptor) }
    return try contents(descriptor, path)
  }

  private static func contents(_ descriptor: Int32, _ path: String) throws(JournalError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .system(path) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  func contents() throws(JournalError) -> [UInt8] {
    try Self.contents(descriptor.withLock { $0 }, name)
  }

  func append(_ bytes: [UInt8], at offset: Int, isSynced: Bool) throws(JournalError) {
    let failure = descriptor.withLock { descriptor -> JournalError? in
      do throws(SystemError) { try write(bytes, descriptor, offset) } catch {
        // What was written by half would hide what is written later.
        _ = ftruncate(descriptor, off_t(offset))
        return .system(name, error)
      }
      if isSynced, fdatasync(descriptor) != 0 { return .system(name) }
      return nil
    }
    if let failure { throw failure }
  }

  func cut(to count: Int) throws(JournalError) {
    if ftruncate(descriptor.withLock { $0 }, off_t(count)) != 0 { throw .system(name) }
  }

  func replace(by bytes: [UInt8]) throws(JournalError) {
    let new: Int32
    do throws(FileReplacement.Failure) {
      let draft = try FileReplacement(of: name, draft: .fixed)
      do throws(SystemError) { try write(bytes, draft.descriptor, 0) } catch {
        throw FileReplacement.Failure(path: name, code: error.code)
      }
      new = try draft.finishOpen()
    } catch {
      throw JournalError(path: name, reason: error.reason)
    }
    // Before the folder is synced: whatever that says, this is the file from now on.
    descriptor.withLock { descriptor in
      _ = close(descriptor)
      descriptor = new
    }
    try Self.syncFolder(of: name)
  }

  private static func syncFolder(of path: String) throws(JournalError) {
    do throws(FileReplacement.Failure) { try FileReplacement.syncFolder(of: path) } catch {
      throw JournalError(path: path, reason: error.reason)
    }
  }
}
