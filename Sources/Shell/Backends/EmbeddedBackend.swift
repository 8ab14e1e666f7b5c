/// A store in this process: on a data folder, or ephemeral.

import Access
import Client
import DocModel
import DocStore
import EngineLMDB
import Faults
import JSON
import Rules
internal import RulesTools

final class EmbeddedBackend: Backend {
  var database: DatabaseID
  let location: String
  let readOnlyReason: String?
  let guarded: GuardedStore<LMDBEngine>
  private let isOpenWithoutRules: Bool
  /// Nil where the store goes by the machine's clock.
  private let standingClock: StandingClock?
  /// Counts what queries need; refuses, as the service does, once definitions are loaded.
  private let indexes = IndexGate()
  /// What this session asked.
  let feed = RequestFeed(isFull: true)
  /// What goes wrong on purpose.
  let faults = FaultInjector()
  /// Made when something is watched first.
  private var listening: Listening<LMDBEngine>?

  /// - Parameter isOpenWithoutRules: whether users may do everything while there are no rules.
  init(
    _ store: DocumentStore<LMDBEngine>, database: DatabaseID, location: String, rules: Ruleset?,
    isOpenWithoutRules: Bool = false, readOnlyReason: String? = nil, clock: StandingClock? = nil
  ) {
    standingClock = clock
    self.readOnlyReason = readOnlyReason
    self.database = database
    self.location = location
    self.isOpenWithoutRules = isOpenWithoutRules
    let rulesets = RulesetRegistry(isOpen: isOpenWithoutRules)
    if let rules { rulesets.setStandard(rules) }
    guarded = GuardedStore(store, rulesets: rulesets, detail: .explained, indexes: indexes, feed: feed)
  }

  deinit { listening?.close() }

  func clock() -> StoreTime {
    StoreTime(time: store.environment.now(), isStanding: standingClock != nil)
  }

  func moveClock(_ text: String) throws(ShellError) -> StoreTime {
    guard let standingClock else {
      throw .failed("the clock of \(location) is the machine's; start with --clock 2026-03-01T00:00:00Z")
    }
    do throws(InvalidArgument) {
      try standingClock.move(to: try StandingClock.time(text, after: standingClock.now))
    } catch {
      throw .usage(error.message)
    }
    return clock()
  }

  private var store: DocumentStore<LMDBEngine> { guarded.store }

  private func time(_ transaction: TransactionToken?, _ caller: Caller) throws(ShellError) -> ReadTime {
    guard let transaction else { return .newest }
    return .transaction(try id(transaction, of: caller))
  }

  /// The caller's own transaction.
  private func id(_ transaction: TransactionToken, of caller: Caller) throws(ShellError) -> TransactionID {
    try storing { () throws(StoreError) in
      try store.transaction(transaction.bytes, in: database, of: caller.credentials.author)
    }
  }

  // MARK: reading

  func document(
    _ path: ResourcePath, as caller: Caller, in transaction: TransactionToken?
  ) throws(ShellError) -> ShellDocument? {
    try inject(.get, as: caller, at: [FaultedCall.segments(path.text)], in: transaction)
    return try get(path, as: caller, at: try time(transaction, caller))
  }

  func glance(_ path: ResourcePath) -> ShellDocument? {
    (try? get(path, as: .administrator, at: .newest)) ?? nil
  }

  private func get(_ path: ResourcePath, as caller: Caller, at time: ReadTime) throws(ShellError)
    -> ShellDocument?
  {
    try storing { () throws(StoreError) in
      try guarded.get(
        DocumentName(database: database, path: path), as: caller.credentials, at: time
      ) { (document, _) throws(StoreError) in document.map { ShellDocument(path, $0) } }
    }
  }

  private func normalized(_ query: StructuredQuery) throws(ShellError) -> NormalizedQuery {
    try checking { () throws(InvalidArgument) in try QueryValidator.validateForm(query) }
  }

