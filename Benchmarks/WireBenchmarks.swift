/// Servers over loopback: guarded and unguarded reads by name, start, memory. Ours, and the official
/// emulator beside us in the same run where it is installed.

import DocModel

struct WireBenchmarkResult {
  var guardedPerSecond: [Double] = []
  var unguardedPerSecond: [Double] = []
  var guardedP99Microseconds: [Double] = []
  var startMilliseconds: [Double] = []
  var idleResidentMiB: Double?
}

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

/// Profiles of readers and owners; every reader shares one community with every owner.
private let profileCount = 64

/// Measures one peer: a start or several, then interleaved rounds of load.
func wireBenchmark(
  _ peer: WirePeer, rules: String, starts: Int, rounds: Int, seconds: Double
) throws -> WireBenchmarkResult {
  var result = WireBenchmarkResult()
  for _ in 0..<max(0, starts - 1) {
    let server = try start(peer, rules)
    result.startMilliseconds.append(server.startMilliseconds)
    server.stop()
  }
  let server = try start(peer, rules)
  defer { server.stop() }
  result.startMilliseconds.append(server.startMilliseconds)
  result.idleResidentMiB = server.residentMiB
  for number in 0..<profileCount { try put(profile(number), "users/u\(number)", port: server.port) }
  var plan = LoadPlan(
    port: server.port, path: "/google.firestore.v1.Firestore/GetDocument",
    authorization: "Bearer " + unsignedToken(uid: "u1"),
    messages: (0..<profileCount).map { getRequest("users/u\($0)") })
  plan.seconds = seconds
  // A virtual machine compiles what is used often; a peer is measured warm.
  _ = try runLoad(warmUp(plan))
  for _ in 0..<rounds {
    let guarded = try checked(runLoad(plan), peer)
    result.guardedPerSecond.append(guarded.perSecond)
    result.guardedP99Microseconds.append(guarded.latencyMicroseconds(percentile: 0.99))
    var admin = plan
    admin.authorization = "Bearer owner"
    result.unguardedPerSecond.append(try checked(runLoad(admin), peer).perSecond)
  }
  return result
}

private func warmUp(_ plan: LoadPlan) -> LoadPlan {
  var plan = plan
  plan.seconds = 6
  return plan
}

private func start(_ peer: WirePeer, _ rules: String) throws -> ServerProcess {
  let port = freePort()
  return try ServerProcess(peer.name, port: port, peer.command(port, rules))
}

struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String
}

private func checked(_ result: LoadResult, _ peer: WirePeer) throws -> LoadResult {
  guard result.failures == 0, result.calls > 0 else {
    throw BenchmarkFailure(description: "\(peer.name): \(result.failures) of \(result.calls) calls failed")
  }
  return result
}

private func getRequest(_ path: String) -> [UInt8] {
  var writer = WireWriter()
  writer.field(1, text: "projects/bench/databases/(default)/documents/\(path)")
  return writer.bytes
}

/// A profile that every other one shares a community with.
private func profile(_ number: Int) -> Fields {
  [
    "id": .string("u\(number)"), "displayName": .string("User \(number)"),
    "username": .string("user#\(number)"),
    "bio": .string(String(repeating: "slow flows and coffee ", count: 11)),
    "privacySettings": .map([
      "isProfilePublic": .boolean(false), "avatarPrivacy": .string("groups-only"),
      "showJoinedGroups": .string("groups-only"),
    ]),
    "joinedCommunities": .array([.string("studio_\(number)"), .string("area_askew")]),
    "createdAt": .timestamp(Timestamp(seconds: 1_767_603_600, nanoseconds: 0)),
  ]
}

/// Writes a document past the rules.
private func put(_ fields: Fields, _ path: String, port: Int) throws {
  var writer = WireWriter()
  writer.message(1) { document in
    document.field(1, text: "projects/bench/databases/(default)/documents/\(path)")
    document.entries(of: fields, entryTag: FieldsView.documentEntryTag)
  }
  let plan = LoadPlan(
    port: port, path: "/google.firestore.v1.Firestore/UpdateDocument", authorization: "Bearer owner",
    messages: [writer.bytes], connections: 1)
  guard try callOnce(plan) else { throw BenchmarkFailure(description: "cannot write \(path)") }
}

/// A token without signature, as local SDKs send it.
private func unsignedToken(uid: String) -> String {
  "\(base64URL("{\"alg\":\"none\"}")).\(base64URL("{\"sub\":\"\(uid)\",\"user_id\":\"\(uid)\",\"iat\":0}"))."
}

private func base64URL(_ text: String) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  let bytes = Array(text.utf8)
  var encoded: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    bits <<= UInt32(3 - group.count) * 8
    for position in 0...group.count { encoded.append(alphabet[Int(bits >> UInt32(18 - 6 * position) & 63)]) }
  }
  return String(decoding: encoded, as: UTF8.self)
}
