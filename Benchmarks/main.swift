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

/// What stands behind `--name=`; nil where it is not there.
func option(_ name: String) -> String? {
  arguments.first { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.utf8.count + 3)) }
}

/// `--connections=N`; nil where it is not there.
func connectionsOption() throws -> Int? {
  guard let text = option("connections") else { return nil }
  guard let count = Int(text), count > 0 else {
    throw BenchmarkFailure(description: "--connections is a number")
  }
  return count
}

/// Whether only the part is run that needs no server: `docstore-bench --only-rules`.
let isRulesOnly = arguments.contains("--only-rules")
/// `docstore-bench --growth=DOCUMENTS`: only what stored documents cost.
let growthDocuments = option("growth").flatMap { Int($0) }
/// `docstore-bench --data-plane`: only servers over loopback.
let isDataPlaneOnly = arguments.contains("--data-plane")
/// `docstore-bench --mix[=PROFILES]`: only real traffic.
let mixProfiles = arguments.contains("--mix") ? 100_000 : option("mix").map { Int($0) ?? 100_000 }
/// `docstore-bench --brief`: every line once, as CI runs it: that all of it works. Its numbers are no medians.
let isBrief = arguments.contains("--brief")
/// Where the server of this build is: beside this program.
let docsh = arguments.first { !$0.hasPrefix("--") } ?? ".build/release/docsh"
let rules = "rules/inspired.rules"

// For counting instructions: that much of one kind of work, and nothing else.
if arguments.first == "--counted" {
  let words = arguments.dropFirst()
  guard let work = words.first.flatMap({ CountedWork(rawValue: $0) }),
    let count = words.dropFirst().first.flatMap({ Int($0) })
  else { exit(64) }
  do { try work.run(count) } catch {
    say("bench: \(error)", to: STDERR_FILENO)
    exit(1)
  }
  exit(0)
}

if arguments.first == "--fixed-answer" {
  let numbers = arguments.dropFirst().compactMap { Int($0) }
  guard numbers.count == 2 else { exit(64) }
  Task.detached {
    do { try await serveFixedAnswer(port: numbers[0], bytes: numbers[1]) } catch {
      say("bench: \(error)", to: STDERR_FILENO)
      exit(1)
    }
  }
  while true { pause() }
}

do {
  if let position = arguments.firstIndex(of: "--only-indexes") {
    try reportIndexes(documents: arguments[position...].dropFirst().first.flatMap { Int($0) } ?? 100_000)
    exit(0)
  }
  if growthDocuments == nil && mixProfiles == nil && !isDataPlaneOnly && !arguments.contains("--listeners")
    && !arguments.contains("--durable") && !arguments.contains("--postgres")
  {
    reportRules(pack: rules)
    reportPolicyEngines()
    if isRulesOnly { exit(0) }

    say("store, in process, ephemeral engine")
    let store = try storeBenchmark()
    row(
      "get by name", "\(rounded(store.nanosecondsPerGet)) ns", "\(rounded(1e9 / store.nanosecondsPerGet)) /s")
    row("commit of 500 documents", "\(rounded(store.documentsPerSecond)) documents/s")
    try reportIndexes(documents: isBrief ? 10_000 : 100_000)
  }

  func program(_ path: String, name: String, _ more: [String] = []) -> WirePeer {
    WirePeer(name: name) { port, rules in
      [path, "serve", "--port", "\(port)", "--rules", rules, "--project", "bench"] + more
    }
  }
  // `docstore-bench --mix --on-postgres`: our server keeps its documents in PostgreSQL; with `--shared` as one of several.
  let below = arguments.contains("--on-postgres") ? PostgresServer(schema: "", isDurable: true) : nil
  defer { below?.stop() }
  let placed =
    below.map { ["--store", $0.address] + (arguments.contains("--shared") ? ["--shared"] : []) } ?? []
  let own = program(docsh, name: "docsh", placed)
  let withPeers = !arguments.contains("--no-peers")
  if arguments.contains("--listeners") {
    guard let parts = listenersParts(arguments) else {
      say("bench: --part is load, fan, ranges or idle", to: STDERR_FILENO)
      exit(64)
    }
    // Asked for alone, the official emulator may write all of it.
    let peerSeconds = option("peer-seconds").flatMap { Double($0) }
    try reportListeners(
      own: own, rules: rules, parts: parts, withPeers: withPeers,
      peerSeconds: peerSeconds ?? 600)
    exit(0)
  }
  if let documents = growthDocuments {
    try growthBenchmark(own: own, rules: rules, documents: documents)
    try memoryBenchmark(own: own, rules: rules)
    exit(0)
  }
  if let profiles = mixProfiles {
    var settings = MixSettings()
    settings.profiles = profiles
    settings.withPeers = withPeers
    if let word = option("work") {
      guard let work = MixWork(word: word) else {
        throw BenchmarkFailure(description: "--work is one of \(MixWork.allCases.map { "\($0)" })")
      }
      settings.work = work
    }
    if let connections = try connectionsOption() { settings.connections = [connections] }
    if let other = option("beside") {
      let pairs = option("pairs").map { Int($0) ?? 0 } ?? 20
      guard pairs > 0 else { throw BenchmarkFailure(description: "--pairs is a number") }
      settings.seconds = 0.5
      try mixPairsBenchmark(
        program(docsh, name: docsh, placed), beside: program(other, name: other), pairs: pairs, rules: rules,
        settings)
      below?.stop()
      exit(0)
    }
    try mixBenchmark(own: own, rules: rules, settings)
    below?.stop()
    exit(0)
  }
  if arguments.contains("--postgres") {
    try postgresStoreBenchmark(docsh: docsh, rules: rules, rounds: 5, seconds: 2)
    exit(0)
  }
  if arguments.contains("--durable") {
    var settings = DurableSettings(withPeers: withPeers, other: option("beside"))
    if let connections = try connectionsOption() { settings.connections = [connections] }
    try durableBenchmark(docsh: docsh, rules: rules, settings)
    exit(0)
  }
  if isDataPlaneOnly, arguments.contains("--only=commits") {
    for connections in [8, 32] {
      try commitsBenchmark(
        own: own, rules: rules, connections: connections, rounds: 5, seconds: 1,
        withPeers: withPeers)
    }
    exit(0)
  }
  try startBenchmark(own: own, rules: rules)
  var settings = MixSettings()
  if isBrief {
    settings = MixSettings(profiles: 2_000, rounds: 1, seconds: 0.3, connections: [8])
  }
  try mixBenchmark(own: own, rules: rules, settings)
  try durableBenchmark(
    docsh: docsh, rules: rules,
    isBrief
      ? DurableSettings(rounds: 1, seconds: 0.3, withPeers: withPeers) : DurableSettings(withPeers: withPeers)
  )
  try postgresStoreBenchmark(
    docsh: docsh, rules: rules, rounds: isBrief ? 1 : 5, seconds: isBrief ? 0.3 : 2)
  for connections in isBrief ? [8] : [8, 32] {
    try dataPlaneBenchmark(
      own: own, rules: rules, connections: connections, rounds: isBrief ? 1 : 3, seconds: isBrief ? 0.3 : 1)
  }
  if !isDataPlaneOnly {
    try reportListeners(
      own: own, rules: rules, parts: ListenersPart.allCases,
      withPeers: withPeers, peerSeconds: 4)
  }
} catch {
  say("bench: \(error)", to: STDERR_FILENO)
  exit(1)
}
