internal import Rules

/// Operators on estimates.
extension Estimator {
  mutating func unary(_ operation: UnaryOperator, _ operand: ExpressionNode) -> Estimate {
    let value = estimate(operand)
    if value.isFailing { return .failing }
    switch operation {
    case .not:
      var truth: Truth = []
      if value.canBeTrue { truth.insert(.false) }
      if value.canBeFalse { truth.insert(.true) }
      return .bool(truth, mayFail: value.mayFailAsBool)
    case .negate: return Estimate(value.types.intersection(.negatable), mayFail: true)
    }
  }

  mutating func ternary(
    _ condition: ExpressionNode, _ then: ExpressionNode, _ otherwise: ExpressionNode
  ) -> Estimate {
    let test = estimate(condition)
    var result = Estimate.failing
    switch (test.canBeTrue, test.canBeFalse) {
    case (true, true):
      let first = estimate(then)
      result = first.union(estimate(otherwise))
    case (true, false): result = estimate(then)
    case (false, true): result = estimate(otherwise)
    case (false, false): return .failing
    }
    result.mayFail = result.mayFail || test.mayFailAsBool
    return result
  }

  mutating func binary(
    _ node: ExpressionNode, _ operation: BinaryOperator, _ place: Span, _ left: ExpressionNode,
    _ right: ExpressionNode
  ) -> Estimate {
    if operation == .and || operation == .or { return logic(node, isAnd: operation == .and, left, right) }
    let first = estimate(left)
    let second = estimate(right)
    if first.isFailing || second.isFailing { return .failing }
    switch operation {
    case .equal, .notEqual: return equality(node, operation == .equal, place, left, right, first, second)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      return relation(node, operation, place, left, first, second)
    case .isIn: return membership(node, left, right, first, second)
    case .add, .subtract, .multiply, .divide, .remainder:
      let types = Self.result(of: operation, first.types, second.types)
      guard !types.isEmpty else {
        return fail(
          node,
          LintMessages.noOperator(operation.rawValue, first.types, second.types, at: place, of: node.span))
      }
      return Estimate(types, mayFail: true)
    case .and, .or: return .any
    }
  }

  /// `&&` and `||`. What a side decides alone is not looked at further, so a part that is guarded by
  /// the method is no mistake.
  private mutating func logic(
    _ node: ExpressionNode, isAnd: Bool, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> Estimate {
    let deciding: Truth = isAnd ? .false : .true
    let first = estimate(left)
    if first.isSurely(deciding) { return .bool(deciding, mayFail: false) }
    let second = estimate(right)
    for (value, side) in [(first, left), (second, right)]
    where !value.isFailing && value.types.isDisjoint(with: .bool) {
      suspect(
        node,
        LintMessages.wrongType(
          value.types, needed: .bool, "joined by `\(isAnd ? "&&" : "||")`", at: side.span))
    }
    if second.isSurely(deciding) { return .bool(deciding, mayFail: false) }
    var truth: Truth = []
    if isAnd ? first.canBeTrue && second.canBeTrue : first.canBeTrue || second.canBeTrue {
      truth.insert(.true)
    }
    if isAnd ? first.canBeFalse || second.canBeFalse : first.canBeFalse && second.canBeFalse {
      truth.insert(.false)
    }
    return .bool(truth, mayFail: first.mayFailAsBool || second.mayFailAsBool)
  }

  // MARK: Comparisons

  private mutating func equality(
    _ node: ExpressionNode, _ isEqual: Bool, _ place: Span, _ left: ExpressionNode, _ right: ExpressionNode,
    _ first: Estimate, _ second: Estimate
  ) -> Estimate {
    let mayFail = first.mayFail || second.mayFail
    if let chained = chain(node, left, second) { return chained }
    if !first.types.isComparable(with: second.types) {
      // A test for null that is needless for some methods is still well meant.
      if first.types != .null, second.types != .null {
        suspect(
          node, LintMessages.neverEqual(first.types, second.types, isEqual: isEqual, at: place, of: node.span)
        )
      }
      return .bool(isEqual ? .false : .true, mayFail: mayFail)
    }
    for (value, other, side) in [(first, second, right), (second, first, left)] where value.shape == .method {
      if case .string(let bytes)? = other.literal,
        !Self.granular.contains(where: { Array($0.rawValue.utf8) == bytes })
      {
        let text = String(decoding: bytes, as: UTF8.self)
        suspect(node, LintMessages.noSuchRequestMethod(text, isEqual: isEqual, at: side.span))
      }
    }
    if let a = first.literal, let b = second.literal, let same = Self.same(a, b) {
      return .bool(same == isEqual ? .true : .false, mayFail: false)
    }
    if first.types == .null, second.types == .null {
      return .bool(isEqual ? .true : .false, mayFail: mayFail)
    }
    return .bool(.either, mayFail: mayFail)
  }

  static let granular: [AllowMethod] = [.get, .list, .create, .update, .delete]

  /// Whether a constant is among written ones; nil where that is not known.
  private static func isIn(_ value: LiteralSyntax, _ list: ExpressionNode) -> Bool? {
    guard case .list(let elements) = list.unwrapped.kind else { return nil }
    var found = false
    for element in elements {
      guard case .literal(let other) = element.unwrapped.kind, let same = same(value, other) else {
        return nil
      }
      found = found || same
    }
    return found
  }

  /// Whether two constants are equal; nil where that is more than a comparison of the text.
  private static func same(_ left: LiteralSyntax, _ right: LiteralSyntax) -> Bool? {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    default: nil
    }
  }

