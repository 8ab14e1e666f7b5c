/// Orders, explicit and implied, and the cursors that refer to them.
///
/// Source: docs/spec/protocol.md 5.4 and 5.5.

internal import DocModel

extension QueryValidator {
  /// The complete order of the result.
  func orders(
    filter: QueryFilter?, scope: QueryScope
  ) throws(InvalidArgument) -> (orders: [QueryOrder], error: InvalidArgument?) {
    var orders: [QueryOrder] = []
    var error: InvalidArgument?
    for order in query.orders {
      let path = try path(order.path, as: .order)
      if orders.last?.path.isDocumentName == true {
        error = error ?? QueryErrors.orderAfterName
      } else if orders.contains(where: { $0.path == path }) {
        error = error ?? QueryErrors.duplicateOrder(path)
      } else {
        orders.append(QueryOrder(path, order.direction))
      }
    }
    let direction = orders.last?.direction ?? .ascending
    let hasName = orders.last?.path.isDocumentName == true
    for path in impliedPaths(filter) where !orders.contains(where: { $0.path == path }) {
      if hasName {
        error = error ?? QueryErrors.orderAfterName
      } else {
        orders.append(QueryOrder(path, direction))
      }
    }
    if !hasName { orders.append(QueryOrder(.documentName, direction)) }
    switch scope {
    case .children, .descendants:
      guard orders == [QueryOrder(.documentName, .ascending)] else { throw QueryErrors.kindlessOrder }
    case .collection, .group: break
    }
    return (orders, error)
  }

  /// Fields with an inequality anywhere in the tree, in the order of their segments' bytes.
  private func impliedPaths(_ filter: QueryFilter?) -> [FieldPath] {
    guard let filter else { return [] }
    let paths = filter.tests.filter { $0.comparison.impliesOrder && !$0.path.isDocumentName }.map(\.path)
    return Set(paths).sorted()
  }

  func cursor(_ cursor: StructuredQuery.Cursor, orders: [QueryOrder]) throws(InvalidArgument) -> QueryCursor {
    var values: [[UInt8]] = []
    let explicit = query.orders.count
    for (index, operand) in cursor.values.enumerated() {
      guard index < explicit || isTieBreak(operand, at: index, in: orders) else {
        throw QueryErrors.longCursor
      }
      switch operand {
      case .refused(let error): throw error
      case .value(let bytes): values.append(bytes)
      }
    }
    for (value, order) in zip(values, orders) where order.path.isDocumentName {
      try checkCursorName(value)
    }
    return QueryCursor(values: values, isBefore: cursor.isBefore)
  }

  /// One reference more than there are explicit orders breaks ties by name.
  /// Source: docs/spec/production-differences.md Q6.
  private func isTieBreak(_ operand: StructuredQuery.Operand, at index: Int, in orders: [QueryOrder]) -> Bool
  {
    guard index > 0, index == query.orders.count, index < orders.count, orders[index].path.isDocumentName,
      case .value(let bytes) = operand
    else { return false }
    return Self.referenceText(bytes) != nil
  }

  private func checkCursorName(_ value: [UInt8]) throws(InvalidArgument) {
    guard let text = Self.referenceText(value) else { throw QueryErrors.cursorName }
    let name = try ResourceNameParser.document(text, as: .parent)
    guard name.database == query.database else { throw QueryErrors.cursorDatabase }
  }
}
