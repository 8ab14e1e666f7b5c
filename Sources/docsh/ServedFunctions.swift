/// Triggers and scheduled functions of a server. Of several servers with one store the leader has them: they begin on a server
/// when it becomes the leader, where the last one has left them, and end when it ceases to be it.
///
/// State: behind one lock.

import Access
import DocStore
import Functions
import JSON
import Synchronization
import Telemetry
import Triggers

final class ServedFunctions: TimedWork {
  private struct State {
    /// Nil while another server is the leader.
    var host: FunctionsHost<ServedEngine>?
    /// What a host begins with.
    var sources: TriggerSources
  }

  private let store: DocumentStore<ServedEngine>
  private let state: Mutex<State>

  /// - Parameter host: made before, where the seed is to fire triggers.
  init(
    _ sources: TriggerSources, _ store: DocumentStore<ServedEngine>, host: FunctionsHost<ServedEngine>? = nil
  ) throws {
    self.store = store
    var host = host
    if host == nil, !store.isShared { host = try sources.host(store) }
    state = Mutex(State(host: host, sources: sources))
  }

  /// Nil while another server has the functions.
  var host: FunctionsHost<ServedEngine>? { state.withLock { $0.host } }

  func reset() { host?.reset() }

  func writeMetrics(to text: inout PrometheusText) {
    host?.runner.writeMetrics(to: &text)
    if let feed = store.engine.sharing?.feedState {
      text.single(
        "docstore_feed_commits_total", .counter, "Commits of other servers that were applied.",
        feed.appliedCount)
      text.single(
        "docstore_feed_lag_seconds", .gauge, "Since the log of commits was read last.",
        seconds: feed.lagSeconds)
      text.single(
        "docstore_leader", .gauge, "Whether this server does what one of several does for all.",
        store.leads ? 1 : 0)
    }
  }

  /// Has what runs, or will run, go by `next`. A complaint when that fails.
  func follow(_ next: TriggerSources, insteadOf sources: inout TriggerSources) -> String? {
    if let host, let complaint = sources.follow(next, on: host, store) { return complaint }
    sources = next
    state.withLock { $0.sources = next }
    return nil
  }

  func respond(
    _ request: EmulatorRequest, _ answer: @escaping @Sendable (EmulatorAnswer) -> Void
  ) -> Bool {
    if let host { return host.respond(request, answer) }
    guard request.path.count >= 3, request.path[0] == "projects",
      request.path[2].hasPrefix("triggers") || request.path[2] == "eventarcTrigger"
    else { return false }
    let message =
      "Another server of this store is the leader and has the functions; ask the one whose /metrics say "
      + "docstore_leader 1. See docs/scale.md."
    let body: JSONValue = [
      "error": ["code": .integer(503), "message": .text(message), "status": "UNAVAILABLE"]
    ]
    answer(EmulatorAnswer(status: 503, body: JSONWriter.bytes(of: body)))
    return true
  }

  // MARK: running

  var nextTime: Int64? { host?.schedules.nextTime }

  func runDue() async { await host?.schedules.runDue() }

  func run() async {
    guard let sharing = store.engine.sharing else {
      if let host { await Self.run(host) }
      return
    }
    let (changes, signal) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    sharing.followLeadership { signal.yield($0) }
    var running: Task<Void, Never>?
    for await leads in changes {
      running?.cancel()
      await running?.value
      running = leads ? Task { [self] in await lead() } : nil
    }
    running?.cancel()
    await running?.value
  }

  /// LIMIT: seconds that a stop waits for triggers to be delivered.
  private static let deliverySecondsMax = 5

  /// Lets triggers finish what was committed before the stop, for a while.
  func deliverRest() async {
    guard let runner = host?.runner else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await runner.drain() }
      group.addTask { try? await Task.sleep(for: .seconds(Self.deliverySecondsMax)) }
      await group.next()
      group.cancelAll()
    }
  }

  private func lead() async {
    while !Task.isCancelled {
      if let host = try? state.withLock({ $0.sources }).host(store) {
        Terminal.say("docsh: this server is the leader; triggers and scheduled functions run here")
        state.withLock { $0.host = host }
        await Self.run(host)
        state.withLock { $0.host = nil }
        // Whoever leads next may be this server again.
        store.holdHistory(after: 0)
        return Terminal.say("docsh: this server is no longer the leader")
      }
      // It has been complained of. The server that keeps the store may be away.
      try? await Task.sleep(for: .seconds(1))
    }
  }

  private static func run(_ host: FunctionsHost<ServedEngine>) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await host.runner.run() }
      group.addTask { await host.schedules.run() }
    }
  }
}
