/// The files that a server was started with and can read again.

import Platform

/// One file as it was when it was read: whether it is the same is told without reading it.
struct FileStamp: Equatable {
  private let device: dev_t
  private let number: ino_t
  private let size: off_t
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil for a file that is not there.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
    size = status.st_size
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}

/// Everything a server was started with that can be read again, as it was read last.
struct ServedFiles {
  private(set) var rules: DatabaseFiles
  private(set) var indexes: DatabaseFiles
  private(set) var triggers: TriggerSources
  private var stamps: [(path: String, stamp: FileStamp?)] = []

  /// To be made before the files are read, so that no save is missed.
  init(_ rules: DatabaseFiles, _ indexes: DatabaseFiles, _ triggers: TriggerSources, config: String?) {
    self.rules = rules
    self.indexes = indexes
    self.triggers = triggers
    stamps = Self.paths(rules, indexes, triggers, config).map { ($0, FileStamp($0)) }
  }

  private static func paths(
    _ rules: DatabaseFiles, _ indexes: DatabaseFiles, _ triggers: TriggerSources, _ config: String?
  ) -> [String] {
    rules.sources.map(\.path) + indexes.sources.map(\.path) + [triggers.file, config].compactMap { $0 }
  }

  var paths: [String] { stamps.map(\.path) }

  /// The folders to watch.
  var folders: [String] { paths.map(Folders.folder(of:)) }

  /// Files that are others than when they were looked at last; all of them when `all`.
  mutating func takeChanged(all: Bool) -> [String] {
    var changed: [String] = []
    for index in stamps.indices {
      let stamp = FileStamp(stamps[index].path)
      if all || stamp != stamps[index].stamp { changed.append(stamps[index].path) }
      stamps[index].stamp = stamp
    }
    return changed
  }

  /// Takes what a `firebase.json` names now.
  mutating func take(
    _ rules: DatabaseFiles, _ indexes: DatabaseFiles, _ triggers: TriggerSources, config: String?
  ) {
    self.rules = rules
    self.indexes = indexes
    self.triggers = triggers
    let known = stamps
    stamps = Self.paths(rules, indexes, triggers, config).map { path in
      (path, known.first { $0.path == path }?.stamp)
    }
  }
}
