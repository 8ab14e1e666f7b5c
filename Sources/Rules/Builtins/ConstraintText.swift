/// What a query's filters are called in messages that print a constraint.

internal import DocModel

extension ConstraintFilter {
  /// Comparators with their values, as the official engine keeps a filter: nothing for a bound that has no order in the
  /// language, and what nothing can satisfy as true and false at once. Source: the official emulator.
  private func comparisons(_ e: Evaluation) -> [(comparator: String, value: Operand)] {
    let unsatisfiable: [(String, Operand)] = [("EQ", .boolean(true)), ("EQ", .boolean(false))]
    let isUnordered = operand.kind == .null || operand.isNotANumber
    switch comparison {
    case .equal: return isUnordered ? unsatisfiable : [("EQ", operand)]
    case .lessThan: return bound("LT", unsatisfiable)
    case .lessThanOrEqual: return bound("LTE", unsatisfiable)
    case .greaterThan: return bound("GT", unsatisfiable)
    case .greaterThanOrEqual: return bound("GTE", unsatisfiable)
    case .notEqual:
      return operand.kind == .null ? unsatisfiable : [("NEQ", operand.isNotANumber ? .null : operand)]
    case .arrayContains: return [("LIST_CONTAINS", isUnordered ? e.list([]) : operand)]
    case .notIn:
      return e.array(operand).map { ("NEQ", $0.kind == .null || $0.isNotANumber ? .null : $0) }
    // Told apart into disjuncts before rules see them.
    case .in, .arrayContainsAny: return []
    case .isNull: return [("EQ", .null)]
    case .isNotNull: return [("NEQ", .null)]
    case .isNaN: return [("EQ", .float(.nan))]
    case .isNotNaN: return [("NEQ", .float(.nan))]
    }
  }

  private func bound(
    _ comparator: String, _ unsatisfiable: [(String, Operand)]
  ) -> [(comparator: String, value: Operand)] {
    if operand.kind == .null || operand.isNotANumber { return unsatisfiable }
    return Evaluation.orderKinds(operand.kind) == nil ? [(comparator, operand)] : []
  }

  /// The messages of a constraint, each indented by `depth` levels.
  func text(_ e: Evaluation, depth: Int) -> String {
    let indent = String(repeating: "  ", count: depth + 1)
    return comparisons(e).map { comparator, value in
      let inner = ProtobufText.message("value", depth + 1, ProtobufText.value(value, e, depth: depth + 2))
      return ProtobufText.message("simple_constraints", depth, "\(indent)comparator: \(comparator)\n" + inner)
    }.joined()
  }
}
