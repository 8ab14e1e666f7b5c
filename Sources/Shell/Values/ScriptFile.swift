/// Reading of files.

import Platform

/// Files that the shell reads whole.
enum ScriptFile {
  /// LIMIT: bytes of one file.
  private static let bytesMax = 64 << 20

  static func contents(_ path: String) throws(ShellError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Platform.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw failure(path) }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= bytesMax else { throw .usage("`\(path)` is larger than \(bytesMax >> 20) MiB") }
    }
  }

  private static func failure(_ path: String) -> ShellError {
    .usage("cannot read `\(path)`: \(String(cString: strerror(errno)))")
  }
}
