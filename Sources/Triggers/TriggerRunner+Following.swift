/// From the store's feed to the board of deliveries.
///
/// Live events come with their images. After a start in the past, or when the feed has dropped events, the
/// changes are read from storage and their images at the read times around each commit.

internal import DocModel
internal import DocStore
internal import Synchronization

/// How far one database has been taken.
struct Follow: Sendable {
  /// Everything at or below this version is on the board or done with.
  var position: Int64
  var subscription: FeedSubscription?
  /// Whether `position` must first be brought up to the feed by reading storage.
  var isBehind = true
  /// Whether every commit below the subscription's start is visible to scans.
  var isSettled = false
  /// Everything at or below this version has left the feed, also where nothing was changed: keeps a quiet
  /// database from looking as if its changes had been collected.
  var taken: Int64 = 0

  init(position: Int64) { self.position = position }
}

extension TriggerRunner {
  /// LIMIT: changes that are read from storage at a time, rounded up to whole commits.
  private static var batchChanges: Int { 256 }

  /// Takes what has come, as far as there is room. True when nothing is left to take.
  func follow(isAskedForAll: Bool) -> Bool {
    if state.withLock({ $0.isPaused }) { return false }
    var isUpToDate = discover(isAskedForAll: isAskedForAll)
    let follows = state.withLock { $0.follows }
    for (database, var follow) in follows {
      if follow.subscription == nil { subscribe(database, &follow) }
      if follow.isBehind { catchUp(database, &follow) }
      if !follow.isBehind { takeLive(database, &follow) }
      // Dropped events are read at once, so that whoever drains needs no further round.
      if follow.isBehind { catchUp(database, &follow) }
      if follow.isBehind || !hasRoom { isUpToDate = false }
      state.withLock { [follow] in $0.follows[database] = follow }
    }
    return isUpToDate
  }

  private var hasRoom: Bool { state.withLock { $0.board.pendingCount < settings.pendingMax } }

  // MARK: databases

  /// Follows what has sprung into being since the last time; false when that cannot be known now.
  private func discover(isAskedForAll: Bool) -> Bool {
    let now = ContinuousClock.now
    let (isDue, from) = state.withLock { state in
      let isDue = state.lastDiscovery.map { now - $0 >= settings.discoveryInterval } ?? true
      if isDue { state.lastDiscovery = now }
      return (isDue, state.discoveredTo)
    }
    guard isDue || isAskedForAll else { return true }
    do throws(StoreError) {
      // Before the list: a database that is missing there has no commit at or below this version.
      let present = try store.presentVersion()
      let found: [DatabaseID]
      if let databases { found = databases } else { found = try store.databases() }
      state.withLock { state in
        for database in found where state.follows[database] == nil {
          state.follows[database] = Follow(position: from)
        }
        state.discoveredTo = max(from, present)
      }
      return true
    } catch {
      report(.unreadable(nil, error))
      return false
    }
  }

  private func subscribe(_ database: DatabaseID, _ follow: inout Follow) {
    follow.subscription = store.subscribe(database) { [weak self] in self?.wake() }
    follow.isBehind = true
  }

  // MARK: live

  private func takeLive(_ database: DatabaseID, _ follow: inout Follow) {
    guard hasRoom, let subscription = follow.subscription else { return }
    for event in subscription.take() {
      switch event {
      case .commit(let version, let changes):
        // Read from storage already.
        if version <= follow.position { continue }
        for change in changes { enqueue(database, version, change) }
        follow.position = version
      case .cleared(let version, _): follow.position = max(follow.position, version)
      case .lagged:
        follow.position = max(follow.position, follow.taken)
        follow.isBehind = true
      }
    }
    if !follow.isBehind { follow.taken = state.withLock { $0.discoveredTo } - Self.publicationMicroseconds }
  }

  /// Assumed: a commit that is visible is on the feed within a minute.
  private static var publicationMicroseconds: Int64 { 60_000_000 }

