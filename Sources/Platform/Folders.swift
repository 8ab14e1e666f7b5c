/// Folders, and paths of files, seen from other files that name them.

package enum Folders {
  /// The folder of a file, as the user wrote it.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// The path of a name in a folder; of the working directory just the name.
  package static func joined(_ folder: String, _ name: String) -> String {
    folder == "." ? name : folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  /// Whether there is a folder.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes a folder and those above it that are missing.
  package static func make(_ path: String, _ mode: mode_t = 0o755) throws(SystemError) {
    if exists(path) { return }
    let parent = folder(of: path)
    if parent != path { try make(parent, mode) }
    if mkdir(path, mode) == 0 { return }
    let code = errno
    // Somebody else may have been faster.
    if !exists(path) { throw SystemError(code: code == EEXIST ? ENOTDIR : code) }
  }

  /// The names in a folder, in no order; nil when it cannot be looked at, and `errno` says why.
  package static func entries(of folder: String) -> [String]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// A path that stands in a file, seen from where the program runs.
  package static func resolve(_ path: String, beside file: String) -> String {
    let folder = folder(of: file)
    return path.hasPrefix("/") || folder == "." ? path : folder == "/" ? "/" + path : folder + "/" + path
  }

  /// The path without links and dots; nil when nothing is there.
  package static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether a file lies below a folder, links followed.
  package static func isInside(_ path: String, _ folder: String) -> Bool {
    guard let path = real(path), let folder = real(folder) else { return false }
    return folder == "/" || path.utf8.starts(with: (folder + "/").utf8)
  }

  /// The files that mark the top of a project.
  private static let projectMarks = [".git", "firebase.json", "package.json", "Package.swift"]

  /// The project a file belongs to: the nearest folder above it that has a project's mark, otherwise its
  /// own folder.
  package static func project(of file: String) -> String {
    let own = folder(of: file)
    guard var folder = real(own) else { return own }
    let start = folder
    while true {
      if projectMarks.contains(where: { access(folder + "/" + $0, F_OK) == 0 }) { return folder }
      guard folder != "/" else { return start }
      folder = Self.folder(of: folder)
    }
  }

  /// How a file names another one of its project: a path relative to itself. Nil for files elsewhere, whose
  /// paths mean nothing on another machine.
  package static func relative(_ file: String, from own: String) -> String? {
    guard isInside(file, project(of: own)), let file = real(file), let start = real(folder(of: own))
    else { return nil }
    let target = file.split(separator: "/")
    let origin = start.split(separator: "/")
    let shared = zip(target, origin).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    let up = Array(repeating: "..", count: origin.count - shared)
    return (up + target.dropFirst(shared).map(String.init)).joined(separator: "/")
  }
}
