/// Aggregations, and what explanations ask: judged as the query they are about.

public import DocStore
internal import Rules

extension GuardedStore {
  /// Runs aggregations if the query they are over is allowed.
  public func aggregate(
    _ query: AggregationQuery, as credentials: Credentials, at time: ReadTime = .newest
  ) throws(StoreError) -> (outcome: AggregationOutcome, readTime: Int64) {
    try store.read(query.query.database, at: time) { (view) throws(StoreError) in
      try admitExplained(query.query, view, credentials)
      let outcome = try AggregationExecutor.run(query, on: view)
      figures.countDocuments(outcome.run.delivered)
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

  private func admitExplained(
    _ query: NormalizedQuery, _ view: StoreView, _ credentials: Credentials
  ) throws(StoreError) {
    try judging(view, credentials) { (guarding) throws(StoreError) in
      try guarding.allowList(QueryShape(query), in: query.database)
    }
  }
}
