/// One guard for every operation: may these credentials do this?
///
/// Reads are judged on the view that answers them, queries from their shape before a row is read, commits
/// inside the commit on the state it will apply to. Admin credentials pass by.

public import DocModel
internal import DocStore
public import Rules

/// One operation as it was judged: for tests of rules.
public struct Judgement: Sendable {
  public let method: RuleMethod
  public let path: ResourcePath
  public let explanation: Explanation
  /// Every value, when the store was asked to keep them.
  public let detailed: DetailedExplanation?
  /// What was judged, when the store was asked to keep it.
  public let request: JudgedRequest?

  public init(
    method: RuleMethod, path: ResourcePath, explanation: Explanation, detailed: DetailedExplanation? = nil,
    request: JudgedRequest? = nil
  ) {
    self.method = method
    self.path = path
    self.explanation = explanation
    self.detailed = detailed
    self.request = request
  }
}

/// What a witness is told.
public enum JudgementDetail: Sendable {
  /// The rules tried and what decided.
  case reasons
  /// Also the value of every expression.
  case values
  /// Also what was judged, so that other rules can judge it once more.
  case requests
}

/// Is told of judgements, in the order in which they are made, on the thread that makes them.
public typealias JudgementWitness = @Sendable (Judgement) -> Void

/// Judges operations of users against one database's protection. Not copied: a copy counts a dozen references.
struct AccessGuard: ~Copyable {
  let protection: Protection
  let credentials: Credentials
  let detail: DenialDetail
  /// `request.time`, in microseconds.
  let time: Int64
  let documents: RuleDocuments
  let witness: (tell: JudgementWitness, detail: JudgementDetail)?
  /// Where what is judged is recorded, and for which database.
  let coverage: (collector: CoverageCollector, database: DatabaseID)?
  let metrics: GuardMetrics
  /// Is told of queries that were allowed; nil for nobody.
  let leaks: LeakWatch?
  /// Keeps what was judged, for people who watch; nil for nobody.
  let feed: (feed: RequestFeed, state: JudgedState, commit: JudgedCommit?)?

  /// One document read by name; `document` is nil when it does not exist.
  func allowGet(_ path: ResourcePath, _ document: StoredDocument?, in database: DatabaseID) throws(StoreError)
  {
    try allow(in: database) { auth in
      RuleRequest(
        method: .get, database: database.database, path: path, auth: auth, time: timestamp,
        resource: document?.fields)
    }
  }

  /// A query, from its shape alone. One with too many disjuncts has none that rules could judge.
  func allowList(_ query: NormalizedQuery) throws(StoreError) {
    if let error = query.disjunctError { throw .invalid(error) }
    try allowList(QueryShape(query), in: query.database)
  }

  private func allowList(
    _ shape: @autoclosure () -> QueryShape, in database: DatabaseID
  ) throws(StoreError) {
    guard let leaks, case .user(let auth) = credentials, case .rules(let ruleset) = protection else {
      return try allow(in: database) { auth in
        RuleRequest(list: shape(), database: database.database, auth: auth, time: timestamp)
      }
    }
    let shape = shape()
    try allow(in: database) { auth in
      RuleRequest(list: shape, database: database.database, auth: auth, time: timestamp)
    }
    let request = RuleRequest(list: shape, database: database.database, auth: auth, time: timestamp)
    leaks.watch(
      request, shape, by: ruleset, in: database, isSignedIn: auth != nil, documents: documents)
  }

  /// One write of a planned commit.
  func allowWrite(_ write: JudgedWrite, in database: DatabaseID) throws(StoreError) {
    try allow(in: database, isMethodOpen: write.isKindOpen) { auth in
      var request = RuleRequest(
        method: Self.method(write), database: database.database, path: write.path, auth: auth,
        time: timestamp,
        resource: write.before?.fields)
      if write.kind == .create || write.kind == .update {
        request.newResource = write.after?.fields
        request.writtenPaths = write.paths
      }
      return request
    }
  }

