/// Servers under test as programs: how they are started, how long that takes, what they need when idle.

/// One server under test.
struct WirePeer {
  let name: String
  /// The command that starts it on a port with a rules file.
  let command: (_ port: Int, _ rules: String) -> [String]
}

/// The official emulator, if its Debian package is installed.
func officialPeer() -> WirePeer? {
  guard let list = shellOutput("dpkg -L google-cloud-cli-firestore-emulator 2>/dev/null"),
    let jar = list.split(separator: "\n").first(where: { $0.hasSuffix(".jar") })
  else { return nil }
  let path = String(jar)
  return WirePeer(name: "official emulator") { port, rules in
    [
      "java", "-Duser.language=en", "-cp", path,
      "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host=127.0.0.1",
      "--port=\(port)", "--rules=\(rules)",
    ]
  }
}

struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String
}

/// Starts ours several times and the official emulator once, and prints how long the first answer took.
func startBenchmark(own: WirePeer, rules: String) throws {
  say("process start to first answer")
  let ours = try starts(own, rules: rules, count: 7)
  row(
    own.name, "\(rounded(median(ours.milliseconds), 1)) ms",
    "resident, idle \(rounded(ours.residentMiB, 1)) MiB")
  guard let official = officialPeer() else { return say("official emulator: not installed, not measured") }
  let theirs = try starts(official, rules: rules, count: 1)
  row(
    official.name, "\(rounded(median(theirs.milliseconds), 1)) ms",
    "resident, idle \(rounded(theirs.residentMiB, 1)) MiB")
  row("ours to theirs", "\(rounded(median(theirs.milliseconds) / median(ours.milliseconds), 1)) x faster")
}

private func starts(
  _ peer: WirePeer, rules: String, count: Int
) throws -> (milliseconds: [Double], residentMiB: Double) {
  var milliseconds: [Double] = []
  var residentMiB = 0.0
  for _ in 0..<count {
    let port = freePort()
    let server = try ServerProcess(peer.name, port: port, peer.command(port, rules))
    milliseconds.append(server.startMilliseconds)
    residentMiB = server.residentMiB ?? 0
    server.stop()
  }
  return (milliseconds, residentMiB)
}
