/// Chooses which indexes serve a query, and how. Pure.
///
/// For every disjunct of the filter: equalities and an array-contains are fixed by prefixes, one index for several
/// of them or several indexes joined; what follows the prefixes is one and the same for all of them, the
/// query's orders where indexes have them, otherwise only the name (then the result is sorted).
///
/// INVARIANT: what `IndexAccess` leads to contains every document of the result. Filters are asked again.
/// Source: docs/design/storage-and-scale.md 8; docs/spec/production-differences.md 3.4 (what a member is).

internal import DocModel

/// The indexes a plan may use.
struct IndexChoice {
  /// Begins all keys.
  let generation: UInt32
  /// Ready indexes of the query's collection id.
  let indexes: [StoredIndex]
  /// Whether the query reads an earlier state: then rows come from memory, too.
  let isPast: Bool
}

struct IndexPlanner {
  private let query: NormalizedQuery
  private let choice: IndexChoice
  private let disjuncts: [DisjunctFacts]
  private let scope: IndexDefinition.Scope
  private let parent: [UInt8]
  /// The orders before the name, relative to an ascending name.
  private let orders: [QueryOrder]
  private let isBackward: Bool

  /// Nil when no index helps.
  static func plan(_ query: NormalizedQuery, _ choice: IndexChoice) -> QueryPlan? {
    guard let planner = IndexPlanner(query, choice) else { return nil }
    return planner.plan()
  }

  init?(_ query: NormalizedQuery, _ choice: IndexChoice) {
    switch query.scope {
    case .collection(let collection):
      scope = .collection
      parent = Array(collection.parent.text.utf8)
    case .group:
      scope = .collectionGroup
      parent = []
    case .children, .descendants: return nil
    }
    self.query = query
    self.choice = IndexChoice(
      generation: choice.generation, indexes: choice.indexes.filter { [scope] in $0.shape.scope == scope },
      isPast: choice.isPast)
    disjuncts = query.disjuncts.map(DisjunctFacts.init)
    isBackward = query.orders.last?.direction == .descending
    orders = query.relativeOrders
  }

  // MARK: choosing

  private func plan() -> QueryPlan? {
    if disjuncts.allSatisfy(\.isImpossible) {
      return QueryPlan(access: .nothing, isInOrder: true, appliesCursors: true)
    }
    let inOrder = attempt(orders)
    if let inOrder, inOrder.isCovered { return inOrder.plan }
    if orders.isEmpty { return inOrder?.plan }
    if let byName = attempt([]) { return byName.plan }
    // Reading a whole index by the way costs more than sorting, unless the reading can end early.
    if let inOrder, inOrder.isBounded || query.limit != nil { return inOrder.plan }
    if orders.count > 1, let byFirst = attempt([orders[0]]), byFirst.isBounded { return byFirst.plan }
    return nil
  }

  private struct Attempt {
    let plan: QueryPlan
    /// Whether prefixes fix everything that can be fixed.
    let isCovered: Bool
    /// Whether some part of the indexes is not read.
    let isBounded: Bool
  }

  /// Serves every disjunct by indexes that go on with `target` after their prefixes; all parts have one budget.
  private func attempt(_ target: [QueryOrder]) -> Attempt? {
    var best: Attempt?
    var budgets: [Int] = []
    for index in choice.indexes {
      let budget = IndexLayout.valueBudget(parts: index.shape.parts.count)
      if !target.isEmpty, !budgets.contains(budget) { budgets.append(budget) }
    }
    for budget in target.isEmpty ? [nil] : budgets.map(Optional.some) {
      guard let attempt = attempt(target, budget: budget) else { continue }
      if attempt.isCovered { return attempt }
      best = best ?? attempt
    }
    return best
  }

  private func attempt(_ target: [QueryOrder], budget: Int?) -> Attempt? {
    var served: [ServedDisjunct] = []
    var named: [ResourcePath] = []
    for disjunct in disjuncts where !disjunct.isImpossible {
      if let path = disjunct.name {
        if query.scope.contains(path) { named.append(path) }
        continue
      }
      guard let conjunct = serve(disjunct, target, budget) else { return nil }
      if !served.contains(where: { $0.conjunct == conjunct.conjunct }) { served.append(conjunct) }
    }
    // Named documents alone are looked up without indexes.
    guard !served.isEmpty else { return nil }
    let isInOrder = target.count == orders.count
    let cursorsAreExact = served.allSatisfy(\.cursorsAreExact)
    let isExact =
      isInOrder && named.isEmpty && cursorsAreExact && served.allSatisfy(\.isExact)
      && query.requiredFields.isEmpty && query.resumeKey == nil && query.nearest == nil && !choice.isPast
      && isWholeScope
    let access = IndexAccess(
      scope: query.scope, conjuncts: served.map(\.conjunct).filter { !$0.ranges.isEmpty }, named: named,
      suffix: target + [QueryOrder(.documentName, .ascending)], budget: budget ?? 0, isBackward: isBackward,
      isExact: isExact)
    return Attempt(
      plan: QueryPlan(
        access: .indexes(access), isInOrder: isInOrder,
        appliesCursors: isInOrder && cursorsAreExact && named.isEmpty && !choice.isPast),
      isCovered: served.allSatisfy(\.isCovered), isBounded: served.allSatisfy(\.isBounded))
  }

