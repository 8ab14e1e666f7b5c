/// A decision that computes no string, list or map asks for no memory.
///
/// INVARIANT: the counter sees what the engine allocates; the last tests show that it does.

import AllocationCounter
import DocModel
import Rules
import Testing

/// Documents in memory, encoded once.
private final class KeptDocuments: DocumentAccess {
  private let documents: [(path: UnsafeRawBufferPointer, fields: FieldsView)]

  init(_ documents: [(path: String, fields: FieldsView)]) {
    self.documents = documents.map { (kept(Array($0.path.utf8)), $0.fields) }
    super.init()
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    for index in 0..<documents.count where WireCursor.areEqual(documents[index].path, path) {
      return documents[index].fields
    }
    return nil
  }
}

/// Bytes that stay where they are for the test's life.
private func kept(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
  let place = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
  place.copyBytes(from: bytes)
  return UnsafeRawBufferPointer(rebasing: place[..<bytes.count])
}

private func kept(_ fields: Fields) -> FieldsView { FieldsView(document: kept(fields.encoded)) }

@Suite("Decisions and memory")
struct DecisionAllocationTests {
  private static let profile: Fields = [
    "ownerId": .string("alice"), "title": .string("Slow flow"), "status": .string("open"),
    "level": .integer(3),
    "privacySettings": .map(["avatarPrivacy": .string("groups-only"), "showJoinedGroups": .string("public")]),
    "joinedCommunities": .array([.string("area_chelsea"), .string("area_fulham"), .string("area_askew")]),
    "tags": .array([.integer(1), .string("calm")]), "price": .double(4.5),
    "createdAt": .timestamp(Timestamp(seconds: 1_767_225_600, nanoseconds: 0)),
  ]
  private static let changed: Fields = [
    "ownerId": .string("alice"), "title": .string("Slower flow"), "status": .string("open"),
    "level": .integer(4),
    "privacySettings": .map(["avatarPrivacy": .string("groups-only"), "showJoinedGroups": .string("public")]),
    "joinedCommunities": .array([.string("area_chelsea"), .string("area_fulham"), .string("area_askew")]),
    "tags": .array([.integer(1), .string("calm")]), "price": .double(4.5),
    "createdAt": .timestamp(Timestamp(seconds: 1_767_225_600, nanoseconds: 0)),
  ]

  private static func rules(_ condition: String) -> String {
    """
    rules_version = '2';
    service cloud.firestore { match /databases/{database}/documents {
      function signedIn() { return request.auth != null; }
      function account(uid) { return get(/databases/$(database)/documents/users/$(uid)).data; }
      function path(uid) { return /databases/$(database)/documents/users/$(uid); }
      function sum(a, b) { let c = a + b; let d = c * 2; return d > a; }
      match /users/{userId} { allow read, update: if \(condition); }
      match /{rest=**} { allow read, update: if false; }
    }}
    """
  }

  /// Allocations of one decision after several that warm up.
  private func allocations(
    _ condition: String, _ method: RuleMethod = .get, decisions: Int = 3
  ) throws -> (count: UInt64, isAllowed: Bool) {
    let ruleset = try #require(Ruleset.compile(source: Self.rules(condition), name: "memory.rules").ruleset)
    let stored = kept(Self.profile)
    let documents = KeptDocuments([("users/alice", stored), ("users/bob", kept(Self.changed))])
    let request = RuleRequest(
      method: method, path: ResourcePath(unchecked: "users/bob_of_askew_road"),
      auth: AuthFacts(uid: "alice", claims: ["role": .string("editor"), "sub": .string("alice")]),
      time: Timestamp(seconds: 1_767_225_600, nanoseconds: 0), resource: stored,
      newResource: method == .update ? kept(Self.changed) : nil)
    var isAllowed = false
    for _ in 0..<8 {
      documents.beginRequest()
      isAllowed = ruleset.decide(request, documents: documents).isAllowed
    }
    let before = allocation_count()
    for _ in 0..<decisions {
      documents.beginRequest()
      isAllowed = ruleset.decide(request, documents: documents).isAllowed
    }
    return (allocation_count() - before, isAllowed)
  }

