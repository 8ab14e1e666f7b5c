/// One target of one stream, as its hub keeps it.

internal import DocModel

/// State and its owner: the load that makes it, then the hub. A target of a query without limit holds no
/// documents: whether one entered, stayed or left is told by its states before and after a commit.
final class LiveTarget {
  let id: Int32
  let selection: TargetSelection
  /// The ordered documents of a query with limit or offset; nil for every other target.
  var window: LimitWindow?
  /// Documents that the decision to show this target read.
  var guards: [ResourcePath] = []
  /// Changes of the commit at hand that may move the window.
  var pending: [Int] = []
  /// Nil for documents.
  let membership: QueryMembership?

  init(id: Int32, _ selection: TargetSelection) {
    self.id = id
    self.selection = selection
    switch selection {
    case .documents:
      membership = nil
    case .query(let query):
      membership = QueryMembership(query)
      if query.isWindowed { window = LimitWindow(query) }
    }
  }

  var query: NormalizedQuery? {
    switch selection {
    case .documents: nil
    case .query(let query): query
    }
  }

  var mask: FieldMask? { query?.projection }

  /// Whether a document is one of the result, limit and offset aside.
  func matches(_ path: ResourcePath, _ document: StoredDocument) -> Bool {
    switch selection {
    case .documents(let paths): paths.contains(path)
    case .query: membership?.includes(path, document) ?? false
    }
  }
}

extension NormalizedQuery {
  /// Whether other documents decide if a document is shown.
  var isWindowed: Bool { limit != nil || offset > 0 }
}

extension LiveTarget {
  func clearWindow() {
    if let query, query.isWindowed { window = LimitWindow(query) }
  }

  /// Reads what the window holds from a view. `visit` gets the documents that are shown.
  func fillWindow(
    from view: StoreView, _ visit: (_ path: ResourcePath, StoredDocument) -> Void = { _, _ in }
  ) throws(StoreError) {
    guard let query, query.isWindowed else { return }
    var window = LimitWindow(query)
    let filling = query.filling(window)
    var entries: [WindowEntry] = []
    _ = try QueryExecutor.run(filling, on: view) { row in
      let path = ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self))
      if window.shows(place: entries.count) { visit(path, row.document) }
      if let key = membership?.key(path, row.document) { entries.append(WindowEntry(key: key, path: path)) }
      return .more
    }
    let isEnd = filling.limit.map { entries.count < $0 } ?? true
    window.append(entries, isEnd: isEnd)
    self.window = window
  }

  /// Whether the stream's user may see the target on this view.
  func verdict(of judge: ListenJudge, on view: StoreView) throws(StoreError) -> ListenVerdict {
    switch selection {
    case .query(let query): return judge.mayList(query, view)
    case .documents(let paths):
      var all = ListenVerdict()
      for path in paths {
        let verdict = judge.mayGet(path, try view.document(path), view)
        all.reads.append(contentsOf: verdict.reads)
        if verdict.denial != nil {
          all.denial = verdict.denial
          return all
        }
      }
      return all
    }
  }

  /// The names of the documents that are shown on a view.
  func members(on view: StoreView) throws(StoreError) -> [ResourcePath] {
    switch selection {
    case .documents(let paths):
      var present: [ResourcePath] = []
      for path in paths where try view.document(path) != nil { present.append(path) }
      return present
    case .query(let query):
      if let window { return window.shown.map(\.path) }
      var paths: [ResourcePath] = []
      _ = try QueryExecutor.run(query, on: view) { row in
        paths.append(ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self)))
        return .more
      }
      return paths
    }
  }
}
