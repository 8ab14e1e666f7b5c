/// One guard for every operation: may these credentials do this?
///
/// Reads are judged on the view that answers them, queries from their shape before a row is read, commits
/// inside the commit on the state it will apply to. Admin credentials pass by.

public import DocModel
internal import DocStore
public import Rules

/// How much a denial says.
public enum DenialDetail: Sendable {
  /// Production's bare sentence.
  case terse
  /// The sentence, and then what the official emulator says: each `allow` tried, with its line.
  case explained
}

/// One operation as it was judged: for tests of rules.
public struct Judgement: Sendable {
  public let method: RuleMethod
  public let path: ResourcePath
  public let explanation: Explanation
}

/// Is told of judgements, in the order in which they are made, on the thread that makes them.
public typealias JudgementWitness = @Sendable (Judgement) -> Void

/// Judges operations of users against one project's protection.
struct AccessGuard {
  let protection: Protection
  let credentials: Credentials
  let detail: DenialDetail
  /// `request.time`, in microseconds.
  let time: Int64
  let documents: RuleDocuments
  let witness: JudgementWitness?

  /// Production's text of every denial. Source: spec/rules-language.md 8.1.
  static let denialText = "Missing or insufficient permissions."

  /// One document read by name; `document` is nil when it does not exist.
  func allowGet(_ path: ResourcePath, _ document: StoredDocument?, in database: DatabaseID) throws(StoreError)
  {
    try allow { auth in
      RuleRequest(
        method: .get, database: database.database, path: path, auth: auth, time: timestamp,
        resource: document?.fields)
    }
  }

  /// A query, from its shape alone.
  func allowList(_ shape: @autoclosure () -> QueryShape, in database: DatabaseID) throws(StoreError) {
    try allow { auth in
      RuleRequest(list: shape(), database: database.database, auth: auth, time: timestamp)
    }
  }

  /// One write of a planned commit.
  func allowWrite(_ write: JudgedWrite, in database: DatabaseID) throws(StoreError) {
    try allow { auth in
      var request = RuleRequest(
        method: Self.method(write), database: database.database, path: write.path, auth: auth,
        time: timestamp,
        resource: write.before?.fields)
      if write.kind == .create || write.kind == .update { request.newResource = write.after?.fields }
      return request
    }
  }

  /// A `verify` writes nothing and needs only the right to read. Source: spec/streams.md 4.1.
  private static func method(_ write: JudgedWrite) -> RuleMethod {
    switch write.kind {
    case .create: .create
    case .update: .update
    case .delete: .delete
    case .verify: .get
    }
  }

  private var timestamp: Timestamp { Timestamp(microseconds: time) }

  private func allow(_ request: (AuthFacts?) -> RuleRequest) throws(StoreError) {
    guard case .user(let auth) = credentials else { return }
    switch protection {
    case .open: return
    case .closed: throw .permissionDenied(message: noRulesMessage)
    case .rules(let ruleset):
      let request = request(auth)
      if let witness {
        let explanation = ruleset.explain(request, documents: documents)
        if let failure = documents.failure { throw failure }
        witness(Judgement(method: request.method, path: request.path, explanation: explanation))
        if explanation.isAllowed { return }
        throw .permissionDenied(message: Self.denialText + explanation.message)
      }
      let decision = ruleset.decide(request, documents: documents)
      if let failure = documents.failure { throw failure }
      if decision.isAllowed { return }
      throw .permissionDenied(message: message(request, ruleset))
    }
  }

  private var noRulesMessage: String {
    switch detail {
    case .terse: Self.denialText
    case .explained:
      Self.denialText + " No rules are loaded; start with --rules FILE, or with --open to allow everything."
    }
  }

  private func message(_ request: RuleRequest, _ ruleset: Ruleset) -> String {
    switch detail {
    case .terse: Self.denialText
    case .explained: Self.denialText + ruleset.explain(request, documents: documents).message
    }
  }
}