  @Test("the counter is in effect")
  func isActive() { #expect(allocation_counter_is_active() == 1) }

  @Test(
    "a read that computes no text allocates nothing",
    arguments: [
      "true", "signedIn()", "request.auth.uid == resource.data.ownerId",
      "request.auth.token.role == 'editor'",
      "account(request.auth.uid).joinedCommunities.hasAny(resource.data.joinedCommunities)",
      "signedIn() && (userId == 'x' || get(path(request.auth.uid)).data.joinedCommunities.hasAny(resource.data.joinedCommunities))",
      "resource.data.keys().hasAll(['ownerId', 'title']) && !resource.data.keys().hasAny(['secret'])",
      "resource.data.status in ['draft', 'open', 'closed']", "'title' in resource.data",
      "'area_askew' in resource.data.joinedCommunities",
      "resource.data.title is string && resource.data.level is number",
      "resource.data.privacySettings is map && !(resource.data.level is string)",
      "exists(/databases/$(database)/documents/users/$(request.auth.uid))",
      "!exists(/databases/$(database)/documents/users/nobody)", "exists(path(userId)) == false",
      "getAfter(path('bob')).data.level == 4", "sum(resource.data.level, 2)",
      "resource.data.level > 2 && resource.data.price <= 4.5 && resource.data.level + 1 == 4",
      "resource.data.title.size() > 3 && resource.data.tags.size() == 2",
      "resource.data.title.matches('[A-Z].*flow')",
      "resource.data.createdAt == request.time", "resource.data.get('note', 'none') == 'none'",
      "resource.data.tags[0] == 1 && resource.data.privacySettings['avatarPrivacy'] == 'groups-only'",
      "resource.data.missing == 1 || true",
      "resource.data.joinedCommunities.hasAll(['area_askew', 'area_fulham'])",
      "userId == 'bob_of_askew_road' ? true : false",
      "resource.data.privacySettings == resource.data.privacySettings",
      "[resource.data.level, 4].hasAny([3])", "{'a': resource.data.level}.a == 3",
      "resource.data.privacySettings.avatarPrivacy == 'groups-only' && resource.data.privacySettings.avatarPrivacy != 'public'",
    ])
  func reads(_ condition: String) throws {
    let result = try allocations(condition)
    #expect(result.isAllowed)
    #expect(result.count == 0)
  }

  @Test(
    "a write that computes no text allocates nothing",
    arguments: [
      "request.resource.data.keys().hasOnly(['ownerId', 'title', 'status', 'level', 'privacySettings', 'joinedCommunities', 'tags', 'price', 'createdAt'])",
      "request.resource.data.diff(resource.data).affectedKeys().hasOnly(['title', 'level'])",
      "!request.resource.data.diff(resource.data).changedKeys().hasAny(['ownerId'])",
      "request.resource.data.ownerId == resource.data.ownerId && request.resource.data.level == resource.data.level + 1",
      "request.resource.data.createdAt == request.time && request.method == 'update'",
      "request.resource.data.privacySettings == resource.data.privacySettings",
      "request.resource.data.tags == resource.data.tags && request.resource.data.tags is list",
    ])
  func writes(_ condition: String) throws {
    let result = try allocations(condition, .update)
    #expect(result.isAllowed)
    #expect(result.count == 0)
  }

  @Test(
    "a refusal allocates nothing",
    arguments: ["false", "resource.data.missing == 1", "1 / 0 == 1", "'a' < 1"])
  func refusals(_ condition: String) throws {
    let result = try allocations(condition)
    #expect(!result.isAllowed)
    #expect(result.count == 0)
  }

  @Test(
    "an allocation is seen: what builds a text or a set pays for it",
    arguments: ["resource.data.tags.toSet().size() == 2", "['a', resource.data.title].join('/') != 'x'"])
  func isSeen(_ condition: String) throws {
    #expect(try allocations(condition).count > 0)
  }

  @Test("one allocation in one decision of three is seen")
  func oneIsSeen() {
    let before = allocation_count()
    let place = UnsafeMutablePointer<Int>.allocate(capacity: 4)
    place.initialize(repeating: 1, count: 4)
    withExtendedLifetime(place) {}
    place.deallocate()
    #expect(allocation_count() > before)
  }
}
