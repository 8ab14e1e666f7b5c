/// A folder for one test.

internal import Platform

/// Made empty, removed with everything in it when the last reference goes.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/docstore-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "no temporary folder")
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? parent }
  }

  /// What lies directly in the folder.
  public var names: [String] { Self.names(in: path) }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  deinit { Self.remove(path) }

  /// A file, or a folder with what is in it; links are removed, not followed.
  private static func remove(_ path: String) {
    if unlink(path) == 0 { return }
    for name in names(in: path) { remove(path + "/" + name) }
    rmdir(path)
  }
}

/// Makes or replaces a small file.
public func writeFile(_ path: String, _ text: String) throws {
  let bytes = Array(text.utf8)
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
  guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else {
    throw FileFailure(path: path)
  }
  close(descriptor)
}

public struct FileFailure: Error {
  public let path: String
}
