/// Paths of files beside a suite.

internal import Platform

enum Folders {
  /// The folder of a file, as the user wrote it.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// A path that stands in a file, seen from where the program runs.
  static func resolve(_ path: String, beside file: String) -> String {
    let folder = folder(of: file)
    return path.hasPrefix("/") || folder == "." ? path : folder == "/" ? "/" + path : folder + "/" + path
  }

  /// The path without links and dots; nil when nothing is there.
  static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether a file lies below a folder, links followed.
  static func isInside(_ path: String, _ folder: String) -> Bool {
    guard let path = real(path), let folder = real(folder) else { return false }
    return folder == "/" || path.utf8.starts(with: (folder + "/").utf8)
  }

  /// The files that mark the top of a project.
  private static let projectMarks = [".git", "firebase.json", "package.json", "Package.swift"]

  /// The project a file belongs to: the nearest folder above it that has a project's mark, otherwise its
  /// own folder.
  static func project(of file: String) -> String {
    let own = folder(of: file)
    guard var folder = real(own) else { return own }
    let start = folder
    while true {
      if projectMarks.contains(where: { access(folder + "/" + $0, F_OK) == 0 }) { return folder }
      guard folder != "/" else { return start }
      folder = Self.folder(of: folder)
    }
  }
}
