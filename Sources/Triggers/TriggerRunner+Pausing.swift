/// Pausing triggers, and waiting until they have done everything.

internal import DocStore
internal import Synchronization

extension TriggerRunner {
  /// Waits until everything committed so far is delivered or given up, with all that triggers have
  /// committed meanwhile; of one trigger, with what others commit to it before it is quiet. False when the
  /// runner, or the waiting task, ended before.
  ///
  /// Before `run` and while paused it waits on.
  public func drain(_ name: String) async throws(TriggerError) -> Bool { await drain(try id(of: name)) }

  public func drain() async -> Bool { await drain(Int?.none) }

  private func drain(_ trigger: Int?) async -> Bool {
    let id = state.withLock { state in
      state.nextDrainer += 1
      return state.nextDrainer
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.hasEnded || Task.isCancelled { return true }
          state.drainers[id] = Drainer(trigger: trigger, continuation: continuation)
          return false
        }
        if isOver { continuation.resume(returning: false) } else { wake() }
      }
    } onCancel: {
      state.withLock { $0.drainers.removeValue(forKey: id) }?.continuation.resume(returning: false)
    }
  }

  /// Starts no further delivery until `resume`; those under way end. Nothing is lost meanwhile. With a journal the
  /// pause outlives the process.
  public func pause() {
    let now = store.environment.now()
    state.withLock { state in
      if state.isPaused { return }
      state.image.pausedSince = now
      state.unwritten.append(.paused(nil, since: now))
    }
    writing.withLock { _ in writeNews() }
  }

  /// When all were paused, in microseconds; nil while they are not. `TriggerStatus` tells those paused by themselves.
  public var pausedSince: Int64? { state.withLock { $0.image.pausedSince } }

  /// Goes on; with every trigger that was paused by itself, too.
  public func resume() {
    state.withLock { state in
      state.image.apply(.paused(nil, since: nil))
      state.unwritten.append(.paused(nil, since: nil))
      for id in state.order {
        state.subscribers[id]?.memory.pausedSince = nil
        state.subscribers[id]?.queue.wakeAll()
      }
    }
    writing.withLock { _ in writeNews() }
    wake()
  }

  public func pause(_ name: String) throws(TriggerError) {
    guard let id = try id(of: name) else { return }
    let now = store.environment.now()
    state.withLock { state in
      guard let subscriber = state.subscribers[id], !subscriber.isPaused else { return }
      state.subscribers[id]?.memory.pausedSince = now
      if subscriber.trigger.isRemembered { state.unwritten.append(.paused(name, since: now)) }
    }
    writing.withLock { _ in writeNews() }
  }

  public func resume(_ name: String) throws(TriggerError) {
    guard let id = try id(of: name) else { return }
    state.withLock { state in
      guard let subscriber = state.subscribers[id] else { return }
      state.subscribers[id]?.memory.pausedSince = nil
      state.subscribers[id]?.queue.wakeAll()
      if subscriber.trigger.isRemembered { state.unwritten.append(.paused(name, since: nil)) }
    }
    writing.withLock { _ in writeNews() }
    wake()
  }
}
