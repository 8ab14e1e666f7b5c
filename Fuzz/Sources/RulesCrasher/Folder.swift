/// The rules files of a folder, as mutations start from them.

import Glibc

enum Folder {
  /// Sorted by name, so that the texts of a run stay the same.
  static func texts(_ path: String) -> [[UInt8]] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".rules") { names.append(name) }
    }
    return names.sorted().compactMap { contents("\(path)/\($0)") }
  }

  private static func contents(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return result }
      result += buffer[0..<count]
    }
  }
}
