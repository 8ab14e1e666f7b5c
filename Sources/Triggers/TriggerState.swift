/// All that a runner knows, as one value behind one lock.

internal import DocModel
internal import DocStore

/// How far one trigger has been taken in one database.
struct Cursor: Sendable {
  /// Everything at or below this version is in the queue or done with.
  var taken: Int64
  /// Whether `taken` must first be brought up to the feed by reading storage.
  var isBehind = true
}

/// One trigger with its events.
struct Subscriber: Sendable {
  var trigger: DocumentTrigger
  var queue = DeliveryQueue()
  var cursors: [DatabaseID: Cursor] = [:]
  /// As it is written down, or will be at once.
  var memory: TriggerMemory
  /// Done since it was last written down.
  var freshDone: [DatabaseID: [EventMark]] = [:]
  var freshCount = 0
  /// To be begun again after this version, once nothing is under way.
  var replayFrom: Int64?
  var delivered = 0
  var failed = 0
  var lastFailure: String?

  init(_ trigger: DocumentTrigger, _ memory: TriggerMemory) {
    self.trigger = trigger
    self.memory = memory
  }

  var isPaused: Bool { memory.pausedSince != nil }

  /// Whether some cursor may be behind: spares a look at all of them.
  var mayBeBehind = true

  var isBehind: Bool { replayFrom != nil || cursors.contains { $0.value.isBehind } }

  /// Follows a database from where the trigger was.
  mutating func follow(_ database: DatabaseID) {
    guard cursors[database] == nil, trigger.concerns(database) else { return }
    cursors[database] = Cursor(taken: memory.position(of: database))
    mayBeBehind = true
  }

  /// The feed has dropped something, or there was no room for it.
  mutating func fallBehind(_ database: DatabaseID) {
    cursors[database]?.isBehind = true
    mayBeBehind = true
  }

  /// The databases in which it is behind.
  mutating func lagging() -> [DatabaseID] {
    guard mayBeBehind else { return [] }
    let lagging = cursors.filter(\.value.isBehind).map(\.key)
    mayBeBehind = !lagging.isEmpty
    return lagging
  }

  /// The versions up to which everything is done with, by database.
  var deliveredPositions: [DatabaseID: Int64] {
    let earliest = queue.earliestVersions
    return cursors.reduce(into: [:]) { positions, entry in
      positions[entry.key] = min(entry.value.taken, (earliest[entry.key] ?? .max) - 1)
    }
  }

  mutating func finish(_ delivery: Delivery) {
    queue.finish(delivery.document)
    guard delivery.event.deadLetter == nil else { return }
    let mark = EventMark(delivery.event.version, delivery.document.path)
    memory.markDone(delivery.document.database, CollectionOfOne(mark))
    freshDone[delivery.document.database, default: []].append(mark)
    freshCount += 1
  }

  /// Adds an event unless it is done with already.
  mutating func enqueue(_ document: DocumentName, _ event: PendingEvent) {
    guard !memory.isDone(document.database, event.version, document.path) else { return }
    queue.append(event, to: document)
  }

  /// What is to be written down of the events that were done since the last time.
  mutating func takeFreshRecords() -> [JournalRecord] {
    let records = freshDone.map { JournalRecord.done(trigger.name, $0.key, $0.value) }
    freshDone.removeAll()
    freshCount = 0
    return records
  }

  /// Brings the memory up to date, after `takeFreshRecords`. `discoveredTo`: databases that are not followed yet
  /// begin there.
  mutating func checkpoint(_ discoveredTo: Int64) -> JournalRecord {
    let since = max(memory.since, discoveredTo)
    var positions = memory.positions.filter { cursors[$0.key] == nil }
    for (database, position) in deliveredPositions where position != since { positions[database] = position }
    memory.checkpoint(since, positions)
    return .checkpoint(trigger.name, since: since, positions)
  }

  /// Forgets what waits; it is read from storage again.
  mutating func rewind(_ discoveredTo: Int64) {
    _ = checkpoint(discoveredTo)
    queue = DeliveryQueue()
    mayBeBehind = true
    for database in cursors.keys { cursors[database] = Cursor(taken: memory.position(of: database)) }
  }

  /// A new definition. Databases that it is not about are given up with what waits there; those that the old one
  /// was not about are followed from a version on. Returns the dead letters that no longer wait.
  mutating func redefine(
    _ trigger: DocumentTrigger, after version: Int64, followed: some Sequence<DatabaseID>
  ) -> [String] {
    let wasAbout = self.trigger
    self.trigger = trigger
    queue.wakeAll()
    let databases = Set(cursors.keys).union(memory.positions.keys).union(memory.done.keys)
    for database in databases where !trigger.concerns(database) {
      cursors[database] = nil
      memory.forget(database)
      freshDone[database] = nil
    }
    for database in followed where trigger.concerns(database) && !wasAbout.concerns(database) {
      memory.positions[database] = version
      cursors[database] = Cursor(taken: version)
      mayBeBehind = true
    }
    return queue.remove { document, _ in !trigger.concerns(document.database) }
  }

  mutating func replay(after version: Int64) {
    queue.removeAll()
    replayFrom = nil
    freshDone.removeAll()
    freshCount = 0
    mayBeBehind = true
    let (registration, pausedSince) = (memory.registration, memory.pausedSince)
    memory = TriggerMemory(since: version)
    memory.registration = registration
    memory.pausedSince = pausedSince
    for database in cursors.keys { cursors[database] = Cursor(taken: version) }
  }
}

