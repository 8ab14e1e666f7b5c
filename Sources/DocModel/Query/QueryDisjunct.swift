/// The disjunctive form of a filter.
///
/// Source: docs/spec/protocol.md 5.3 (counting) and docs/spec/list-query-authorization.md 1 (what a disjunct is).

/// One disjunct: a document that passes every test passes the filter.
///
/// `in` and `array-contains-any` are taken apart: each operand is a disjunct of its own, as `equal` or
/// `arrayContains`. `not-in` stays whole; rules take it apart, too, into `notEqual` tests that all hold.
public struct QueryDisjunct: Hashable, Sendable, ExpressibleByArrayLiteral {
  public let tests: [FieldTest]

  public init(_ tests: [FieldTest]) { self.tests = tests }

  public init(arrayLiteral tests: FieldTest...) { self.init(tests) }

  /// The tests of one field, in the order of the filter.
  public func tests(of path: FieldPath) -> [FieldTest] { tests.filter { $0.path == path } }

  /// The fields tested, each once, in the order of the filter.
  public var paths: [FieldPath] {
    var found: [FieldPath] = []
    for test in tests where !found.contains(test.path) { found.append(test.path) }
    return found
  }

  /// The disjunct as a filter.
  public var filter: QueryFilter { .all(tests.map(QueryFilter.test)) }

  /// All disjuncts of a filter. Grows with `count(of:)`, so ask that first about filters not validated.
  public static func disjuncts(of filter: QueryFilter?) -> [QueryDisjunct] {
    guard let filter else { return [QueryDisjunct([])] }
    return expand(filter).map(QueryDisjunct.init)
  }

  private static func expand(_ filter: QueryFilter) -> [[FieldTest]] {
    switch filter {
    case .test(let test):
      switch test.comparison {
      case .in: return test.operands.map { [FieldTest(test.path, .equal, [$0])] }
      case .arrayContainsAny: return test.operands.map { [FieldTest(test.path, .arrayContains, [$0])] }
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual, .arrayContains,
        .notIn, .isNull, .isNotNull, .isNaN, .isNotNaN:
        return [[test]]
      }
    case .any(let children):
      return children.flatMap(expand)
    case .all(let children):
      return children.reduce([[]]) { product, child in
        let factors = expand(child)
        return product.flatMap { left in factors.map { left + $0 } }
      }
    }
  }

  /// How many disjuncts there are, without making them: a test is 1, a list one for each operand
  /// (duplicates count), OR adds, AND multiplies. Stops growing at `Int.max`.
  public static func count(of filter: QueryFilter?) -> Int {
    switch filter {
    case .none: 1
    case .test(let test):
      test.comparison.isDisjunction ? test.operands.count : 1
    case .any(let children):
      children.reduce(0) { sum, child in
        let (result, overflow) = sum.addingReportingOverflow(count(of: child))
        return overflow ? Int.max : result
      }
    case .all(let children):
      children.reduce(1) { product, child in
        let (result, overflow) = product.multipliedReportingOverflow(by: count(of: child))
        return overflow ? Int.max : result
      }
    }
  }

  /// The largest number of array-contains tests in any one disjunct.
  public static func arrayContainsMax(of filter: QueryFilter) -> Int {
    switch filter {
    case .test(let test):
      test.comparison == .arrayContains || test.comparison == .arrayContainsAny ? 1 : 0
    case .any(let children): children.reduce(0) { max($0, arrayContainsMax(of: $1)) }
    case .all(let children): children.reduce(0) { $0 + arrayContainsMax(of: $1) }
    }
  }
}
