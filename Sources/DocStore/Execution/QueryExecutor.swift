/// Runs a planned query over a snapshot.
///
/// Documents that arrive in the order of the result go straight to the visitor, and reading stops at the
/// limit. Otherwise keys of the matching ones are collected and sorted while the documents stay where they
/// are in the snapshot; with a limit a heap of that many keys is all the memory it takes.
///
/// LIMIT: keys and names held for sorting are bounded by `QueryLimits.sortBytesMax`.

internal import DocModel

/// One document of a result. The path and the shown fields die when the visitor returns.
public struct QueryRow {
  /// Relative to the database's root.
  public let path: UnsafeRawBufferPointer
  /// Times and all stored fields.
  public let document: StoredDocument
  /// The shown fields, encoded as in a document message.
  public let fields: UnsafeRawBufferPointer
  /// How many documents the offset passed over: the same for every row of a result.
  public let skipped: Int
}

/// What a run did.
public struct QueryRun: Equatable, Sendable {
  /// Documents that the offset passed over; fewer than the offset when there were no more.
  public var skipped = 0
  public var delivered = 0
  /// Documents looked at, matching or not.
  public var documentsRead = 0
  /// Documents that passed the filter and the cursors; fewer than there are when a limit ended the run.
  public var matched = 0
  /// Index entries looked at.
  public var entriesRead = 0

  public init() {}
}

public struct QueryExecutor<Source: QuerySource> {
  private let query: NormalizedQuery
  private let plan: QueryPlan
  private let source: Source
  private let matcher: FilterMatcher
  private let keys: OrderKeyMaker
  private var run = QueryRun()
  private var note: QueryNote?
  /// The projection of the document being delivered.
  private var projected = WireWriter()

  /// Runs `query` and hands its documents to `visit`, in order, until it says stop.
  public static func run(
    _ query: NormalizedQuery, on source: Source, _ visit: (QueryRow) -> ScanStep
  ) throws(StoreError) -> QueryRun {
    let run = try run(query, plan: try source.plan(query), on: source, visit)
    source.learn(query, run)
    return run
  }

  /// Runs a given plan, so that tests can run one query by several.
  public static func run(
    _ query: NormalizedQuery, plan: QueryPlan, on source: Source, _ visit: (QueryRow) -> ScanStep
  ) throws(StoreError) -> QueryRun {
    let (source, note) = source.noting(query)
    if let nearest = query.nearest {
      return try NearestSearch.run(query, nearest, plan: plan, on: source, visit)
    }
    var executor = QueryExecutor(query, plan, source)
    executor.note = note
    if plan.isInOrder {
      try executor.runInOrder(visit)
    } else {
      try executor.runSorted(visit)
    }
    return executor.run
  }

