/// The fewest definitions that serve what was asked.
///
/// Two ways lead there. Each shape can have an index of its own, which is the fastest; or shapes over one
/// order share indexes of one field each, which are merged: k of them stand in for 2^k. An index of one
/// shape may also be a part of another's, with its fields in another sequence. Small sets of candidates are
/// searched through for the fewest; large ones are thinned out.
///
/// Source: docs/spec/production-differences.md 3.10.

internal import DocModel
public import DocStore

public enum IndexSuggestion {
  /// LIMIT: candidates of one collection id that are searched through; 2^n sets of them are tried at most.
  private static let searchedMax = 12

  /// What to add to `existing` so that everything asked is served.
  ///
  /// - Parameter merges: whether indexes may be shared by merging. Without it every shape gets an index that
  ///   serves it alone.
  public static func additions(
    for asked: [QueryNeeds], to existing: DefinedIndexes, merges: Bool = true
  ) -> [MissingIndex] {
    var open: [QueryNeeds] = []
    for needs in asked.flatMap(\.singleDisjuncts)
    where !open.contains(needs) && IndexRequirement.missing(for: needs, among: existing) != nil {
      open.append(needs)
    }
    var additions: [MissingIndex] = []
    while let first = open.first {
      let id = first.collectionID
      let group = open.filter { $0.collectionID.hasSameBytes(as: id) }
      open.removeAll { $0.collectionID.hasSameBytes(as: id) }
      additions += Component(needs: group, existing: existing, merges: merges).additions()
    }
    return additions
  }

  /// Definitions that serve nothing of what was asked: to be looked at, not to be trusted, because not
  /// everything may have been asked.
  public static func unused(_ indexes: DefinedIndexes, by asked: [QueryNeeds]) -> [CompositeIndex] {
    var used: Set<CompositeIndex> = []
    for needs in asked { used.formUnion(IndexRequirement.members(for: needs, among: indexes)) }
    return indexes.composites.filter { !used.contains($0) }
  }

  /// What is asked of one collection id.
  private struct Component {
    let needs: [QueryNeeds]
    let existing: DefinedIndexes
    let merges: Bool

    func additions() -> [MissingIndex] {
      let exact = unique(needs.compactMap { IndexRequirement.missing(for: $0, among: existing) })
      var best = thinned(exact)
      guard merges else { return best }
      let parts = unique(
        needs.flatMap(\.parts).compactMap { IndexRequirement.missing(for: $0, among: existing) })
      let merged = thinned(parts)
      if serves(merged), merged.count < best.count { best = merged }
      let candidates = unique(exact + parts)
      guard candidates.count <= searchedMax else { return best }
      return fewest(of: candidates, below: best.count) ?? best
    }

    private func unique(_ candidates: [MissingIndex]) -> [MissingIndex] {
      var seen: Set<MissingIndex> = []
      return candidates.map(\.withoutAdvice).filter { seen.insert($0).inserted }
    }

    private func serves(_ additions: [MissingIndex]) -> Bool {
      let indexes = additions.reduce(existing) { $0.adding($1) }
      return needs.allSatisfy { IndexRequirement.missing(for: $0, among: indexes) == nil }
    }

    /// Without those that the others make up for, the widest first.
    private func thinned(_ additions: [MissingIndex]) -> [MissingIndex] {
      var kept = additions
      for candidate in additions.sorted(by: { $0.definition.fields.count > $1.definition.fields.count }) {
        let rest = kept.filter { $0 != candidate }
        if serves(rest) { kept = rest }
      }
      return kept
    }

    /// The smallest set that serves everything, if one is smaller than `count`.
    private func fewest(of candidates: [MissingIndex], below count: Int) -> [MissingIndex]? {
      guard count > 1 else { return nil }
      for size in 1..<count {
        for set in 1..<(1 << candidates.count) where set.nonzeroBitCount == size {
          let chosen = candidates.indices.filter { set & (1 << $0) != 0 }.map { candidates[$0] }
          if serves(chosen) { return chosen }
        }
      }
      return nil
    }
  }
}

extension QueryNeeds {
  /// Each disjunct as needs of its own.
  fileprivate var singleDisjuncts: [QueryNeeds] { disjuncts.map(replacing) }

  /// Each field with one value as needs of its own: what merging puts together. A vector is not merged.
  fileprivate var parts: [QueryNeeds] {
    guard vector == nil else { return [] }
    return disjuncts.flatMap { disjunct in
      disjunct.equalities.filter { path in !orders.contains { $0.path == path } }.map {
        Disjunct(equalities: [$0])
      }
        + (disjunct.contains.map { [Disjunct(equalities: [], contains: $0)] } ?? [])
    }.map(replacing)
  }

  private func replacing(_ disjunct: Disjunct) -> QueryNeeds {
    QueryNeeds(
      collectionID: collectionID, scope: scope, orders: orders, nameDirection: nameDirection,
      disjuncts: [disjunct],
      vector: vector)
  }
}
