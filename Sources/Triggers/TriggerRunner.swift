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
/// `run` is cancelled is delivered by the next `run` of the same runner.
///
/// Clearing a database fires nothing. LIMIT: changes are kept for an hour; whoever falls further behind
/// gets a `missed` report.
///
/// What triggers write fires triggers. A trigger that fires itself without end is not detected.
///
/// Concurrency: `run` alone follows the feed; everything shared is `state`, behind one lock that is held for
/// look-ups only. Source: spec/streams.md 5.2, 5.3.

public import DocModel
public import DocStore
internal import Synchronization

public final class TriggerRunner<Engine: StorageEngine>: Sendable {
  struct State: Sendable {
    var board = DeliveryBoard()
    var follows: [DatabaseID: Follow] = [:]
    /// Every database that was not there when this version was read is followed from it on.
    var discoveredTo: Int64
    var lastDiscovery: ContinuousClock.Instant?
    var deadLetters = FirstInFirstOut<DeadLetter>()
    var deadLetterCount = 0
    var isPaused = false
    var isRunning = false
    var hasEnded = false
    var drainers: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    var nextDrainer: UInt64 = 0
    var signal: AsyncStream<Void>.Continuation?
  }

  public let triggers: [DocumentTrigger]
  public let settings: TriggerSettings
  let store: DocumentStore<Engine>
  /// Nil: all of the store.
  let databases: [DatabaseID]?
  let report: @Sendable (TriggerReport) -> Void
  let state: Mutex<State>

  /// Delivers what is committed after `version`, by default from now on: so a seed that was committed before
  /// fires nothing. Follows all databases of the store, or only those named. Two triggers of one name are
  /// refused.
  ///
  /// `report` is called by the runner and must return at once.
  public init(
    _ store: DocumentStore<Engine>, _ triggers: [DocumentTrigger], databases: [DatabaseID]? = nil,
    after version: Int64? = nil, settings: TriggerSettings = TriggerSettings(),
    report: @escaping @Sendable (TriggerReport) -> Void = { _ in }
  ) throws(StoreError) {
    var names: Set<String> = []
    for trigger in triggers where !names.insert(trigger.name).inserted {
      throw .invalid(Complaint("Two triggers are called \"\(trigger.name)\"."))
    }
    self.store = store
    self.triggers = triggers
    self.databases = databases
    self.settings = settings
    self.report = report
    let start: Int64
    if let version { start = version } else { start = try store.presentVersion() }
    state = Mutex(State(discoveredTo: start))
  }

