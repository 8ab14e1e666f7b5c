/// What triggers read from the store: the places of changes when they are behind, and the documents of events.

internal import DocModel
internal import DocStore
internal import Synchronization

/// An event's documents are no longer kept.
struct HistoryGone: Error, CustomStringConvertible {
  var description: String { "the documents of that time are no longer kept" }
}

extension TriggerRunner {
  /// LIMIT: changes that are read from storage at a time, rounded up to whole commits.
  private static var batchChanges: Int { 256 }

  // MARK: from storage

  /// Goes on reading for triggers whose queues have emptied by half.
  func catchUpWhereThereIsRoom() {
    for id in state.withLock({ $0.order }) {
      let lagging = state.withLock { state -> [DatabaseID] in
        guard let count = state.subscribers[id]?.queue.pendingCount, count <= settings.pendingMax / 2 else {
          return []
        }
        return state.subscribers[id]?.lagging() ?? []
      }
      for database in lagging { catchUp(id, database) }
    }
  }

  func catchUp(_ id: Int, _ database: DatabaseID) {
    while true {
      let place = state.withLock { state -> (trigger: DocumentTrigger, after: Int64, room: Int)? in
        guard let subscriber = state.subscribers[id], let cursor = subscriber.cursors[database],
          cursor.isBehind, subscriber.replayFrom == nil, subscriber.queue.pendingCount < settings.pendingMax
        else { return nil }
        let room = settings.pendingMax - subscriber.queue.pendingCount
        return (subscriber.trigger, cursor.taken, min(room, Self.batchChanges))
      }
      guard let place else { return }
      do throws(StoreError) {
        let batch = try changes(database, after: place.after, place.trigger.pattern, max: place.room)
        state.withLock { $0.take(batch, id, database) }
      } catch {
        guard error == .failedPrecondition(.readTimeTooOld), skipMissed(id, database) else {
          return report(.unreadable(database, error))
        }
        report(.missed(database, after: place.after, trigger: place.trigger.name))
      }
    }
  }

  /// Goes on where history begins; false when that does not help.
  private func skipMissed(_ id: Int, _ database: DatabaseID) -> Bool {
    guard let floor = try? store.historyFloor() else { return false }
    return state.withLock { state in
      guard let taken = state.subscribers[id]?.cursors[database]?.taken, taken < floor else { return false }
      state.subscribers[id]?.cursors[database]?.taken = floor
      return true
    }
  }

  private func changes(
    _ database: DatabaseID, after version: Int64, _ pattern: PathPattern, max countMax: Int
  ) throws(StoreError) -> StoredChanges {
    var batch = StoredChanges()
    var source = CommitSource.unknown
    try store.changes(database, after: version, isHeld: true) { version, path, ownSource in
      if let ownSource {
        source = ownSource
      } else if version != batch.last {
        // A commit of an earlier version of this program.
        source = .unknown
      }
      if batch.places.count >= countMax, version != batch.last {
        batch.isComplete = false
        return .stop
      }
      batch.last = version
      if source.origin != .withoutTriggers, pattern.match(path) != nil {
        batch.places.append((version, path, source))
      }
      return .more
    }
    return batch
  }

  // MARK: documents

  /// What the trigger is given; nil when it does not fire for this change.
  func event(of delivery: Delivery, _ trigger: DocumentTrigger) throws -> DocumentEvent? {
    if let id = delivery.event.deadLetter {
      // Discarded, perhaps while an attempt was under way.
      guard let deadLetter = state.withLock({ $0.deadLetter(id, of: trigger.name) }) else { return nil }
      if deadLetter.event.beforeImage != nil || deadLetter.event.afterImage != nil {
        return deadLetter.event.again(attempt: delivery.attempt)
      }
    }
    let path = delivery.document.path
    // A definition that is newer than the event may be about something else.
    guard trigger.concerns(delivery.document.database), let parameters = trigger.pattern.match(path) else {
      return nil
    }
    let version = delivery.event.version
    let (before, after) = try images(delivery.document, version)
    if before == nil && after == nil { return nil }
    let event = DocumentEvent(
      id: EventID.text(delivery.document, version: version, trigger: trigger.name),
      database: delivery.document.database, path: path, parameters: parameters, beforeImage: before,
      afterImage: after, version: version, cause: delivery.event.cause, author: delivery.event.author,
      attempt: delivery.attempt)
    return trigger.event.includes(event.change) ? event : nil
  }

  private func images(
    _ document: DocumentName, _ version: Int64
  ) throws -> (before: DocumentImage?, after: DocumentImage?) {
    do throws(StoreError) {
      return (try image(document, at: version - 1), try image(document, at: version))
    } catch {
      if error == .failedPrecondition(.readTimeTooOld) { throw HistoryGone() }
      throw error
    }
  }

  private func image(_ document: DocumentName, at version: Int64) throws(StoreError) -> DocumentImage? {
    try store.readHeld(document.database, at: version) { (view) throws(StoreError) in
      try view.document(document.path).map { DocumentImage($0) }
    }
  }
}

/// Places of changes as storage has them.
struct StoredChanges {
  var places: [(version: Int64, path: ResourcePath, source: CommitSource)] = []
  /// The last version that was looked at; 0 for none.
  var last: Int64 = 0
  var isComplete = true
}

extension TriggerState {
  fileprivate mutating func take(_ batch: StoredChanges, _ id: Int, _ database: DatabaseID) {
    for place in batch.places {
      let cause =
        place.source.origin.flatMap { EventCause(text: $0.text) }
        ?? watch.guess(place.path, version: place.version) ?? .none
      subscribers[id]?.enqueue(
        DocumentName(database: database, path: place.path),
        PendingEvent(version: place.version, cause: cause, author: place.source.author))
    }
    guard var cursor = subscribers[id]?.cursors[database] else { return }
    cursor.taken = max(cursor.taken, batch.last)
    cursor.isBehind = !batch.isComplete
    subscribers[id]?.cursors[database] = cursor
  }
}
