/// Checks of the filter: leaf by leaf, then as a whole.
///
/// Source: docs/spec/protocol.md 5.3.

internal import DocModel

extension QueryValidator {
  // MARK: the tree

  /// Field path, then operator, then operand of each filter, from left to right, depth first.
  func convert(_ filter: StructuredQuery.Filter, depth: Int) throws(InvalidArgument) -> QueryFilter {
    guard depth <= QueryLimits.filterDepthMax else { throw QueryErrors.filterTooDeep }
    switch filter {
    case .composite(let kind, let children):
      guard let kind else { throw QueryErrors.compositeOperatorUnset }
      var converted: [QueryFilter] = []
      for child in children { converted.append(try convert(child, depth: depth + 1)) }
      // Without children a composite constrains nothing; with one it is that child.
      if converted.isEmpty { return .all([]) }
      if converted.count == 1 { return converted[0] }
      return kind == .and ? .all(converted) : .any(converted)
    case .field(let text, let comparison, let operand):
      let path = try path(text, as: .filter)
      guard let comparison else { throw QueryErrors.fieldOperatorUnset }
      return .test(try fieldTest(path, comparison, operand))
    case .unary(let text, let test):
      guard let test, let text else { throw QueryErrors.unaryOperatorUnset }
      return .test(FieldTest(try path(text, as: .filter), FieldTest.Comparison(test), []))
    case .unset:
      throw QueryErrors.filterUnset
    }
  }

  private func fieldTest(
    _ path: FieldPath, _ comparison: StructuredQuery.FieldOperator, _ operand: StructuredQuery.Operand
  ) throws(InvalidArgument) -> FieldTest {
    let bytes: [UInt8]
    switch operand {
    case .value(let value): bytes = value
    case .refused(let error): throw error
    }
    let operands = comparison.takesList ? try list(bytes, for: comparison) : [bytes]
    if path.isDocumentName, comparison == .arrayContains || comparison == .arrayContainsAny {
      throw QueryErrors.nameReserved
    }
    if path.isDocumentName {
      for operand in operands { try checkReference(operand) }
    }
    return FieldTest(path, FieldTest.Comparison(comparison), operands)
  }

  private func list(
    _ operand: [UInt8], for comparison: StructuredQuery.FieldOperator
  ) throws(InvalidArgument) -> [[UInt8]] {
    let elements: [[UInt8]]? = operand.withUnsafeBytes { bytes in
      let value = ValueView(bytes)
      return value.kind == .array ? value.array.map { Array($0.bytes) } : nil
    }
    guard let elements else { throw QueryErrors.listExpected(comparison) }
    guard !elements.isEmpty else { throw QueryErrors.listEmpty(comparison) }
    let max = comparison == .notIn ? QueryLimits.notInValuesMax : QueryLimits.listValuesMax
    guard elements.count <= max else { throw QueryErrors.listTooLong(comparison, max: max) }
    return elements
  }

  /// A reference must name a document of the query's database. That it is a reference at all is asked
  /// later, with the whole filter.
  private func checkReference(_ operand: [UInt8]) throws(InvalidArgument) {
    guard let text = Self.referenceText(operand) else { return }
    let name = try ResourceNameParser.document(text, as: .parent)
    guard name.database == query.database else {
      throw QueryErrors.otherDatabase(name.database, than: query.database)
    }
  }

  static func referenceText(_ operand: [UInt8]) -> String? {
    operand.withUnsafeBytes { bytes in
      let value = ValueView(bytes)
      return value.kind == .reference ? String(decoding: value.reference, as: UTF8.self) : nil
    }
  }

  // MARK: the whole

  func checkWhole(_ filter: QueryFilter?, scope: QueryScope) throws(InvalidArgument) {
    try checkScope(filter, scope)
    guard let filter else { return try checkSize(filterCount: 0) }
    let tests = filter.tests
    guard tests.count(where: { $0.comparison.isNegation }) <= 1 else { throw QueryErrors.manyNegations }
    if tests.contains(where: { $0.comparison == .notIn }), Self.hasDisjunction(query.filter) {
      throw QueryErrors.notInWithDisjunction
    }
    try checkSize(filterCount: tests.reduce(0) { $0 + max(1, $1.operands.count) })
    guard QueryDisjunct.arrayContainsMax(of: filter) <= 1 else { throw QueryErrors.manyArrayContains }
    for test in tests { try checkOperandSizes(test) }
    let paths = Self.inequalityPaths(tests)
    guard paths.count <= QueryLimits.inequalityFieldsMax else {
      throw QueryErrors.manyInequalityFields(paths.sorted())
    }
  }

