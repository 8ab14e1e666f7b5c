/// What stored documents cost: the rate of guarded gets with few and with many, and memory.

import DocModel
import Glibc

/// One store's gets: each round's, by the clock and by the server's processor time.
private struct GetCosts {
  var microseconds: [Double] = []
  var processorMicroseconds: [Double] = []

  mutating func add(_ server: ServerProcess, among documents: Int) throws {
    let result = try randomGets(server, among: documents)
    guard result.failures == 0, result.calls > 0 else {
      throw BenchmarkFailure(description: "\(result.failures) of \(result.calls) gets failed")
    }
    microseconds.append(1e6 * result.seconds / Double(result.calls))
    if let nanoseconds = result.serverNanoseconds { processorMicroseconds.append(nanoseconds / 1e3) }
  }
}

/// `docstore-bench --growth=DOCUMENTS`: what a guarded get costs among 1,000 documents and among that many.
///
/// Both servers run at once and are asked in turns, the one that begins changing from round to round. What was
/// loaded is on disk before, so that nobody writes it back meanwhile. Growth is the median of what the rounds say,
/// each round comparing its own two halves: a machine that slows down slows both.
func growthBenchmark(own: WirePeer, rules: String, documents: Int) throws {
  say("guarded get, 8 connections, by stored documents")
  let small = try loadedServer(own, rules: rules, documents: 1_000)
  defer { small.stop() }
  let large = try loadedServer(own, rules: rules, documents: documents)
  defer { large.stop() }
  sync()
  var few = GetCosts()
  var many = GetCosts()
  for round in 0..<11 {
    if round % 2 == 0 { try few.add(small, among: 1_000) }
    try many.add(large, among: documents)
    if round % 2 == 1 { try few.add(small, among: 1_000) }
  }
  for (name, costs) in [("1,000 documents", few), ("\(documents) documents", many)] {
    row(
      name, "\(rounded(1e6 / median(costs.microseconds))) /s",
      "\(rounded(median(costs.processorMicroseconds), 2)) us of the server's processor time a get")
  }
  row("cost of a get grows by", "\(growth(few.microseconds, many.microseconds)) % by the clock")
  row("", "\(growth(few.processorMicroseconds, many.processorMicroseconds)) % of processor time")
}

/// How much more the second costs than the first, in percent.
private func growth(_ few: [Double], _ many: [Double]) -> String {
  rounded(100 * (median(zip(few, many).map { $1 / $0 }) - 1), 1)
}

/// Private memory with 110,000 documents of 600 bytes.
func memoryBenchmark(own: WirePeer, rules: String) throws {
  say("private memory with 110,000 documents")
  var sizes: [Double] = []
  for peer in [own] + (officialPeer().map { [$0] } ?? []) {
    let server = try loadedServer(peer, rules: rules, documents: 110_000)
    defer { server.stop() }
    _ = try randomGets(server, among: 110_000)
    let size = server.privateMiB ?? 0
    sizes.append(size)
    row(peer.name, "\(rounded(size, 1)) MiB", "resident in all \(rounded(server.residentMiB ?? 0, 1)) MiB")
  }
  if sizes.count == 2 { row("ours to theirs", "\(rounded(100 * sizes[0] / sizes[1], 1)) %") }
}

/// A server that holds so many profiles.
func loadedServer(
  _ peer: WirePeer, rules: String, documents: Int, _ profile: (Int) -> Fields = profile
) throws -> ServerProcess {
  let port = freePort()
  let server = try ServerProcess(peer.name, port: port, peer.command(port, rules))
  try fill(server, "users", documents, profile)
  return server
}

/// Writes so many documents of a collection past the rules.
func fill(_ server: ServerProcess, _ collection: String, _ documents: Int, _ fields: (Int) -> Fields) throws {
  let perCommit = 500
  var first = 0
  while first < documents {
    let count = min(perCommit * 20, documents - first)
    let messages = stride(from: first, to: first + count, by: perCommit).map {
      commitRequest(collection, first: $0, count: min(perCommit, documents - $0), fields)
    }
    let plan = LoadPlan.method(
      "Commit", port: server.port, as: "Bearer owner", messages, connections: 1, seconds: 0)
    guard try succeeds(plan, calls: messages.count) else {
      throw BenchmarkFailure(description: "\(server.name): cannot write \(collection)")
    }
    first += count
  }
}

/// Guarded gets of documents chosen at random, the same in every run.
private func randomGets(_ server: ServerProcess, among documents: Int) throws -> LoadResult {
  var numbers = NumberSequence(seed: 1)
  let plan = LoadPlan.method(
    "GetDocument", port: server.port, as: "Bearer " + unsignedToken(uid: "u1"),
    (0..<20_000).map { _ in getRequest("users/u\(numbers.next(below: documents))") }, connections: 8,
    seconds: 2)
  return try runLoad(plan) { server.processorNanoseconds }
}
