/// What listeners ask of a view beyond documents and queries: which generation it shows, what has changed
/// since an earlier time, and the view of that time.

internal import DocModel

extension StoreView {
  /// The version that made the generation which the view shows; 0 while nobody has written to the database.
  func generationVersion() throws(StoreError) -> Int64 {
    do {
      return try DatabaseCatalog.record(states.view, database)?.created ?? 0
    } catch { throw .storage(error) }
  }

  /// Whether everything since `version` is still kept.
  func keeps(_ version: Int64) throws(StoreError) -> Bool {
    do throws(StorageError) {
      guard let state = try DatabaseCatalog.state(states.view) else { throw .corrupt }
      return version >= state.floor
    } catch { throw .storage(error) }
  }

  /// The same generation at an earlier time, which `keeps` must have said yes to.
  func past(_ version: Int64) -> StoreView {
    StoreView(
      database: database, readTime: version,
      states: DocumentStates(
        view: states.view, generation: states.generation, version: version, isTallied: states.isTallied,
        areGroupsKnown: states.areGroupsKnown),
      recorder: nil, indexes: indexes)
  }

  /// Whether anything was written after `version` and up to the view's time.
  func hasChanged(after version: Int64) throws(StoreError) -> Bool {
    var isFound = false
    try scanChanges(after: version) { _ in
      isFound = true
      return .stop
    }
    return isFound
  }

  /// The documents written after `version`, each once, in the order in which they were first written; nil
  /// when there are more than `limit`.
  func changedDocuments(
    after version: Int64, limit: Int, where concerns: (ResourcePath) -> Bool
  ) throws(StoreError) -> [ResourcePath]? {
    var paths: [ResourcePath] = []
    var known: Set<ResourcePath> = []
    var isTooMuch = false
    try scanChanges(after: version) { path in
      if !concerns(path) || !known.insert(path).inserted { return .more }
      paths.append(path)
      isTooMuch = paths.count > limit
      return isTooMuch ? .stop : .more
    }
    return isTooMuch ? nil : paths
  }

  private func scanChanges(
    after version: Int64, _ visit: (ResourcePath) -> ScanStep
  ) throws(StoreError) {
    if states.generation == 0 { return }
    do {
      try ChangeRecord.scan(states.view, states.generation, after: version, upTo: readTime) { _, path in
        visit(path)
      }
    } catch { throw .storage(error) }
  }
}
