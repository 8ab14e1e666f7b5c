/// How long the verdict on a query takes: the same query is judged again for each of many callers.

import DocModel
import Rules
internal import RulesTools

struct RulesQueryResult {
  let name: String
  /// The service's verdict.
  let nanoseconds: Double
  let bestNanoseconds: Double
  /// The verdict, and the proof beside it.
  let proofNanoseconds: Double
  let bestProofNanoseconds: Double
}

private let queryRules = """
  rules_version = '2';
  service cloud.firestore { match /databases/{database}/documents {
    function signedIn() { return request.auth != null; }
    match /users/{userId} {
      allow list: if signedIn()
        && (resource.data.privacySettings.avatarPrivacy == 'public' || userId == request.auth.uid);
    }
    match /posts/{postId} {
      allow list: if signedIn() && resource.data.author.id == request.auth.uid
        && resource.data.status in ['draft', 'open', 'closed'] && request.query.limit <= 50;
    }
    match /{path=**}/likes/{likerId} {
      allow list: if signedIn() && resource.data.userId == request.auth.uid;
    }
  }}
  """

/// Judges each kind of query for many callers; nil when a verdict is wrong.
func rulesQueriesBenchmark(rounds: Int = 9, verdicts: Int = 20_000) -> [RulesQueryResult]? {
  guard let ruleset = RulesCompiler.compile(source: queryRules, name: "queries.rules").ruleset else {
    return nil
  }
  let callers = (0..<64).map { "user_\(1000 + $0)" }
  let statuses: [Value] = [.string("draft"), .string("open"), .string("closed")]
  let shapes: [(String, (String) -> QueryShape)] = [
    (
      "one equality",
      { _ in
        QueryShape(
          parent: .root, collectionID: "users",
          disjuncts: [[.init(path("privacySettings.avatarPrivacy"), .equal, .string("public"))]], limit: 20)
      }
    ),
    (
      "equality and `in` of three values",
      { caller in
        QueryShape(
          parent: .root, collectionID: "posts",
          disjuncts: [
            [
              .init(path("author.id"), .equal, .string(caller)),
              .init(path("status"), .in, .array(statuses)),
            ]
          ], limit: 20, orderBy: [.init(path("createdAt"), isDescending: true)])
      }
    ),
    (
      "collection group",
      { caller in
        QueryShape(
          parent: .root, collectionID: "likes", allDescendants: true,
          disjuncts: [[.init(path("userId"), .equal, .string(caller))]])
      }
    ),
  ]
  var results: [RulesQueryResult] = []
  for (name, shape) in shapes {
    let requests = callers.map { caller in
      RuleRequest(
        list: shape(caller), auth: AuthFacts(uid: caller, claims: ["sub": .string(caller)]),
        time: Timestamp(seconds: 1_772_355_600, nanoseconds: 0))
    }
    guard let result = measure(name, ruleset, requests, rounds: rounds, verdicts: verdicts) else {
      return nil
    }
    results.append(result)
  }
  return results
}

private func path(_ text: String) -> FieldPath {
  (try? FieldPath.parse(text)) ?? .documentName
}

private func measure(
  _ name: String, _ ruleset: Ruleset, _ requests: [RuleRequest], rounds: Int, verdicts: Int
) -> RulesQueryResult? {
  let documents = DocumentAccess()
  let passes = max(1, verdicts / requests.count)
  var wrong = 0
  let verdict = Stopwatch.measure(rounds: rounds, count: passes * requests.count) {
    for _ in 0..<passes {
      for request in requests {
        documents.beginRequest()
        if !ruleset.decide(request, documents: documents).isAllowed { wrong += 1 }
      }
    }
  }
  let proof = Stopwatch.measure(rounds: rounds, count: passes * requests.count) {
    for _ in 0..<passes {
      for request in requests {
        documents.beginRequest()
        guard let proof = ruleset.prove(request, documents: documents), proof.mirror.isAllowed else {
          wrong += 1
          continue
        }
      }
    }
  }
  guard wrong == 0 else { return nil }
  return RulesQueryResult(
    name: name, nanoseconds: verdict.median, bestNanoseconds: verdict.best, proofNanoseconds: proof.median,
    bestProofNanoseconds: proof.best)
}
