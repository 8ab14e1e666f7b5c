/// Small files, whole.

internal import Glibc

struct FileFailure: Error {
  let reason: String
}

enum FileContents {
  /// LIMIT: larger files are no rules; the platform takes 256 KiB.
  private static let bytesMax = 16 << 20

  static func read(_ path: String) throws(FileFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(reason: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw FileFailure(reason: String(cString: strerror(errno))) }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= bytesMax else { throw FileFailure(reason: "it is larger than 16 MiB") }
    }
  }
}
