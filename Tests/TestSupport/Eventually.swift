/// Waiting for a state, never for a time.

/// Asks `condition` again and again until it holds or `limit` has passed; true when it held.
///
/// The limit says when to give up, not how long a thing takes: a machine that is busy with something else must not
/// fail a test, so it is far beyond what any state needs.
public func eventually(
  within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws -> Bool {
  let clock = ContinuousClock()
  let end = clock.now.advanced(by: limit)
  while true {
    if try await condition() { return true }
    if clock.now >= end { return false }
    try await Task.sleep(for: .milliseconds(2))
  }
}
