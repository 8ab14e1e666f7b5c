/// Whole files, bounded.

internal import Platform

public struct FileFailure: Error, Sendable {
  public let reason: String
}

public enum FileContents {
  /// LIMIT: larger files are no rules; the platform takes 256 KiB.
  static let rulesBytesMax = 16 << 20

  /// All bytes of a file, of at most `bytesMax`.
  public static func read(_ path: String, bytesMax: Int) throws(FileFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(reason: systemMessage()) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileFailure(reason: systemMessage()) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw FileFailure(reason: "it is a folder") }
    return try read(descriptor, bytesMax: bytesMax)
  }

  /// All that comes through standard input, at most `bytesMax`.
  public static func standardInput(bytesMax: Int) throws(FileFailure) -> [UInt8] {
    try read(STDIN_FILENO, bytesMax: bytesMax)
  }

  static func read(_ path: String) throws(FileFailure) -> [UInt8] {
    try read(path, bytesMax: rulesBytesMax)
  }

  private static func read(_ descriptor: Int32, bytesMax: Int) throws(FileFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Platform.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileFailure(reason: systemMessage()) }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= bytesMax else {
        throw FileFailure(reason: "it is larger than \(bytesMax >> 20) MiB")
      }
    }
  }

  private static func systemMessage() -> String { String(cString: strerror(errno)) }
}
