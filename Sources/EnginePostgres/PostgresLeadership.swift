/// Which of several servers is the leader: who does what is to be done once.
///
/// It is had as a store is had by one server (`PostgresOwnership`), in a row of its own: who has it renews it, and another
/// one takes it when that one has ended or nothing was heard of it. What only the leader may write names the row's epoch.
///
/// State: `term` is the present or last ownership; who listens, behind the same monitor.

internal import EngineLMDB
internal import Platform

final class PostgresLeadership: Sendable {
  private struct State {
    var term: PostgresOwnership?
    var listeners: [@Sendable (Bool) -> Void] = []
    var isStopped = false
    /// What listeners were told last.
    var isTold = false
  }

  private let address: PostgresAddress
  private let state = Monitor(State())

  private static let lookMilliseconds = 200
  /// Seconds between two looks at what the log no longer needs.
  private static let cutSeconds = 15.0

  init(_ address: PostgresAddress) { self.address = address }

  func start() throws(PlatformThread.Exhausted) {
    try PlatformThread.start { [weak self] in Self.run { self } }
  }

  func stop() {
    let term = state.change { state in
      state.isStopped = true
      return state.term
    }
    term?.stop()
  }

  var isLeader: Bool { term?.isCertain ?? false }

  var term: PostgresOwnership? { state.withLock { $0.term } }

  /// - Parameter body: must return at once, and not ask this for anything.
  func follow(_ body: @escaping @Sendable (Bool) -> Void) {
    // Inside, so that nobody is told of an earlier turn after a later one.
    state.change { state in
      state.listeners.append(body)
      if state.isTold { body(true) }
    }
  }

  /// Nobody has to wait who leads next.
  func release() {
    stop()
    term?.release(over: nil)
  }

  private static func run(_ leadership: () -> PostgresLeadership?) {
    var link: PostgresLink?
    var cutAt = 0.0
    while let leadership = leadership() {
      if leadership.state.wait(atMost: lookMilliseconds, { $0.isStopped ? () : nil }) != nil {
        return leadership.tell(false)
      }
      do throws(PostgresFailure) {
        let current = try PostgresLink.opened(&link, leadership.address)
        if leadership.term?.standing != .owner { try leadership.campaign(over: current) }
        if leadership.isLeader, SystemClock.milliseconds - cutAt > cutSeconds * 1_000 {
          cutAt = SystemClock.milliseconds
          try current.run([PostgresTables.cutLog], seconds: 30)
        }
      } catch { link = nil }
      leadership.tell(leadership.isLeader)
    }
  }

  private func campaign(over link: PostgresLink) throws(PostgresFailure) {
    // What becomes of its server is said by those who have the store.
    guard
      case .taken(let term) = try PostgresOwnership.take(address, link, EngineHealth(), as: .leader),
      (try? term.start()) != nil
    else { return }
    let (isStopped, last) = state.change { state in
      defer { state.term = term }
      return (state.isStopped, state.term)
    }
    last?.stop()
    guard isStopped else { return }
    term.stop()
    term.release(over: link)
  }

  private func tell(_ isLeader: Bool) {
    state.change { state in
      if state.isTold == isLeader { return }
      state.isTold = isLeader
      for listener in state.listeners { listener(isLeader) }
    }
  }
}