  private var isWholeScope: Bool {
    switch query.scope {
    case .collection: true
    case .group(_, let ancestor): ancestor.isRoot
    case .children, .descendants: false
    }
  }

  // MARK: one disjunct

  private struct ServedDisjunct {
    let conjunct: IndexConjunct
    let isCovered: Bool
    let isBounded: Bool
    let isExact: Bool
    let cursorsAreExact: Bool
  }

  private func serve(_ disjunct: DisjunctFacts, _ target: [QueryOrder], _ budget: Int?) -> ServedDisjunct? {
    let chosen = IndexMembers.choose(disjunct, target, choice.indexes, budget: budget)
    guard !chosen.indexes.isEmpty else { return nil }
    var ranges = ValueRanges(budget: budget ?? 0)
    var isExact = chosen.isCovered && disjunct.isExact
    if let first = target.first {
      for test in disjunct.tests where test.path == first.path { ranges.narrow(test) }
      if first.direction == .descending { ranges.turn() }
      // Tests of later orders are left to the filter, and so are those of the name.
      isExact =
        isExact && disjunct.nameTests.isEmpty
        && disjunct.tests.allSatisfy { $0.path == first.path || disjunct.isFixed($0) }
        && !target.dropFirst().contains { order in disjunct.fixes(order.path) }
    } else {
      isExact = isExact && disjunct.tests.allSatisfy { disjunct.isFixed($0) }
      cutNames(disjunct, &ranges)
    }
    isExact = isExact && ranges.isExact
    var cursors = ranges
    cursors.believe()
    if target.count == orders.count { cutCursors(target, budget ?? 0, &cursors) }
    let members = chosen.indexes.map { member($0, disjunct, target) }
    return ServedDisjunct(
      conjunct: IndexConjunct(members: members, ranges: cursors.ranges), isCovered: chosen.isCovered,
      isBounded: cursors.ranges != [.all] || members.contains { $0.fixedParts > 0 },
      isExact: isExact, cursorsAreExact: cursors.isExact)
  }

  private func member(_ index: StoredIndex, _ disjunct: DisjunctFacts, _ target: [QueryOrder]) -> IndexMember
  {
    let parts = index.shape.parts
    let fixed = parts.count - target.count
    let budget = IndexLayout.valueBudget(parts: parts.count)
    var writer = KeyWriter()
    writer.raw(
      parent.withUnsafeBytes {
        IndexLayout.prefix(choice.generation, index.number, scope, parent: $0)
      })
    for part in parts.prefix(fixed) {
      guard let value = disjunct.value(part) else { continue }
      value.withUnsafeBytes { _ = writer.indexPart(ValueView($0), part.mode, budget: budget) }
    }
    return IndexMember(index: index, prefix: writer.bytes, fixedParts: fixed)
  }

  // MARK: positions

  /// Ranges of the name, when only names follow the prefixes.
  private func cutNames(_ disjunct: DisjunctFacts, _ ranges: inout ValueRanges) {
    for test in disjunct.nameTests {
      guard let operand = test.operands.first else { continue }
      let position = SuffixPosition(
        [operand], [QueryOrder(.documentName, .ascending)], query.scope, budget: 0)
      switch test.comparison {
      case .lessThan: ranges.cut(upper: position, isInclusive: false)
      case .lessThanOrEqual: ranges.cut(upper: position, isInclusive: true)
      case .greaterThan: ranges.cut(lower: position, isInclusive: false)
      case .greaterThanOrEqual: ranges.cut(lower: position, isInclusive: true)
      case .equal, .notEqual, .arrayContains, .arrayContainsAny, .in, .notIn, .isNull, .isNotNull, .isNaN,
        .isNotNaN:
        ranges.leaveToFilter()
      }
    }
  }

  private func cutCursors(_ target: [QueryOrder], _ budget: Int, _ ranges: inout ValueRanges) {
    let suffix = target + [QueryOrder(.documentName, .ascending)]
    if let start = query.start {
      let position = SuffixPosition(start.values, suffix, query.scope, budget: budget)
      if isBackward {
        ranges.cut(upper: position, isInclusive: start.isBefore)
      } else {
        ranges.cut(lower: position, isInclusive: start.isBefore)
      }
    }
    if let end = query.end {
      let position = SuffixPosition(end.values, suffix, query.scope, budget: budget)
      if isBackward {
        ranges.cut(lower: position, isInclusive: !end.isBefore)
      } else {
        ranges.cut(upper: position, isInclusive: !end.isBefore)
      }
    }
  }
}

extension NormalizedQuery {
  /// The orders before the name, as they are when the name ascends.
  var relativeOrders: [QueryOrder] {
    let isBackward = orders.last?.direction == .descending
    return orders.dropLast().map { order in
      QueryOrder(order.path, isBackward ? order.direction.reversed : order.direction)
    }
  }
}
