/// Indexes as one view may use them.

internal import DocModel

extension StoreView {
  /// LIMIT: documents changed since an earlier read time that are merged in; beyond it queries scan.
  static let changedMax = 10_000

  public func plan(_ query: NormalizedQuery) throws(StoreError) -> QueryPlan {
    if let error = query.lateError { throw .invalid(error) }
    do throws(StorageError) {
      guard let choice = try indexChoice(query) else { return QueryPlanner.plan(query) }
      let plan = QueryPlanner.plan(query, choice)
      return try isReady(plan) ? plan : QueryPlanner.plan(query)
    } catch { throw .storage(error) }
  }

  private func indexChoice(_ query: NormalizedQuery) throws(StorageError) -> IndexChoice? {
    guard let indexes, let id = query.scope.collectionID else { return nil }
    let ready = indexes.indexes(states.generation, of: id).filter(\.isReady)
    if ready.isEmpty { return nil }
    if states.version != nil, try changedDocuments() == nil { return nil }
    return IndexChoice(generation: states.generation, indexes: ready, isPast: states.version != nil)
  }

  /// The registry knows of the newest state, this view may show an earlier one.
  private func isReady(_ plan: QueryPlan) throws(StorageError) -> Bool {
    guard case .indexes(let access) = plan.access else { return true }
    for conjunct in access.conjuncts {
      for member in conjunct.members
      where try !IndexCatalog.isReady(states.view, states.generation, member.index.number) { return false }
    }
    return true
  }

  /// What changed after the read time; nil when that is too much.
  private func changedDocuments() throws(StorageError) -> Set<ResourcePath>? {
    guard let changed = states.changed else { return [] }
    return try changed.paths(in: states.view, states.generation)
  }

  // MARK: reading

  public func scan(
    _ access: IndexAccess, entriesRead: inout Int,
    _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) {
    note(access.scope)
    try indexScan(access).run(entriesRead: &entriesRead, visit)
  }

  public func count(
    _ access: IndexAccess, limit: Int?, entriesRead: inout Int
  ) throws(StoreError) -> Int {
    note(access.scope)
    return try indexScan(access).count(limit: limit, entriesRead: &entriesRead)
  }

  private func indexScan(_ access: IndexAccess) throws(StoreError) -> IndexScan {
    indexes?.noteUse(
      access.conjuncts.lazy.flatMap { $0.members.lazy.map(\.index.number) }, states.generation)
    do throws(StorageError) {
      // The plan was made on this view, so there is a set.
      return IndexScan(states: states, access: access, changed: try changedDocuments() ?? [])
    } catch { throw .storage(error) }
  }

  /// An index read counts in a transaction as the scan it stands for: what is not found is read, too.
  private func note(_ scope: QueryScope) {
    recorder?.note(scope)
  }

  // MARK: proposals

  /// Asks for the indexes that would have made a run shorter.
  public func learn(_ query: NormalizedQuery, _ run: QueryRun) {
    guard let indexes, case .onDemand(let minimum) = indexes.building, run.documentsRead >= minimum,
      run.documentsRead >= 2 * (run.delivered + run.skipped)
    else { return }
    let shapes = IndexProposal.shapes(
      query, defined: indexes.definitions(of: database), isSelective: run.matched * 4 <= run.documentsRead)
    indexes.propose(shapes, database, states.generation)
  }
}

extension QueryScope {
  /// What indexes of the scope go by.
  var collectionID: String? {
    switch self {
    case .collection(let collection): collection.lastSegment
    case .group(let collectionID, _): collectionID
    case .children, .descendants: nil
    }
  }
}
