/// Runs triggers for what is committed to a store.
///
/// ```
/// let runner = try TriggerRunner(store, triggers)
/// let running = Task { await runner.run() }
/// ...
/// await runner.drain()
/// running.cancel()
/// await running.value
/// ```
///
/// Every change after the start version is delivered at least once; one trigger gets the changes of one
/// document in commit order, one at a time. Different documents and triggers go concurrently. Commits
/// never wait for a trigger and never fail because of one.
///
/// A failed attempt is repeated after a growing pause, the document's later events waiting meanwhile; after
/// the last attempt the event becomes a dead letter and the document goes on. What is undelivered when
/// `run` is cancelled is delivered by the next `run` of the same runner; with a journal also by the next
/// process, however this one ended.
///
/// Clearing a database fires nothing and forgets what waits. Changes that a trigger still needs are kept by
/// the store for a week (`DocumentStore.holdHistory`); whoever falls further behind gets a `missed` report.
///
/// What triggers write fires triggers. A cycle is cut at `TriggerSettings.depthMax`: the event becomes a dead
/// letter that names it. A cycle that is only concluded from times is slowed down.
///
/// Concurrency: `run` alone follows the feed and takes from the queues. The journal is written by `run`, and by
/// whoever makes a runner, registers, unregisters, pauses, resumes or discards, on their threads, one at a time
/// (`writing`). Everything shared is `state`, behind one lock that is held for look-ups only.
///
/// Source: docs/spec/streams.md 5.2, 5.3.

public import DocModel
public import DocStore
internal import Synchronization

public final class TriggerRunner<Engine: StorageEngine>: Sendable {
  public let settings: TriggerSettings
  let store: DocumentStore<Engine>
  /// Nil: all of the store.
  let databases: [DatabaseID]?
  /// Nil: nothing outlives the process.
  let journal: TriggerJournal?
  let report: @Sendable (TriggerReport) -> Void
  let state: Mutex<TriggerState>
  /// Held while records are taken and written, so that they stay in order. Before `state`.
  let writing = Mutex(())

  /// Delivers what is committed after `version`, by default from now on: so a seed that was committed before
  /// fires nothing. A trigger that the journal knows goes on where it was. Follows all databases of the store,
  /// or only those named. Two triggers of one name are refused.
  ///
  /// `report` is called by the runner and must return at once.
  public init(
    _ store: DocumentStore<Engine>, _ triggers: [DocumentTrigger], databases: [DatabaseID]? = nil,
    after version: Int64? = nil, settings: TriggerSettings = TriggerSettings(),
    journal: TriggerJournal? = nil, report: @escaping @Sendable (TriggerReport) -> Void = { _ in }
  ) throws(StoreError) {
    self.store = store
    self.databases = databases
    self.settings = settings
    self.journal = journal
    self.report = report
    let start: Int64
    if let version { start = version } else { start = try store.presentVersion() }
    state = Mutex(TriggerState(journal?.opened ?? JournalImage(), discoveredTo: start))
    for trigger in triggers {
      do throws(TriggerError) {
        try add(trigger, after: start, replaces: false)
      } catch {
        throw .invalid(
          InvalidArgument("\(error.description.prefix(1).uppercased())\(error.description.dropFirst())."))
      }
    }
    // A trigger that a crash makes forget where it began would begin later.
    writing.withLock { _ in writeNews() }
    holdHistory()
  }

  /// Nothing that a trigger still needs may be collected.
  func holdHistory() { store.holdHistory(after: state.withLock { $0.historyNeeded }) }

  // MARK: triggers

  /// Adds a trigger for what is committed from now on, or gives one of this name a new definition; what waits
  /// for it is kept, except in databases that the new definition is not about. `registration` is written down with it (`TriggerJournal.registrations`).
  public func register(_ trigger: DocumentTrigger, registration: [UInt8]? = nil) throws(TriggerError) {
    let bytes = trigger.name.utf8.count + (registration?.count ?? 0)
    guard bytes <= TriggerSettings.registrationBytesMax else { throw .tooLong(bytes: bytes) }
    let present: Int64
    do throws(StoreError) { present = try store.presentVersion() } catch { throw .unreadable(error) }
    try add(trigger, after: present, replaces: true, registration: registration)
    writing.withLock { _ in writeNews() }
    holdHistory()
    wake()
  }

  /// Triggers that are not registered now, and whose places, with the history after them, are kept for when they
  /// are.
  public var absentTriggers: [String] { state.withLock { $0.image.triggers.keys.sorted() } }