  private func enqueue(_ database: DatabaseID, _ version: Int64, _ change: DocumentChange) {
    guard isWanted(change.path) else { return }
    enqueue(
      DocumentName(database: database, path: change.path), version, before: Self.fields(change.before),
      after: Self.fields(change.after))
  }

  private static func fields(_ image: DocumentImage?) -> Fields? {
    image.map { image in image.withDocument { Fields($0.fields) } }
  }

  private func isWanted(_ path: ResourcePath) -> Bool {
    triggers.contains { $0.pattern.match(path) != nil }
  }

  private func enqueue(_ document: DocumentName, _ version: Int64, before: Fields?, after: Fields?) {
    for (index, trigger) in triggers.enumerated() {
      guard let event = trigger.event(document, before: before, after: after, version: version) else {
        continue
      }
      state.withLock { $0.board.append(event, to: LaneKey(trigger: index, document: document)) }
    }
  }

  // MARK: from storage

  private func catchUp(_ database: DatabaseID, _ follow: inout Follow) {
    do throws(StoreError) {
      // The feed begins above its start version: everything at or below must be visible to the first scan.
      if !follow.isSettled, let subscription = follow.subscription {
        try store.settle(database, subscription.startVersion)
        follow.isSettled = true
      }
      while follow.isBehind, hasRoom {
        let batch = try changes(database, after: follow.position)
        for commit in batch.commits { try enqueue(database, commit, &follow) }
        follow.position = max(follow.position, batch.last)
        follow.isBehind = !batch.isComplete
      }
    } catch .failedPrecondition(.readTimeTooOld) {
      skipMissed(database, &follow)
    } catch {
      report(.unreadable(database, error))
    }
  }

  private func skipMissed(_ database: DatabaseID, _ follow: inout Follow) {
    report(.missed(database, after: follow.position))
    do throws(StoreError) {
      follow.position = max(follow.position, try store.presentVersion())
    } catch {
      report(.unreadable(database, error))
    }
  }

  private struct StoredCommit {
    let version: Int64
    var paths: [ResourcePath]
  }

  private struct StoredBatch {
    var commits: [StoredCommit] = []
    /// The last version that was looked at.
    var last: Int64 = 0
    var isComplete = true
  }

  private func changes(_ database: DatabaseID, after version: Int64) throws(StoreError) -> StoredBatch {
    var batch = StoredBatch()
    var count = 0
    try store.changes(database, after: version) { version, path in
      if count >= Self.batchChanges, version != batch.last {
        batch.isComplete = false
        return .stop
      }
      batch.last = version
      guard isWanted(path) else { return .more }
      count += 1
      if let newest = batch.commits.last, newest.version == version {
        batch.commits[batch.commits.count - 1].paths.append(path)
      } else {
        batch.commits.append(StoredCommit(version: version, paths: [path]))
      }
      return .more
    }
    return batch
  }

  private func enqueue(
    _ database: DatabaseID, _ commit: StoredCommit, _ follow: inout Follow
  ) throws(StoreError) {
    let before = try images(database, at: commit.version - 1, commit.paths)
    let after = try images(database, at: commit.version, commit.paths)
    for (index, path) in commit.paths.enumerated() {
      enqueue(
        DocumentName(database: database, path: path), commit.version, before: before[index],
        after: after[index])
    }
    follow.position = commit.version
  }

  private func images(
    _ database: DatabaseID, at version: Int64, _ paths: [ResourcePath]
  ) throws(StoreError) -> [Fields?] {
    try store.read(database, at: .at(version)) { (view) throws(StoreError) in
      var images: [Fields?] = []
      for path in paths { images.append(try view.document(path).map { Fields($0.fields) }) }
      return images
    }
  }
}

extension DocumentStore {
  /// Returns when every commit at or below `version` is durable: reads at a time wait for that.
  fileprivate func settle(_ database: DatabaseID, _ version: Int64) throws(StoreError) {
    try read(database, at: .at(version)) { (_) throws(StoreError) in }
  }
}
