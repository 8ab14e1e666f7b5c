/// What a query's filters answer when a rule asks about a field they do not fix.
///
/// A comparison is true when **one** filter implies it and has no value otherwise; it is never false.
/// Filters are not combined. `hasAny`, `in [constants]` and `is` do answer false.
/// Source: docs/spec/production-differences.md 1.10, docs/spec/list-query-authorization.md F7-F9, and 1,500 answers
/// of the official emulator, of which MirrorRows keeps a part.

internal import DocModel

extension Evaluation {
  /// `constraint comparison value`
  func constrained(
    _ constraint: Operand, _ comparison: Comparison, _ value: Operand, _ node: Int32
  ) -> Operand {
    guard case .constraint(let filters, let count) = constraint else { return .null }
    if let expected = comparison.isOrder ? Self.orderKinds(value.kind) : Self.equalityKinds(value.kind) {
      return fault(.type, node, FaultText.type(value.kind, expected: expected))
    }
    for index in 0..<count where implies(filters[index], comparison, value) { return .boolean(true) }
    return fault(.undetermined, node, "")
  }

  /// What an order with a constraint wants beside it, when it is not this kind.
  static func orderKinds(_ kind: OperandKind) -> String? {
    switch kind {
    case .timestamp, .duration, .float, .int, .string, .bytes: nil
    case .null, .bool, .latlng, .path, .list, .map, .set, .mapDiff, .vector, .constraint, .fault:
      "timestamp,duration,float,int,string,bytes"
    }
  }

  fileprivate static func equalityKinds(_ kind: OperandKind) -> String? {
    switch kind {
    case .constraint, .mapDiff, .fault:
      "bool,duration,float,int,latlng,map,null,string,bytes,timestamp,path,list,vector,set"
    case .timestamp, .duration, .float, .int, .string, .bytes, .null, .bool, .latlng, .path, .list, .map,
      .set,
      .vector:
      nil
    }
  }

  private func implies(_ filter: ConstraintFilter, _ comparison: Comparison, _ value: Operand) -> Bool {
    // A bound without an order in the language says nothing at all.
    if filter.comparison.isRange, Self.orderKinds(filter.operand.kind) != nil, !filter.isHollow {
      return false
    }
    // Whatever is filtered is there and is not null, also, strangely, by a field filter `== null`.
    if comparison == .notEqual, case .null = value { return true }
    // Unary filters beside others imply, strangely, every comparison with their kind of value.
    switch filter.comparison {
    case .isNull: return value.kind == .null
    case .isNaN: return value.kind == .int || value.kind == .float
    default: break
    }
    if comparison == .notEqual, value.isNotANumber { return filter.isOfNumber }
    if filter.isHollow {
      // The official engine finds every equality with a boolean implied, true or not.
      if case .boolean = value { return comparison == .equal || comparison == .notEqual }
      return false
    }
    if filter.comparison == .equal { return isImplied(byEqual: filter.operand, comparison, value) }
    switch (comparison, filter.comparison) {
    case (.greater, .greaterThan), (.greaterOrEqual, .greaterThan),
      (.greaterOrEqual, .greaterThanOrEqual), (.notEqual, .greaterThan):
      return isBound(filter.operand, .greaterOrEqual, value)
    case (.greater, .greaterThanOrEqual), (.notEqual, .greaterThanOrEqual):
      return isBound(filter.operand, .greater, value)
    case (.less, .lessThan), (.lessOrEqual, .lessThan), (.lessOrEqual, .lessThanOrEqual),
      (.notEqual, .lessThan):
      return isBound(filter.operand, .lessOrEqual, value)
    case (.less, .lessThanOrEqual), (.notEqual, .lessThanOrEqual):
      return isBound(filter.operand, .less, value)
    case (.notEqual, .notEqual): return isSame(filter.operand, value)
    default: return false
    }
  }

  /// `==` beside other filters on the field.
  private func isImplied(byEqual fixed: Operand, _ comparison: Comparison, _ value: Operand) -> Bool {
    switch comparison {
    case .equal: return isSame(fixed, value)
    // Values of two kinds are unequal, but the engine finds nothing implied there.
    case .notEqual: return fixed.isComparable(with: value) && !isSame(fixed, value)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return isBound(fixed, comparison, value)
    }
  }

  /// Whether the filter's bound stands so to the rule's value. A float bound says nothing about an
  /// integer in the rule; an integer bound does about a float.
  private func isBound(_ bound: Operand, _ comparison: Comparison, _ value: Operand) -> Bool {
    !isFloatBesideInteger(bound, value) && (ordered(bound, value, comparison) ?? false)
  }

  /// Whether the filter's value is the rule's: 2 is 2.0, but 2.0 is not 2.
  private func isSame(_ bound: Operand, _ value: Operand) -> Bool {
    !isFloatBesideInteger(bound, value) && areEqual(bound, value, .direct)
  }

  private func isFloatBesideInteger(_ bound: Operand, _ value: Operand) -> Bool {
    if case (.float, .integer) = (bound, value) { true } else { false }
  }

