/// Rules decisions a second, in one thread: may a signed-in user read a profile because both belong to
/// one community? Every decision is another pair of reader and owner, and looks up the reader's own
/// profile, which is cached in process; its verdict is checked against the sets the profiles were made of.

import DocModel
import Rules

/// What the benchmark found.
struct RulesDecisionsResult {
  /// Median of the rounds.
  let nanosecondsPerDecision: Double
  let bestNanoseconds: Double
  /// Evaluation cost of the last decision, as the budget counts.
  let expressions: Int

  var decisionsPerSecond: Double { 1e9 / nanosecondsPerDecision }
}

/// A request that is lent without being copied, as a server does with the one it is working on.
private final class HeldRequest {
  let request: RuleRequest

  init(_ request: RuleRequest) { self.request = request }
}

/// The rule by itself, as `policy_engines.py` has it for the peers.
let communityOverlapRules = """
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

/// Runs the benchmark with the rules given; nil when they do not compile or a verdict is wrong.
func rulesDecisionsBenchmark(
  _ rules: String, rounds: Int = 9, decisions: Int = 200_000
) -> RulesDecisionsResult? {
  guard let ruleset = Ruleset.compile(source: rules, name: "overlap.rules").ruleset else { return nil }
  let profiles = CommunityProfiles()
  let documents = CachedProfiles(profiles)
  let readers = profiles.names.map {
    AuthFacts(uid: $0, claims: ["sub": .string($0), "email": .string("\($0)@example.com")])
  }
  var numbers = NumberSequence(seed: 3)
  var expected = 0
  let requests = (0..<1_024).map { _ in
    let (reader, owner) = (
      numbers.next(below: CommunityProfiles.count), numbers.next(below: CommunityProfiles.count)
    )
    if profiles.share(reader, owner) { expected += 1 }
    return HeldRequest(
      RuleRequest(
        method: .get, path: ResourcePath(unchecked: "users/\(profiles.names[owner])"), auth: readers[reader],
        time: Timestamp(seconds: 1_772_355_600, nanoseconds: 0), resource: documents.views[owner]))
  }
  let passes = max(1, decisions / requests.count)
  var wrongPasses = 0
  var expressions = 0
  let borrowed = requests.map { Unmanaged.passUnretained($0) }
  defer { withExtendedLifetime(requests) {} }
  let time = Stopwatch.measure(rounds: rounds, count: passes * requests.count) {
    for _ in 0..<passes {
      var allowed = 0
      for held in borrowed {
        documents.beginRequest()
        let decision = held._withUnsafeGuaranteedRef { ruleset.decide($0.request, documents: documents) }
        if decision.isAllowed { allowed += 1 }
        expressions = decision.expressions
      }
      if allowed != expected { wrongPasses += 1 }
    }
  }
  guard wrongPasses == 0 else { return nil }
  return RulesDecisionsResult(
    nanosecondsPerDecision: time.median, bestNanoseconds: time.best, expressions: expressions)
}
