/// Long answers in pieces: a view is held for one piece, never while a client reads it.
///
/// A piece ends where its visitor says stop. What is left remembers the state that was read, so all pieces
/// show one read time, and was judged as a whole before its first row.
///
/// INVARIANT: an unfinished read is made only by a read that its rules have allowed.

public import DocModel
public import DocStore
internal import Rules

/// One piece of a query's result.
public struct QueryPiece: Sendable {
  public let run: QueryRun
  public let plan: QueryPlan
  /// Nil when the result is complete.
  public let rest: UnfinishedQuery?
}

/// A query that goes on after the rows given so far.
public struct UnfinishedQuery: Sendable {
  fileprivate let query: NormalizedQuery
  fileprivate let time: ReadTime
  fileprivate let point: ReadPoint

  public var readTime: Int64 { point.readTime }
}

/// Documents by name that are still to be read.
public struct UnfinishedGet: Sendable {
  fileprivate let paths: ArraySlice<ResourcePath>
  fileprivate let database: DatabaseID
  fileprivate let time: ReadTime
  fileprivate let point: ReadPoint
}

extension GuardedStore {
  /// Runs a query if its shape is allowed, until it is complete or `visit` says stop. `begin` gets the read
  /// time before the first row.
  public func runPiece(
    _ query: NormalizedQuery, as credentials: Credentials, at time: ReadTime = .newest,
    begin: (_ readTime: Int64) -> Void = { _ in }, _ visit: (QueryRow) -> ScanStep
  ) throws(StoreError) -> QueryPiece {
    try store.read(query.database, at: time) { (view) throws(StoreError) in
      try admit(query, on: view, as: credentials)
      begin(view.readTime)
      return try piece(query, view, time, visit)
    }
  }

  /// Goes on with a query, at its read time.
  public func runPiece(
    _ rest: UnfinishedQuery, _ visit: (QueryRow) -> ScanStep
  ) throws(StoreError) -> QueryPiece {
    try store.read(rest.query.database, at: rest.time, from: rest.point) { (view) throws(StoreError) in
      try piece(rest.query, view, rest.time, visit)
    }
  }

  private func piece(
    _ query: NormalizedQuery, _ view: StoreView, _ time: ReadTime, _ visit: (QueryRow) -> ScanStep
  ) throws(StoreError) -> QueryPiece {
    var delivered = 0
    var rest: UnfinishedQuery?
    let plan = try view.plan(query)
    let run = try QueryExecutor.run(query, plan: plan, on: view) { row in
      delivered += 1
      guard visit(row) == .stop else { return .more }
      rest = query.rest(after: row, delivered: delivered).map {
        UnfinishedQuery(query: $0, time: time, point: view.point)
      }
      return .stop
    }
    metrics.countDocuments(delivered)
    view.learn(query, run)
    return QueryPiece(run: run, plan: plan, rest: rest)
  }

  /// Reads several documents at one read time, in the order of `paths`, until `visit` says stop. One denial
  /// refuses all of them, before `visit` is called. The result is what is left.
  public func getPiece(
    _ paths: [ResourcePath], in database: DatabaseID, as credentials: Credentials,
    at time: ReadTime = .newest,
    _ visit: (ResourcePath, StoredDocument?, _ readTime: Int64) -> ScanStep
  ) throws(StoreError) -> UnfinishedGet? {
    try store.read(database, at: time) { (view) throws(StoreError) in
      view.claim(paths)
      try judging(view, credentials) { (guarding) throws(StoreError) in
        for path in paths { try guarding.allowGet(path, try view.document(path), in: database) }
      }
      return try piece(paths[...], view, time, visit)
    }
  }

  /// Goes on with documents by name, at their read time.
  public func getPiece(
    _ rest: UnfinishedGet, _ visit: (ResourcePath, StoredDocument?, _ readTime: Int64) -> ScanStep
  ) throws(StoreError) -> UnfinishedGet? {
    try store.read(rest.database, at: rest.time, from: rest.point) { (view) throws(StoreError) in
      try piece(rest.paths, view, rest.time, visit)
    }
  }

  private func piece(
    _ paths: ArraySlice<ResourcePath>, _ view: StoreView, _ time: ReadTime,
    _ visit: (ResourcePath, StoredDocument?, _ readTime: Int64) -> ScanStep
  ) throws(StoreError) -> UnfinishedGet? {
    for (index, path) in zip(paths.indices, paths) {
      metrics.countDocuments(1)
      guard visit(path, try view.document(path), view.readTime) == .stop else { continue }
      let rest = paths[(index + 1)...]
      if rest.isEmpty { return nil }
      return UnfinishedGet(paths: rest, database: view.database, time: time, point: view.point)
    }
    return nil
  }
}
