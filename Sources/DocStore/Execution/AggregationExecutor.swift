/// Runs aggregations: over documents, or, where counting is all and indexes say it exactly, over entries.

public import DocModel

/// The results of an aggregation query and how they came about.
public struct AggregationOutcome: Sendable {
  /// By alias, in the order they were asked for.
  public let results: [(alias: String, value: Value)]
  public let plan: QueryPlan
  /// `delivered` is the number of documents that were added up.
  public let run: QueryRun
}

public enum AggregationExecutor<Source: QuerySource> {
  public static func run(
    _ query: AggregationQuery, on source: Source
  ) throws(StoreError) -> AggregationOutcome {
    let plan = try source.plan(query.query)
    var totals = AggregationTotals(query)
    if case .indexes(let access) = plan.access, access.isExact, totals.isCountOnly {
      let run = try count(query.query, access, source, &totals)
      return AggregationOutcome(results: totals.results, plan: plan, run: run)
    }
    let run = try QueryExecutor.run(query.query, plan: unsorted(plan, query.query, totals), on: source) {
      row in
      if totals.isComplete { return .stop }
      totals.add(row.document.fields)
      return .more
    }
    source.learn(query.query, run)
    return AggregationOutcome(results: totals.results, plan: plan, run: run)
  }

  /// The plan without its sorting where nothing but the number of documents counts: then counting needs no memory, and
  /// ends where enough are counted.
  private static func unsorted(
    _ plan: QueryPlan, _ query: NormalizedQuery, _ totals: AggregationTotals
  ) -> QueryPlan {
    guard totals.isCountOnly, query.limit == nil, query.nearest == nil else { return plan }
    return QueryPlan(access: plan.access, isInOrder: true, appliesCursors: plan.appliesCursors)
  }

  private static func count(
    _ query: NormalizedQuery, _ access: IndexAccess, _ source: Source, _ totals: inout AggregationTotals
  ) throws(StoreError) -> QueryRun {
    var bound = query.limit
    if let enough = totals.enough.map({ Int(clamping: $0) }) { bound = min(bound ?? enough, enough) }
    let (last, isEndless) = (bound ?? .max).addingReportingOverflow(query.offset)
    var run = QueryRun()
    if bound != 0 {
      let (source, _) = source.noting(query)
      let found = try source.count(access, limit: isEndless ? nil : last, entriesRead: &run.entriesRead)
      run.skipped = min(query.offset, found)
      run.delivered = found - run.skipped
      run.matched = found
    }
    totals.add(documents: run.delivered)
    return run
  }
}