  /// `value in constraint`: granted by `array-contains` of the same value.
  func constraint(_ constraint: Operand, contains value: Operand, _ node: Int32) -> Operand {
    if case .constraint = value {
      return fault(
        .type, node, FaultText.type(value.kind, expected: "timestamp,duration,float,int,string,bytes"))
    }
    if let expected = Self.equalityKinds(value.kind) {
      return fault(.type, node, FaultText.type(value.kind, expected: expected))
    }
    return holds(constraint, value) ? .boolean(true) : fault(.undetermined, node, "")
  }

  fileprivate func holds(_ constraint: Operand, _ value: Operand) -> Bool {
    guard case .constraint(let filters, let count) = constraint else { return false }
    let isNumber = value.kind == .int || value.kind == .float
    for index in 0..<count {
      switch filters[index].comparison {
      // `array-contains null` finds no document, and nothing follows from it.
      case .arrayContains:
        if filters[index].operand.kind != .null, isSame(filters[index].operand, value) { return true }
      // As in `implies`, strangely.
      case .isNaN: if isNumber { return true }
      default: continue
      }
    }
    return false
  }
}

extension Comparison {
  /// Whether this is `<`, `<=`, `>` or `>=`.
  fileprivate var isOrder: Bool { self != .equal && self != .notEqual }
}

extension Operand {
  var isNotANumber: Bool {
    if case .float(let number) = self { number.isNaN } else { false }
  }

  /// Of one kind; integers and floats are one.
  fileprivate func isComparable(with other: Operand) -> Bool {
    let isNumber = kind == .int || kind == .float
    return kind == other.kind || (isNumber && (other.kind == .int || other.kind == .float))
  }
}

extension ConstraintFilter {
  /// Whether it says something of a number, so that `!= NaN` follows.
  fileprivate var isOfNumber: Bool {
    if comparison == .isNotNaN { return true }
    return (operand.kind == .int || operand.kind == .float) && !operand.isNotANumber
  }

  /// Whether no document can satisfy the filter, or `!= null`, which the engine takes for the same.
  fileprivate var isHollow: Bool {
    switch (comparison, operand) {
    case (.equal, .null), (.notEqual, .null): true
    case (.lessThan, .null), (.lessThanOrEqual, .null), (.greaterThan, .null), (.greaterThanOrEqual, .null):
      true
    case (.equal, .float(let number)), (.lessThan, .float(let number)),
      (.lessThanOrEqual, .float(let number)),
      (.greaterThan, .float(let number)), (.greaterThanOrEqual, .float(let number)):
      number.isNaN
    default: false
    }
  }
}

extension Evaluation {
  /// What comparing by value comes to when a side holds a constraint: sets and differences of maps cannot.
  /// Nil outside queries.
  @inline(__always)
  func openValue(_ left: Operand, _ right: Operand, _ node: Int32) -> Operand? {
    guard query != nil, holdsConstraint(left) || holdsConstraint(right) else { return nil }
    return fault(.unsupportedOperation, node, "Equality is not defined for type CONSTRAINT_VALUE")
  }

  private func holdsConstraint(_ operand: Operand) -> Bool {
    switch operand {
    case .constraint: true
    case .list, .set: array(operand).contains { holdsConstraint($0) }
    case .map(let entries, let count): (0..<count).contains { holdsConstraint(entries[$0].value) }
    case .null, .boolean, .integer, .float, .string, .bytes, .timestamp, .duration, .latlng, .path, .array,
      .document, .fields, .vector, .mapDiff, .fault:
      false
    }
  }

  /// The same for what a set is asked about, up to the element that decides.
  ///
  /// - Parameter decisive: whether an element that the set has decides, or one that it does not have.
  func openMembership(
    _ set: Operand, _ wanted: Operand, decisive: Bool, _ node: Int32
  ) -> Operand? {
    guard query != nil, holdsConstraint(wanted) else { return nil }
    for element in array(wanted) {
      if let fault = openValue(element, .null, node) { return fault }
      if contains(set, element, .loose) == decisive { return .boolean(decisive) }
    }
    return nil
  }

  /// The same for the keys that both sides of a difference have.
  func openDifference(new: Operand, old: Operand, _ node: Int32) -> Operand? {
    guard query != nil else { return nil }
    for entry in entries(new) {
      guard let before = lookup(old, entry.key) else { continue }
      if let fault = openValue(entry.value, before, node) { return fault }
    }
    return nil
  }
}

/// The one method of constraints that has a value: whether `array-contains` names one of the list.
enum ConstraintMethods {
  static let all: [MethodRow] = [
    .init(
      .hasAny, ["list"],
      { e, receiver, arguments in
        guard arguments[0].kind == .list else { return nil }
        var elements = Elements(arguments[0])
        while let element = elements.next(e) {
          if let expected = Evaluation.equalityKinds(element.kind) {
            return e.fault(.type, arguments.node, FaultText.type(element.kind, expected: expected))
          }
          if e.holds(receiver, element) { return .boolean(true) }
        }
        return .boolean(false)
      }
    )
  ]
}
