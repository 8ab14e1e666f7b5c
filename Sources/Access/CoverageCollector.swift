/// Coverage of what a store's guard judges.

public import DocModel
public import Rules
internal import Synchronization

/// The coverage of each database's rules, collected while requests are judged.
///
/// State and its guard: `state` behind its mutex, held for a look-up, never while rules are evaluated.
public final class CoverageCollector: Sendable {
  private struct Book {
    let database: DatabaseID
    let coverage: RuleCoverage
  }

  private struct State {
    var books: [Book] = []
    var isCollecting: Bool
  }

  private let state: Mutex<State>

  /// - Parameter isCollecting: whether it begins at once; otherwise with `begin`.
  public init(isCollecting: Bool) {
    state = Mutex(State(isCollecting: isCollecting))
  }

  public var isCollecting: Bool { state.withLock { $0.isCollecting } }

  /// Collects from now on.
  public func begin() { state.withLock { $0.isCollecting = true } }

  /// Adds an operation that was just judged.
  func record(
    _ request: borrowing RuleRequest, by ruleset: Ruleset, of database: DatabaseID, documents: DocumentAccess
  ) {
    guard isCollecting else { return }
    coverage(of: database, ruleset).record(request, by: ruleset, documents: documents)
  }

  /// The coverage of a database's rules; a new one when they have changed.
  public func coverage(of database: DatabaseID, _ ruleset: Ruleset) -> RuleCoverage {
    state.withLock { state in
      let place = state.books.firstIndex { $0.database == database }
      if let place, state.books[place].coverage.fits(ruleset) { return state.books[place].coverage }
      let book = Book(database: database, coverage: RuleCoverage(ruleset))
      if let place { state.books[place] = book } else { state.books.append(book) }
      return book.coverage
    }
  }

}
