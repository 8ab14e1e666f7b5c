/// Files that are saved, as the kernel tells (inotify).
///
/// Folders are watched, not files: editors save by writing a new file and giving it the old one's name.

import Platform
import Synchronization

struct FileWatchError: Error, CustomStringConvertible {
  let description: String
}

/// State: the folders, behind a lock that is held for look-ups. One thread at a time waits.
final class FileWatch: Sendable {
  private struct Folder {
    let watch: Int32
    /// As the caller calls it.
    let name: String
  }

  /// Readable when something has changed.
  let descriptor: Int32
  // A list: a server begins with it, and making the type of a dictionary takes longer than all of its look-ups.
  private let folders = Mutex<[Folder]>([])
  /// LIMIT: bytes of events read at once; more stay in the kernel's queue.
  private static let bufferBytes = 64 << 10

  init() throws(FileWatchError) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0 else {
      throw FileWatchError(description: "cannot watch files: \(FileAccess.systemMessage())")
    }
  }

  deinit { close(descriptor) }

  private static let folderEvents = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE)
  /// What happens to a watched folder itself.
  private static let goneEvents = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

  /// Watches a folder, once however often it is asked to; not one that is not there.
  func add(_ folder: String) throws(FileWatchError) {
    guard !folders.withLock({ $0.contains { $0.name == folder } }) else { return }
    let watch = inotify_add_watch(descriptor, folder, Self.folderEvents | Self.goneEvents)
    guard watch >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return }
      throw FileWatchError(description: "cannot watch `\(folder)`: \(FileAccess.systemMessage())")
    }
    folders.withLock { list in
      // One folder may have two names; what happens in it is told by the last.
      list.removeAll { $0.watch == watch }
      list.append(Folder(watch: watch, name: folder))
    }
  }

  /// Waits for a change and, once there is one, until nothing has changed for `quiet` milliseconds: a save may
  /// be several changes. Gives paths, each once; none when `other` became readable instead, or was closed.
  func wait(quiet: Int32 = 10, orInput other: Int32 = -1) -> [String] {
    var paths: [String] = []
    var deadline: Int32 = -1
    while isReadable(within: deadline, paths.isEmpty ? other : -1) {
      for path in read() where !paths.contains(path) { paths.append(path) }
      deadline = quiet
    }
    return paths
  }

  /// False when the time is over or only `other` has something.
  private func isReadable(within milliseconds: Int32, _ other: Int32) -> Bool {
    var pollers = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&pollers, 2, milliseconds)
      if count >= 0 { return pollers[0].revents != 0 }
      guard errno == EINTR else { return false }
    }
  }

  private func read() -> [String] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.bufferBytes, alignment: MemoryLayout<inotify_event>.alignment)
    defer { buffer.deallocate() }
    let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
    var paths: [String] = []
    var offset = 0
    while offset + MemoryLayout<inotify_event>.size <= count {
      let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      let start = offset + MemoryLayout<inotify_event>.size
      offset = start + Int(event.len)
      guard offset <= count, let folder = name(of: event.wd) else { continue }
      if event.mask & (Self.goneEvents | UInt32(IN_IGNORED)) != 0 {
        // Another folder may take its name, and is then watched anew.
        folders.withLock { list in list.removeAll { $0.watch == event.wd } }
        inotify_rm_watch(descriptor, event.wd)
        paths.append(folder)
        continue
      }
      // A file that is created is of interest when it has been written.
      if event.mask & UInt32(IN_CREATE) != 0, event.mask & UInt32(IN_ISDIR) == 0 { continue }
      let name = String(decoding: buffer[start..<offset].prefix { $0 != 0 }, as: UTF8.self)
      if !name.isEmpty { paths.append(folder == "." ? name : folder + "/" + name) }
    }
    return paths
  }

  private func name(of watch: Int32) -> String? {
    folders.withLock { list in list.first { $0.watch == watch }?.name }
  }
}
