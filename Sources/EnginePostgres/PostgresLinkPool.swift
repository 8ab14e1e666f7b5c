/// Connections for reading, kept between views.

internal import DocStore
internal import Platform

/// State: behind one monitor.
/// LIMIT: `linksMax` views at a time; more wait for one to end.
final class PostgresLinkPool: Sendable {
  private struct State {
    var idle: [PostgresLink] = []
    var outCount = 0
    var lastFailure: PostgresFailure?
  }

  private let address: PostgresAddress
  private let state = Monitor(State())

  private static let linksMax = 16
  private static let waitMilliseconds = 5_000

  init(_ address: PostgresAddress) { self.address = address }

  func take() throws(PostgresFailure) -> PostgresLink {
    let taken = state.wait(atMost: Self.waitMilliseconds) { state -> PostgresLink?? in
      if state.outCount >= Self.linksMax { return nil }
      state.outCount += 1
      return .some(state.idle.popLast())
    }
    guard let taken else {
      throw PostgresFailure(state: "53300", message: "\(Self.linksMax) reads are under way")
    }
    if let taken { return taken }
    do throws(PostgresFailure) { return try PostgresLink(address) } catch {
      state.change { $0.outCount -= 1 }
      throw error
    }
  }

  func giveBack(_ link: PostgresLink) {
    state.change { state in
      state.outCount -= 1
      if link.isOpen { state.idle.append(link) }
    }
  }

  /// Runs statements that may be run twice: over a new link where one that was kept has been cut, with which nothing is lost.
  func run(_ statements: [PostgresStatement], seconds: Double) throws(PostgresFailure) -> [PostgresRows] {
    let (link, rows) = try begin(statements, seconds: seconds)
    giveBack(link)
    return rows
  }

  /// The same, and the link is the caller's until it gives it back.
  func begin(
    _ statements: [PostgresStatement], seconds: Double, mayBeStale: Bool = true
  ) throws(PostgresFailure) -> (link: PostgresLink, rows: [PostgresRows]) {
    let link = try take()
    do throws(PostgresFailure) { return (link, try link.run(statements, seconds: seconds)) } catch {
      discard(link)
      guard error.isLost, mayBeStale else { throw error }
    }
    discardIdle()
    return try begin(statements, seconds: seconds, mayBeStale: false)
  }

  /// For a link whose session is in no order.
  func discard(_ link: PostgresLink) { state.change { $0.outCount -= 1 } }

  /// What is kept was made before a link was cut.
  func discardIdle() {
    let idle = state.change { state in
      defer { state.idle = [] }
      return state.idle
    }
    // They are closed here: others do not wait for that.
    withExtendedLifetime(idle) {}
  }

  /// What the layers above can act on; the words are kept for `explanation`.
  func note(_ failure: PostgresFailure) -> StorageError {
    state.withLock { $0.lastFailure = failure }
    return failure.storageError
  }

  var lastFailure: PostgresFailure? { state.withLock { $0.lastFailure } }
}
