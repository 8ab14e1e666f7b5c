/// Who listens on a port that we cannot have.

import Platform

enum PortOwner {
  /// `process 4711 (java)`; nil when the system does not tell.
  static func name(ofPort port: Int) -> String? {
    let sockets = listeners(on: port, "/proc/net/tcp") + listeners(on: port, "/proc/net/tcp6")
    guard !sockets.isEmpty else { return nil }
    for process in Folders.entries(of: "/proc") ?? [] {
      guard let number = Int(process) else { continue }
      for file in Folders.entries(of: "/proc/\(process)/fd") ?? [] {
        guard let target = link("/proc/\(process)/fd/\(file)"), sockets.contains(target) else { continue }
        return "process \(number)" + (command(number).map { " (\($0))" } ?? "")
      }
    }
    return nil
  }

  /// The ports that a process listens on, in ascending order; none when the system does not tell.
  static func ports(ofProcess process: Int) -> [Int] {
    let folder = "/proc/\(process)/fd/"
    let sockets = Set((Folders.entries(of: folder) ?? []).compactMap { link(folder + $0) })
    let listening = listeners("/proc/net/tcp") + listeners("/proc/net/tcp6")
    return Set(listening.filter { sockets.contains($0.socket) }.map(\.port)).sorted()
  }

  /// `socket:[12345]` of each socket that listens on the port.
  private static func listeners(on port: Int, _ table: String) -> [String] {
    listeners(table).filter { $0.port == port }.map(\.socket)
  }

  private static func listeners(_ table: String) -> [(port: Int, socket: String)] {
    guard let bytes = try? FileAccess.contents(of: table) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
      let columns = line.split(separator: " ")
      // Local address, and state 0A: it listens.
      guard columns.count > 9, columns[3] == "0A", let digits = columns[1].split(separator: ":").last,
        let port = Int(digits, radix: 16)
      else { return nil }
      return (port, "socket:[\(columns[9])]")
    }
  }

  private static func command(_ process: Int) -> String? {
    guard let bytes = try? FileAccess.contents(of: "/proc/\(process)/comm") else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  private static func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 128)
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
