/// What stored documents cost: the rate of guarded gets with few and with many, and memory.

import DocModel

/// `docstore-bench --growth [DOCUMENTS]`: guarded gets among 1,000 documents and among that many, and
/// memory with 110,000 documents of 600 bytes, ours beside the official emulator's.
func growthBenchmark(own: WirePeer, rules: String, documents: Int) throws {
  say("guarded get, 8 connections, by stored documents")
  var few = Measured()
  var many = Measured()
  let small = try loadedServer(own, rules: rules, documents: 1_000)
  defer { small.stop() }
  let large = try loadedServer(own, rules: rules, documents: documents)
  defer { large.stop() }
  for _ in 0..<5 {
    try few.add(randomGets(small, among: 1_000), of: "few documents")
    try many.add(randomGets(large, among: documents), of: "many documents")
  }
  row("1,000 documents", "\(rounded(few.rate)) /s")
  row("\(documents) documents", "\(rounded(many.rate)) /s")
  row("cost of a get grows by", "\(rounded(100 * (few.rate / many.rate - 1), 1)) %")
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
private func loadedServer(_ peer: WirePeer, rules: String, documents: Int) throws -> ServerProcess {
  let port = freePort()
  let server = try ServerProcess(peer.name, port: port, peer.command(port, rules))
  let perCommit = 500
  var first = 0
  while first < documents {
    let count = min(perCommit * 20, documents - first)
    let messages = stride(from: first, to: first + count, by: perCommit).map {
      commitRequest("users", first: $0, count: min(perCommit, documents - $0), profile)
    }
    let plan = LoadPlan.method(
      "Commit", port: port, as: "Bearer owner", messages, connections: 1, seconds: 0)
    guard try callEach(plan) else {
      throw BenchmarkFailure(description: "\(peer.name): cannot write profiles")
    }
    first += count
  }
  return server
}

/// Guarded gets of documents chosen at random, the same in every run.
private func randomGets(_ server: ServerProcess, among documents: Int) throws -> LoadResult {
  var numbers = NumberSequence(seed: 1)
  let plan = LoadPlan.method(
    "GetDocument", port: server.port, as: "Bearer " + unsignedToken(uid: "u1"),
    (0..<20_000).map { _ in getRequest("users/u\(numbers.next(below: documents))") }, connections: 8,
    seconds: 2)
  return try runLoad(plan)
}
