/// Whole files, bounded.

package struct FileFailure: Error, Sendable {
  package let reason: String
}

package enum FileContents {
  /// All bytes of a file, of at most `bytesMax`.
  package static func read(_ path: String, bytesMax: Int) throws(FileFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(reason: systemMessage()) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileFailure(reason: systemMessage()) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw FileFailure(reason: "it is a folder") }
    return try readAll(descriptor, bytesMax: bytesMax)
  }

  /// All that comes through standard input, at most `bytesMax`.
  package static func standardInput(bytesMax: Int) throws(FileFailure) -> [UInt8] {
    try readAll(STDIN_FILENO, bytesMax: bytesMax)
  }

  private static func readAll(_ descriptor: Int32, bytesMax: Int) throws(FileFailure) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(SystemError) { bytes = try Descriptor.readAll(from: descriptor, atMost: bytesMax) } catch {
      throw FileFailure(reason: error.description)
    }
    guard let bytes else { throw FileFailure(reason: "it is larger than \(bytesMax >> 20) MiB") }
    return bytes
  }

  private static func systemMessage() -> String { SystemError(code: errno).description }
}
