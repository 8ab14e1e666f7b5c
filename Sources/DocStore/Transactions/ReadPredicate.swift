/// What a query in a transaction has read: not the documents it found but the condition they met.
///
/// A change concerns the query when the document before or after it is one of the result; so what would
/// enter the result (a phantom) counts as much as what is in it, and what can never match counts for nothing.
///
/// State and its owner: the transaction table's monitor.
/// Source: docs/spec/streams.md 4.3 item 2; docs/spec/production-differences.md T4.

internal import DocModel

final class ReadPredicate: Identified {
  /// The transaction that has read.
  let owner: UInt64
  let membership: QueryMembership
  /// The place of the last document of a full page: what lies behind it is not in the result.
  var bound: [UInt8]?

  init(_ scope: QueryScope, owner: UInt64) {
    self.owner = owner
    membership = QueryMembership(scope)
  }

  init(_ query: NormalizedQuery, owner: UInt64) {
    self.owner = owner
    membership = QueryMembership(query)
  }

  var identity: ObjectIdentifier { ObjectIdentifier(self) }

  /// Whether a change may have altered the answer.
  func isConcerned(by change: some ChangeStates) -> Bool {
    guard membership.scope.contains(change.path) else { return false }
    guard membership.query != nil, change.hasStates else { return true }
    return change.withStates { before, after in
      includes(change.path, before) || includes(change.path, after)
    }
  }

  private func includes(_ path: ResourcePath, _ document: StoredDocument?) -> Bool {
    guard let document else { return false }
    guard let bound else { return membership.includes(path, document) }
    guard let key = membership.key(path, document) else { return false }
    return !bound.lexicographicallyPrecedes(key)
  }
}

/// A document's change, wherever its two states lie.
protocol ChangeStates {
  var path: ResourcePath { get }
  /// False when the states were not kept.
  var hasStates: Bool { get }
  func withStates(_ body: (StoredDocument?, StoredDocument?) -> Bool) -> Bool
}

extension CommitPlanner.Touched: ChangeStates {
  var hasStates: Bool { true }

  func withStates(_ body: (StoredDocument?, StoredDocument?) -> Bool) -> Bool {
    body(before?.document, now?.document)
  }
}
