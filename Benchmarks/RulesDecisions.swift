/// Rules decisions a second, in one thread: may a signed-in user read a profile because both belong to
/// one community? Every decision looks up the reader's own profile, which is cached in process.
///
/// Time is the thread's own processor time, so that other work on the machine does not count.

import CNGHTTP2
import DocModel
import Rules

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the benchmark found.
struct RulesDecisionsResult {
  let decisionsPerSecond: Double
  /// Median of the rounds.
  let nanosecondsPerDecision: Double
  /// Evaluation cost of one decision, as the budget counts.
  let expressions: Int
}

/// Profiles in memory: the cached documents that a server has at hand.
private final class ProfileDocuments: DocumentAccess {
  private let path: [UInt8]
  private let profile: FieldsView

  init(path: String, profile: FieldsView) {
    self.path = Array(path.utf8)
    self.profile = profile
    super.init()
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    path.elementsEqual(self.path) ? profile : nil
  }
}

private let communityOverlapRules = """
  rules_version = '2';
  service cloud.firestore { match /databases/{db}/documents {
    function signedIn() { return request.auth != null; }
    function doc(uid) { return get(/databases/$(db)/documents/users/$(uid)).data; }
    function me() { return doc(request.auth.uid); }
    match /users/{userId} {
      function own() { return signedIn() && request.auth.uid == userId; }
      // @id profile
      allow get: if signedIn() && (own()
        || resource.data.privacySettings.avatarPrivacy == 'public'
        || (resource.data.privacySettings.avatarPrivacy == 'groups-only'
            && me().joinedCommunities.hasAny(resource.data.joinedCommunities)));
    }
  }}
  """

private func profile(_ id: String, communities: [String]) -> Fields {
  [
    "id": .string(id), "username": .string("\(id)#1234"), "displayName": .string("\(id) of Askew Road"),
    "bio": .string("Morning practice, mostly vinyasa."), "isProfilePublic": .boolean(false),
    "privacySettings": .map([
      "avatarPrivacy": .string("groups-only"), "showJoinedGroups": .string("groups-only"),
    ]),
    "joinedCommunities": .array(communities.map { .string($0) }),
    "thumbnailUrl": .null, "createdAt": .timestamp(Timestamp(seconds: 1_767_225_600, nanoseconds: 0)),
    "updatedAt": .timestamp(Timestamp(seconds: 1_772_000_000, nanoseconds: 0)),
    "studios": .array([.string("studio_7")]), "level": .integer(3),
  ]
}

private func processorNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Runs the benchmark: `rounds` rounds of `decisions` decisions, of which the median counts.
func rulesDecisionsBenchmark(rounds: Int = 7, decisions: Int = 200_000) -> RulesDecisionsResult? {
  guard
    let ruleset = Ruleset.compile(source: communityOverlapRules, name: "overlap.rules").ruleset
  else { return nil }
  let reader = profile("alice", communities: ["area_chelsea", "area_fulham", "area_askew"]).encoded
  let owner = profile("bob", communities: ["area_hammersmith", "area_askew"]).encoded
  let auth = AuthFacts(
    uid: "alice", claims: ["sub": .string("alice"), "email": .string("alice@example.com")])

  return reader.withUnsafeBytes { reader in
    owner.withUnsafeBytes { owner in
      let documents = ProfileDocuments(path: "users/alice", profile: FieldsView(document: reader))
      let request = RuleRequest(
        method: .get, path: ResourcePath(unchecked: "users/bob"), auth: auth,
        time: Timestamp(seconds: 1_772_355_600, nanoseconds: 0),
        resource: FieldsView(document: owner))
      var times: [Double] = []
      var expressions = 0
      for _ in 0..<rounds {
        var allowed = 0
        let start = processorNanoseconds()
        for _ in 0..<decisions {
          documents.beginRequest()
          let decision = ruleset.decide(request, documents: documents)
          if decision.isAllowed { allowed += 1 }
          expressions = decision.expressions
        }
        let end = processorNanoseconds()
        precondition(allowed == decisions, "the benchmark's rule must grant")
        times.append((end - start) / Double(decisions))
      }
      let median = times.sorted()[times.count / 2]
      return RulesDecisionsResult(
        decisionsPerSecond: 1e9 / median, nanosecondsPerDecision: median, expressions: expressions)
    }
  }
}
