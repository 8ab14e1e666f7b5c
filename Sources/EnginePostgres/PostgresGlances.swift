/// Looks at the log by threads that cannot wait long, as event loops cannot: over connections that lie ready, with an answer
/// in milliseconds or none.
///
/// What a thread asks for itself costs nobody a wake. Who gets no answer in time waits for the feed's own look, and so do all
/// others for a second.
///
/// State: behind one monitor. The feed's thread opens the connections.

internal import Platform

final class PostgresGlances: Sendable {
  private struct State {
    var idle: [PostgresLink] = []
    /// Those that are used, too.
    var count = 0
    var restsUntil = 0.0
  }

  private let address: PostgresAddress
  private let state = Monitor(State())

  /// LIMIT: connections; more threads than that wait for the feed.
  private static let linksMax = 4
  private static let answerSeconds = 0.02
  private static let restMilliseconds = 1_000.0

  init(_ address: PostgresAddress) { self.address = address }

  /// Nil where there is no answer.
  func news(from commit: Int64) -> PostgresRows? {
    let link = state.withLock { state -> PostgresLink? in
      SystemClock.milliseconds < state.restsUntil ? nil : state.idle.popLast()
    }
    guard let link else { return nil }
    do throws(PostgresFailure) {
      let rows = try link.run([PostgresTables.news(from: commit)], seconds: Self.answerSeconds)
      state.withLock { $0.idle.append(link) }
      return rows.last.flatMap { $0.count > 0 ? $0 : nil }
    } catch {
      state.withLock { state in
        state.count -= 1
        state.restsUntil = SystemClock.milliseconds + Self.restMilliseconds
        // They have lain as long as that one.
        state.count -= state.idle.count
        state.idle = []
      }
      return nil
    }
  }

  /// Opens a connection where one is missing. Takes as long as that takes.
  func refill() {
    let isWanted = state.withLock { state in
      guard state.count < Self.linksMax, SystemClock.milliseconds >= state.restsUntil else { return false }
      state.count += 1
      return true
    }
    guard isWanted else { return }
    let link = try? PostgresLink(address)
    state.withLock { state in
      if let link {
        state.idle.append(link)
      } else {
        state.count -= 1
        state.restsUntil = SystemClock.milliseconds + Self.restMilliseconds
      }
    }
  }
}