  /// Ends a trigger: what waits for it, its dead letters and its place are forgotten. Also one that is not
  /// registered now (`absentTriggers`).
  public func unregister(_ name: String) throws(TriggerError) {
    let isKnown = state.withLock { state in
      if let id = state.ids.removeValue(forKey: name) {
        state.subscribers[id] = nil
      } else if state.image.triggers[name] == nil {
        return false
      }
      state.retrying = state.retrying.filter { !$0.trigger.hasSameBytes(as: name) }
      state.image.apply(.triggerGone(name))
      state.unwritten.append(.triggerGone(name))
      return true
    }
    guard isKnown else { throw .unknownTrigger(name) }
    writing.withLock { _ in writeNews() }
    holdHistory()
    wake()
  }

  private func add(
    _ trigger: DocumentTrigger, after version: Int64, replaces: Bool, registration: [UInt8]? = nil
  ) throws(TriggerError) {
    let isTaken = state.withLock { state in
      if state.scheduleNames.contains(trigger.name) { return true }
      if let id = state.ids[trigger.name] {
        guard replaces else { return true }
        state.redefine(id, trigger, after: version)
        state.note(registration, of: trigger, id)
        return false
      }
      state.nextID += 1
      state.ids[trigger.name] = state.nextID
      let known = trigger.isRemembered ? state.image.triggers.removeValue(forKey: trigger.name) : nil
      var subscriber = Subscriber(trigger, known ?? TriggerMemory(since: version))
      for database in state.follows.keys { subscriber.follow(database) }
      state.subscribers[state.nextID] = subscriber
      if trigger.isRemembered {
        state.unwritten.append(
          .checkpoint(trigger.name, since: subscriber.memory.since, subscriber.memory.positions))
      }
      state.note(registration, of: trigger, state.nextID)
      return false
    }
    if isTaken { throw .nameTaken(trigger.name) }
  }

  func id(of name: String?) throws(TriggerError) -> Int? {
    guard let name else { return nil }
    guard let id = state.withLock({ $0.ids[name] }) else { throw .unknownTrigger(name) }
    return id
  }

  // MARK: metrics

  /// What waits, and what was given up.
  public var metrics: TriggerMetrics {
    let now = store.environment.now()
    return state.withLock { state in
      let queues = state.subscribers.values.map(\.queue)
      let oldest = queues.compactMap { $0.earliestVersions.values.min() }.min()
      return TriggerMetrics(
        pending: queues.reduce(0) { $0 + $1.pendingCount }, deadLetters: state.deadLetterCount,
        lagMicroseconds: oldest.map { max(0, now - $0) } ?? 0)
    }
  }

  /// How each trigger is doing, in the order in which they were registered.
  public var statuses: [TriggerStatus] {
    let now = store.environment.now()
    return state.withLock { state in
      state.subscribers.sorted { $0.key < $1.key }.map { _, subscriber in
        let oldest = subscriber.queue.earliestVersions.values.min()
        return TriggerStatus(
          name: subscriber.trigger.name, event: subscriber.trigger.event,
          pattern: subscriber.trigger.pattern.text, target: subscriber.trigger.target,
          pausedSince: [state.image.pausedSince, subscriber.memory.pausedSince].compactMap(\.self).min(),
          pending: subscriber.queue.pendingCount,
          isBehind: subscriber.isBehind, delivered: subscriber.delivered, failed: subscriber.failed,
          deadLetters: state.image.deadLetters.count { $0.trigger == subscriber.trigger.name },
          lagMicroseconds: oldest.map { max(0, now - $0) } ?? 0, lastFailure: subscriber.lastFailure)
      }
    }
  }

  /// The version up to which all of a followed database is delivered or given up: where another runner
  /// would begin. Nil for a database that is not followed yet.
  public func deliveredVersion(of database: DatabaseID) -> Int64? {
    state.withLock { state in
      state.subscribers.values.compactMap { $0.deliveredPositions[database] }.min()
    }
  }

  /// Something may have come or changed: another round.
  func wake() { state.withLock { $0.signal }?.yield() }
}

extension TriggerState {
  fileprivate mutating func redefine(_ id: Int, _ trigger: DocumentTrigger, after version: Int64) {
    guard var subscriber = subscribers.removeValue(forKey: id) else { return }
    let deadLetters = subscriber.redefine(trigger, after: version, followed: follows.keys)
    if trigger.isRemembered {
      // Where it begins in databases that are new to it must outlive a crash.
      unwritten += subscriber.takeFreshRecords() + [subscriber.checkpoint(settledTo)]
    }
    subscribers[id] = subscriber
    letGo(deadLetters, of: id)
  }

  fileprivate mutating func note(_ registration: [UInt8]?, of trigger: DocumentTrigger, _ id: Int) {
    guard let registration, trigger.isRemembered else { return }
    subscribers[id]?.memory.registration = registration
    unwritten.append(.registration(trigger.name, registration))
  }
}

extension DocumentStore {
  /// A version that no commit which is not visible yet falls below.
  func presentVersion() throws(StoreError) -> Int64 {
    // Versions are the store's; any database tells them, also one that nobody has written to.
    try read(DatabaseID(project: "none")) { (view) throws(StoreError) in view.readTime }
  }
}
