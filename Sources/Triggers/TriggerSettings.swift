/// How a runner delivers, and what it has to tell.

public import DocModel
public import DocStore

public struct TriggerSettings: Sendable {
  /// Deliveries under way at a time, over all triggers and documents.
  public var concurrency = 16
  /// Attempts at one event before it becomes a dead letter.
  public var attemptsMax = 8
  /// The pause after the first failure; it doubles with each further one.
  public var firstPause: Duration = .milliseconds(100)
  public var longestPause: Duration = .seconds(30)
  /// LIMIT: dead letters kept; the oldest make room. All are reported.
  public var deadLettersMax = 1_000
  /// LIMIT: events that wait in memory before the runner leaves the rest in the store.
  public var pendingMax = 4_096
  /// How often to look for databases that have sprung into being, and to try again what storage refused.
  public var discoveryInterval: Duration = .milliseconds(250)

  public init() {}

  /// The pause after so many failures: exponential, and up to half of it less at random, so that what
  /// failed together does not come back together.
  func pause(failures: Int, random: UInt64) -> Duration {
    let doublings = min(max(0, failures - 1), 30)
    let whole = min(longestPause, firstPause * (1 << doublings))
    return whole - whole * Int(random % 512) / 1_024
  }
}

/// How a runner is doing.
public struct TriggerFigures: Sendable, Equatable {
  /// Events that wait in memory or are under way.
  public let pending: Int
  /// Events that were given up since the start.
  public let deadLetters: Int
  /// How long ago the oldest of the pending events was committed.
  public let lagMicroseconds: Int64
}

/// An event that was given up after its last attempt.
public struct DeadLetter: Sendable {
  public let trigger: String
  public let event: DocumentEvent
  public let attempts: Int
  /// What the last attempt failed with.
  public let reason: String
}

/// What the owner of a runner should know.
public enum TriggerReport: Sendable {
  case deadLetter(DeadLetter)
  /// Changes of the database after this version were no longer kept when they were asked for.
  case missed(DatabaseID, after: Int64)
  /// Storage failed; tried again at the next interval. Without a database: the list of databases.
  case unreadable(DatabaseID?, StoreError)
}
