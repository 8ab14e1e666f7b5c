/// A folder for one test.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Made empty, removed with everything directly in it when the last reference goes.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/docstore-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "no temporary folder")
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? parent }
  }

  deinit {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { unlink(path + "/" + name) }
      }
      closedir(folder)
    }
    rmdir(path)
  }
}
