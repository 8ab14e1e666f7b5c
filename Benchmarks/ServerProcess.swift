/// Servers as child processes: ours, and the official emulator where it is installed.

internal import CNGHTTP2
internal import Glibc

/// A running server on loopback.
final class ServerProcess {
  let name: String
  let port: Int
  private let identifier: pid_t
  /// Milliseconds from the start of the process to its first answer.
  let startMilliseconds: Double

  enum Failure: Error {
    case cannotStart(String)
    case noAnswer(String)
  }

  /// Starts a program and waits until `GET /` answers on `port`.
  init(_ name: String, port: Int, _ arguments: [String]) throws(Failure) {
    self.name = name
    self.port = port
    let start = monotonicNanoseconds()
    identifier = try Self.spawn(arguments)
    while !httpAnswers(port: port) {
      guard monotonicNanoseconds() - start < 30_000_000_000, kill(identifier, 0) == 0 else {
        kill(identifier, SIGKILL)
        throw .noAnswer(name)
      }
      usleep(500)
    }
    startMilliseconds = Double(monotonicNanoseconds() - start) / 1e6
  }

  /// How long a program takes from its start to its end.
  static func milliseconds(of arguments: [String]) throws(Failure) -> Double {
    let start = monotonicNanoseconds()
    let identifier = try spawn(arguments)
    waitpid(identifier, nil, 0)
    return Double(monotonicNanoseconds() - start) / 1e6
  }

  private static func spawn(_ arguments: [String]) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var identifier: pid_t = 0
    guard posix_spawnp(&identifier, arguments[0], &actions, nil, &pointers, environ) == 0 else {
      throw .cannotStart(arguments[0])
    }
    return identifier
  }

  /// Resident memory in MiB; nil when the system does not tell.
  var residentMiB: Double? { statusMiB("VmRSS:") }

  /// Memory that no file backs, in MiB.
  var privateMiB: Double? { statusMiB("RssAnon:") }

  private func statusMiB(_ field: String) -> Double? {
    guard let file = fopen("/proc/\(identifier)/status", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix(field) else { continue }
      let digits = text.utf8.filter { $0 >= 48 && $0 <= 57 }
      return Double(String(decoding: digits, as: UTF8.self)).map { $0 / 1_024 }
    }
    return nil
  }

  /// Processor time that the process has used; see `processorTime`.
  var processorNanoseconds: Double? { processorTime(of: identifier) }

  /// Keeps the process from computing while another one is measured: a virtual machine goes on compiling for minutes.
  func hold() { kill(identifier, SIGSTOP) }

  func goOn() { kill(identifier, SIGCONT) }

  func stop() {
    kill(identifier, SIGTERM)
    goOn()
    for _ in 0..<200 {
      if waitpid(identifier, nil, WNOHANG) != 0 { return }
      usleep(10_000)
    }
    kill(identifier, SIGKILL)
    waitpid(identifier, nil, 0)
  }
}

/// Processor time that a process has used, in nanoseconds, of all its threads; nil when the system does not tell. From
/// the scheduler's own numbers, which are exact, not from ticks.
func processorTime(of process: pid_t) -> Double? {
  guard let folder = opendir("/proc/\(process)/task") else { return nil }
  defer { closedir(folder) }
  var sum = 0.0
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard Int(name) != nil, let file = fopen("/proc/\(process)/task/\(name)/schedstat", "r") else { continue }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { continue }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    sum += text.split(separator: " ").first.flatMap { Double($0) } ?? 0
  }
  return sum
}

/// A connected socket to loopback; nil when nobody listens.
func loopbackSocket(port: Int) -> Int32? {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let connected = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  // A server that is still starting may accept and never answer.
  var patience = timeval(tv_sec: 2, tv_usec: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  if connected == 0 { return descriptor }
  close(descriptor)
  return nil
}

/// One HTTP/1.1 request on a connection of its own; the status code, or nil.
func httpRequest(
  port: Int, _ method: String, _ target: String, headers: [String] = [], body: String = ""
) -> (status: Int, body: String)? {
  guard let descriptor = loopbackSocket(port: port) else { return nil }
  defer { close(descriptor) }
  var request = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
  for header in headers { request += header + "\r\n" }
  request += "Content-Length: \(body.utf8.count)\r\n\r\n" + body
  var rest = Array(request.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard count > 0 else { return nil }
    rest = rest.dropFirst(count)
  }
  var answer: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { break }
    answer.append(contentsOf: chunk[..<count])
    // The official emulator keeps the connection open all the same; its health answer is one short piece.
    if answer.starts(with: "HTTP/1.1 200".utf8), count < chunk.count { break }
  }
  let text = String(decoding: answer, as: UTF8.self)
  guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
  return (status, text)
}

private func httpAnswers(port: Int) -> Bool {
  httpRequest(port: port, "GET", "/")?.status == 200
}

/// A port nobody listens on at the moment.
func freePort() -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = bind(descriptor, $0, length)
      _ = getsockname(descriptor, $0, &length)
    }
  }
  return Int(in_port_t(bigEndian: address.sin_port))
}
