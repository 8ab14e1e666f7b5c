/// Aggregations, and what explanations ask: judged as the query they are about.

public import DocStore

extension GuardedStore {
  /// Runs aggregations if the query they are over is allowed.
  public func aggregate(
    _ query: AggregationQuery, as credentials: Credentials, at time: ReadTime = .newest
  ) throws(StoreError) -> (outcome: AggregationOutcome, readTime: Int64) {
    try store.read(query.query.database, at: time) { (view) throws(StoreError) in
      try admit(query.query, on: view, as: credentials)
      let outcome = try AggregationExecutor.run(query, on: view)
      metrics.countDocuments(outcome.run.delivered)
      return (outcome, view.readTime)
    }
  }

  /// How a query would be run, if it is allowed. Builds the indexes that it would like to have, as long as
  /// that takes no more than `milliseconds`.
  public func explain(
    _ query: NormalizedQuery, as credentials: Credentials, at time: ReadTime = .newest,
    buildingAtMost milliseconds: Int = 2_000
  ) throws(StoreError) -> QueryPlan {
    try store.read(query.database, at: time) { (view) throws(StoreError) in
      try admitExplained(query, view, credentials)
    }
    try store.buildIndexes(for: query, waitingAtMost: milliseconds)
    return try store.read(query.database, at: time) { (view) throws(StoreError) in try view.plan(query) }
  }

  /// A plan without an index is refused in fewer words. Source: docs/spec/production-differences.md A6.
  private func admitExplained(
    _ query: NormalizedQuery, _ view: StoreView, _ credentials: Credentials
  ) throws(StoreError) {
    do throws(StoreError) {
      try admit(query, on: view, as: credentials)
    } catch {
      guard case .failedPrecondition(.missingIndex) = error else { throw error }
      throw .failedPrecondition(.missingIndex(message: "no matching index found."))
    }
  }
}
