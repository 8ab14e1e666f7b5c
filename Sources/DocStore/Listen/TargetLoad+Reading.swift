/// How a new target's result is read: from nothing, or from what its client already knows.
///
/// Source: docs/spec/streams.md 1.3, 1.5, 1.6.

internal import DocModel

extension TargetLoad {
  /// What the client knows when it comes.
  private enum Base {
    case nothing
    /// Something that we cannot tell the difference to.
    case unknown
    /// The state at a time that history reaches back to.
    case state(Int64)
    /// The state at a time before that.
    case older(Int64)
  }

  /// Reads until there is enough for one sending. Throws what ends the target.
  func readPiece<Engine: StorageEngine>(
    from store: DocumentStore<Engine>, _ database: DatabaseID, _ limits: ListenLimits
  ) throws(StoreError) {
    if isComplete, try catchUp(from: store, database, limits) { return }
    // What any server has committed before the client asked is in what it is told.
    if point == nil { try store.waitUntilCurrent() }
    if let point {
      do throws(StoreError) {
        return try store.read(database, at: .at(point.readTime), from: point) { view throws(StoreError) in
          try readRest(from: view, limits)
        }
      } catch .failedPrecondition(.readTimeTooOld) {
        restart()
      }
    }
    try store.read(database) { view throws(StoreError) in try begin(view, limits) }
  }

  /// Goes on from a complete result to the newest state. False when it has to be read again.
  private func catchUp<Engine: StorageEngine>(
    from store: DocumentStore<Engine>, _ database: DatabaseID, _ limits: ListenLimits
  ) throws(StoreError) -> Bool {
    let isDone = try store.read(database) { view throws(StoreError) -> Bool in
      guard let point, try view.generationVersion() == generation, try view.keeps(point.readTime) else {
        return false
      }
      let events = try TargetDifference.events(
        target, since: point.readTime, to: view, atMost: DifferenceLimits(limits.loadChangesMax, limits),
        judge: judge)
      guard let events else { return false }
      for event in events { add(event) }
      self.point = view.point
      return true
    }
    if !isDone { restart() }
    return isDone
  }

  private func begin(_ view: StoreView, _ limits: ListenLimits) throws(StoreError) {
    if let judge {
      let verdict = try target.verdict(of: judge, on: view)
      if let denial = verdict.denial { throw denial }
    }
    if case .query(let query) = target.selection, let error = query.lateError {
      throw .invalid(error)
    }
    point = view.point
    generation = try view.generationVersion()
    switch mustReset ? Base.unknown : try base(view) {
    case .nothing: break
    case .unknown: add(.reset(target.id))
    case .older(let time):
      knownUpTo = time
      needsFilter = true
    case .state(let time):
      if try readDifference(since: time, view, limits) { return }
      knownUpTo = time
      needsFilter = true
    }
    try readFirstRows(view, limits)
  }

  private func base(_ view: StoreView) throws(StoreError) -> Base {
    let time: Int64
    switch resumption {
    case .none: return .nothing
    case .refused: return .unknown
    case .token(let bytes):
      guard let token = ResumeToken(bytes), token.readTime <= view.readTime else { return .unknown }
      // Nobody had written anything: the client knows no document.
      if token.generation == 0, generation == 0 || token.readTime < generation { return .nothing }
      guard token.generation == generation else { return .unknown }
      time = token.readTime
    case .readTime(let asked):
      guard asked > 0, asked <= view.readTime, generation == 0 || asked >= generation else { return .unknown }
      time = asked
    }
    return try view.keeps(time) ? .state(time) : .older(time)
  }

  /// Tells what has changed since the client's state; false when that is too much.
  private func readDifference(
    since time: Int64, _ view: StoreView, _ limits: ListenLimits
  ) throws(StoreError) -> Bool {
    let past = view.past(time)
    try target.fillWindow(from: past)
    if let expectedCount { needsFilter = try target.members(on: past).count != expectedCount }
    let events = try TargetDifference.events(
      target, since: time, to: view, atMost: DifferenceLimits(limits.catchUpChangesMax, limits),
      judge: judge)
    guard let events else { return false }
    for event in events { add(event) }
    isComplete = true
    return true
  }

  // MARK: rows

  private func readFirstRows(_ view: StoreView, _ limits: ListenLimits) throws(StoreError) {
    if let query = target.query {
      target.clearWindow()
      rest = target.window.map { query.filling($0) } ?? query
    }
    try readRest(from: view, limits)
  }

  private func readRest(from view: StoreView, _ limits: ListenLimits) throws(StoreError) {
    switch target.selection {
    case .documents(let paths): try readDocuments(paths, from: view, limits)
    case .query: try readRows(from: view, limits)
    }
  }

  private func readDocuments(
    _ paths: [ResourcePath], from view: StoreView, _ limits: ListenLimits
  ) throws(StoreError) {
    while documentsRead < paths.count {
      let path = paths[documentsRead]
      documentsRead += 1
      if let document = try view.document(path) {
        show(path, document)
      } else {
        add(.deleted(path, removedTargets: [target.id], readTime: view.readTime))
      }
      if eventBytes > limits.pieceBytesMax { return }
    }
    isComplete = true
  }

  private func readRows(from view: StoreView, _ limits: ListenLimits) throws(StoreError) {
    guard let query = rest else { return }
    rest = nil
    var entries: [WindowEntry] = []
    var count = 0
    let held = target.window?.entries.count ?? 0
    _ = try QueryExecutor.run(query, on: view) { row in
      let path = ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self))
      count += 1
      if let window = target.window {
        if window.shows(place: held + entries.count) { show(path, row.document) }
        if let key = target.membership?.key(path, row.document) {
          entries.append(WindowEntry(key: key, path: path))
        }
      } else {
        show(path, row.document)
      }
      guard eventBytes > limits.pieceBytesMax else { return .more }
      rest = query.rest(after: row, delivered: count)
      return .stop
    }
    isComplete = rest == nil
    let isEnd = isComplete && (query.limit.map { count < $0 } ?? true)
    target.window?.append(entries, isEnd: isEnd)
  }

  private func show(_ path: ResourcePath, _ document: StoredDocument) {
    if document.updateTime <= knownUpTo { return }
    let shown = ListenedDocument(path, DocumentImage(document), mask: target.mask)
    add(.changed(shown, targets: [target.id], removedTargets: []))
  }

  // MARK: going live

  /// Brings the loaded result to the state that the hub has reached.
  func join(_ view: StoreView, _ limits: ListenLimits) throws(StoreError) -> Joining {
    guard let point, try view.generationVersion() == generation, try view.keeps(point.readTime) else {
      return .outdated
    }
    var reads: [ResourcePath] = []
    if let judge {
      let verdict = try target.verdict(of: judge, on: view)
      if let denial = verdict.denial { return .denied(denial) }
      reads = verdict.reads
    }
    let changes = try TargetDifference.events(
      target, since: point.readTime, to: view, atMost: DifferenceLimits(limits.joinChangesMax, limits),
      judge: judge)
    // A window has moved on already, without its messages.
    guard var events = changes else { return target.window == nil ? .behind : .outdated }
    if needsFilter {
      let members = try target.members(on: view)
      let names = members.map { DocumentName(database: view.database, path: $0).resourceName }
      events.append(.filter(target.id, count: names.count, names: BloomFilter(names)))
    }
    return .events(events, reads: Array(Set(reads)))
  }
}
