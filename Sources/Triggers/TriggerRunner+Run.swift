/// The run loop, and what becomes of one delivery.
///
/// A round: begin replays, read the feed, release who waits, start what is ready, write down what is done. Every
/// end of a delivery, every commit and every call asks for another round.

internal import DocModel
internal import DocStore
internal import Synchronization

extension TriggerRunner {
  /// Delivers until the task is cancelled; returns when every delivery under way has ended, so that the store
  /// may be closed then. One at a time.
  @concurrent
  public func run() async {
    let (wakes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    begin(signal)
    await withDiscardingTaskGroup { group in
      group.addTask { [interval = settings.discoveryInterval] in
        repeat { signal.yield() } while (try? await Task.sleep(for: interval)) != nil
      }
      for await _ in wakes {
        let calm = beginRound()
        // Before anything starts: who was quiet before the feed was read and is so now has had everything.
        if follow(isAskedForAll: calm.isAsked) { release(calm.drainers) }
        while let (delivery, trigger) = state.withLock({ $0.takeReady(settings) }) {
          group.addTask { [self] in await deliver(delivery, trigger) }
        }
        writeDown()
      }
      group.cancelAll()
    }
    end()
  }

  private func begin(_ signal: AsyncStream<Void>.Continuation) {
    state.withLock { state in
      precondition(!state.isRunning, "a trigger runner runs once at a time")
      state.isRunning = true
      state.hasEnded = false
      state.signal = signal
      state.lastDiscovery = nil
    }
  }

  /// Whether somebody waits for a drain, and for whom nothing was under way before the feed is read.
  private func beginRound() -> (isAsked: Bool, drainers: [UInt64]) {
    state.withLock { state in
      for id in state.order {
        guard let version = state.subscribers[id]?.replayFrom, state.subscribers[id]?.queue.underWay == 0,
          let trigger = state.subscribers[id]?.trigger
        else { continue }
        let name = trigger.name
        state.retrying = state.retrying.filter { !$0.trigger.hasSameBytes(as: name) }
        state.subscribers[id]?.replay(after: version)
        if trigger.isRemembered { state.unwritten.append(.checkpoint(trigger.name, since: version, [:])) }
      }
      let calm = state.drainers.filter { state.isQuiet($0.value.trigger) }.map(\.key)
      return (!state.drainers.isEmpty, calm)
    }
  }

  private func release(_ calm: [UInt64]) {
    let (released, others) = state.withLock { state in
      let released = state.released(calm)
      // Who became quiet during the round needs one more, with the feed read from now on.
      return (released, state.drainers.contains { state.isQuiet($0.value.trigger) && !calm.contains($0.key) })
    }
    for continuation in released { continuation.resume(returning: true) }
    if others { wake() }
  }

  /// Goes back to before the first undelivered event of each database.
  private func end() {
    let (subscriptions, drainers) = state.withLock { state in
      let settledTo = state.settledTo
      for id in state.order { state.subscribers[id]?.rewind(settledTo) }
      state.hasDiscovered = false
      let subscriptions = Array(state.follows.values)
      state.follows.removeAll()
      state.awake.removeAll()
      state.retrying.removeAll()
      state.isRunning = false
      state.hasEnded = true
      state.signal = nil
      let drainers = Array(state.drainers.values)
      state.drainers.removeAll()
      return (subscriptions, drainers)
    }
    writeCheckpoints(isLast: true)
    for subscription in subscriptions { store.unsubscribe(subscription) }
    for drainer in drainers { drainer.continuation.resume(returning: false) }
  }

  // MARK: one delivery

  private func deliver(_ delivery: Delivery, _ trigger: DocumentTrigger) async {
    // Taken while the end was being told: the next run delivers it.
    if Task.isCancelled { return }
    do {
      guard let event = try event(of: delivery, trigger) else { return finish(delivery, isDelivered: false) }
      if event.cause.isGuessed {
        if !delivery.isSlowed, event.cause.depth >= settings.guessedReturnsMax {
          return await slow(delivery, event, trigger)
        }
      } else if event.cause.depth >= settings.depthMax {
        let cycle = event.cause.cycle(closedBy: trigger.name, event.path)
        report(.loop(trigger: trigger.name, event: event.id, cycle: cycle))
        return giveUp(
          delivery, event, attempts: 0, "triggers fired each other \(event.cause.depth) times: \(cycle)")
      }
      try await act(on: event, trigger)
      finish(delivery, isDelivered: true)
    } catch {
      // What cancellation interrupted has not failed; the next run delivers it.
      if Task.isCancelled { return }
      await fail(delivery, trigger, error)
    }
  }

  /// Runs the action, as the cause of what it commits.
  private func act(on event: DocumentEvent, _ trigger: DocumentTrigger) async throws {
    let cause = event.cause.following(trigger.name, event.path, event: event.id)
    try await perform(as: cause, isElsewhere: trigger.target != nil) { try await trigger.action(event) }
  }

  /// Holds an event back that seems to be in a cycle: longer each time, but it is delivered, because whoever
  /// writes while a function runs looks the same.
  private func slow(_ delivery: Delivery, _ event: DocumentEvent, _ trigger: DocumentTrigger) async {
    let isNews = state.withLock { state in
      state.subscribers[delivery.trigger]?.queue.slow(delivery.document)
      return state.watch.suspect(event.cause.root)
    }
    if isNews {
      let cycle = event.cause.cycle(closedBy: trigger.name, event.path)
      report(.suspectedLoop(trigger: trigger.name, event: event.id, cycle: cycle))
    }
    let policy = trigger.retry ?? settings.retry
    let returns = event.cause.depth - settings.guessedReturnsMax + 1
    await rest(delivery, policy.pause(failures: returns, random: store.environment.random()))
  }

  /// A lane that rests is ready after a pause, unless the run ends before.
  private func rest(_ delivery: Delivery, _ pause: Duration) async {
    wake()
    guard (try? await Task.sleep(for: pause)) != nil else { return }
    state.withLock { $0.subscribers[delivery.trigger]?.queue.wake(delivery.document) }
    wake()
  }

  private func finish(_ delivery: Delivery, isDelivered: Bool) {
    state.withLock { state in
      state.subscribers[delivery.trigger]?.finish(delivery)
      if isDelivered {
        state.subscribers[delivery.trigger]?.delivered += 1
        state.subscribers[delivery.trigger]?.lastFailure = nil
      }
      if let deadLetter = delivery.event.deadLetter {
        state.forgetDeadLetter(deadLetter, of: delivery.trigger)
      }
    }
    wake()
  }

  private func fail(_ delivery: Delivery, _ trigger: DocumentTrigger, _ error: any Error) async {
    let policy = trigger.retry ?? settings.retry
    let reason = Self.text(of: error)
    // Trying again does not bring back what is no longer kept.
    let isFinal = (error as? HistoryGone) != nil
    let failures = state.withLock { state -> Int? in
      state.subscribers[delivery.trigger]?.failed += 1
      state.subscribers[delivery.trigger]?.lastFailure = reason
      return state.subscribers[delivery.trigger]?.queue.fail(
        delivery.document, attemptsMax: isFinal ? 1 : policy.attemptsMax)
    }
    guard let failures else {
      return giveUp(delivery, try? event(of: delivery, trigger), attempts: delivery.attempt, reason)
    }
    await rest(delivery, policy.pause(failures: failures, random: store.environment.random()))
  }

  /// LIMIT: characters of what an attempt failed with that are kept.
  private static var reasonMax: Int { 1_000 }

  static func text(of error: any Error) -> String { String("\(error)".prefix(reasonMax)) }

  private func giveUp(_ delivery: Delivery, _ event: DocumentEvent?, attempts: Int, _ reason: String) {
    let deadLetter = state.withLock { state -> DeadLetter? in
      guard let subscriber = state.subscribers[delivery.trigger] else { return nil }
      if let id = delivery.event.deadLetter, state.deadLetter(id, of: subscriber.trigger.name) == nil {
        // Somebody has discarded it meanwhile.
        state.subscribers[delivery.trigger]?.finish(delivery)
        return nil
      }
      let deadLetter = DeadLetter(
        trigger: subscriber.trigger.name,
        event: (event ?? DocumentEvent(placeOf: delivery, subscriber.trigger)).withoutLargeDocuments,
        attempts: attempts, reason: reason, time: store.environment.now())
      state.keep(deadLetter, max: settings.deadLettersMax)
      // The letter goes before the mark: a crash between the two only repeats the event.
      state.subscribers[delivery.trigger]?.finish(delivery)
      return deadLetter
    }
    if let deadLetter { report(.deadLetter(deadLetter)) }
    wake()
  }
}
