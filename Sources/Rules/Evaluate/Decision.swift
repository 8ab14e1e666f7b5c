/// The verdict on one operation.

/// Whether an operation is granted, and in one word why.
public struct Decision: Sendable {
  /// Why.
  public enum Reason: UInt8, Sendable {
    /// A condition was true.
    case granted
    /// No `allow` names the method on a pattern that matches.
    case unmatched
    /// Every condition was false.
    case condition
    /// No condition was true and at least one had no value.
    case fault
    /// A query whose shape does not guarantee what a rule needs.
    case unprovable
    /// The evaluation budget ran out before a condition was true.
    case budget
  }

  public let reason: Reason
  /// Evaluation cost, as the budget of 1,000 counts it; for a query, of its most expensive disjunct.
  public let expressions: Int
  /// Distinct documents that this operation was the first of its request to ask for.
  public let accesses: Int

  public var isAllowed: Bool { reason == .granted }
}
