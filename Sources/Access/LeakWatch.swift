/// Tells of queries that the service allows although they can return what the rules refuse.
///
/// The first query of each shape that was allowed is proved; what is found is told once. Afterwards a query of that
/// shape costs a look-up.
///
/// State and its guard: `seen` behind its mutex, held for a look-up, never while a proof runs.

public import DocModel
internal import Rules
internal import Synchronization

/// A query that leaks.
public struct ListLeak: Sendable, Equatable {
  public let database: DatabaseID
  /// `posts`, `users/*/posts`, or `**/posts` for a group.
  public let collection: String
  /// What was found: a document that the query can return and the rules refuse, and the line of the rule.
  public let message: String
}

public final class LeakWatch: Sendable {
  /// LIMIT: shapes that are proved; later ones are not looked at.
  public static let shapesMax = 1_000
  /// LIMIT: filters of a query that is proved; the cost of a proof grows with their disjuncts.
  private static let filtersMax = 32

  private let seen = Mutex<Set<Int>>([])
  private let report: @Sendable (ListLeak) -> Void

  /// `report` is called on the thread that judges the query, and must return at once.
  public init(report: @escaping @Sendable (ListLeak) -> Void) { self.report = report }

  /// Proves a query that was just allowed, if it is the first of its shape.
  func watch(
    _ request: borrowing RuleRequest, _ shape: QueryShape, by ruleset: Ruleset, in database: DatabaseID,
    isSignedIn: Bool, documents: DocumentAccess
  ) {
    let key = Self.key(shape, ruleset, database, isSignedIn)
    let isNew = seen.withLock { seen in
      seen.count < Self.shapesMax ? seen.insert(key).inserted : false
    }
    guard isNew, shape.disjuncts.reduce(0, { $0 + $1.tests.count }) <= Self.filtersMax,
      let proof = ruleset.prove(request, documents: documents), proof.finding == .leak, let body = proof.body
    else { return }
    report(ListLeak(database: database, collection: Self.collection(shape), message: body))
  }

  /// Everything of a query but the values it asks for.
  private static func key(
    _ shape: QueryShape, _ ruleset: Ruleset, _ database: DatabaseID, _ isSignedIn: Bool
  ) -> Int {
    var hasher = Hasher()
    hasher.combine(ObjectIdentifier(ruleset))
    hasher.combine(database)
    hasher.combine(isSignedIn)
    hasher.combine(collection(shape))
    hasher.combine(shape.limit != nil)
    for disjunct in shape.disjuncts {
      hasher.combine(disjunct.tests.count)
      for test in disjunct.tests {
        hasher.combine(test.path)
        hasher.combine(test.comparison)
      }
    }
    return hasher.finalize()
  }

  private static func collection(_ shape: QueryShape) -> String {
    var names: [String] = []
    for (index, segment) in shape.parent.text.utf8.split(separator: UInt8(ascii: "/")).enumerated() {
      names.append(index % 2 == 0 ? String(Substring(segment)) : "*")
    }
    if shape.allDescendants { names.append("**") }
    names.append(shape.collectionID ?? "*")
    return names.joined(separator: "/")
  }
}