  private static func inequalityPaths(_ tests: [FieldTest]) -> Set<FieldPath> {
    Set(tests.filter { $0.comparison.impliesOrder }.map(\.path))
  }

  // MARK: what no index can serve

  /// What users are told after the rules have granted the query. Source: the official emulator.
  func indexError(_ filter: QueryFilter?) -> InvalidArgument? {
    let tests = filter?.tests ?? []
    return inequalityError(tests) ?? errorOfAdded(tests) ?? QueryErrors.disjuncts(of: filter)
  }

  /// Inequalities order the result, and an index that begins with another field's order has no use for a key; the
  /// service refuses that wherever in the tree the two stand, also where no document could need both.
  private func inequalityError(_ tests: [FieldTest]) -> InvalidArgument? {
    let paths = Self.inequalityPaths(tests)
    if paths.isEmpty || paths.contains(.documentName) { return nil }
    return tests.contains { $0.path.isDocumentName } ? QueryErrors.keyBesideInequalities : nil
  }

  /// Fields are added up from an index that has them before the name. A query that filters or orders by the name itself
  /// has such an index only for the fields that it orders by, too. Source: the official emulator.
  private func errorOfAdded(_ tests: [FieldTest]) -> InvalidArgument? {
    if added.isEmpty { return nil }
    let explicit = query.orders.compactMap { try? FieldPath.parse($0.path) }
    guard explicit.contains(where: \.isDocumentName) || tests.contains(where: { $0.path.isDocumentName })
    else { return nil }
    let missing = Set(added).subtracting(Self.inequalityPaths(tests).union(explicit))
    return missing.isEmpty ? nil : QueryErrors.addedBehindName(missing)
  }

  /// Group queries below a document and kindless queries know no fields; name operands must be names.
  private func checkScope(_ filter: QueryFilter?, _ scope: QueryScope) throws(InvalidArgument) {
    let tests = filter?.tests ?? []
    if case .group(_, let ancestor) = scope, !ancestor.isRoot {
      let ordersByField = query.orders.contains { (try? FieldPath.parse($0.path))?.isDocumentName == false }
      guard !ordersByField, tests.allSatisfy({ $0.path.isDocumentName }) else {
        throw QueryErrors.groupBelowDocument
      }
    }
    for test in tests {
      if test.path.isDocumentName {
        guard !test.operands.isEmpty, test.operands.allSatisfy({ Self.referenceText($0) != nil }) else {
          throw QueryErrors.nameOperand
        }
      } else {
        switch scope {
        case .children, .descendants: throw QueryErrors.kindlessFilter(test.path)
        case .collection, .group: break
        }
      }
    }
  }

  /// Asks what the client wrote: an `OR` counts however little stands in it.
  private static func hasDisjunction(_ filter: StructuredQuery.Filter?) -> Bool {
    switch filter {
    case .field(_, let comparison, _): comparison == .in || comparison == .arrayContainsAny
    case .composite(let kind, let children): kind == .or || children.contains(where: hasDisjunction)
    case .unary, .unset, nil: false
    }
  }

  /// Source: docs/spec/production-differences.md L12: every leaf and every list operand counts.
  private func checkSize(filterCount: Int) throws(InvalidArgument) {
    let hasParent = !query.parent.isRoot
    guard filterCount + query.orders.count + (hasParent ? 1 : 0) <= QueryLimits.componentsMax else {
      throw QueryErrors.tooComplex(filters: filterCount, orders: query.orders.count, hasParent: hasParent)
    }
  }

  /// What an index would have to cut cannot be looked up. Source: docs/spec/protocol.md 11 item 6.
  private func checkOperandSizes(_ test: FieldTest) throws(InvalidArgument) {
    if test.path.isDocumentName { return }
    let isElement = test.comparison == .arrayContains || test.comparison == .arrayContainsAny
    for operand in test.operands {
      guard operand.withUnsafeBytes({ IndexedValue.fits(ValueView($0)) }) else {
        throw QueryErrors.operandTooLarge(test.path, isElement: isElement)
      }
    }
  }
}