  func run(
    _ query: StructuredQuery, as caller: Caller, in transaction: TransactionToken?,
    _ visit: (ShellDocument) -> Bool
  ) throws(ShellError) -> ReadStatistics {
    try inject(.query, as: caller, at: [FaultedCall.path(query)], in: transaction)
    let normalized = try normalized(query)
    let time = try time(transaction, caller)
    var metrics = ReadStatistics()
    var delivered = 0
    var pageCount = 0
    var isSorted = !QueryPlanner.plan(normalized).isInOrder
    var rest: UnfinishedQuery?
    repeat {
      var page = ResultPage(pageCount, isSorted: isSorted)
      let step = { (row: QueryRow) in Interruption.isRaised ? .stop : page.take(row) }
      let piece = try storing { () throws(StoreError) in
        if let rest { return try guarded.runPiece(rest, step) }
        return try guarded.runPiece(normalized, as: caller.credentials, at: time, step)
      }
      isSorted = !piece.plan.isInOrder
      if pageCount == 0 {
        metrics.indexes = piece.plan.readsNames ? [] : piece.plan.indexesUsed.map { Self.text($0, query) }
      }
      pageCount += 1
      rest = piece.rest
      // What is sorted again is no new cost: the first page has read all of it.
      metrics.documentsRead =
        isSorted
        ? max(metrics.documentsRead, piece.run.documentsRead)
        : metrics.documentsRead + piece.run.documentsRead
      delivered += piece.run.delivered
      for document in page.documents where !visit(document) {
        rest = nil
        break
      }
      // Rows that were found before Ctrl-C are shown.
      try Interruption.check()
    } while rest != nil
    metrics.documentsRead = max(metrics.documentsRead, delivered)
    return metrics
  }

  /// `studios (isClaimed ASC, rating DESC)`
  private static func text(_ usage: IndexUsage, _ query: StructuredQuery) -> String {
    (query.from.first.map { $0.collectionID + " " } ?? "") + usage.properties
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [Aggregation], as caller: Caller,
    in transaction: TransactionToken?
  ) throws(ShellError) -> [Value] {
    try inject(.count, as: caller, at: [FaultedCall.path(query)], in: transaction)
    let time = try time(transaction, caller)
    let checked = try checking { () throws(InvalidArgument) in
      try AggregationQuery.validate(aggregations) { (added) throws(InvalidArgument) in
        try QueryValidator.validateForm(query, adding: added)
      }
    }
    let values = try storing { () throws(StoreError) in
      try guarded.aggregate(checked, as: caller.credentials, at: time).outcome.results.map(\.value)
    }
    try Interruption.check()
    return values
  }

  func collectionIDs(under parent: ResourcePath) throws(ShellError) -> [String] {
    try inject(.collections, as: .administrator, at: [FaultedCall.segments(parent.text)])
    return try storing { () throws(StoreError) in try guarded.collectionIDs(under: parent, in: database) }
  }

  func explain(_ query: StructuredQuery, as caller: Caller) throws(ShellError) -> [String] {
    let normalized = try normalized(query)
    let plan = try storing { () throws(StoreError) in
      try guarded.explain(normalized, as: caller.credentials)
    }
    let indexes = plan.indexesUsed.map { "\($0.queryScope.lowercased()) \(Self.text($0, query))" }
    return [plan.description] + (indexes.isEmpty ? [] : ["index " + indexes.joined(separator: ", ")])
  }

  // MARK: writing

  func commit(
    _ writes: [Write], as caller: Caller, in transaction: TransactionToken?
  ) throws(ShellError) -> Int64 {
    try demandWritable()
    try inject(
      .commit, as: caller, at: writes.map { FaultedCall.segments($0.path.text) }, in: transaction)
    var id: TransactionID?
    if let transaction { id = try self.id(transaction, of: caller) }
    return try storing { () throws(StoreError) in
      try guarded.commitAndWait(database, writes, transaction: id, as: caller.credentials).commitTime
    }
  }

  func deleteAll(_ path: ResourcePath) throws(ShellError) -> Int? {
    try demandWritable()
    return try storing { () throws(StoreError) in try store.deleteSubtreeAndWait(database, path) }
  }

  func clear() throws(ShellError) {
    try demandWritable()
    _ = try storing { () throws(StoreError) in try store.clearAndWait(database) }
  }

  func begin(readOnly: Bool, as caller: Caller) throws(ShellError) -> TransactionToken {
    if !readOnly { try demandWritable() }
    try inject(.begin, as: caller)
    return try storing { () throws(StoreError) in
      let author = caller.credentials.author
      let id = try store.beginTransaction(database, readOnly ? .readOnly : .readWrite, of: author)
      return TransactionToken(bytes: store.token(of: id, in: database, for: author))
    }
  }

