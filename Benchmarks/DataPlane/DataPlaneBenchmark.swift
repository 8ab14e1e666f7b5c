/// The easy data plane over gRPC on loopback: one user, documents that are granted. Ours beside the official emulator and
/// our own bare transport, the same load in one run, rounds interleaved. Medians.

import DocModel

/// What one kind of request came to, over all rounds.
struct Measured {
  private var perSecond: [Double] = []
  private var p99Microseconds: [Double] = []
  /// The server's processor time for a call.
  private var serverMicroseconds: [Double] = []

  mutating func add(_ result: LoadResult, of name: String) throws {
    guard result.failures == 0, result.calls > 0 else {
      throw BenchmarkFailure(description: "\(name): \(result.failures) of \(result.calls) calls failed")
    }
    perSecond.append(result.perSecond)
    p99Microseconds.append(result.latencyMicroseconds(percentile: 0.99))
    if let nanoseconds = result.serverNanoseconds { serverMicroseconds.append(nanoseconds / 1e3) }
  }

  var rate: Double { median(perSecond) }
  var p99: Double { median(p99Microseconds) }
  var server: Double? { serverMicroseconds.isEmpty ? nil : median(serverMicroseconds) }

  /// - Parameter unit: what a call is about, and how many of them.
  func report(_ name: String, unit: String = "", of count: Double = 1) {
    let server = server.map { ", \(rounded($0 / count, 2)) us of the server's processor time each" } ?? ""
    row(name, "\(rounded(rate * count)) \(unit)/s", "p99 \(rounded(p99)) us\(server)")
  }
}

/// One Firestore server and what it was measured at.
final class DataPlanePeer {
  let name: String
  let server: ServerProcess
  var guardedGet = Measured()
  var unguardedGet = Measured()
  var query = Measured()
  var commit = Measured()

  private static let writesPerCommit = 500
  /// More than there are connections, so that no two of them write the same documents.
  private static let commitRanges = 33

  init(_ peer: WirePeer, rules: String) throws {
    name = peer.name
    let port = freePort()
    server = try ServerProcess(peer.name, port: port, peer.command(port, rules))
    for number in 0..<64 { try put(profile(number), "users/u\(number)", port: port) }
    let load = LoadPlan.method(
      "Commit", port: port, as: "Bearer owner",
      [
        commitRequest("posts", first: 0, count: 500, post),
        commitRequest("posts", first: 500, count: 500, post),
      ],
      connections: 1, seconds: 0)
    guard try succeeds(load, calls: 2) else {
      throw BenchmarkFailure(description: "\(name): cannot write posts")
    }
  }

  /// - Parameter onlyCommits: leaves the reads out.
  func round(connections: Int, seconds: Double, isMeasured: Bool = true, onlyCommits: Bool = false) throws {
    let user = "Bearer " + unsignedToken(uid: "u1")
    let gets = (0..<64).map { getRequest("users/u\($0)") }
    // Every commit changes what it writes: a write that changes nothing costs next to nothing.
    let commits = (0..<2 * Self.commitRanges).map { number in
      commitRequest(
        "load", first: number % Self.commitRanges * Self.writesPerCommit, count: Self.writesPerCommit
      ) { post($0 + number / Self.commitRanges) }
    }
    func run(_ method: StaticString, _ authorization: String, _ messages: [[UInt8]], _ sum: inout Measured)
      throws
    {
      let plan = LoadPlan.method(
        method, port: server.port, as: authorization, messages, connections: connections, seconds: seconds)
      let result = try runLoad(plan) { [server] in server.processorNanoseconds }
      if isMeasured { try sum.add(result, of: "\(name), \(method)") }
    }
    if !onlyCommits {
      try run("GetDocument", user, gets, &guardedGet)
      try run("GetDocument", "Bearer owner", gets, &unguardedGet)
      try run("RunQuery", user, [newestPostsRequest()], &query)
    }
    try run("Commit", "Bearer owner", commits, &commit)
  }

  func report() {
    guardedGet.report("guarded get")
    unguardedGet.report("unguarded get")
    query.report("guarded query, 20 of 1,000 posts")
    reportCommits()
  }

  func reportCommits() {
    commit.report("commit of 500 documents", unit: "documents", of: Double(Self.writesPerCommit))
  }
}

/// Measures at one number of connections and prints it.
func dataPlaneBenchmark(own: WirePeer, rules: String, connections: Int, rounds: Int, seconds: Double) throws {
  let ours = try DataPlanePeer(own, rules: rules)
  defer { ours.server.stop() }
  let official = try officialPeer().map { try DataPlanePeer($0, rules: rules) }
  defer { official?.server.stop() }
  let barePort = freePort()
  let bare = try ServerProcess(
    "fixed answer", port: barePort, [CommandLine.arguments[0], "--fixed-answer", "\(barePort)", "620"])
  defer { bare.stop() }
  // A virtual machine compiles what is used often; a peer is measured warm.
  for _ in 0..<2 { try official?.round(connections: connections, seconds: 1, isMeasured: false) }
  var fixed = Measured()
  for _ in 0..<rounds {
    try ours.round(connections: connections, seconds: seconds)
    try official?.round(connections: connections, seconds: seconds)
    let plan = LoadPlan.method(
      "GetDocument", port: barePort, as: "Bearer owner", (0..<64).map { getRequest("users/u\($0)") },
      connections: connections, seconds: seconds)
    try fixed.add(runLoad(plan), of: "fixed answer")
  }
  say("over gRPC, \(connections) connections, one call under way on each")
  ours.report()
  row("fixed answer of the bare transport", "\(rounded(fixed.rate)) /s")
  row("unguarded get to it", "\(rounded(100 * ours.unguardedGet.rate / fixed.rate)) %")
  if let official { compare(ours, official) } else { say("official emulator: not installed, not measured") }
}

/// `docstore-bench --data-plane --only=commits`: commits of 500 documents alone.
func commitsBenchmark(
  own: WirePeer, rules: String, connections: Int, rounds: Int, seconds: Double, withPeers: Bool
) throws {
  let ours = try DataPlanePeer(own, rules: rules)
  defer { ours.server.stop() }
  let official = try withPeers ? officialPeer().map { try DataPlanePeer($0, rules: rules) } : nil
  defer { official?.server.stop() }
  for _ in 0..<2 {
    try official?.round(connections: connections, seconds: 1, isMeasured: false, onlyCommits: true)
  }
  for _ in 0..<rounds {
    try ours.round(connections: connections, seconds: seconds, onlyCommits: true)
    try official?.round(connections: connections, seconds: seconds, onlyCommits: true)
  }
  say("over gRPC, \(connections) connections, one call under way on each")
  ours.reportCommits()
  guard let official else { return }
  say("\(official.name), same run")
  official.reportCommits()
  compare("commit of 500 documents", ours.commit, official.commit)
}

private func compare(_ ours: DataPlanePeer, _ theirs: DataPlanePeer) {
  say("\(theirs.name), same run")
  theirs.report()
  say("ours to theirs")
  compare("guarded get", ours.guardedGet, theirs.guardedGet)
  compare("unguarded get", ours.unguardedGet, theirs.unguardedGet)
  compare("guarded query", ours.query, theirs.query)
  compare("commit of 500 documents", ours.commit, theirs.commit)
}

func compare(_ name: String, _ mine: Measured, _ other: Measured) {
  row(
    name, "\(rounded(mine.rate / other.rate, 2)) x",
    "p99 \(rounded(100 * mine.p99 / other.p99, 1)) % of theirs")
}
