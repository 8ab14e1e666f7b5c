/// A program that is run once, with its input given and its output taken.

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

package struct ProgramFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

/// State and its owner: the descriptors belong to whoever writes, reads and waits, one after the other; `kill` may be
/// called by anybody at any time.
package final class ChildProgram: Sendable {
  /// LIMIT: bytes of the file, which must fit a pipe.
  package static let fileBytesMax = 60_000
  /// Where the program finds the file.
  package static let filePath = "/dev/fd/3"

  /// Nil once it has been waited for: its number may be somebody else's then.
  private let id: Mutex<pid_t?>
  /// Ours of the three connections. Sockets, because a program that is gone then is an error and no signal.
  private let input: Int32
  private let output: Int32
  private let complaints: Int32

  /// - Parameter file: what the program finds at `filePath`, when it reads that once.
  package init(_ arguments: [String], file: [UInt8]? = nil) throws(ProgramFailure) {
    var pairs: [(ours: Int32, its: Int32)] = []
    for _ in 0..<3 {
      guard let pair = Self.connection() else {
        Self.close(pairs)
        throw ProgramFailure(description: "no connection to a program: \(String(cString: strerror(errno)))")
      }
      pairs.append(pair)
    }
    if let file {
      guard file.count <= Self.fileBytesMax, let its = Self.filled(file) else {
        Self.close(pairs)
        throw ProgramFailure(description: "\(file.count) bytes are too many for a program's second input")
      }
      pairs.append((-1, its))
    }
    let (id, code) = Self.start(arguments, pairs.map(\.its))
    for pair in pairs { _ = systemClose(pair.its) }
    guard code == 0 else {
      for pair in pairs where pair.ours >= 0 { _ = systemClose(pair.ours) }
      throw ProgramFailure(
        description: "the program `\(arguments[0])`, which is needed for https, cannot be run: "
          + String(cString: strerror(code)))
    }
    self.id = Mutex(id)
    input = pairs[0].ours
    output = pairs[1].ours
    complaints = pairs[2].ours
  }

  private static func connection() -> (ours: Int32, its: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      return nil
    }
    return (ends[0], ends[1])
  }

  /// Held while a pipe is not yet ours alone, and while a program starts: one that inherits the wrong end of
  /// another's pipe would keep that one waiting for its end.
  private static let starting = Mutex(())

  /// A pipe that holds all of it already: the program need not be waited for.
  private static func filled(_ bytes: [UInt8]) -> Int32? {
    var ends: [Int32] = [-1, -1]
    let isOpen = starting.withLock { _ in
      guard pipe(&ends) == 0 else { return false }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      return true
    }
    guard isOpen else { return nil }
    // A pipe may be smaller than usual when the system is short of them.
    let isWhole = systemWrite(ends[1], bytes, bytes.count) == bytes.count
    _ = systemClose(ends[1])
    if isWhole { return ends[0] }
    _ = systemClose(ends[0])
    return nil
  }

  private static func start(_ arguments: [String], _ descriptors: [Int32]) -> (id: pid_t, code: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id = pid_t()
    let code = starting.withLock { _ in posix_spawnp(&id, arguments[0], &actions, nil, &words, environ) }
    return (id, code)
  }

  private static func close(_ pairs: [(ours: Int32, its: Int32)]) {
    for pair in pairs {
      _ = systemClose(pair.ours)
      _ = systemClose(pair.its)
    }
  }

  /// Gives all of the input, and its end.
  package func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemSend(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        break
      }
    }
    _ = systemClose(input)
  }

  /// Output up to its end, and the first line of complaints.
  ///
  /// - Parameter passesOver: reads what is beyond the limit, too, and forgets it; otherwise the program is cut off.
  package func readAll(limit: Int, passesOver: Bool = false) -> (output: [UInt8], complaint: String) {
    let bytes = Self.read(output, limit: limit, passesOver)
    let complaint = Self.read(complaints, limit: 4_096, false)
    _ = systemClose(output)
    _ = systemClose(complaints)
    let line = String(decoding: complaint.prefix { $0 != 0x0A }, as: UTF8.self)
    return (bytes, line)
  }

  private static func read(_ descriptor: Int32, limit: Int, _ passesOver: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while passesOver || bytes.count < limit {
      let room = limit - bytes.count
      let count = systemRead(descriptor, &chunk, passesOver ? chunk.count : min(chunk.count, room))
      if count > 0 {
        bytes.append(contentsOf: chunk[..<min(count, room)])
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    return bytes
  }

  /// Ends the program, if it has not ended.
  package func kill() {
    id.withLock { id in
      if let id { _ = systemKill(id, SIGKILL) }
    }
  }

  /// How the program ended; 128 and more for a signal. Once.
  package func wait() -> Int32 {
    guard let running = id.withLock({ $0 }) else { return -1 }
    // Leaves the number taken, so that nobody else is killed under it.
    var information = siginfo_t()
    while waitid(P_PID, id_t(running), &information, WEXITED | WNOWAIT) < 0 {
      guard errno == EINTR else { break }
    }
    return id.withLock { id in
      id = nil
      var status: Int32 = 0
      while waitpid(running, &status, 0) < 0 {
        guard errno == EINTR else { return -1 }
      }
      let signal = status & 0x7F
      return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
  }
}

// The system's functions whose names are ours, too.

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemKill(_ id: pid_t, _ signal: Int32) -> Int32 { kill(id, signal) }
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int
{
  send(descriptor, bytes, count, flags)
}