  /// A `verify` writes nothing and needs only the right to read. Source: docs/spec/streams.md 4.1.
  private static func method(_ write: JudgedWrite) -> RuleMethod {
    switch write.kind {
    case .create: .create
    case .update: .update
    case .delete: .delete
    case .verify: .get
    }
  }

  private var timestamp: Timestamp { Timestamp(microseconds: time) }

  private func allow(
    in database: DatabaseID, isMethodOpen: Bool = false, _ request: (AuthFacts?) -> RuleRequest
  ) throws(StoreError) {
    guard case .user(let auth) = credentials else { return }
    switch protection {
    case .open: return
    case .broken(let words, _):
      metrics.countDenial()
      throw .invalid(InvalidArgument(words))
    case .closed:
      metrics.countDenial()
      throw .permissionDenied(message: DenialText.withoutRules(database, detail))
    case .rules(let ruleset):
      metrics.countEvaluation()
      let request = request(auth)
      if let witness {
        let detailed =
          witness.detail == .values ? ruleset.explainInDetail(request, documents: documents) : nil
        let explanation = detailed?.explanation ?? ruleset.explain(request, documents: documents)
        record(request, ruleset)
        if let failure = documents.failure { throw failure }
        keep(request, explanation.decision, ruleset, database)
        witness.tell(
          Judgement(
            method: request.method, path: request.path, explanation: explanation, detailed: detailed,
            request: witness.detail == .requests ? JudgedRequest(request, documents) : nil))
        if explanation.isAllowed { return }
        metrics.countDenial()
        throw denial(request, explanation.decision, ruleset, isMethodOpen: isMethodOpen)
      }
      let decision = ruleset.decide(request, documents: documents)
      if documents.isShort { try finishShortly() }
      record(request, ruleset)
      if let failure = documents.failure { throw failure }
      keep(request, decision, ruleset, database)
      if decision.isAllowed { return }
      metrics.countDenial()
      throw denial(request, decision, ruleset, isMethodOpen: isMethodOpen)
    }
  }

  private func denial(
    _ request: RuleRequest, _ decision: Decision, _ ruleset: Ruleset, isMethodOpen: Bool
  ) -> StoreError {
    let words = DenialText.refused(
      detail, official: ruleset.officialReasons(request, decision, documents: documents),
      reasons: ruleset.clientReasons(request, decision, isMethodOpen: isMethodOpen, documents: documents))
    return .permissionDenied(message: words)
  }

  /// Goes on with a decision of short work if it is one.
  private func finishShortly() throws(StoreError) {
    guard !documents.hasBrokenOff else {
      documents.wasTooLong = true
      throw ShortWork.tooLong
    }
    // An explanation looks at more than the decision did.
    documents.isShort = false
  }

  /// Keeps every refusal, and everything once somebody watches. A commit that waits for others is judged again when it
  /// goes on, and told only then.
  @inline(__always)
  private func keep(
    _ request: RuleRequest, _ decision: Decision, _ ruleset: Ruleset, _ database: DatabaseID
  ) {
    guard let feed, feed.feed.isFull || !decision.isAllowed else { return }
    guard let kept = KeptRequest(request, documents, state: feed.state) else { return }
    guard let commit = feed.commit else {
      return feed.feed.add(database, time, .judged(kept, decision, by: ruleset))
    }
    commit.whenDecided { [feed = feed.feed, time] in
      feed.add(database, time, .judged(kept, decision, by: ruleset))
    }
  }

  @inline(__always)
  private func record(_ request: RuleRequest, _ ruleset: Ruleset) {
    guard let coverage else { return }
    coverage.collector.record(request, by: ruleset, of: coverage.database, documents: documents)
  }
}

extension JudgedWrite {
  /// What rules see of masks and transforms; nil where there are none.
  fileprivate var paths: WrittenPaths? {
    mask == nil && transforms.isEmpty
      ? nil : WrittenPaths(mask: mask, transforms: transforms.map(\.path))
  }
}
