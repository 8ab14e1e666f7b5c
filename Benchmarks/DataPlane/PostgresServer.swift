/// PostgreSQL as a peer: a cluster of its own in a temporary folder, listening on loopback, trusting everybody, gone
/// afterwards.

import Glibc

final class PostgresServer {
  let port = freePort()
  private let folder: String
  private let binaries: String
  /// What goes before a command: PostgreSQL does not run as root.
  private let asUser: String
  /// The process that begins the others.
  private var identifier: pid_t = 0

  /// Nil when PostgreSQL is not installed.
  ///
  /// - Parameters:
  ///   - schema: what is there at the start.
  ///   - isDurable: whether a commit is on disk before it is answered.
  init?(schema: String, isDurable: Bool = false) {
    let found = "ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1"
    guard let path = shellOutput(found)?.split(separator: "\n").first else { return nil }
    binaries = String(path)
    let isRoot = geteuid() == 0
    asUser = isRoot ? "runuser -u postgres -- " : ""
    guard let made = shellOutput("mktemp -d")?.split(separator: "\n").first else { return nil }
    folder = String(made)
    let quiet = ">/dev/null 2>&1"
    if isRoot { _ = shellOutput("chown postgres \(folder)") }
    // Enough connections for the largest line, and memory for all rows, as ours has.
    let settings =
      "-c listen_addresses=127.0.0.1 -c fsync=\(isDurable ? "on" : "off") -c synchronous_commit=\(isDurable ? "on" : "off")"
      + " -c shared_buffers=1GB -c max_connections=200 -c max_wal_size=4GB"
    let start =
      "\(asUser)\(binaries)/initdb -D \(folder)/data -A trust -U bench \(quiet) && "
      + "\(asUser)\(binaries)/pg_ctl -w -D \(folder)/data -l \(folder)/log "
      + "-o '-p \(port) -k \(folder) \(settings)' start \(quiet) && echo ok"
    guard shellOutput(start)?.contains("ok") == true, load(schema),
      let first = shellOutput("head -1 \(folder)/data/postmaster.pid")?.split(separator: "\n").first
    else {
      stop()
      return nil
    }
    identifier = pid_t(first) ?? 0
  }

  /// How to connect to it.
  var address: String { "postgres://bench@127.0.0.1:\(port)/postgres" }

  /// Processor time of all its processes, in nanoseconds.
  var processorNanoseconds: Double? {
    guard let list = shellOutput("pgrep -P \(identifier)") else { return nil }
    let processes = [identifier] + list.split(separator: "\n").compactMap { pid_t($0) }
    return processes.compactMap { processorTime(of: $0) }.reduce(0, +)
  }

  private func load(_ schema: String) -> Bool {
    let file = folder + "/schema.sql"
    guard let handle = fopen(file, "w") else { return false }
    fputs(schema, handle)
    fclose(handle)
    let command =
      "psql -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p \(port) -U bench -d postgres -f \(file) >/dev/null 2>&1 && echo ok"
    return shellOutput(command)?.contains("ok") == true
  }

  func stop() {
    _ = shellOutput("\(asUser)\(binaries)/pg_ctl -D \(folder)/data -m immediate stop >/dev/null 2>&1")
    _ = shellOutput("rm -rf \(folder)")
  }
}
