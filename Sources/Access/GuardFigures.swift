/// What the guarded store counts.

internal import Synchronization

/// Counted by whoever reads or judges, read by anybody.
public final class GuardFigures: Sendable {
  private let evaluationCount = Atomic(0)
  private let denialCount = Atomic(0)
  private let documentCount = Atomic(0)

  public init() {}

  /// Operations of users that a ruleset judged.
  public var evaluations: Int { evaluationCount.load(ordering: .relaxed) }
  /// Operations of users that were refused: by rules, or because there are none.
  public var denials: Int { denialCount.load(ordering: .relaxed) }
  /// Documents that were given to clients, or looked for by name.
  public var documentsRead: Int { documentCount.load(ordering: .relaxed) }

  func countEvaluation() { evaluationCount.add(1, ordering: .relaxed) }
  func countDenial() { denialCount.add(1, ordering: .relaxed) }
  func countDocuments(_ count: Int) { documentCount.add(count, ordering: .relaxed) }
}
