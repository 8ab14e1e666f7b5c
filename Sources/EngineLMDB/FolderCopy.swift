/// A copy of a data folder's state, also of one that another process writes to.

internal import CLMDB
internal import Platform

public enum FolderCopy {
  /// Beside the data: what triggers have delivered. Copied before the data: an event may be delivered once more to who
  /// starts from the copy, and none is lost.
  private static let besides = ["triggers.journal"]

  /// Copies one state of `folder`, without the room that is free in it, to `output`, which must be new or empty.
  /// Whoever writes to the folder is not waited for, and does not wait.
  public static func backUp(folder: String, to output: String) throws(LMDBOpenError) {
    guard access(folder + "/data.mdb", R_OK) == 0 else {
      throw .system(folder, "open its data.mdb", code: errno)
    }
    if let reason = FolderCheck.putInOrder(folder) {
      throw .system(folder: folder, operation: "copy it", reason: reason)
    }
    try makeEmpty(output)
    try copyFiles(besides, from: folder, to: output)
    let environment = try LMDBEnvironment(
      path: folder, folder: folder, flags: UInt32(MDB_RDONLY), LMDBSettings())
    let code = mdb_env_copy2(environment.pointer, output, UInt32(MDB_CP_COMPACT))
    if code != 0 {
      unlink(output + "/data.mdb")
      throw .library(folder, "copy it to `\(output)`", code: code)
    }
    try sync(output + "/data.mdb", output)
  }

  /// Copies a folder that nobody has open to `output`, which must be new or empty, as it is.
  public static func copy(folder: String, to output: String) throws(LMDBOpenError) {
    guard access(folder + "/data.mdb", R_OK) == 0 else {
      throw .system(folder, "open its data.mdb", code: errno)
    }
    try makeEmpty(output)
    // The data last: a folder without it is no store, so half of a copy is none.
    try copyFiles(besides + ["data.mdb"], from: folder, to: output)
  }

  /// Makes a folder, unless there is an empty one; one with anything in it is refused.
  public static func makeEmpty(_ folder: String) throws(LMDBOpenError) {
    if !Folders.exists(folder) {
      do throws(SystemError) { try Folders.make(folder) } catch {
        throw .system(folder, "create it", code: error.code)
      }
      return
    }
    guard let names = Folders.entries(of: folder) else { throw .system(folder, "look at it", code: errno) }
    guard names.isEmpty else { throw .system(folder, "write to it", code: ENOTEMPTY) }
  }

  private static func copyFiles(_ names: [String], from folder: String, to output: String)
    throws(LMDBOpenError)
  {
    for name in names {
      let source = open(folder + "/" + name, O_RDONLY | O_CLOEXEC)
      if source < 0, errno == ENOENT { continue }
      guard source >= 0 else { throw .system(folder, "read its \(name)", code: errno) }
      defer { close(source) }
      try put(source, output, name)
    }
    try sync(output, output)
  }

  private static func put(_ source: Int32, _ output: String, _ name: String) throws(LMDBOpenError) {
    do throws(FileReplacement.Failure) {
      let copy = try FileReplacement(
        of: output + "/" + name, draft: .fixed, permissions: .kept(new: 0o644))
      try copy.write(from: source)
      try copy.finish(isDurable: true)
    } catch {
      throw .system(output, "write \(name)", code: error.code)
    }
  }

  private static func sync(_ path: String, _ folder: String) throws(LMDBOpenError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(folder, "write to it", code: errno) }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw .system(folder, "write to it", code: errno) }
  }
}
