/// What a query says of one field: the words that stores, listeners and rules have in common.
///
/// Source: docs/spec/protocol.md 5.3.

/// One test of one field against known values.
public struct FieldTest: Hashable, Sendable {
  /// The fuzzers draw from `allCases`: another order gives their seeds other cases.
  public enum Comparison: Hashable, Sendable, CaseIterable {
    case equal, notEqual, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual
    case arrayContains
    /// Any of several operands; `notIn` none of them.
    case `in`, arrayContainsAny, notIn
    /// Unary tests, without operand. To rules they are not the comparisons with null and NaN:
    /// see docs/spec/production-differences.md 1.10.
    case isNull, isNotNull, isNaN, isNotNaN
  }

  /// `FieldPath.documentName` stands for the document's name, whose operands are references.
  public let path: FieldPath
  public let comparison: Comparison
  /// Encoded values: one, the elements of a list for `in`, `notIn` and `arrayContainsAny`, none for the unary tests.
  public let operands: [[UInt8]]

  public init(_ path: FieldPath, _ comparison: Comparison, _ operands: [[UInt8]] = []) {
    self.path = path
    self.comparison = comparison
    self.operands = operands
  }

  /// A test as clients write it: the operand of `in`, `notIn` and `arrayContainsAny` is an array.
  public init(_ path: FieldPath, _ comparison: Comparison, _ operand: Value) {
    if comparison.takesList, case .array(let elements) = operand {
      self.init(path, comparison, elements.map(\.encoded))
    } else {
      self.init(path, comparison, comparison.isUnary ? [] : [operand.encoded])
    }
  }

  /// The operand of a test that has one; empty for unary tests.
  public var operand: [UInt8] { operands.first ?? [] }
}

extension FieldTest.Comparison {
  /// Whether a query with this test is also ordered by the field.
  /// Source: docs/spec/protocol.md 5.4.
  public var impliesOrder: Bool { isRange || isNegation }

  public var isRange: Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: true
    case .equal, .notEqual, .arrayContains, .arrayContainsAny, .in, .notIn, .isNull, .isNotNull, .isNaN,
      .isNotNaN:
      false
    }
  }

  /// Whether at most one such test may stand in a query. Source: docs/spec/protocol.md 5.3.
  public var isNegation: Bool {
    switch self {
    case .notEqual, .notIn, .isNotNull, .isNotNaN: true
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .arrayContains,
      .arrayContainsAny, .in, .isNull, .isNaN:
      false
    }
  }

  /// Whether each operand is a disjunct of its own.
  public var isDisjunction: Bool { self == .in || self == .arrayContainsAny }

  /// Whether the operand is a list of values to try.
  public var takesList: Bool { isDisjunction || self == .notIn }

  /// Whether there is no operand.
  public var isUnary: Bool {
    switch self {
    case .isNull, .isNotNull, .isNaN, .isNotNaN: true
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual, .arrayContains,
      .arrayContainsAny, .in, .notIn:
      false
    }
  }
}

/// A filter of tests. Composites without children are `.all([])`, which every document passes.
public indirect enum QueryFilter: Hashable, Sendable {
  case test(FieldTest)
  case all([QueryFilter])
  case any([QueryFilter])

  /// The tests from left to right.
  public var tests: [FieldTest] {
    var found: [FieldTest] = []
    forEachTest { found.append($0) }
    return found
  }

  /// Calls `body` for every test from left to right until it throws.
  public func forEachTest<E: Error>(_ body: (FieldTest) throws(E) -> Void) throws(E) {
    switch self {
    case .test(let test): try body(test)
    case .all(let children), .any(let children):
      for child in children { try child.forEachTest(body) }
    }
  }
}
