/// What the queries that transactions have read say about a commit's changes.
///
/// Filters are asked before the table's monitor is held; under it only those are asked that came in between.

internal import DocModel

struct PredicateCache {
  /// The query, which must live for its identity to be its own, and the places of those states that it includes.
  private struct Answer {
    let query: StandingQuery<ReadPredicate>
    let keys: [[UInt8]]
  }

  /// A change, by its place among those of the commit.
  private var answers: [[ObjectIdentifier: Answer]]
  /// Queries that were asked under the monitor.
  private(set) var lateCount = 0

  /// - Parameter candidates: for each change the queries that it may concern.
  init(_ candidates: [[StandingQuery<ReadPredicate>]], _ changes: [CommitPlanner.Touched]) {
    answers = zip(candidates, changes).map { queries, change in
      var found: [ObjectIdentifier: Answer] = [:]
      for query in queries { found[query.identity] = Self.ask(query, change) }
      return found
    }
  }

  private static func ask(
    _ query: StandingQuery<ReadPredicate>, _ change: CommitPlanner.Touched
  ) -> Answer {
    ask(query, change.path, change.before?.document, change.now?.document)
  }

  private static func ask(
    _ query: StandingQuery<ReadPredicate>, _ path: ResourcePath, _ before: StoredDocument?,
    _ after: StoredDocument?
  ) -> Answer {
    let membership = query.membership
    // Everything in a scope: whatever was written there was read.
    if membership.query == nil { return Answer(query: query, keys: [[]]) }
    let keys = [before, after].compactMap { $0.flatMap { membership.key(path, $0) } }
    return Answer(query: query, keys: keys)
  }

  /// The predicates that a change concerns, of one that nobody has asked about before.
  static func concerned(
    _ path: ResourcePath, _ before: StoredDocument?, _ after: StoredDocument?,
    among queries: [StandingQuery<ReadPredicate>]
  ) -> [ReadPredicate] {
    queries.flatMap { query in
      let keys = ask(query, path, before, after).keys
      return keys.isEmpty ? [] : query.members.all.filter { $0.reaches(keys) }
    }
  }

  /// The predicates that a change concerns.
  mutating func forEachConcerned(
    _ ordinal: Int, _ change: CommitPlanner.Touched, among queries: [StandingQuery<ReadPredicate>],
    _ body: (ReadPredicate) -> Void
  ) {
    for query in queries {
      let answer: Answer
      if ordinal < answers.count, let known = answers[ordinal][query.identity] {
        answer = known
      } else {
        lateCount += 1
        answer = Self.ask(query, change)
      }
      if answer.keys.isEmpty { continue }
      for predicate in query.members.all where predicate.reaches(answer.keys) { body(predicate) }
    }
  }
}

extension ReadPredicate {
  /// Whether one of these places in the result was read.
  fileprivate func reaches(_ keys: [[UInt8]]) -> Bool {
    guard let bound else { return true }
    return keys.contains { !bound.lexicographicallyPrecedes($0) }
  }
}
