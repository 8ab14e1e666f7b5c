/// The store as clients see it: every operation judged, then carried out.

public import DocModel
public import DocStore
internal import Rules

/// A document store behind its rules.
///
/// Reads are synchronous and call back inside the snapshot: documents die when the callback returns.
/// Commits wait for their turn and their durability.
public final class GuardedStore<Engine: StorageEngine>: Sendable {
  public let store: DocumentStore<Engine>
  public let rulesets: RulesetRegistry
  public let detail: DenialDetail
  /// Where coverage is collected, if anybody wants it.
  public let coverage: CoverageCollector?
  /// Is told of queries that leak; nil for nobody.
  public let leaks: LeakWatch?
  public let metrics = GuardMetrics()
  /// What queries need of indexes; nil serves whatever is asked.
  public let indexes: IndexGate?
  /// Keeps the last requests; nil keeps none.
  public let feed: RequestFeed?
  private let pool = RuleDocumentsPool()
  private let witness: (tell: JudgementWitness, detail: JudgementDetail)?

  /// Whether somebody is told of every judgement with its reasons, which is no short work.
  var isWitnessed: Bool { witness != nil }

  /// - Parameters:
  ///   - witness: told of every judgement on a ruleset, with its reasons; judging then costs more.
  ///   - witnessDetail: how much it is told.
  ///   - coverage: gets every operation that is judged on a ruleset; costs as much while it collects.
  ///   - leaks: proves the first query of each shape.
  ///   - indexes: asked about every query after its rules.
  ///   - feed: keeps refusals, and everything that is judged once somebody asks for it.
  public init(
    _ store: DocumentStore<Engine>, rulesets: RulesetRegistry, detail: DenialDetail = .explained,
    witness: JudgementWitness? = nil, witnessDetail: JudgementDetail = .reasons,
    coverage: CoverageCollector? = nil, leaks: LeakWatch? = nil, indexes: IndexGate? = nil,
    feed: RequestFeed? = nil
  ) {
    self.store = store
    self.rulesets = rulesets
    self.detail = detail
    self.witness = witness.map { ($0, witnessDetail) }
    self.coverage = coverage
    self.leaks = leaks
    self.indexes = indexes
    self.feed = feed
  }

  /// Reads one document by name. `visit` gets the document (nil: there is none) and the read time.
  public func get<R>(
    _ name: DocumentName, as credentials: Credentials, at time: ReadTime = .newest,
    _ visit: (StoredDocument?, _ readTime: Int64) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try store.read(name.database, at: time) { (view) throws(StoreError) in
      let document = try view.document(name.path)
      metrics.countDocuments(1)
      try judging(view, credentials) { (guarding) throws(StoreError) in
        try guarding.allowGet(name.path, document, in: name.database)
      }
      return try visit(document, view.readTime)
    }
  }

  /// Reads several documents at one read time, in the order of `paths`. One denial refuses all of them,
  /// before `visit` is called.
  public func getAll(
    _ paths: [ResourcePath], in database: DatabaseID, as credentials: Credentials,
    at time: ReadTime = .newest,
    _ visit: (ResourcePath, StoredDocument?, _ readTime: Int64) -> Void
  ) throws(StoreError) {
    _ = try getPiece(paths, in: database, as: credentials, at: time) { path, document, readTime in
      visit(path, document, readTime)
      return .more
    }
  }

  /// Runs a query if its shape is allowed. `begin` gets the read time before the first row.
  public func run(
    _ query: NormalizedQuery, as credentials: Credentials, at time: ReadTime = .newest,
    begin: (_ readTime: Int64) -> Void = { _ in }, _ visit: (QueryRow) -> ScanStep
  ) throws(StoreError) -> QueryRun {
    try runPiece(query, as: credentials, at: time, begin: begin, visit).run
  }

  /// Lists one page of a collection. The result leads to the next page.
  public func list(
    _ list: DocumentList.Validated, as credentials: Credentials, at time: ReadTime = .newest,
    _ visit: (ListedDocument) -> Void
  ) throws(StoreError) -> PageToken? {
    try store.read(list.query.database, at: time) { (view) throws(StoreError) in
      try admit(list.query, on: view, as: credentials)
      return try list.run(on: view) { listed in
        metrics.countDocuments(1)
        visit(listed)
      }
    }
  }

  /// Collection ids directly under `parent`, in byte order. For administrators; the caller checks that.
  public func collectionIDs(
    under parent: ResourcePath, in database: DatabaseID, at time: ReadTime = .newest
  ) throws(StoreError) -> [String] {
    try store.read(database, at: time) { (view) throws(StoreError) in try view.collectionIDs(under: parent) }
  }

  // MARK: judging

  /// What every query passes before its first row, whichever way it came: its rules, then whether an index can serve it,
  /// then its indexes. Source: docs/spec/production-differences.md 3.5; the official emulator.
  public func admit(
    _ query: NormalizedQuery, on view: StoreView, as credentials: Credentials
  ) throws(StoreError) {
    try judging(view, credentials) { (guarding) throws(StoreError) in
      try guarding.allowList(query)
    }
    try admitIndexed(query)
  }

  /// What is asked of a query that the rules have granted, or that is an administrator's.
  func admitIndexed(_ query: NormalizedQuery) throws(StoreError) {
    if let error = query.lateError { throw .invalid(error) }
    try indexes?.admit(query)
  }

  /// Runs `body` with a guard over the view. Nothing happens for administrators.
  func judging(
    _ view: StoreView, _ credentials: Credentials, _ body: (borrowing AccessGuard) throws(StoreError) -> Void
  ) throws(StoreError) {
    if credentials.isAdmin { return }
    let protection = rulesets.protection(of: view.database)
    try pool.use { (documents) throws(StoreError) in
      documents.begin(view)
      try body(
        AccessGuard(
          protection: protection, credentials: credentials, detail: detail, time: store.environment.now(),
          documents: documents, witness: witness,
          coverage: coverage.map { ($0, view.database) }, metrics: metrics, leaks: leaks,
          feed: feed.map { ($0, .shown(view.point), nil) }))
    }
  }

  /// Runs `body` with a guard inside a planned commit.
  func judging(
    _ commit: JudgedCommit, _ credentials: Credentials,
    _ body: (borrowing AccessGuard) throws(StoreError) -> Void
  ) throws(StoreError) {
    let protection = rulesets.protection(of: commit.database)
    try pool.use { (documents) throws(StoreError) in
      documents.begin(commit)
      try body(
        AccessGuard(
          protection: protection, credentials: credentials, detail: detail,
          time: commit.serverTime, documents: documents, witness: witness,
          coverage: coverage.map { ($0, commit.database) }, metrics: metrics, leaks: leaks,
          feed: feed.map { ($0, .before(commit.commitTime), commit) }))
    }
  }
}
