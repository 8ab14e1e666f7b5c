/// The requests that benchmarks send, encoded, and the documents in them.

import DocModel

func getRequest(_ path: String) -> [UInt8] {
  var writer = WireWriter()
  writer.field(1, text: "projects/bench/databases/(default)/documents/\(path)")
  return writer.bytes
}

/// A profile that every other one shares a community with.
func profile(_ number: Int) -> Fields {
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
func put(_ fields: Fields, _ path: String, port: Int) throws {
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
func unsignedToken(uid: String) -> String {
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
