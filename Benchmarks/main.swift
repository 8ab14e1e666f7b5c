/// `make bench`: what we measure ourselves by, as ratios against peers in the same run, medians.

import Glibc

/// A line at once, also into a pipe.
func say(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
}

func row(_ name: String, _ value: String, _ note: String = "") {
  let padding = String(repeating: " ", count: max(1, 44 - name.utf8.count))
  say("  \(name)\(padding)\(value)\(note.isEmpty ? "" : "   \(note)")")
}

func rounded(_ number: Double, _ digits: Int = 0) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let value = (number * scale).rounded() / scale
  return digits == 0 ? String(Int(value)) : String(value)
}

let arguments = CommandLine.arguments.dropFirst()
/// Whether only the part is run that needs no server: `docstore-bench --only-rules`.
let isRulesOnly = arguments.contains("--only-rules")
/// Where the server of this build is: beside this program.
let docsh = arguments.first { !$0.hasPrefix("--") } ?? ".build/release/docsh"
let rules = "rules/inspired.rules"

// For counting instructions: that many decisions, and nothing else.
if arguments.first == "--overlap-decisions" {
  let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 10_240
  exit(rulesDecisionsBenchmark(communityOverlapRules, rounds: 1, decisions: count) == nil ? 1 : 0)
}

do {
  reportRules(pack: rules)
  reportPolicyEngines()
  if isRulesOnly { exit(0) }

  say("store, in process, ephemeral engine")
  let store = try storeBenchmark()
  row("get by name", "\(rounded(store.nanosecondsPerGet)) ns", "\(rounded(1e9 / store.nanosecondsPerGet)) /s")
  row("commit of 500 documents", "\(rounded(store.documentsPerSecond)) documents/s")

  say("over gRPC, 8 connections, one call under way on each")
  let own = WirePeer(name: "docsh") { port, rules in
    [docsh, "serve", "--port", "\(port)", "--rules", rules, "--project", "bench"]
  }
  let ours = try wireBenchmark(own, rules: rules, starts: 7, rounds: 3, seconds: 2)
  row(
    "guarded get, community overlap", "\(rounded(median(ours.guardedPerSecond))) /s",
    "p99 \(rounded(median(ours.guardedP99Microseconds))) us")
  row("unguarded get", "\(rounded(median(ours.unguardedPerSecond))) /s")
  row("process start to first answer", "\(rounded(median(ours.startMilliseconds), 1)) ms")
  if let memory = ours.idleResidentMiB { row("resident memory, idle", "\(rounded(memory, 1)) MiB") }

  if let official = officialPeer() {
    say("official emulator, same run")
    let theirs = try wireBenchmark(official, rules: rules, starts: 1, rounds: 3, seconds: 2)
    row(
      "guarded get", "\(rounded(median(theirs.guardedPerSecond))) /s",
      "p99 \(rounded(median(theirs.guardedP99Microseconds))) us")
    row("unguarded get", "\(rounded(median(theirs.unguardedPerSecond))) /s")
    row("process start to first answer", "\(rounded(median(theirs.startMilliseconds), 1)) ms")
    if let memory = theirs.idleResidentMiB { row("resident memory, idle", "\(rounded(memory, 1)) MiB") }
    say("ours to theirs")
    row("guarded get", "\(rounded(median(ours.guardedPerSecond) / median(theirs.guardedPerSecond), 1)) x")
    row(
      "unguarded get", "\(rounded(median(ours.unguardedPerSecond) / median(theirs.unguardedPerSecond), 1)) x")
    row("start", "\(rounded(median(theirs.startMilliseconds) / median(ours.startMilliseconds), 1)) x faster")
  } else {
    say("official emulator: not installed, not measured")
  }
} catch {
  say("bench: \(error)", to: STDERR_FILENO)
  exit(1)
}
