/// Small questions to the system.

import Glibc

/// What a shell command prints; nil when it fails.
func shellOutput(_ command: String) -> String? {
  guard let stream = popen(command, "r") else { return nil }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4_096)
  while true {
    let count = fread(&chunk, 1, chunk.count, stream)
    if count == 0 { break }
    bytes.append(contentsOf: chunk[..<count])
  }
  return pclose(stream) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
}