  /// Delivers until the task is cancelled; returns when every delivery under way has ended. One at a time.
  @concurrent
  public func run() async {
    let (wakes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    begin(signal)
    await withDiscardingTaskGroup { group in
      group.addTask { [interval = settings.discoveryInterval] in
        repeat { signal.yield() } while (try? await Task.sleep(for: interval)) != nil
      }
      for await _ in wakes {
        // Only who asked before this round is sure to have had everything taken from the feed.
        let drainers = state.withLock { Array($0.drainers.keys) }
        let isUpToDate = follow(isAskedForAll: !drainers.isEmpty)
        while let delivery = takeReady() {
          group.addTask { [self] in await deliver(delivery) }
        }
        if isUpToDate { release(drainers) }
      }
      group.cancelAll()
    }
    end()
  }

  /// Waits until everything committed so far is delivered or given up, with all that triggers have
  /// committed meanwhile. False when the runner, or the waiting task, ended before.
  ///
  /// Before `run` and while paused it waits on.
  public func drain() async -> Bool {
    let id = state.withLock { state in
      state.nextDrainer += 1
      return state.nextDrainer
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.hasEnded || Task.isCancelled { return true }
          state.drainers[id] = continuation
          return false
        }
        if isOver { continuation.resume(returning: false) } else { wake() }
      }
    } onCancel: {
      state.withLock { $0.drainers.removeValue(forKey: id) }?.resume(returning: false)
    }
  }

  /// Starts no further delivery until `resume`. Nothing is lost meanwhile, within the hour that changes
  /// are kept.
  public func pause() { state.withLock { $0.isPaused = true } }

  public func resume() {
    state.withLock { $0.isPaused = false }
    wake()
  }

  /// The events that were given up, oldest first.
  public var deadLetters: [DeadLetter] {
    state.withLock { state in
      var letters: [DeadLetter] = []
      var rest = state.deadLetters
      while let letter = rest.popFirst() { letters.append(letter) }
      return letters
    }
  }

  /// What waits, and what was given up.
  public var figures: TriggerFigures {
    let now = store.environment.now()
    return state.withLock { state in
      let oldest = state.board.earliestVersions.values.min()
      return TriggerFigures(
        pending: state.board.pendingCount, deadLetters: state.deadLetterCount,
        lagMicroseconds: oldest.map { max(0, now - $0) } ?? 0)
    }
  }

  /// The version up to which all of a followed database is delivered or given up: where another runner
  /// would begin. Nil for a database that is not followed yet.
  public func deliveredVersion(of database: DatabaseID) -> Int64? {
    state.withLock { state in
      guard let follow = state.follows[database] else { return nil }
      return min(follow.position, (state.board.earliestVersions[database] ?? .max) - 1)
    }
  }

  // MARK: a run

  /// Something may have come or changed: another round.
  func wake() { state.withLock { $0.signal }?.yield() }

  private func begin(_ signal: AsyncStream<Void>.Continuation) {
    state.withLock { state in
      precondition(!state.isRunning, "a trigger runner runs once at a time")
      state.isRunning = true
      state.hasEnded = false
      state.signal = signal
      state.lastDiscovery = nil
    }
  }

  /// Goes back to before the first undelivered event of each database.
  private func end() {
    let (subscriptions, drainers) = state.withLock { state in
      let earliest = state.board.earliestVersions
      var subscriptions: [FeedSubscription] = []
      for (database, follow) in state.follows {
        if let subscription = follow.subscription { subscriptions.append(subscription) }
        let position = max(follow.position, follow.taken)
        state.follows[database] = Follow(position: min(position, (earliest[database] ?? .max) - 1))
      }
      state.board = DeliveryBoard()
      state.isRunning = false
      state.hasEnded = true
      state.signal = nil
      let drainers = Array(state.drainers.values)
      state.drainers.removeAll()
      return (subscriptions, drainers)
    }
    for subscription in subscriptions { store.unsubscribe(subscription) }
    for drainer in drainers { drainer.resume(returning: false) }
  }

  private func release(_ drainers: [UInt64]) {
    let released = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
      if state.isPaused || state.board.pendingCount > 0 { return [] }
      return drainers.compactMap { state.drainers.removeValue(forKey: $0) }
    }
    for drainer in released { drainer.resume(returning: true) }
  }

  // MARK: one delivery

  private func takeReady() -> Delivery? {
    state.withLock { $0.isPaused ? nil : $0.board.takeReady(bound: settings.concurrency) }
  }

  private func deliver(_ delivery: Delivery) async {
    do {
      try await triggers[delivery.lane.trigger].action(delivery.event)
      state.withLock { $0.board.finish(delivery) }
    } catch {
      // What cancellation interrupted has not failed; it stays on the board and the next run delivers it.
      if Task.isCancelled { return }
      if let failures = state.withLock({ $0.board.fail(delivery, attemptsMax: settings.attemptsMax) }) {
        wake()
        await rest(delivery.lane, failures: failures)
      } else {
        giveUp(delivery, "\(error)")
      }
    }
    wake()
  }

  private func rest(_ lane: LaneKey, failures: Int) async {
    let pause = settings.pause(failures: failures, random: store.environment.random())
    guard (try? await Task.sleep(for: pause)) != nil else { return }
    state.withLock { $0.board.wake(lane) }
  }

  private func giveUp(_ delivery: Delivery, _ reason: String) {
    let letter = DeadLetter(
      trigger: triggers[delivery.lane.trigger].name, event: delivery.event, attempts: settings.attemptsMax,
      reason: reason)
    state.withLock { state in
      state.deadLetters.append(letter)
      state.deadLetterCount += 1
      if state.deadLetters.count > settings.deadLettersMax { _ = state.deadLetters.popFirst() }
    }
    report(.deadLetter(letter))
  }
}

extension DocumentStore {
  /// A version that no commit which is not visible yet falls below.
  func presentVersion() throws(StoreError) -> Int64 {
    // Versions are the store's; any database tells them, also one that nobody has written to.
    try read(DatabaseID(project: "none")) { (view) throws(StoreError) in view.readTime }
  }
}
