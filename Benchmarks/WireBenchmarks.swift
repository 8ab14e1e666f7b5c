/// Servers under test as programs: how they are started, how long that takes, what they need when idle.

internal import Glibc

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
  let ours = try Starts(own, rules: rules, count: 7)
  ours.report()
  // In turns with the starts, so that both have the same machine.
  row("\(own.name) --version", "\(rounded(median(ours.versionMilliseconds), 1)) ms")
  row("start above that", "\(rounded(median(ours.milliseconds) - median(ours.versionMilliseconds), 1)) ms")
  row(
    "two seconds later", "resident \(rounded(ours.quiet.residentMiB, 1)) MiB",
    "of it anonymous \(rounded(ours.quiet.privateMiB, 2)) MiB")
  guard let official = officialPeer() else { return say("official emulator: not installed, not measured") }
  let theirs = try Starts(official, rules: rules, count: 1)
  theirs.report()
  row("ours to theirs", "\(rounded(median(theirs.milliseconds) / median(ours.milliseconds), 1)) x faster")
}

private struct Starts {
  private let name: String
  private(set) var milliseconds: [Double] = []
  /// Of `--version`, which only ours is asked for.
  private(set) var versionMilliseconds: [Double] = []
  private var residentMiB = 0.0
  /// When nobody has asked for two seconds.
  private(set) var quiet = (residentMiB: 0.0, privateMiB: 0.0)

  init(_ peer: WirePeer, rules: String, count: Int) throws {
    name = peer.name
    for turn in 1...count {
      let port = freePort()
      let command = peer.command(port, rules)
      if count > 1 {
        versionMilliseconds.append(try ServerProcess.milliseconds(of: [command[0], "--version"]))
      }
      let server = try ServerProcess(peer.name, port: port, command)
      defer { server.stop() }
      milliseconds.append(server.startMilliseconds)
      residentMiB = server.residentMiB ?? 0
      guard turn == count, count > 1 else { continue }
      usleep(2_500_000)
      quiet = (server.residentMiB ?? 0, server.privateMiB ?? 0)
    }
  }

  func report() {
    row(
      name, "\(rounded(median(milliseconds), 1)) ms", "resident then \(rounded(residentMiB, 1)) MiB")
  }
}
