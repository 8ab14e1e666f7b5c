/// Both verdicts on a query, the service's and the strict one, in one thread: a rule of a social application
/// with functions, a lookup and a disjunction, and the queries that its clients send.

import DocModel
import Rules

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the benchmark found.
struct ListProofResult {
  let name: String
  /// The service's verdict alone; median of the rounds.
  let verdictMicroseconds: Double
  /// Both verdicts.
  let proofMicroseconds: Double
  let branches: Int
}

private let postRules = """
  rules_version = '2';
  service cloud.firestore { match /databases/{db}/documents {
    function signedIn() { return request.auth != null; }
    function isOwner(data) { return signedIn() && data.author == request.auth.uid; }
    function isPublic(data) { return data.published == true && data.visibility in ['public', 'members']; }
    function member(room) { return request.auth.uid in get(/databases/$(db)/documents/rooms/$(room)).data.members; }
    match /users/{user} { allow get: if signedIn(); allow write: if request.auth.uid == user; }
    match /posts/{post} {
      allow get: if isOwner(resource.data) || isPublic(resource.data);
      allow list: if signedIn() && (isOwner(resource.data) || isPublic(resource.data));
      allow create: if isOwner(request.resource.data);
    }
    match /rooms/{room}/messages/{message} {
      allow list: if signedIn() && member(room) && resource.data.sentAt <= request.time;
    }
  }}
  """

private final class RoomDocuments: DocumentAccess {
  private let bytes: UnsafeMutableRawBufferPointer

  override init() {
    let fields: Fields = ["members": .array([.string("someone"), .string("me")])]
    let encoded = fields.encoded
    bytes = .allocate(byteCount: encoded.count, alignment: 8)
    bytes.copyBytes(from: encoded)
    super.init()
  }

  deinit { bytes.deallocate() }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    path.elementsEqual("rooms/r1".utf8) ? FieldsView(document: UnsafeRawBufferPointer(bytes)) : nil
  }
}

private func equal(_ name: String, _ value: Value) -> QueryShape.Filter? {
  FieldPath.field(name).map { QueryShape.Filter($0, .equal, value) }
}

private let now = Timestamp(seconds: 1_772_355_600, nanoseconds: 0)

/// The queries, by name.
private func queries() -> [(String, QueryShape)] {
  let own = [equal("author", .string("me"))].compactMap { $0 }
  let open = [equal("published", .boolean(true)), equal("visibility", .string("public"))].compactMap { $0 }
  let past = FieldPath.field("sentAt").map { QueryShape.Filter($0, .lessOrEqual, .timestamp(now)) }
  let room = ResourcePath(unchecked: "rooms/r1")
  return [
    ("own posts", QueryShape(parent: .root, collectionID: "posts", ways: [own])),
    ("public posts", QueryShape(parent: .root, collectionID: "posts", ways: [open], limit: 20)),
    ("own or public posts", QueryShape(parent: .root, collectionID: "posts", ways: [own, open])),
    (
      "messages of a room",
      QueryShape(parent: room, collectionID: "messages", ways: [past.map { [$0] } ?? []], limit: 50)
    ),
  ]
}

func listProofBenchmark(rounds: Int = 9, iterations: Int = 20_000) -> [ListProofResult] {
  guard let ruleset = Ruleset.compile(source: postRules, name: "posts.rules").ruleset else { return [] }
  let auth = AuthFacts(uid: "me", claims: ["sub": .string("me")])
  let documents = RoomDocuments()
  return queries().map { name, shape in
    let request = RuleRequest(list: shape, auth: auth, time: now)
    var branches = 0
    let verdict = microseconds(rounds, iterations) {
      documents.beginRequest()
      _ = ruleset.decide(request, documents: documents)
    }
    let proof = microseconds(rounds, iterations) {
      documents.beginRequest()
      branches = ruleset.prove(request, documents: documents)?.branches ?? 0
    }
    return ListProofResult(
      name: name, verdictMicroseconds: verdict, proofMicroseconds: proof, branches: branches)
  }
}

/// Of one call; the thread's own time, median of the rounds.
private func microseconds(_ rounds: Int, _ iterations: Int, _ body: () -> Void) -> Double {
  var times: [Double] = []
  for _ in 0..<rounds {
    let start = threadNanoseconds()
    for _ in 0..<iterations { body() }
    times.append((threadNanoseconds() - start) / Double(iterations) / 1_000)
  }
  return times.sorted()[rounds / 2]
}

private func threadNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
