/// How a runner delivers, and what it has to tell.

public import DocModel
public import DocStore

public struct TriggerSettings: Sendable {
  /// Deliveries under way at a time: over all triggers, and of one trigger. A trigger may say less.
  public var concurrency = 128
  public var triggerConcurrency = 32
  /// For triggers that have no policy of their own.
  public var retry = RetryPolicy()
  /// How long a chain of triggers may be before it counts as a cycle and its event becomes a dead letter.
  public var depthMax = 50
  /// As `depthMax`, for chains that are concluded from times (`EventCause.isGuessed`). Their events are not given
  /// up, because the conclusion may be wrong, but slowed down.
  public var guessedReturnsMax = 200
  /// LIMIT: dead letters kept; the oldest make room. All are reported.
  public var deadLettersMax = 1_000
  /// LIMIT: events of one trigger that wait in memory, as places and versions without their documents; the
  /// rest stays in the store.
  public var pendingMax = 4_096
  /// LIMIT: bytes of a trigger's name and of its registration together.
  public static let registrationBytesMax = 65_536
  /// How often to look for databases that have sprung into being, to write positions down, and to try again
  /// what storage refused.
  public var discoveryInterval: Duration = .milliseconds(250)
  /// Deliveries that are done, before they are written down at once: about as many come again after a crash.
  public var acknowledgementsMax = 64

  public init() {}
}

/// How a runner is doing.
public struct TriggerMetrics: Sendable, Equatable {
  /// Events that wait in memory or are under way.
  public let pending: Int
  /// Events that were given up since the start.
  public let deadLetters: Int
  /// How long ago the oldest of the pending events was committed.
  public let lagMicroseconds: Int64
}

/// How one trigger is doing.
public struct TriggerStatus: Sendable {
  public let name: String
  public let event: DocumentTrigger.Event
  public let pattern: String
  /// Where it goes: an address, or nil for code of this process.
  public let target: String?
  /// When it, or all, were paused, in microseconds since the epoch; nil while it is not.
  public let pausedSince: Int64?
  public var isPaused: Bool { pausedSince != nil }
  /// Events that wait in memory or are under way, and whether more wait in the store.
  public let pending: Int
  public let isBehind: Bool
  /// Since the runner was made.
  public let delivered: Int
  public let failed: Int
  public let deadLetters: Int
  /// How long ago the oldest of the pending events was committed.
  public let lagMicroseconds: Int64
  /// What the last attempt failed with; nil after one that did not.
  public let lastFailure: String?
}

/// An event that was given up after its last attempt.
public struct DeadLetter: Sendable {
  public let trigger: String
  /// Its documents are left out when they are large; storage has them for an hour.
  public let event: DocumentEvent
  public let attempts: Int
  /// What the last attempt failed with.
  public let reason: String
  /// When it was given up, in microseconds since the epoch.
  public let time: Int64

  public var id: String { event.id }
}

/// What the owner of a runner should know.
public enum TriggerReport: Sendable {
  case deadLetter(DeadLetter)
  /// Triggers that fire each other without end: the first event that was not delivered for it, and the cycle.
  case loop(trigger: String, event: String, cycle: String)
  /// As `loop`, but concluded from times: its events are delivered, each after a growing pause. Reported once for
  /// a chain.
  case suspectedLoop(trigger: String, event: String, cycle: String)
  /// Changes of the database after this version were no longer kept when the trigger asked for them.
  case missed(DatabaseID, after: Int64, trigger: String)
  /// Storage failed; tried again at the next interval. Without a database: the list of databases.
  case unreadable(DatabaseID?, StoreError)
  /// What is delivered cannot be written down; after a crash it is delivered again. Reported once until it can.
  case unwritable(JournalError)
}

/// Why a call on a runner cannot do what it was asked.
public enum TriggerError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownTrigger(String)
  case unknownDeadLetter(String)
  case nameTaken(String)
  case historyGone(trigger: String)
  /// A replay that would begin later than now.
  case inFuture(trigger: String)
  /// A name and a registration of so many bytes together.
  case tooLong(bytes: Int)
  case unreadable(StoreError)

  public var description: String {
    switch self {
    case .unknownTrigger(let name): "no trigger is called \"\(name)\""
    case .unknownDeadLetter(let id): "no dead letter has the id \"\(id)\""
    case .nameTaken(let name): "two triggers are called \"\(name)\""
    case .historyGone(let name):
      "changes that far back are no longer kept; replay \"\(name)\" from a later time, or `earliest`"
    case .inFuture(let name): "a replay of \"\(name)\" cannot begin in the future"
    case .tooLong(let bytes):
      "the trigger's name and registration have \(bytes) bytes; \(TriggerSettings.registrationBytesMax) are the most"
    case .unreadable(let error): error.message
    }
  }
}