  /// Hands every document that passes the filter to `visit`, in no order, for results that are ordered by
  /// something else. Ordered fields are not looked for.
  static func forEachMatch(
    _ query: NormalizedQuery, plan: QueryPlan, on source: Source,
    _ visit: (UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) -> QueryRun {
    var executor = QueryExecutor(query, plan, source)
    try executor.forEachCandidate { executor, path, document in
      guard executor.matcher.matches(path: path, fields: document.fields) else { return .more }
      executor.run.matched += 1
      return visit(path, document)
    }
    return executor.run
  }

  private init(_ query: NormalizedQuery, _ plan: QueryPlan, _ source: Source) {
    self.query = query
    self.plan = plan
    self.source = source
    matcher = FilterMatcher(query.filter, requiring: query.requiredFields)
    keys = OrderKeyMaker(query, checksCursors: !plan.appliesCursors)
  }

  // MARK: in order

  private mutating func runInOrder(_ visit: (QueryRow) -> ScanStep) throws(StoreError) {
    var writer = KeyWriter()
    try forEachCandidate { executor, path, document in
      guard executor.matcher.matches(path: path, fields: document.fields) else { return .more }
      if executor.needsKeys {
        guard executor.keys.write(path, document.fields, to: &writer) else { return .more }
      }
      executor.run.matched += 1
      if executor.run.skipped < executor.query.offset {
        executor.run.skipped += 1
        return .more
      }
      return executor.deliver(path, document, visit)
    }
  }

  /// Whether a document that arrives in order must be looked at for its key. Indexes hold only documents
  /// that have the ordered fields.
  private var needsKeys: Bool {
    if case .indexes = plan.access { return keys.hasBounds }
    return keys.isNeeded
  }

  // MARK: sorted

  private mutating func runSorted(_ visit: (QueryRow) -> ScanStep) throws(StoreError) {
    var rows = SortedRows(capacity: capacity)
    var writer = KeyWriter()
    try forEachCandidate { executor, path, document in
      guard executor.matcher.matches(path: path, fields: document.fields),
        executor.keys.write(path, document.fields, to: &writer)
      else { return .more }
      executor.run.matched += 1
      guard rows.hasRoom(for: writer.bytes) else { return .more }
      rows.insert(
        PendingRow(
          bytes: writer.bytes + path, keyCount: writer.bytes.count, document: document))
      return rows.bytesHeld > QueryLimits.sortBytesMax ? .stop : .more
    }
    if rows.bytesHeld > QueryLimits.sortBytesMax { throw Self.tooMuchToSort }
    deliver(rows.sorted(), visit)
  }

  /// How many rows the result can need, the offset's included.
  private var capacity: Int? {
    guard let limit = query.limit else { return nil }
    let (sum, overflow) = limit.addingReportingOverflow(query.offset)
    return overflow ? nil : sum
  }

  private mutating func deliver(_ rows: [PendingRow], _ visit: (QueryRow) -> ScanStep) {
    run.skipped = min(query.offset, rows.count)
    for row in rows.dropFirst(query.offset) {
      if row.withPath({ deliver($0, row.document, visit) }) == .stop { return }
    }
  }

  private static var tooMuchToSort: StoreError {
    .resourceExhausted(message: "query needs too much memory to sort its results; add a limit")
  }

  // MARK: both

  private mutating func forEachCandidate(
    _ visit: (inout QueryExecutor, UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) {
    switch plan.access {
    case .nothing: return
    case .lookup(let ascending):
      let paths = query.orders[0].direction == .descending ? ascending.reversed() : ascending
      for path in paths {
        guard let document = try source.document(path) else { continue }
        run.documentsRead += 1
        var text = path.text
        let step = text.withUTF8 { visit(&self, UnsafeRawBufferPointer($0), document) }
        if step == .stop { return }
      }
    case .range(let range):
      try source.scan(range) { path, document in
        run.documentsRead += 1
        if ScanInterruption.ends(at: run.documentsRead) { return .stop }
        return visit(&self, path, document)
      }
    case .indexes(let access):
      var entriesRead = 0
      defer { run.entriesRead += entriesRead }
      try source.scan(access, entriesRead: &entriesRead) { path, document in
        run.documentsRead += 1
        if ScanInterruption.ends(at: run.documentsRead) { return .stop }
        return visit(&self, path, document)
      }
    case .scan(let scope):
      try source.scan(scope) { path, document in
        run.documentsRead += 1
        if ScanInterruption.ends(at: run.documentsRead) { return .stop }
        return visit(&self, path, document)
      }
    }
  }

  private mutating func deliver(
    _ path: UnsafeRawBufferPointer, _ document: StoredDocument, _ visit: (QueryRow) -> ScanStep
  ) -> ScanStep {
    run.delivered += 1
    let step: ScanStep
    if let mask = query.projection {
      projected.bytes.removeAll(keepingCapacity: true)
      mask.append(document.fields, to: &projected)
      step = projected.bytes.withUnsafeBytes { fields in
        visit(QueryRow(path: path, document: document, fields: fields, skipped: run.skipped))
      }
    } else {
      step = visit(
        QueryRow(path: path, document: document, fields: document.fields.bytes, skipped: run.skipped))
    }
    guard query.limit == run.delivered else { return step }
    note?.end(at: path, document)
    return .stop
  }
}
