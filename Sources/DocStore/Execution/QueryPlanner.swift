/// Chooses how a query is run. Pure: the same query always gives the same plan.

internal import DocModel

public enum QueryPlanner {
  /// The first that fits: documents by name, a run of one collection, a scan of the scope.
  public static func plan(_ query: NormalizedQuery) -> QueryPlan { plan(query, nil) }

  /// The same, with indexes before runs and scans.
  static func plan(_ query: NormalizedQuery, _ choice: IndexChoice?) -> QueryPlan {
    if query.limit == 0 { return nothing }
    if let paths = lookupPaths(query) {
      return paths.isEmpty
        ? nothing
        : QueryPlan(access: .lookup(paths), isInOrder: query.isOrderedByNameOnly, appliesCursors: false)
    }
    if let choice, let plan = IndexPlanner.plan(query, choice) { return plan }
    guard case .collection(let collection) = query.scope else {
      return QueryPlan(access: .scan(query.scope), isInOrder: false, appliesCursors: false)
    }
    guard let range = nameRange(query, collection) else { return nothing }
    let isInOrder = query.isOrderedByNameOnly
    return QueryPlan(access: .range(range), isInOrder: isInOrder, appliesCursors: isInOrder)
  }

  private static let nothing = QueryPlan(access: .nothing, isInOrder: true, appliesCursors: true)

  // MARK: lookups

  /// The documents that the filter names, when every disjunct names one.
  private static func lookupPaths(_ query: NormalizedQuery) -> [ResourcePath]? {
    var paths: Set<ResourcePath> = []
    for disjunct in query.disjuncts {
      let name = disjunct.tests.first { $0.path.isDocumentName && $0.comparison == .equal }
      guard let operand = name?.operands.first else { return nil }
      paths.insert(NameOperand.path(operand))
    }
    return paths.filter(query.scope.contains).sorted()
  }

  // MARK: ranges

  /// What ranges on the name and, in the order of names, cursors leave of a collection; nil for nothing.
  private static func nameRange(_ query: NormalizedQuery, _ collection: ResourcePath) -> NameRange? {
    let direction = query.isOrderedByNameOnly ? query.orders[0].direction : .ascending
    var range = NameRange(collection: collection, direction: direction)
    for test in conjuncts(query.filter) where test.path.isDocumentName {
      guard let operand = test.operands.first else { continue }
      let path = NameOperand.path(operand)
      switch test.comparison {
      case .lessThan: range.cutAbove(NameBound(path, isInclusive: false))
      case .lessThanOrEqual: range.cutAbove(NameBound(path, isInclusive: true))
      case .greaterThan: range.cutBelow(NameBound(path, isInclusive: false))
      case .greaterThanOrEqual: range.cutBelow(NameBound(path, isInclusive: true))
      case .equal, .notEqual, .arrayContains, .arrayContainsAny, .in, .notIn, .isNull, .isNotNull, .isNaN,
        .isNotNaN:
        break
      }
    }
    if query.isOrderedByNameOnly {
      guard applyCursors(query, to: &range) else { return nil }
    }
    return range.isEmpty ? nil : range
  }

  /// Tests that every matching document passes.
  private static func conjuncts(_ filter: QueryFilter?) -> [FieldTest] {
    switch filter {
    case .none, .any: []
    case .test(let test): [test]
    case .all(let children): children.flatMap { conjuncts($0) }
    }
  }

  /// False when nothing is left: a cursor without values lies before everything, or after it.
  private static func applyCursors(_ query: NormalizedQuery, to range: inout NameRange) -> Bool {
    if let start = query.start {
      guard start.isBefore || !start.values.isEmpty else { return false }
      cut(&range, start, isStart: true)
    }
    if let end = query.end {
      guard !end.isBefore || !end.values.isEmpty else { return false }
      cut(&range, end, isStart: false)
    }
    return true
  }

  /// The start of a result is the lower end of its range, or the upper one when it is read backwards.
  private static func cut(_ range: inout NameRange, _ cursor: QueryCursor, isStart: Bool) {
    guard let value = cursor.values.first else { return }
    let bound = NameBound(NameOperand.path(value), isInclusive: cursor.isBefore == isStart)
    if isStart == (range.direction == .ascending) {
      range.cutBelow(bound)
    } else {
      range.cutAbove(bound)
    }
  }
}
