/// The document that stands for all results of a query, and `request.query`.

internal import DocModel

extension Evaluation {
  /// Exactly the filtered fields: a value where the filter fixes it, otherwise a constraint. A filter on
  /// `a.b` makes a map `a`. Of several filters on a field with one that fixes it, that one counts.
  func standIn(_ filters: [QueryShape.Filter]) -> Operand {
    var order: [[String]] = []
    var values: [Operand] = []
    for filter in filters {
      let path = filter.field.segments
      if let known = order.firstIndex(where: { isSamePath($0, path) }) {
        values[known] = combined(values[known], fieldValue(filter))
      } else {
        order.append(path)
        values.append(fieldValue(filter))
      }
    }
    return nested(Array(zip(order, values)), depth: 0)
  }

  private func isSamePath(_ left: [String], _ right: [String]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0.hasSameBytes(as: $1) }
  }

  private func fieldValue(_ filter: QueryShape.Filter) -> Operand {
    switch filter.comparison {
    case .isNull: return .null
    case .equal:
      // A field filter `== null` is no fixed value, unlike the unary one. Source: production-differences 1.10.
      let value = encodedOperand(filter.operand)
      if case .null = value { return constraint(ConstraintFilter(comparison: .equal, operand: .null)) }
      return value
    case .isNaN, .isNotNull, .isNotNaN:
      return constraint(ConstraintFilter(comparison: filter.comparison, operand: .null))
    case .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .isIn, .containsAny, .notIn:
      return constraint(
        ConstraintFilter(comparison: filter.comparison, operand: encodedOperand(filter.operand)))
    }
  }

  private func encodedOperand(_ bytes: [UInt8]) -> Operand {
    operand(ValueView(arena.copy(bytes).buffer))
  }

  private func constraint(_ filter: ConstraintFilter) -> Operand {
    .constraint(arena.copy([filter]), 1)
  }

  private func combined(_ first: Operand, _ second: Operand) -> Operand {
    guard case .constraint(let a, let aCount) = first else { return first }
    guard case .constraint(let b, let bCount) = second else { return second }
    let all =
      Array(UnsafeBufferPointer(start: a, count: aCount)) + UnsafeBufferPointer(start: b, count: bCount)
    return .constraint(arena.copy(all), all.count)
  }

  /// Maps for dotted paths. A filter on a map and one on a field of it: the map's value stays.
  private func nested(_ fields: [([String], Operand)], depth: Int) -> Operand {
    var entries: [MapEntry] = []
    var remaining = fields[...]
    while let (path, value) = remaining.popFirst() {
      let name = path[depth]
      if entries.contains(where: { $0.key.buffer.elementsEqual(name.utf8) }) { continue }
      let siblings = [(path, value)] + remaining.filter { $0.0[depth].hasSameBytes(as: name) }
      let whole = siblings.first { $0.0.count == depth + 1 }
      entries.append(
        MapEntry(key: arena.copy(name), value: whole?.1 ?? nested(siblings, depth: depth + 1)))
    }
    return .map(arena.copy(entries), entries.count)
  }

  /// `request.query`. Source: spec/rules-language.md 2.11 and the official emulator's nine keys.
  func queryObject(_ shape: QueryShape) -> Operand {
    let orders = shape.orderBy.map {
      MapEntry(
        key: arena.copy($0.field.text), value: .string($0.isDescending ? constant("DESC") : constant("ASC")))
    }
    var limit = Operand.null
    if let count = shape.limit { limit = .integer(count) }
    // A group has an ancestor where a collection has a parent.
    let parent = shape.parent.isRoot ? Operand.null : parentPath(shape)
    let kind = shape.collectionID.map { Operand.string(arena.copy($0)) } ?? .null
    let entries = [
      entry("limit", limit), entry("offset", .integer(shape.offset)),
      entry("orderBy", .map(arena.copy(orders), orders.count)), entry("kind", kind),
      shape.allDescendants ? entry("ancestor", parent) : entry("parent", parent),
      entry("allDescendants", .boolean(shape.allDescendants)), entry("distinct", .boolean(false)),
      entry("selectOnlyKeys", .boolean(false)), entry("groupBy", .map(arena.copy([MapEntry]()), 0)),
    ]
    return .map(arena.copy(entries), entries.count)
  }

  private func parentPath(_ shape: QueryShape) -> Operand {
    var parts = (0..<3).map { PathSegment(text: segments[$0]) }
    parts += shape.parent.segments.map { PathSegment(text: arena.copy(Array($0))) }
    return .path(arena.copy(parts), parts.count)
  }
}
