/// Work whose instructions and allocations are counted: `docstore-bench --counted WORK COUNT` does it COUNT times, and
/// nothing else. Who subtracts a short run from a long one has what one more costs; `Scripts/budgets` does.

internal import Access
internal import DocModel
internal import Glibc

enum CountedWork: String, CaseIterable {
  /// May this user read that profile: `RulesDecisions.swift`, with a look-up.
  case decision
  /// GetDocument of an administrator: `get` without its guard.
  case plain
  /// GetDocument of a user, rules of the Inspired pack, one look-up.
  case get
  /// The same of a profile that the rules keep from the user, who is told why.
  case denial
  /// The same without being told.
  case terse
  /// GetDocument of users who all send a token that nobody has seen.
  case tokens
  /// Commit of a user: one document, guarded by a look-up and by what was there before.
  case commit
  /// Commit of a user under the rules of the Inspired pack: the name that others see.
  case change
  /// The same, of two documents: a like, and the post's counter.
  case like
  /// The same of a server, in a transaction that reads the post: two calls.
  case transaction
  /// A commit past the rules and its message to a listener on the collection.
  case listen
  /// RunQuery of a user: ten documents by an equality.
  case query

  func run(_ count: Int) throws {
    switch self {
    case .decision: try decide(count)
    case .plain: try get(count, as: MixRequests.owner)
    case .get: try get(count, as: Self.user)
    case .denial: try deny(count, .explained)
    case .terse: try deny(count, .terse)
    case .tokens: try readTokens(count)
    case .commit: try commit(count)
    case .change: try change(count)
    case .like: try like(count)
    case .transaction: try likeInTransaction(count)
    case .listen: try listen(count)
    case .query: try query(count)
    }
  }

  private func decide(_ count: Int) throws {
    // Each is made once to warm up and once to be measured.
    guard rulesDecisionsBenchmark(communityOverlapRules, rounds: 1, decisions: count / 2) != nil else {
      throw BenchmarkFailure(description: "a decision is wrong")
    }
  }

  static func check(_ isSo: Bool, _ what: String) throws {
    guard isSo else { throw BenchmarkFailure(description: what) }
  }

  // MARK: requests

  private static let user = MixPopulation.authorization(1, issued: Int64(time(nil)))

  private func get(_ count: Int, as authorization: [UInt8]) throws {
    let server = try Self.server(profiles: profile)
    var calls = (2..<34).prefix(count).map {
      CountedCall("GetDocument", authorization: authorization, message: getRequest("users/u\($0)"))
    }
    for index in 0..<count {
      let bytes = server.make(&calls[index % calls.count])
      try Self.check(bytes > 600, "a profile was not answered")
    }
    try server.close()
  }

  private func deny(_ count: Int, _ detail: DenialDetail) throws {
    let server = try Self.server(detail, profiles: MixPopulation.profile)
    // Odd numbers are for those who share an area, of which each has two.
    var calls = (0..<32).map {
      CountedCall("GetDocument", authorization: Self.user, message: getRequest("users/u\(2 * $0 + 3)"))
    }
    for index in 0..<count {
      let bytes = server.make(&calls[index % calls.count])
      try Self.check(bytes < 1_200, "a profile was answered")
    }
    try server.close()
  }

  /// LIMIT: tokens that are made, however many are sent.
  private static let tokenCount = 1_000

  private func readTokens(_ count: Int) throws {
    let server = try Self.server(profiles: profile)
    try Self.check(count <= Self.tokenCount, "there are \(Self.tokenCount) tokens")
    var population = MixPopulation(count: Self.tokenCount)
    var calls = (0..<Self.tokenCount).map { number in
      let authorization = population.authorization(of: number)
      return CountedCall(
        "GetDocument", authorization: authorization, message: getRequest("users/u\(number % 64)"))
    }
    for index in 0..<count {
      try Self.check(server.make(&calls[index]) > 0, "nothing was answered")
    }
    try server.close()
  }

