/// From the store's feed to the queues of deliveries.
///
/// Live events come with their images, from which a trigger sees whether it fires. After a start in the past,
/// when the feed has dropped events, or when a queue is full, a trigger reads the places of changes from
/// storage, and their images only when they are delivered.

internal import DocModel
internal import DocStore
internal import Synchronization

extension TriggerRunner {
  /// Takes what has come, as far as there is room. True when everything committed before the call is in the
  /// queues, or known to wait in the store.
  func follow(isAskedForAll: Bool) -> Bool {
    guard state.withLock({ !$0.subscribers.isEmpty }) else {
      unfollow()
      return true
    }
    let (isDue, awake) = state.withLock { state in
      let now = ContinuousClock.now
      let isDue = state.lastDiscovery.map { now - $0 >= settings.discoveryInterval } ?? true
      if isDue { state.lastDiscovery = now }
      let awake = state.awake
      state.awake.removeAll()
      return (isDue, awake)
    }
    guard isDue || isAskedForAll else {
      for database in awake { takeLive(database, present: nil) }
      catchUpWhereThereIsRoom()
      return true
    }
    guard let present = discover() else {
      state.withLock { $0.awake.formUnion(awake) }
      return false
    }
    for database in state.withLock({ Array($0.follows.keys) }) { takeLive(database, present: present) }
    return true
  }

  // MARK: databases

  /// Follows what has sprung into being since the last time. A version such that all at or below it has left
  /// for the feed; nil when that cannot be known now.
  private func discover() -> Int64? {
    do throws(StoreError) {
      // Before the list: a database that is missing there has no commit at or below this version.
      let present = try store.presentVersion()
      let found: [DatabaseID]
      if let databases { found = databases } else { found = try store.databases() }
      for database in found where state.withLock({ $0.follows[database] == nil }) { follow(database) }
      state.withLock { state in
        for id in state.order {
          for database in state.follows.keys { state.subscribers[id]?.follow(database) }
        }
        state.discoveredTo = max(state.discoveredTo, present)
        state.hasDiscovered = true
      }
      // Commits are on the feed before they count as settled.
      try store.readHeld(DatabaseID(project: "none"), at: present) { (_) throws(StoreError) in }
      return present
    } catch {
      report(.unreadable(nil, error))
      return nil
    }
  }

  private func follow(_ database: DatabaseID) {
    let subscription = store.subscribe(database) { [weak self] in self?.awake(database) }
    state.withLock { $0.follows[database] = subscription }
    do throws(StoreError) {
      // The feed begins above its start version: all at or below must be visible to the first scan.
      try store.readHeld(database, at: subscription.startVersion) { (_) throws(StoreError) in }
    } catch {
      // The scan meets the same failure and is tried again.
      report(.unreadable(database, error))
    }
  }

  private func awake(_ database: DatabaseID) {
    state.withLock { state in
      state.awake.insert(database)
      return state.signal
    }?.yield()
  }

  /// Nobody listens: the store need not keep images for us.
  private func unfollow() {
    let subscriptions = state.withLock { state in
      defer {
        state.follows.removeAll()
        state.awake.removeAll()
        state.hasDiscovered = false
      }
      return Array(state.follows.values)
    }
    for subscription in subscriptions { store.unsubscribe(subscription) }
  }

  // MARK: live

  /// `present`: all at or below it was on the feed before the call.
  private func takeLive(_ database: DatabaseID, present: Int64?) {
    guard let subscription = state.withLock({ $0.follows[database] }) else { return }
    for event in subscription.take() {
      switch event {
      case .commit(let version, let changes): distribute(database, version, changes)
      case .cleared(let version, _):
        state.withLock { state in
          for id in state.order {
            let deadLetters = state.subscribers[id]?.queue.remove {
              $0.database == database && $1.version <= version
            }
            state.letGo(deadLetters ?? [], of: id)
          }
        }
      case .lagged:
        state.withLock { state in
          for id in state.order { state.subscribers[id]?.fallBehind(database) }
        }
      }
    }
    for id in state.withLock({ $0.order }) {
      if let present, state.withLock({ $0.subscribers[id]?.advance(database, to: present) ?? false }) {
        continue
      }
      catchUp(id, database)
    }
  }

  private func distribute(_ database: DatabaseID, _ version: Int64, _ changes: [DocumentChange]) {
    let source = changes.first?.source ?? .unknown
    let isHeard = source.origin != .withoutTriggers
    let cause = source.origin.flatMap { EventCause(text: $0.text) }
    state.withLock { state in
      for id in state.order {
        guard let cursor = state.subscribers[id]?.cursors[database], !cursor.isBehind,
          version > cursor.taken
        else { continue }
        guard let count = state.subscribers[id]?.queue.pendingCount, count < settings.pendingMax else {
          state.subscribers[id]?.fallBehind(database)
          continue
        }
        for change in changes where isHeard && state.subscribers[id]?.trigger.fires(for: change) ?? false {
          let cause = cause ?? state.watch.guess(change.path, version: version) ?? .none
          state.subscribers[id]?.enqueue(
            DocumentName(database: database, path: change.path),
            PendingEvent(version: version, cause: cause, author: source.author))
        }
        state.subscribers[id]?.cursors[database]?.taken = version
      }
    }
  }
}

extension Subscriber {
  /// Notes that nothing came up to a version; false when storage has to be read for that.
  fileprivate mutating func advance(_ database: DatabaseID, to version: Int64) -> Bool {
    guard let cursor = cursors[database] else { return true }
    if cursor.isBehind { return false }
    cursors[database]?.taken = max(cursor.taken, version)
    return true
  }
}

extension DocumentTrigger {
  fileprivate func fires(for change: DocumentChange) -> Bool {
    let kind: DocumentEvent.Change
    switch (change.before, change.after) {
    case (.none, .none): return false
    case (.none, .some): kind = .created
    case (.some, .none): kind = .deleted
    case (.some, .some): kind = .updated
    }
    return event.includes(kind) && pattern.match(change.path) != nil
  }
}
