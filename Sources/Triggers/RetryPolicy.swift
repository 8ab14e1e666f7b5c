/// How often an event is tried, and how long the pauses are.

/// Attempts at one event and the pauses between them.
public struct RetryPolicy: Hashable, Sendable {
  /// Attempts at one event before it becomes a dead letter.
  public var attemptsMax: Int
  /// The pause after the first failure; it doubles with each further one.
  public var firstPause: Duration
  /// What pauses grow to.
  public var longestPause: Duration

  public init(
    attemptsMax: Int = 8, firstPause: Duration = .milliseconds(100), longestPause: Duration = .seconds(30)
  ) {
    self.attemptsMax = attemptsMax
    self.firstPause = firstPause
    self.longestPause = longestPause
  }

  /// The pause after so many failures: exponential, and up to half of it less at random, so that what
  /// failed together does not come back together.
  func pause(failures: Int, random: UInt64) -> Duration {
    let doublings = min(max(0, failures - 1), 30)
    let whole = min(longestPause, firstPause * (1 << doublings))
    return whole - whole * Int(random % 512) / 1_024
  }
}
