/// What a query's filters answer when a rule asks about a field they do not fix.
///
/// A comparison is true when **one** filter implies it and has no value otherwise; it is never false.
/// Filters are not combined. `hasAny`, `in [constants]` and `is` do answer false.
/// Source: spec/production-differences.md 1.10, spec/list-query-authorization.md F7-F9, and 1,500 answers
/// of the official emulator, of which MirrorRows keeps a part.

internal import DocModel

extension Evaluation {
  /// `constraint comparison value`
  func constrained(
    _ constraint: Operand, _ comparison: Comparison, _ value: Operand, _ node: Int32
  ) -> Operand {
    guard case .constraint(let filters, let count) = constraint else { return .null }
    if case .constraint = value {
      let isOrder = comparison != .equal && comparison != .notEqual
      return fault(
        .type, node,
        FaultText.type(
          .constraint,
          expected: isOrder
            ? "timestamp,duration,float,int,string,bytes"
            : "bool,duration,float,int,latlng,map,null,string,bytes,timestamp,path,list,vector,set"))
    }
    for index in 0..<count where implies(filters[index], comparison, value) { return .boolean(true) }
    return fault(.undetermined, node, "")
  }

  private func implies(_ filter: ConstraintFilter, _ comparison: Comparison, _ value: Operand) -> Bool {
    // Whatever is filtered is there and is not null, also, strangely, by a field filter `== null`.
    if comparison == .notEqual, case .null = value { return true }
    if filter.comparison == .equal { return isImplied(byEqual: filter.operand, comparison, value) }
    switch (comparison, filter.comparison) {
    case (.greater, .greater), (.greaterOrEqual, .greater), (.greaterOrEqual, .greaterOrEqual),
      (.notEqual, .greater):
      return isBound(filter.operand, .greaterOrEqual, value)
    case (.greater, .greaterOrEqual), (.notEqual, .greaterOrEqual):
      return isBound(filter.operand, .greater, value)
    case (.less, .less), (.lessOrEqual, .less), (.lessOrEqual, .lessOrEqual), (.notEqual, .less):
      return isBound(filter.operand, .lessOrEqual, value)
    case (.less, .lessOrEqual), (.notEqual, .lessOrEqual):
      return isBound(filter.operand, .less, value)
    case (.notEqual, .notEqual): return areEqual(filter.operand, value, .direct)
    default: return false
    }
  }

  /// `==` beside other filters on the field, or with null or NaN, which answer nothing.
  private func isImplied(byEqual fixed: Operand, _ comparison: Comparison, _ value: Operand) -> Bool {
    switch fixed {
    case .null: return false
    case .float(let number) where number.isNaN: return false
    default: break
    }
    switch comparison {
    case .equal: return areEqual(fixed, value, .direct)
    case .notEqual: return !areEqual(fixed, value, .direct)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return isBound(fixed, comparison, value)
    }
  }

  /// Whether the filter's bound stands so to the rule's value. A float bound says nothing about an
  /// integer in the rule; an integer bound does about a float. Booleans have an order here.
  private func isBound(_ bound: Operand, _ comparison: Comparison, _ value: Operand) -> Bool {
    switch (bound, value) {
    case (.float, .integer): return false
    case (.boolean(let a), .boolean(let b)): return comparison.holds((a ? 1 : 0) - (b ? 1 : 0))
    default: return ordered(bound, value, comparison) ?? false
    }
  }

  /// `value in constraint`: granted by `array-contains` of the same value.
  func constraint(_ constraint: Operand, contains value: Operand, _ node: Int32) -> Operand {
    holds(constraint, value) ? .boolean(true) : fault(.undetermined, node, "")
  }

  fileprivate func holds(_ constraint: Operand, _ value: Operand) -> Bool {
    guard case .constraint(let filters, let count) = constraint else { return false }
    for index in 0..<count where filters[index].comparison == .contains {
      if areEqual(filters[index].operand, value, .direct) { return true }
    }
    return false
  }
}

/// The one method of constraints that has a value: whether `array-contains` names one of the list.
enum ConstraintMethods {
  static let all: [(MethodName, [String], BuiltinMethod.Body)] = [
    (
      .hasAny, ["list"],
      { e, receiver, arguments in
        guard arguments[0].kind == .list else { return nil }
        var elements = Elements(arguments[0])
        while let element = elements.next(e) {
          if e.holds(receiver, element) { return .boolean(true) }
        }
        return .boolean(false)
      }
    )
  ]
}
