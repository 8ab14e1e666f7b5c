/// The indexes that would serve a query.

internal import DocModel

enum IndexProposal {
  /// The indexes, defined ones first, single fields otherwise, that would serve the query. Some may be there.
  ///
  /// - Parameter isSelective: whether the equalities leave a small part of the documents. If they do not,
  ///   only an index that gives the order is worth its entries.
  static func shapes(
    _ query: NormalizedQuery, defined: [IndexDefinition], isSelective: Bool
  ) -> [IndexShape] {
    guard let id = query.scope.collectionID else { return [] }
    let scope: IndexDefinition.Scope
    if case .group = query.scope { scope = .collectionGroup } else { scope = .collection }
    let target = query.relativeOrders
    let candidates = candidates(id, scope, defined)
    var shapes: [IndexShape] = []
    for disjunct in query.disjuncts.map(DisjunctFacts.init)
    where !disjunct.isImpossible && disjunct.name == nil {
      let wanted =
        composites(disjunct, target, candidates)
        ?? singles(disjunct, target, isSelective, query.limit != nil)
        .map { IndexShape(id, scope, [$0]) }
      for shape in wanted where !shapes.contains(shape) { shapes.append(shape) }
    }
    return shapes
  }

  /// The defined indexes that serve the scope, as if they were there. A group's definition serves single
  /// collections, too (docs/spec/production-differences.md 3.2).
  private static func candidates(
    _ id: String, _ scope: IndexDefinition.Scope, _ defined: [IndexDefinition]
  ) -> [StoredIndex] {
    defined.filter {
      $0.collectionID.hasSameBytes(as: id) && ($0.scope == scope || $0.scope == .collectionGroup)
    }
    .compactMap { IndexShape($0) }
    .map { StoredIndex(number: 0, shape: IndexShape(id, scope, $0.parts), isReady: true) }
  }

  /// Defined indexes that serve a disjunct completely.
  private static func composites(
    _ disjunct: DisjunctFacts, _ target: [QueryOrder], _ candidates: [StoredIndex]
  ) -> [IndexShape]? {
    if candidates.isEmpty { return nil }
    var budgets: [Int?] = [nil]
    if !target.isEmpty {
      budgets = Set(candidates.map { IndexLayout.valueBudget(parts: $0.shape.parts.count) }).sorted()
    }
    for budget in budgets {
      let chosen = IndexMembers.choose(disjunct, target, candidates, budget: budget)
      if chosen.isCovered, !chosen.indexes.isEmpty { return chosen.indexes.map(\.shape) }
    }
    return nil
  }

  private static func singles(
    _ disjunct: DisjunctFacts, _ target: [QueryOrder], _ isSelective: Bool, _ hasLimit: Bool
  ) -> [IndexShape.Part] {
    let needs = disjunct.needs(beside: target)
    guard let first = target.first else { return isSelective ? needs : [] }
    if !needs.isEmpty, isSelective { return needs }
    let isOrdered = target.count == 1
    let isBounded = disjunct.tests.contains { $0.path == first.path }
    guard isOrdered && (hasLimit || isBounded) || isBounded && isSelective else { return [] }
    return [IndexShape.Part(first.path, first.direction == .ascending ? .ascending : .descending)]
  }
}