  /// Under the rules of the Inspired pack.
  static func server(
    _ detail: DenialDetail = .explained, profiles: (Int) -> Fields
  ) throws -> CountedServer {
    guard let pack = contents(of: "rules/inspired.rules") else {
      throw BenchmarkFailure(description: "cannot read rules/inspired.rules: run it from the repository")
    }
    let server = try CountedServer(rules: pack, detail)
    for number in 0..<70 { try server.put(profiles(number), "users/u\(number)") }
    return server
  }

  private static let commitRules = """
    rules_version = '2';
    service cloud.firestore { match /databases/{db}/documents {
      match /items/{item} {
        allow read: if resource.data.kind == 'reading';
        allow write: if get(/databases/$(db)/documents/users/$(request.auth.uid)).data.joinedCommunities.hasAny(['area_askew'])
          && request.resource.data.keys().hasOnly(['number', 'kind', 'text'])
          && request.resource.data.number != resource.data.number;
      }
    }}
    """

  /// LIMIT: documents that are written in turns, each with one of two numbers.
  private static let itemCount = 32

  /// What the turns write: other fields than the turn before.
  private static func item(_ turn: Int) -> (fields: Fields, path: String) {
    (listenedDocument(1_000_000 + turn / itemCount), "items/i\(turn % itemCount)")
  }

  private static func server(items: Int) throws -> CountedServer {
    let server = try CountedServer(rules: commitRules)
    try server.put(profile(1), "users/u1")
    for number in 0..<items { try server.put(listenedDocument(2_000_000), "items/i\(number)") }
    return server
  }

  private func commit(_ count: Int) throws {
    let server = try Self.server(items: Self.itemCount)
    var calls = (0..<2 * Self.itemCount).map { turn in
      let message = commitRequest("items", first: turn % Self.itemCount, count: 1) { _ in
        Self.item(turn).fields
      }
      return CountedCall("Commit", authorization: Self.user, message: message)
    }
    var answer = 0
    for index in 0..<count {
      let bytes = server.make(&calls[index % calls.count])
      server.rest()
      // The first answers bring headers that later ones only name. A refusal says why, in many more bytes.
      if index == 2 { answer = bytes }
      try Self.check(index < 3 || abs(bytes - answer) < 16, "a commit was refused")
    }
    let isWritten = try server.fields(of: "items/i0").encoded != listenedDocument(2_000_000).encoded
    try Self.check(isWritten || count == 0, "nothing was written")
    try server.close()
  }

  private func listen(_ count: Int) throws {
    let server = try Self.server(items: Self.itemCount)
    let writes = (0..<2 * Self.itemCount).map { turn in
      CountedServer.write(Self.item(turn).fields, Self.item(turn).path)
    }
    let before = server.answeredBytes
    var call = CountedCall(
      "Listen", authorization: MixRequests.owner, message: listenRequest(collection: "items", limit: nil),
      ends: false)
    server.open(&call)
    server.awaitAnswers(since: before, bytes: Self.itemCount * 200)
    for index in 0..<count {
      let before = server.answeredBytes
      try server.put(writes[index % writes.count])
      server.awaitAnswers(since: before, bytes: 200)
      server.rest()
    }
    try server.close()
  }

  private func query(_ count: Int) throws {
    let server = try Self.server(items: 10)
    var call = CountedCall("RunQuery", authorization: Self.user, message: Self.queryRequest)
    for _ in 0..<count {
      let before = server.answeredBytes
      server.make(&call)
      server.awaitAnswers(since: before, bytes: 10 * 200)
    }
    try server.close()
  }

  /// `items` where `kind` is `reading`, which the rules ask for.
  private static var queryRequest: [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: "projects/bench/databases/(default)/documents")
    writer.message(2) { query in
      query.message(2) { $0.field(2, text: "items") }
      query.message(3) { filter in
        filter.message(2) { test in
          test.message(1) { $0.field(2, text: "kind") }
          test.field(2, varint: 5)
          test.message(3) { $0.field(17, text: "reading") }
        }
      }
    }
    return writer.bytes
  }
}
