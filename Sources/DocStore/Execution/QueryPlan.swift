/// How a query will be run: which documents are looked at, and whether they must be sorted.
///
/// The scan stays as the plan every other one is tested against.
/// Source: docs/design/storage-and-scale.md 8.

public import DocModel

/// One decision of the planner, printable.
///
/// INVARIANT: running the plan gives what scanning the whole scope, filtering and sorting gives. The
/// filter is always asked again for every document, so `access` may deliver too much, never too little.
public struct QueryPlan: Equatable, Sendable, CustomStringConvertible {
  public enum Access: Equatable, Sendable {
    /// No document can match.
    case nothing
    /// Named documents, in ascending order of names, all in scope.
    case lookup([ResourcePath])
    /// A run of documents of one collection, read in the direction of the result.
    case range(NameRange)
    /// What index entries lead to.
    case indexes(IndexAccess)
    /// Every document of several collections, in no promised order.
    case scan(QueryScope)
  }

  public let access: Access
  /// Whether documents arrive in the order of the result, so that reading can stop at the limit.
  public let isInOrder: Bool
  /// Whether `access` already leaves out what lies outside the cursors.
  public let appliesCursors: Bool

  /// Looks at the whole scope, filters and sorts: what every other plan is tested against.
  public static func wholeScan(_ query: NormalizedQuery) -> QueryPlan {
    QueryPlan(access: .scan(query.scope), isInOrder: false, appliesCursors: false)
  }

  public var description: String {
    let how =
      switch access {
      case .nothing: "nothing"
      case .lookup(let paths): "look up \(paths.map(\.text).joined(separator: ", "))"
      case .range(let range): "read \(range)"
      case .indexes(let access): "read \(access)"
      case .scan(.collection(let path)): "scan collection \(path)"
      case .scan(.group(let id, let ancestor)): "scan group \(id) below \(Self.name(ancestor))"
      case .scan(.children(let parent)): "scan collections under \(Self.name(parent))"
      case .scan(.descendants(let ancestor)): "scan all below \(Self.name(ancestor))"
      }
    return isInOrder ? how : how + ", sort"
  }

  private static func name(_ path: ResourcePath) -> String { path.isRoot ? "the root" : path.text }
}

/// The documents of one collection between two positions in the order of names.
///
/// A bound may name any document or lie below one of the collection; only its place in the order counts.
public struct NameRange: Equatable, Sendable, CustomStringConvertible {
  public let collection: ResourcePath
  public var lower: NameBound?
  public var upper: NameBound?
  public var direction: StructuredQuery.Direction

  public init(
    collection: ResourcePath, lower: NameBound? = nil, upper: NameBound? = nil,
    direction: StructuredQuery.Direction
  ) {
    self.collection = collection
    self.lower = lower
    self.upper = upper
    self.direction = direction
  }

  /// `users from users/a to before users/m backward`
  public var description: String {
    var text = collection.text
    if let lower { text += " from \(lower.isInclusive ? "" : "after ")\(lower.path)" }
    if let upper { text += " to \(upper.isInclusive ? "" : "before ")\(upper.path)" }
    return direction == .descending ? text + " backward" : text
  }

  /// Whether no path can lie between the bounds.
  public var isEmpty: Bool {
    guard let lower, let upper else { return false }
    return upper.path < lower.path
      || (upper.path == lower.path && !(lower.isInclusive && upper.isInclusive))
  }

  /// Whether a document of the collection lies between the bounds.
  public func contains(_ path: ResourcePath) -> Bool {
    if let lower, path < lower.path || (path == lower.path && !lower.isInclusive) { return false }
    if let upper, upper.path < path || (path == upper.path && !upper.isInclusive) { return false }
    return true
  }

  /// Leaves out what lies before a position.
  mutating func cutBelow(_ bound: NameBound) {
    if let lower, bound.path < lower.path || (bound.path == lower.path && bound.isInclusive) { return }
    lower = bound
  }

  /// Leaves out what lies after a position.
  mutating func cutAbove(_ bound: NameBound) {
    if let upper, upper.path < bound.path || (bound.path == upper.path && bound.isInclusive) { return }
    upper = bound
  }
}
