/// How long locks are waited for, and whose ways transactions end in.
///
/// Source: docs/spec/production-differences.md T1 to T13; docs/spec/streams.md 4.3.

internal import DocModel

public struct TransactionPolicy: Sendable, Equatable {
  public enum Service: Sendable { case production, emulator }

  /// Whose statuses and texts are answered where the two differ.
  public var follows: Service
  /// How long a commit waits for the reads of others before it is refused. Source: T2.
  public var lockWaitMilliseconds: Int
  /// Source: T11.
  public var idleSeconds: Int64

  public init(follows: Service, lockWaitMilliseconds: Int, idleSeconds: Int64) {
    self.follows = follows
    self.lockWaitMilliseconds = lockWaitMilliseconds
    self.idleSeconds = idleSeconds
  }

  public static let production = TransactionPolicy(
    follows: .production, lockWaitMilliseconds: LockLimits.waitMilliseconds,
    idleSeconds: TransactionLimits.idleSeconds)
  public static let emulator = TransactionPolicy(
    follows: .emulator, lockWaitMilliseconds: LockLimits.emulatorWaitMilliseconds,
    idleSeconds: TransactionLimits.emulatorIdleSeconds)

  /// Whoever is given up so that the others of a cycle can go on. Source: T3.
  var deadlock: StoreError {
    switch follows {
    case .production: .aborted(.contention)
    case .emulator: .aborted(.lockTimeout)
    }
  }

  /// Whoever has waited too long. Source: T2.
  var timeout: StoreError {
    switch follows {
    case .production: .aborted(.tooMuchContention)
    case .emulator: .aborted(.lockTimeout)
    }
  }

  /// A transaction that a failed precondition ended answers in its own way. Source: T6.
  var afterFailedPrecondition: StoreError {
    switch follows {
    case .production: .invalid(InvalidArgument(TransactionText.over))
    case .emulator: .aborted(.transactionOver)
    }
  }

  /// Whether a write ends a read-only transaction. Source: T8.
  var endsReadOnlyOnWrite: Bool { follows == .production }

  /// Whether a committed transaction may be rolled back, to no effect. Source: T7.
  var allowsRollbackAfterCommit: Bool { follows == .emulator }

  /// Source: T13.
  var malformedRetry: StoreError {
    switch follows {
    case .production: .invalid(TransactionText.malformedRetry)
    case .emulator: .invalid(TransactionText.malformed)
    }
  }
}

/// What waiting for locks may cost.
enum LockLimits {
  /// Source: docs/spec/production-differences.md T2.
  static let waitMilliseconds = 20_000
  static let emulatorWaitMilliseconds = 2_000
  /// How long a transaction may be idle in its turn while others wait for theirs.
  /// Source: docs/spec/streams.md 4.3 item 6.
  static let turnMilliseconds = 2_000
  /// How long a read stands in line before it goes ahead without its turn: less than transactions may be idle.
  static let lineMilliseconds = 45_000
  /// How long a document counts as contended after it was fought over.
  static let contendedMilliseconds = 5_000
  /// LIMIT: documents of a database that are remembered as contended; of more, first attempts are not told.
  static let contendedMax = 10_000
  /// Open transactions that have read a document before it is suspected to be contended.
  static let crowdMin = 16
  /// Turns in a row that write nothing before the suspicion is dropped, and for how long it is.
  static let suspectedTurnsMax = 4
  static let calmMilliseconds = 600_000
  /// Turns in a row that write nothing before nobody stands in line any more: they save nothing then.
  static let unwrittenTurnsMax = 16
  /// LIMIT: commits that wait for locks; one more is refused.
  static let waitersMax = 10_000
  /// LIMIT: bytes of the commits that wait.
  static let waiterBytesMax = 256 << 20
  /// LIMIT: reads that wait for their turn at one document; one more goes ahead without.
  static let turnWaitersMax = 10_000
  /// LIMIT: documents read by name; beyond it the whole database counts as read.
  static let documentsMax = 100_000
  /// LIMIT: queries read; beyond it the whole database counts as read.
  static let predicatesMax = 1_000
  /// LIMIT: documents remembered as lost; an attempt that comes after takes its turn at them.
  static let lostMax = 16
  /// LIMIT: changes kept for transactional reads under way; beyond it such a read counts as overtaken.
  static let loggedChangesMax = 20_000
  static let loggedBytesMax = 32 << 20
  /// How often waiting is looked at, on a clock that tests may hold.
  static let lookMilliseconds = 50
}
