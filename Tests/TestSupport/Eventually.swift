/// Waiting for a state, never for a time.

internal import Platform

/// LIMIT: how long a state is waited for. Only what fails waits as long; on a busy machine a task may not begin for minutes.
public let patience = Duration.seconds(300)

/// Asks `condition` again and again until it holds or `limit` has passed; true when it held.
///
/// The limit says when to give up, not how long a thing takes: a machine that is busy with something else must not
/// fail a test, so it is far beyond what any state needs.
public func eventually(
  within limit: Duration = patience, _ condition: () async throws -> Bool
) async throws -> Bool {
  let clock = ContinuousClock()
  let end = clock.now.advanced(by: limit)
  while true {
    if try await condition() { return true }
    if clock.now >= end { return false }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// A state that did not come.
public struct NeverHappened: Error, CustomStringConvertible {
  public let description: String
}

/// Returns when a state is reached; throws after five minutes.
public func eventually(_ what: String, _ isSo: () throws -> Bool) throws {
  let deadline = ContinuousClock.now + patience
  while try !isSo() {
    guard ContinuousClock.now < deadline else { throw NeverHappened(description: "never: \(what)") }
    usleep(500)
  }
}
