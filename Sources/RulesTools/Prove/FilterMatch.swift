/// Whether a document is one that a query returns, as the store decides it.
///
/// Source: docs/spec/protocol.md 5.3. Used on documents that proofs make up.

internal import DocModel
internal import Rules

enum FilterMatch {
  /// All filters of a way, and every explicit order's field is there. The document's name is not looked at.
  static func matches(_ fields: FieldsView, _ way: QueryWay, _ orders: [QueryShape.Order]) -> Bool {
    way.filters.allSatisfy { matches(fields, $0) }
      && orders.allSatisfy { $0.field.isDocumentName || fields.value(at: $0.field) != nil }
  }

  static func matches(_ fields: FieldsView, _ filter: QueryShape.Filter) -> Bool {
    guard let value = fields.value(at: filter.field) else { return false }
    switch filter.comparison {
    case .isNull: return value.isNull
    case .isNotNull: return !value.isNull
    case .isNaN: return isNaN(value)
    case .isNotNaN: return !value.isNull && !isNaN(value)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .isIn, .containsAny,
      .notIn:
      return filter.operand.withUnsafeBytes { compares(value, filter.comparison, ValueView($0)) }
    }
  }

  private static func isNaN(_ value: ValueView) -> Bool { value.kind == .double && value.double.isNaN }

  private static func isUnordered(_ value: ValueView) -> Bool { value.isNull || isNaN(value) }

  private static func compares(
    _ value: ValueView, _ comparison: QueryShape.Operator, _ operand: ValueView
  ) -> Bool {
    switch comparison {
    case .equal: return !isUnordered(operand) && ValueOrder.areEqual(value, operand)
    case .notEqual:
      if operand.isNull || value.isNull { return false }
      return isNaN(operand) || isNaN(value) || !ValueOrder.areEqual(value, operand)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      if isUnordered(operand) || !ValueOrder.areComparable(value, operand) { return false }
      let order = ValueOrder.compare(value, operand)
      switch comparison {
      case .less: return order < 0
      case .lessOrEqual: return order <= 0
      case .greater: return order > 0
      default: return order >= 0
      }
    case .contains:
      return !isUnordered(operand) && value.kind == .array
        && value.array.contains { ValueOrder.areEqual($0, operand) }
    case .isIn: return operand.array.contains { compares(value, .equal, $0) }
    case .containsAny: return operand.array.contains { compares(value, .contains, $0) }
    case .notIn:
      return !value.isNull && operand.array.allSatisfy { !$0.isNull && compares(value, .notEqual, $0) }
    case .isNull, .isNotNull, .isNaN, .isNotNaN: return false
    }
  }
}
