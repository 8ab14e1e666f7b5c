/// Small questions to the system.

import Glibc

/// What a shell command prints; nil when it fails.
func shellOutput(_ command: String) -> String? {
  guard let stream = popen(command, "r") else { return nil }
  let bytes = rest(of: stream)
  return pclose(stream) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
}

/// The text of a file; nil when it cannot be read.
func contents(of path: String) -> String? {
  guard let stream = fopen(path, "r") else { return nil }
  defer { fclose(stream) }
  return String(decoding: rest(of: stream), as: UTF8.self)
}

private func rest(of stream: UnsafeMutablePointer<FILE>) -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4_096)
  while true {
    let count = fread(&chunk, 1, chunk.count, stream)
    if count == 0 { return bytes }
    bytes.append(contentsOf: chunk[..<count])
  }
}