  func rollBack(_ transaction: TransactionToken, as caller: Caller) throws(ShellError) {
    try inject(.rollback, as: caller, in: transaction)
    let id = try id(transaction, of: caller)
    try storing { () throws(StoreError) in try store.rollBack(id, in: database) }
  }

  // MARK: rules

  func rules() throws(ShellError) -> (name: String, source: [UInt8])? {
    switch guarded.rulesets.protection(of: database) {
    case .rules(let ruleset): (ruleset.source.name, ruleset.source.bytes)
    case .broken(_, let source): (source.name, source.bytes)
    case .closed, .open: nil
    }
  }

  func replaceRules(_ name: String, _ source: [UInt8]) throws(ShellError) {
    guarded.rulesets.replace(database, with: try CandidateRules(name: name, source: source).compiled())
  }

  func reconnect() throws(ShellError) {}

  // MARK: administration

  func askedShapes() throws(ShellError) -> ObservedShapes {
    let own = database
    let asked = indexes.asked { $0 == own }
    return ObservedShapes(shapes: asked.shapes.map { ($0.needs, $0.count) }, isComplete: asked.isComplete)
  }

  func definedIndexes() throws(ShellError) -> DefinedIndexes? { indexes.known(database) }

  func replaceIndexes(_ indexes: DefinedIndexes, _ source: [UInt8]) throws(ShellError) {
    self.indexes.replace(database, with: indexes)
    store.setIndexes(indexes.definitions, in: database)
  }

  func metrics() throws(ShellError) -> [(name: String, value: String)] {
    [
      ("docstore_commits_total", "\(store.metrics.commits)"),
      ("docstore_commits_refused_total", "\(store.metrics.refusals)"),
      ("docstore_writes_total", "\(store.metrics.writes)"),
      ("docstore_documents_read_total", "\(guarded.metrics.documentsRead)"),
      ("docstore_rules_evaluations_total", "\(guarded.metrics.evaluations)"),
      ("docstore_rules_denials_total", "\(guarded.metrics.denials)"),
      ("docstore_open_transactions", "\(store.openTransactionCount)"),
    ]
  }

  func triggers(_ method: String, _ rest: String) throws(ShellError) -> JSONValue {
    throw .failed("triggers run in servers, and this store is in no server; `docsh serve` starts one")
  }

  // MARK: watching

  func watch(
    _ target: ReadStatement.Target, as caller: Caller, _ visit: (WatchEvent) throws(ShellError) -> Bool
  ) throws(ShellError) {
    if let readOnlyReason {
      throw .failed("changes of another process cannot be watched here; \(readOnlyReason)")
    }
    let (selection, path): (TargetSelection, [String]) =
      switch target {
      case .document(let path): (.documents([path]), FaultedCall.segments(path.text))
      case .query(let query): (.query(try normalized(query)), FaultedCall.path(query))
      }
    try inject(.listen, as: caller, at: [path])
    var faulted = FaultedStream(database, caller.credentials)
    let listening =
      self.listening ?? Listening(store) { work in EventThread.run(work) }
    self.listening = listening
    let events = EventQueue()
    let stream = listening.open(
      database, judge: guarded.listenJudge(caller.credentials),
      ListenSink(
        send: { events.add($0) }, unsentBytes: { events.count << 10 }, fail: { events.fail($0) }))
    defer { stream.close() }
    stream.take(.add(TargetRequest(id: 2, selection: .success(selection))))
    while true {
      try Interruption.check()
      for event in try events.next() {
        if let shown = try Self.shown(event), try !visit(shown) { return }
        try inject(&faulted, behind: event)
      }
      stream.clientHasRead()
    }
  }

  private static func shown(_ event: ListenEvent) throws(ShellError) -> WatchEvent? {
    switch event {
    case .added, .consistent, .filter: nil
    case .removed(_, let cause):
      throw cause.map { ShellError($0) } ?? ShellError(.failed(code: "CANCELLED"), "the server ended it")
    case .reset: .reset
    case .current: .current
    case .changed(let document, let targets, _):
      // A document that left because it was changed comes in its new state, for no target.
      targets.isEmpty ? .removed(document.path) : .changed(ShellDocument(document))
    case .deleted(let path, _, _), .left(let path, _, _): .removed(path)
    }
  }
}
