/// A file that takes the place of another, or of none, whole.
///
/// Bytes go to a draft beside the file, which takes its name in `finish`. Behind a symbolic link it is the file that the
/// link leads to that is replaced, or made; the link stays. What was there keeps its permissions.
///
/// INVARIANT: until `finish` the file is as it was, and who reads it sees the old one or the new one, never a part. A
/// draft that does not take its place is removed.
///
/// Owner: one thread.
package final class FileReplacement {
  /// Why a file cannot be replaced.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// As it was named by who wanted it replaced.
    package let path: String
    package let code: Int32

    package init(path: String, code: Int32) {
      self.path = path
      self.code = code
    }

    package var reason: String { SystemError(code: code).description }
    package var description: String { "cannot write `\(path)`: \(reason)" }
  }

  /// The name of a draft, behind the name of the file.
  package enum DraftName {
    /// For files that several may replace at a time: the last one wins, and each is whole.
    case unique
    /// `.new`, for files that have one writer: what a crash left is written over by the next one.
    case fixed
  }

  /// Permissions of the new file.
  package enum Permissions {
    /// Those of what was there; of a file that is new, these, less what the process leaves out.
    case kept(new: mode_t)
    case exactly(mode_t)
  }

  private let path: String
  /// The file itself, behind all links.
  private let target: String
  private let draft: String
  /// Where bytes go, open for reading, too.
  package let descriptor: Int32
  private var isOpen = true
  private var isDraft = true

  /// Makes the draft. Fails where that would fail what comes later, too: a file that may not be written, a folder, a device.
  package init(
    of path: String, draft name: DraftName = .unique, permissions: Permissions = .kept(new: 0o666)
  ) throws(Failure) {
    let begun: (target: String, draft: String, descriptor: Int32)
    do throws(SystemError) { begun = try Self.begin(path, name, permissions) } catch {
      throw Failure(path: path, code: error.code)
    }
    self.path = path
    (target, draft, descriptor) = begun
  }

  deinit { discard() }

  /// Puts a file with these bytes in the place of another.
  package static func replace(
    _ path: String, with bytes: [UInt8], permissions: Permissions = .kept(new: 0o666), isDurable: Bool = false
  ) throws(Failure) {
    let new = try FileReplacement(of: path, permissions: permissions)
    try new.write(bytes)
    try new.finish(isDurable: isDurable)
  }

  package func write(_ bytes: [UInt8]) throws(Failure) {
    do throws(SystemError) { try Descriptor.writeAll(bytes, to: descriptor) } catch {
      throw Failure(path: path, code: error.code)
    }
  }

  /// Writes what is left to read of another file.
  package func write(from source: Int32) throws(Failure) {
    do throws(SystemError) { try Descriptor.copyAll(from: source, to: descriptor) } catch {
      throw Failure(path: path, code: error.code)
    }
  }

  /// Puts the draft in its place. On a failure the file is as it was, and the draft is gone.
  ///
  /// - Parameter isDurable: whether bytes and name outlive a loss of power once this returns. Only a folder that cannot be
  ///   written through fails this with the new file in place.
  package func finish(isDurable: Bool = false) throws(Failure) {
    defer { discard() }
    if isDurable { try sync() }
    isOpen = false
    // Some file systems tell of a full disk only here.
    guard close(descriptor) == 0 else { throw failure() }
    try putInPlace()
    if isDurable { try Self.syncFolder(of: target) }
  }

  /// As `finish`, for who goes on writing: the file stays open, its descriptor is the caller's from then on. Its bytes
  /// outlive a loss of power; its name does after `syncFolder`.
  package func finishOpen() throws(Failure) -> Int32 {
    defer { discard() }
    try sync()
    try putInPlace()
    isOpen = false
    return descriptor
  }

  /// Gives the draft up, unless it has taken its place.
  package func discard() {
    if isOpen { close(descriptor) }
    if isDraft { unlink(draft) }
    (isOpen, isDraft) = (false, false)
  }

  /// Makes the names in a file's folder outlive a loss of power.
  package static func syncFolder(of path: String) throws(Failure) {
    let descriptor = open(Folders.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure(path: path, code: errno) }
  }

  private func sync() throws(Failure) {
    guard fsync(descriptor) == 0 else { throw failure() }
  }

  private func putInPlace() throws(Failure) {
    guard rename(draft, target) == 0 else { throw failure() }
    isDraft = false
  }

  /// Of the call just made.
  private func failure() -> Failure { Failure(path: path, code: errno) }

  // MARK: names

  /// LIMIT: links that lead to links, as the system has it.
  private static let linksMax = 40

  /// The path that is no link, whether something is there or not.
  private static func followed(_ path: String) throws(SystemError) -> String {
    var real = path
    for _ in 0...linksMax {
      var state = stat()
      guard lstat(real, &state) == 0, state.st_mode & S_IFMT == S_IFLNK else { return real }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(real, &buffer, buffer.count)
      guard count > 0 else { throw SystemError(code: errno) }
      let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      real = Folders.resolve(target, beside: real)
    }
    throw SystemError(code: ELOOP)
  }

  private static func begin(
    _ path: String, _ name: DraftName, _ permissions: Permissions
  ) throws(SystemError) -> (target: String, draft: String, descriptor: Int32) {
    let target = try followed(path)
    var state = stat()
    let exists = stat(target, &state) == 0
    if exists {
      guard state.st_mode & S_IFMT == S_IFREG else {
        throw SystemError(code: state.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENOTSUP)
      }
      guard access(target, W_OK) == 0 else { throw SystemError(code: errno) }
    }
    // What the process leaves out of new files concerns those alone that are new and like others.
    let (initial, exact): (mode_t, mode_t?) =
      switch permissions {
      case .exactly(let mode): (mode, mode)
      case .kept(let new): exists ? (state.st_mode & 0o777, state.st_mode & 0o7777) : (new, nil)
      }
    let (draft, descriptor) = try makeDraft(of: target, name, initial)
    if let exact, fchmod(descriptor, exact) != 0 {
      let code = errno
      close(descriptor)
      unlink(draft)
      throw SystemError(code: code)
    }
    return (target, draft, descriptor)
  }

  private static func makeDraft(
    of target: String, _ name: DraftName, _ mode: mode_t
  ) throws(SystemError) -> (path: String, descriptor: Int32) {
    // A name that is taken has another writer, or was left by a crash.
    for _ in 0..<100 {
      var draft = target + ".new"
      switch name {
      case .fixed: unlink(draft)
      case .unique: draft = "\(target).\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).new"
      }
      let descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (draft, descriptor) }
      if errno != EEXIST { break }
    }
    throw SystemError(code: errno)
  }
}