  private mutating func relation(
    _ node: ExpressionNode, _ operation: BinaryOperator, _ place: Span, _ left: ExpressionNode,
    _ first: Estimate, _ second: Estimate
  ) -> Estimate {
    if let chained = chain(node, left, second) { return chained }
    let orderable: StaticType = [.int, .float, .string, .timestamp, .duration, .bytes, .constraint]
    let comparable =
      !first.types.intersection(orderable).isDisjoint(with: second.types)
      || (!first.types.isDisjoint(with: .number) && !second.types.isDisjoint(with: .number))
    guard comparable else {
      return fail(
        node, LintMessages.noOperator(operation.rawValue, first.types, second.types, at: place, of: node.span)
      )
    }
    return .bool(.either, mayFail: true)
  }

  /// `a < b < c` and `a == b == c`: the first comparison is a bool, which nobody wants to compare.
  private mutating func chain(_ node: ExpressionNode, _ left: ExpressionNode, _ right: Estimate) -> Estimate?
  {
    guard case .binary(let inner, _, _, let middle) = left.kind, inner.isComparison,
      case .binary(let outer, let place, _, let last) = node.kind
    else { return nil }
    // `a == b == true` is odd and does what it says.
    if outer == .equal || outer == .notEqual, right.types == .bool { return nil }
    suspect(
      node,
      LintMessages.comparisonChain(
        inner.rawValue, outer.rawValue, middle: middle.span, last: last.span, at: place, of: node.span))
    return outer == .equal || outer == .notEqual ? .bool(.either, mayFail: true) : .failing
  }

  private mutating func membership(
    _ node: ExpressionNode, _ left: ExpressionNode, _ right: ExpressionNode, _ first: Estimate,
    _ second: Estimate
  ) -> Estimate {
    guard !second.types.isDisjoint(with: .container) else {
      let isSwapped = !first.types.isDisjoint(with: .container) && first.types != .any
      return fail(
        node,
        LintMessages.notAContainer(second.types, isSwapped: isSwapped, left: left.span, right: right.span))
    }
    if let value = first.literal, let found = Self.isIn(value, right) {
      return .bool(found ? .true : .false, mayFail: false)
    }
    if case .list = left.unwrapped.kind, second.shape == .fields || second.types == .map {
      return fail(
        node, LintMessages.notAContainer(second.types, isSwapped: false, left: left.span, right: right.span))
    }
    if case .list = left.unwrapped.kind, case .member = right.unwrapped.kind {
      suspect(node, LintMessages.listInField(left: left.span, right: right.span, at: node.span))
    }
    return .bool(.either, mayFail: true)
  }

  mutating func typeTest(
    _ node: ExpressionNode, _ value: ExpressionNode, _ typeName: String, _ typeSpan: Span
  ) -> Estimate {
    let found = estimate(value)
    if found.isFailing { return .failing }
    guard let tested = StaticType(name: typeName) else { return .bool(.either, mayFail: found.mayFail) }
    if found.types.isDisjoint(with: tested) {
      suspect(node, LintMessages.neverOfType(found.types, typeName, at: typeSpan, of: node.span))
      return .bool(.false, mayFail: found.mayFail)
    }
    return .bool(found.types.isSubset(of: tested) ? .true : .either, mayFail: found.mayFail)
  }

  // MARK: Arithmetic

  /// The types an arithmetic operator may give; none if it always fails.
  private static func result(of operation: BinaryOperator, _ left: StaticType, _ right: StaticType)
    -> StaticType
  {
    var types: StaticType = []
    if !left.isDisjoint(with: .number), !right.isDisjoint(with: .number) {
      types.formUnion(left.isSubset(of: .int) && right.isSubset(of: .int) ? .int : .number)
    }
    guard operation == .add || operation == .subtract else { return types }
    if operation == .add, left.contains(.string), right.contains(.string) { types.insert(.string) }
    if left.contains(.duration), right.contains(.duration) { types.insert(.duration) }
    if left.contains(.timestamp), right.contains(.duration) { types.insert(.timestamp) }
    if operation == .add, left.contains(.duration), right.contains(.timestamp) { types.insert(.timestamp) }
    if operation == .subtract, left.contains(.timestamp), right.contains(.timestamp) {
      types.insert(.duration)
    }
    return types
  }
}

extension BinaryOperator {
  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .or, .and, .isIn, .add, .subtract, .multiply, .divide, .remainder: false
    }
  }
}

extension StaticType {
  /// The type that `is` calls so.
  init?(name: String) {
    switch name {
    case "bool": self = .bool
    case "bytes": self = .bytes
    case "constraint": self = .constraint
    case "duration": self = .duration
    case "float": self = .float
    case "int": self = .int
    case "latlng": self = .latlng
    case "list": self = .list
    case "vector": self = .vector
    case "set": self = .set
    case "number": self = .number
    case "map": self = .map
    case "string": self = .string
    case "timestamp": self = .timestamp
    case "path": self = .path
    case "map_diff": self = .mapDiff
    default: return nil
    }
  }
}