/// Which dead letter: event ids are unique within a trigger.
struct DeadLetterKey: Hashable, Sendable {
  let trigger: String
  let id: String
}

/// Somebody who waits until all, or one trigger's, events are delivered.
struct Drainer: Sendable {
  let trigger: Int?
  let continuation: CheckedContinuation<Bool, Never>
}

struct TriggerState: Sendable {
  var subscribers: [Int: Subscriber] = [:]
  var ids: [String: Int] = [:]
  /// Names that scheduled functions have.
  var scheduleNames: Set<String> = []
  var nextID = 0
  /// Who is asked first for an event to deliver, so that all have their turn.
  var turn = 0
  var follows: [DatabaseID: FeedSubscription] = [:]
  /// Databases whose feed has something.
  var awake: Set<DatabaseID> = []
  /// Every database that was not there when this version was read is followed from it on.
  var discoveredTo: Int64
  /// Whether `discoveredTo` says so: the databases there were have been found and are followed.
  var hasDiscovered = false
  var lastDiscovery: ContinuousClock.Instant?
  var lastCheckpoint: ContinuousClock.Instant?
  /// Triggers that are written down but not registered now, the dead letters of all, and the pause of all.
  var image: JournalImage
  /// Records that are to be written next.
  var unwritten: [JournalRecord] = []
  /// Records were lost to a journal that could not be written: it must be written anew, not before this time
  /// unless somebody asks. Nil when it says everything.
  var rewriteAt: ContinuousClock.Instant?
  /// The dead letters that wait to be delivered once more.
  var retrying: Set<DeadLetterKey> = []
  var deadLetterCount = 0
  var watch = TriggerLoopDetector()
  var isPaused: Bool { image.pausedSince != nil }
  var isRunning = false
  var hasEnded = false
  var drainers: [UInt64: Drainer] = [:]
  var nextDrainer: UInt64 = 0
  var signal: AsyncStream<Void>.Continuation?

  init(_ image: JournalImage, discoveredTo: Int64) {
    self.image = image
    self.discoveredTo = discoveredTo
  }

  /// What positions may be taken from: before the databases there are have been found, nothing is known to be
  /// done with.
  var settledTo: Int64 { hasDiscovered ? discoveredTo : .min }

  /// The ids of all triggers. A copy, so that changing one copies no other's queue.
  var order: [Int] { Array(subscribers.keys) }

  // MARK: deliveries

  private var underWay: Int { subscribers.values.reduce(0) { $0 + $1.queue.underWay } }

  /// The next event to try, each trigger in its turn.
  mutating func takeReady(_ settings: TriggerSettings) -> (Delivery, DocumentTrigger)? {
    if isPaused || underWay >= settings.concurrency { return nil }
    let order = subscribers.keys.sorted()
    guard !order.isEmpty else { return nil }
    let first = order.firstIndex { $0 > turn } ?? 0
    for id in order[first...] + order[..<first] {
      guard var subscriber = subscribers[id], subscriber.queue.hasReady, !subscriber.isPaused,
        subscriber.replayFrom == nil
      else { continue }
      let bound = subscriber.trigger.concurrency ?? settings.triggerConcurrency
      subscribers[id] = nil
      let delivery = subscriber.queue.takeReady(id, bound: bound)
      let trigger = subscriber.trigger
      subscribers[id] = subscriber
      if let delivery {
        turn = id
        return (delivery, trigger)
      }
    }
    return nil
  }

  // MARK: waiting

  /// Whether nothing waits or is under way.
  func isQuiet(_ trigger: Int?) -> Bool {
    guard let trigger else { return subscribers.values.allSatisfy { $0.queue.pendingCount == 0 } }
    return (subscribers[trigger]?.queue.pendingCount ?? 0) == 0
  }

  func isBehind(_ trigger: Int?) -> Bool {
    guard let trigger else { return subscribers.values.contains { $0.isBehind } }
    return subscribers[trigger]?.isBehind ?? false
  }

  /// Takes those of the waiting for whom all is delivered. `calm` were so before the feed was read: what a
  /// delivery has committed that ended since then may not have been taken.
  mutating func released(_ calm: [UInt64]) -> [CheckedContinuation<Bool, Never>] {
    calm.compactMap { id in
      guard let drainer = drainers[id], !isPaused, isQuiet(drainer.trigger), !isBehind(drainer.trigger) else {
        return nil
      }
      return drainers.removeValue(forKey: id)?.continuation
    }
  }

  // MARK: records

  /// The version after which history is needed: by the triggers that are registered, and by those that the
  /// journal knows and that may be registered again.
  var historyNeeded: Int64? {
    let registered = subscribers.values.map { subscriber in
      let position =
        subscriber.trigger.isRemembered
        ? subscriber.memory.earliest : subscriber.deliveredPositions.values.min() ?? discoveredTo
      return min(position, subscriber.replayFrom ?? .max)
    }
    return (registered + image.triggers.values.map(\.earliest)).min()
  }

  /// Everything that a fresh journal would say.
  var wholeImage: JournalImage {
    var whole = image
    for subscriber in subscribers.values {
      let name = subscriber.trigger.name
      if subscriber.trigger.isRemembered {
        whole.triggers[name] = subscriber.memory
      } else {
        whole.deadLetters.removeAll { $0.trigger.hasSameBytes(as: name) }
      }
    }
    return whole
  }
}
