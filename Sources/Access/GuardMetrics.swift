/// What the guarded store counts.

internal import DocStore

/// Counted by whoever reads or judges, read by anybody.
public final class GuardMetrics: Sendable {
  private enum Place: Int, CaseIterable {
    case evaluations, denials, documents
  }

  private let row = CounterRow(count: Place.allCases.count)

  public init() {}

  /// Operations of users that a ruleset judged.
  public var evaluations: Int { row[Place.evaluations.rawValue] }
  /// Operations of users that were refused: by rules, or because there are none.
  public var denials: Int { row[Place.denials.rawValue] }
  /// Documents that were given to clients, or looked for by name.
  public var documentsRead: Int { row[Place.documents.rawValue] }

  func countEvaluation() { row.add(at: Place.evaluations.rawValue) }
  func countDenial() { row.add(at: Place.denials.rawValue) }
  func countDocuments(_ count: Int) { row.add(count, at: Place.documents.rawValue) }
}
