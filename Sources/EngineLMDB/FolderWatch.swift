/// Looks at a data folder while nobody does: whether it is still the one that was opened, and whether a full disk has
/// room again.

internal import DocStore
internal import Platform

/// State: whether it was stopped, behind its monitor. Its thread looks four times a second and ends with the engine.
final class FolderWatch: Sendable {
  /// A file, whatever its name is by now.
  struct Identity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64

    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      self.init(status)
    }

    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    private init(_ status: stat) {
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
    }
  }

  private let folder: String
  private let files: [(name: String, path: String, identity: Identity)]
  private let health: EngineHealth
  private let isStopped = Monitor(false)

  private static let lookMilliseconds = 250

  /// - Parameter files: what lies in the folder under these names, by open descriptors.
  init(_ folder: String, _ files: [(name: String, descriptor: Int32)], _ health: EngineHealth) {
    self.folder = folder
    self.files = files.compactMap { file in
      Identity(file.descriptor).map { (file.name, folder + "/" + file.name, $0) }
    }
    self.health = health
  }

  func start() throws(PlatformThread.Exhausted) {
    try PlatformThread.start { [self] in
      while isStopped.wait(atMost: Self.lookMilliseconds, { $0 ? () : nil }) == nil { look() }
    }
  }

  func stop() { isStopped.change { $0 = true } }

  private func look() {
    guard isInPlace() else { return }
    if case .full(_, let needed, _)? = health.outage, hasRoom(for: needed) { health.endFull() }
  }

  /// Whether the folder is the one that was opened. If not, that troubles the engine until it is again.
  func isInPlace() -> Bool {
    if let reason = reasonGone() {
      health.begin(.gone(folder: folder, reason: reason))
      return false
    }
    health.endGone()
    return true
  }

  private func reasonGone() -> String? {
    for file in files {
      let present = Identity(path: file.path)
      if present == file.identity { continue }
      if present != nil { return "was replaced by another one" }
      return Identity(path: folder) == nil ? "was removed" : "has lost its \(file.name)"
    }
    return nil
  }

  /// Room is asked for, not measured: a quota is not seen otherwise.
  private func hasRoom(for bytes: Int) -> Bool {
    let path = folder + "/space.probe"
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    defer {
      close(descriptor)
      unlink(path)
    }
    return posix_fallocate(descriptor, 0, off_t(bytes)) == 0
  }
}
