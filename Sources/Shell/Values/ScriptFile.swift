/// Files that the shell reads whole.

import Platform

enum ScriptFile {
  /// LIMIT: bytes of one file.
  private static let bytesMax = 64 << 20

  static func contents(_ path: String) throws(ShellError) -> [UInt8] {
    do throws(FileFailure) { return try FileContents.read(path, bytesMax: bytesMax) } catch {
      throw .unknown("cannot read `\(path)`: \(error.reason)")
    }
  }
}
