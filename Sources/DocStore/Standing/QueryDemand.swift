/// What every document of one disjunct of a query has: a value in known ranges at a known place.
///
/// Keys are those of `KeyWriter.indexPart`, nothing folded, in which 1 and 1.0 are the same; those of names are
/// `KeyWriter.namePart`.
///
/// INVARIANT: a document that a query includes meets the demand of one of its disjuncts. The converse need not hold.
/// Checked by: `StandingIndexTests` against asking every query.

internal import DocModel

struct QueryDemand: Hashable {
  enum Place: Hashable {
    case value(FieldPath)
    /// An element of an array.
    case element(FieldPath)
    case name
  }

  enum Sought: Hashable {
    case key([UInt8])
    /// None: no document passes.
    case ranges([SuffixRange])
  }

  let place: Place
  let sought: Sought

  /// One demand a disjunct; nil when some disjunct makes none.
  static func demands(of query: NormalizedQuery) -> Set<QueryDemand>? {
    var found: Set<QueryDemand> = []
    for disjunct in query.disjuncts {
      guard let demand = demand(of: disjunct, query) else { return nil }
      found.insert(demand)
    }
    return found
  }

  /// Equality first: fewer documents have a value than an array that holds it, or one of a range.
  private static func demand(of disjunct: QueryDisjunct, _ query: NormalizedQuery) -> QueryDemand? {
    if let test = disjunct.tests.first(where: { $0.comparison == .equal }), let operand = test.operands.first
    {
      let isName = test.path.isDocumentName
      return QueryDemand(
        place: isName ? .name : .value(test.path), sought: .key(key(operand, isName: isName)))
    }
    if let test = disjunct.tests.first(where: { $0.comparison == .arrayContains }),
      let operand = test.operands.first
    {
      return QueryDemand(place: .element(test.path), sought: .key(key(operand, isName: false)))
    }
    return narrowest(disjunct, query)
  }

  /// Of the fields with ranges the first that is bounded on both sides, else on one, else one that must be there.
  private static func narrowest(_ disjunct: QueryDisjunct, _ query: NormalizedQuery) -> QueryDemand? {
    var paths = disjunct.paths
    // A document without a field that the query is ordered by is not in its result, whatever its name.
    if query.nearest == nil, let order = query.orders.first, !paths.contains(order.path) {
      paths.append(order.path)
    }
    var best: DemandedRanges?
    for path in paths {
      let ranges = DemandedRanges(path, disjunct, query)
      if path.isDocumentName, ranges.sideCount == 0 { continue }
      if ranges.sideCount > best?.sideCount ?? -1 { best = ranges }
    }
    return best.map { best in
      QueryDemand(
        place: best.path.isDocumentName ? .name : .value(best.path), sought: .ranges(best.ranges.ranges))
    }
  }

  fileprivate static func key(_ operand: [UInt8], isName: Bool) -> [UInt8] {
    operand.withUnsafeBytes { bytes in
      isName ? nameKey(NameOperand.relativePath(ValueView(bytes).reference)) : key(of: ValueView(bytes))
    }
  }

  static func key(of value: ValueView) -> [UInt8] {
    var writer = KeyWriter()
    _ = writer.indexPart(value, .ascending, budget: KeyWriter.unlimited)
    return writer.bytes
  }

  static func nameKey(_ path: UnsafeRawBufferPointer) -> [UInt8] {
    var writer = KeyWriter()
    writer.namePart(path, .ascending)
    return writer.bytes
  }
}

/// What a disjunct's tests and the query's cursors leave of one field, or of the name.
private struct DemandedRanges {
  let path: FieldPath
  var ranges = ValueRanges(budget: KeyWriter.unlimited)
  private var isBoundedBelow = false
  private var isBoundedAbove = false

  init(_ path: FieldPath, _ disjunct: QueryDisjunct, _ query: NormalizedQuery) {
    self.path = path
    for test in disjunct.tests(of: path) { narrow(test) }
    guard query.nearest == nil, let order = query.orders.first, order.path == path else { return }
    let (lower, upper) = order.direction == .ascending ? (query.start, query.end) : (query.end, query.start)
    // What is equal in the first value may lie on either side, for the sake of the others.
    if let value = lower?.values.first {
      narrow(FieldTest(path, .greaterThanOrEqual, [value]), isCursor: true)
    }
    if let value = upper?.values.first { narrow(FieldTest(path, .lessThanOrEqual, [value]), isCursor: true) }
  }

  var sideCount: Int { (isBoundedBelow ? 1 : 0) + (isBoundedAbove ? 1 : 0) }

  /// - Parameter isCursor: the order goes on beyond the kind of the operand.
  private mutating func narrow(_ test: FieldTest, isCursor: Bool = false) {
    switch test.comparison {
    case .greaterThan, .greaterThanOrEqual: isBoundedBelow = true
    case .lessThan, .lessThanOrEqual: isBoundedAbove = true
    case .isNull, .isNaN: (isBoundedBelow, isBoundedAbove) = (true, true)
    case .equal, .notEqual, .arrayContains, .arrayContainsAny, .in, .notIn, .isNotNull, .isNotNaN: break
    }
    if path.isDocumentName || isCursor {
      if let range = wholeRange(test) { ranges.cut(range, isExact: false) }
    } else {
      ranges.narrow(test)
    }
  }

  /// The side of an operand in the whole order.
  private func wholeRange(_ test: FieldTest) -> SuffixRange? {
    guard test.comparison.isRange, let operand = test.operands.first else { return nil }
    let key = QueryDemand.key(operand, isName: path.isDocumentName)
    let after = KeyRange.successor(ofPrefix: key)
    return switch test.comparison {
    case .lessThan: SuffixRange(lower: [], upper: key)
    case .lessThanOrEqual: SuffixRange(lower: [], upper: after)
    case .greaterThan: after.map { SuffixRange(lower: $0, upper: nil) }
    default: SuffixRange(lower: key, upper: nil)
    }
  }
}
