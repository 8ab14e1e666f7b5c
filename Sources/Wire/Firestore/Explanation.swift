/// `explain_options` and `explain_metrics`.
///
/// Statistics are those of the run: entries and documents looked at, documents that the service would charge
/// for. A query without results costs one read; 1,000 index entries that were counted cost one.
/// Source: https://firebase.google.com/docs/firestore/reference/query-explain-report-reference;
/// docs/spec/protocol.md 1.13.

internal import DocModel
internal import DocStore

/// `ExplainOptions`
package enum ExplainChoice: Equatable {
  case none
  /// Only how the query would be run.
  case plan
  /// The query is run as well.
  case analyze

  init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var isAnalyzed = false
    try MessageFields.each(1 << 3, of: message) { fields throws(GRPCStatus) in
      isAnalyzed = try fields.varint() != 0
    }
    self = isAnalyzed ? .analyze : .plan
  }
}

/// What a run adds up to, piece by piece.
struct ExplainedRun: Sendable {
  private let start = ContinuousClock.now
  private let query: NormalizedQuery
  /// Those of the first piece's plan.
  private(set) var indexes: [IndexUsage] = []
  private var hasPlan = false
  private var run = QueryRun()
  /// The newest answer, which waits until it is known whether it is the last: that one carries the explanation.
  private var newest: [UInt8]?

  init(_ query: NormalizedQuery) { self.query = query }

  mutating func add(_ plan: QueryPlan, _ piece: QueryRun) {
    if !hasPlan { indexes = plan.indexesUsed(by: query) }
    hasPlan = true
    run.skipped += piece.skipped
    run.delivered += piece.delivered
    if query.requiredFields.isEmpty {
      run.documentsRead += piece.documentsRead
      run.entriesRead += plan.readsNames ? piece.documentsRead : piece.entriesRead
    } else {
      // The service adds up what the index that is named holds, whatever is read here.
      run.entriesRead += piece.skipped + piece.delivered
    }
  }

  /// Keeps an answer, and gives back the one before it, which can be sent.
  mutating func hold(_ answer: [UInt8]) -> [UInt8]? {
    defer { newest = answer }
    return newest
  }

  /// The last answer of a query, with the explanation.
  /// Source: docs/spec/production-differences.md A7.
  func lastAnswer() -> [UInt8] {
    var writer = WireWriter(newest ?? [])
    writer.message(11) { $0.metrics(indexes, queryMetrics) }
    return writer.bytes
  }

  /// The statistics of a query.
  private var queryMetrics: ExecutionStatistics {
    ExecutionStatistics(
      run, results: run.delivered, charged: run.delivered + run.skipped, took: ContinuousClock.now - start)
  }

  /// The statistics of an aggregation: one result, charged by the entries it counts.
  var aggregationMetrics: ExecutionStatistics {
    ExecutionStatistics(run, results: 1, chargedEntries: run.delivered, took: ContinuousClock.now - start)
  }
}

/// `ExecutionStats`
struct ExecutionStatistics {
  let results: Int
  let entriesRead: Int
  let documentsRead: Int
  let documentsCharged: Int
  let entriesCharged: Int
  /// 1 when nothing else is charged.
  let minimum: Int
  let duration: Duration

  init(_ run: QueryRun, results: Int, charged: Int = 0, chargedEntries: Int = 0, took duration: Duration) {
    self.results = results
    entriesRead = run.entriesRead
    documentsRead = run.documentsRead
    documentsCharged = charged
    entriesCharged = chargedEntries
    minimum = charged == 0 && chargedEntries == 0 ? 1 : 0
    self.duration = duration
  }

  var readOperations: Int { documentsCharged + (entriesCharged + 999) / 1_000 + minimum }
}

extension Answers {
  /// `RunQueryResponse` with `explain_metrics` alone.
  static func queryExplanation(_ indexes: [IndexUsage]) -> [UInt8] {
    var writer = WireWriter(reserving: 256)
    writer.message(11) { $0.metrics(indexes, nil) }
    return writer.bytes
  }

  /// `RunAggregationQueryResponse` with `explain_metrics` alone.
  static func aggregationExplanation(_ indexes: [IndexUsage]) -> [UInt8] {
    var writer = WireWriter(reserving: 256)
    writer.message(10) { $0.metrics(indexes, nil) }
    return writer.bytes
  }

  /// A `RunAggregationQueryResponse` with its statistics.
  static func explained(_ answer: [UInt8], _ indexes: [IndexUsage], _ metrics: ExecutionStatistics) -> [UInt8]
  {
    var writer = WireWriter(answer)
    writer.message(10) { $0.metrics(indexes, metrics) }
    return writer.bytes
  }
}

extension WireWriter {
  /// `ExplainMetrics`
  fileprivate mutating func metrics(_ indexes: [IndexUsage], _ metrics: ExecutionStatistics?) {
    message(1) { summary in
      for usage in indexes {
        summary.message(1) { index in
          index.member("query_scope", text: usage.queryScope)
          index.member("properties", text: usage.properties)
        }
      }
    }
    guard let metrics else { return }
    message(2) { stats in
      stats.field(1, varint: UInt64(metrics.results))
      stats.message(3) { duration in
        let parts = metrics.duration.components
        if parts.seconds != 0 { duration.field(1, varint: UInt64(bitPattern: parts.seconds)) }
        duration.field(2, varint: UInt64(bitPattern: parts.attoseconds / 1_000_000_000))
      }
      stats.field(4, varint: UInt64(metrics.readOperations))
      stats.message(5) { $0.debugStats(metrics) }
    }
  }

  /// Numbers are texts here, as the service sends them.
  private mutating func debugStats(_ metrics: ExecutionStatistics) {
    member("index_entries_scanned", text: String(metrics.entriesRead))
    member("documents_scanned", text: String(metrics.documentsRead))
    member("billing_details") { value in
      value.message(5) { details in
        details.member("documents_billable", text: String(metrics.documentsCharged))
        details.member("index_entries_billable", text: String(metrics.entriesCharged))
        // Queries for names alone were small operations once; native mode has none.
        details.member("small_ops", text: "0")
        details.member("min_query_cost", text: String(metrics.minimum))
      }
    }
  }

  /// A member of a `google.protobuf.Struct`.
  private mutating func member(_ name: String, text: String) {
    member(name) { $0.field(3, text: text) }
  }

  private mutating func member(_ name: String, _ value: (inout WireWriter) -> Void) {
    message(1) { entry in
      entry.field(1, text: name)
      entry.message(2, value)
    }
  }
}
