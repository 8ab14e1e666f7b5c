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
  let plan = LoadPlan.method(
    "UpdateDocument", port: port, as: "Bearer owner", [writer.bytes], connections: 1, seconds: 0)
  guard try succeeds(plan, calls: 1) else { throw BenchmarkFailure(description: "cannot write \(path)") }
}

/// A token without signature, as local SDKs send it.
func unsignedToken(uid: String) -> String {
  let claims = "{\"sub\":\"\(uid)\",\"user_id\":\"\(uid)\",\"iat\":0}"
  return "\(Base64.urlSafeText("{\"alg\":\"none\"}".utf8)).\(Base64.urlSafeText(claims.utf8))."
}
