/// What listeners cost that have nothing to hear: private memory of the server.

internal import Glibc

func listenerIdleBenchmark(own: WirePeer, rules: String) throws {
  let count = 10_000
  let files = raiseOpenFiles()
  say("\(count) idle listeners, one document each: private memory of the server")
  for connections in [100, count] {
    let label = connections == count ? "a connection each" : "\(count / connections) on each connection"
    guard connections + 100 < files else {
      row(label, "not measured", "this shell allows \(files) open files; see ulimit -n")
      continue
    }
    let port = freePort()
    let server = try ServerProcess(own.name, port: port, own.command(port, rules))
    defer { server.stop() }
    // A first few, so that what the server needs for any listener at all is not counted.
    let first = try Listeners(port: port, paths: (0..<100).map { "idle/f\($0)" }, connections: 10)
    defer { first.close() }
    let before = server.privateMiB ?? 0
    let listeners = try Listeners(
      port: port, paths: (0..<count).map { "idle/d\($0)" }, connections: connections)
    defer { listeners.close() }
    let after = settled(server)
    row(label, "\(rounded((after - before) * 1_024 / Double(count), 2)) KiB each")
  }
}

/// The private memory of a server in MiB when it has stopped falling: connections let go of memory after a moment
/// without traffic.
private func settled(_ server: ServerProcess) -> Double {
  var memory = server.privateMiB ?? 0
  for _ in 0..<10 {
    usleep(3_000_000)
    let now = server.privateMiB ?? 0
    if now > memory * 0.99 { return now }
    memory = now
  }
  return memory
}

/// Lets this process, and those it starts, open as many files as the system allows; how many.
private func raiseOpenFiles() -> Int {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  return Int(clamping: limit.rlim_cur)
}
