/// The document that stands for all results of a query, and `request.query`.

internal import DocModel

extension Evaluation {
  /// Exactly the filtered fields: a value where the filter fixes it, otherwise a constraint. A filter on
  /// `a.b` makes a map `a`.
  func standIn(_ tests: [FieldTest]) -> Operand {
    var order: [[String]] = []
    var values: [Operand] = []
    for test in tests {
      let path = test.path.segments
      if let known = order.firstIndex(where: { isSamePath($0, path) }) {
        values[known] = combined(values[known], fieldValue(test))
      } else {
        order.append(path)
        values.append(fieldValue(test))
      }
    }
    return nested(Array(zip(order, values)))
  }

  private func isSamePath(_ left: [String], _ right: [String]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0.hasSameBytes(as: $1) }
  }

  private func fieldValue(_ test: FieldTest) -> Operand {
    switch test.comparison {
    case .isNull: return .null
    case .equal:
      // A field filter with null or NaN fixes nothing, unlike the unary ones. Source: the official emulator.
      let value = encodedOperand(test.operand)
      return isUnordered(value) ? constraint(ConstraintFilter(comparison: .equal, operand: value)) : value
    case .isNaN: return .float(.nan)
    case .isNotNull, .isNotNaN:
      return constraint(ConstraintFilter(comparison: test.comparison, operand: .null))
    case .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .arrayContains:
      return constraint(
        ConstraintFilter(comparison: test.comparison, operand: encodedOperand(test.operand)))
    // Taken apart before: `ListDisjunct`.
    case .in, .arrayContainsAny, .notIn:
      return constraint(
        ConstraintFilter(comparison: test.comparison, operand: list(test.operands.map(encodedOperand))))
    }
  }

  private func isUnordered(_ value: Operand) -> Bool {
    switch value {
    case .null: true
    case .float(let number): number.isNaN
    default: false
    }
  }

  private func encodedOperand(_ bytes: [UInt8]) -> Operand {
    operand(ValueView(arena.copy(bytes).buffer))
  }

  private func constraint(_ filter: ConstraintFilter) -> Operand {
    .constraint(arena.copy([filter]), 1)
  }

  /// Two filters on one field: a constraint, even if one of them fixes the value.
  private func combined(_ first: Operand, _ second: Operand) -> Operand {
    let all = filters(first) + filters(second)
    return .constraint(arena.copy(all), all.count)
  }

  private func filters(_ value: Operand) -> [ConstraintFilter] {
    switch value {
    case .constraint(let start, let count): return Array(UnsafeBufferPointer(start: start, count: count))
    case .null: return [ConstraintFilter(comparison: .isNull, operand: value)]
    case .float(let number) where number.isNaN: return [ConstraintFilter(comparison: .isNaN, operand: value)]
    default: return [ConstraintFilter(comparison: .equal, operand: value)]
    }
  }

  /// What a query says of the document's name where it does not fix it: its filters, or where it looks. A group
  /// below a document is a range of names for the official engine.
  func nameConstraint(_ disjunct: ListDisjunct) -> Operand? {
    let keys = disjunct.keys.compactMap { relativePath(ofName: $0) }.map {
      ConstraintFilter(comparison: .equal, operand: namePath($0))
    }
    let others = disjunct.nameTests.compactMap { test in
      test.operand.withUnsafeBytes { relativePath(ofName: Array(ValueView($0).reference)) }
        .map { ConstraintFilter(comparison: test.comparison, operand: namePath($0)) }
    }
    var all = keys + others
    if all.isEmpty, let ancestor = disjunct.ancestor {
      all = [ConstraintFilter(comparison: .greaterThanOrEqual, operand: namePath(arena.copy(ancestor)))]
    }
    return all.isEmpty ? nil : .constraint(arena.copy(all), all.count)
  }

  /// A document's name as rules see it.
  private func namePath(_ relative: ByteView) -> Operand {
    var parts = (0..<3).map { PathSegment(text: segments[$0]) }
    parts += relative.text.split(separator: "/").map { PathSegment(text: arena.copy(String($0))) }
    return .path(arena.copy(parts), parts.count)
  }

  /// Maps for dotted paths. Where one filter is on a map and another on what is inside it, they are put into
  /// the document one after the other, in the order of the official engine's hash table.
  private func nested(_ fields: [([String], Operand)]) -> Operand {
    var result = Operand.map(arena.copy([MapEntry]()), 0)
    for (path, value) in JavaOrder.sorted(fields, by: { $0.0 }) {
      result = setting(path[...], to: value, in: result)
    }
    return result
  }

  /// The map with one field set; what is no map on the way becomes one.
  private func setting(_ path: ArraySlice<String>, to value: Operand, in place: Operand) -> Operand {
    guard let name = path.first else { return value }
    var entries = place.kind == .map ? self.entries(place) : []
    let old = entries.firstIndex { $0.key.buffer.elementsEqual(name.utf8) }
    let inside = old.map { entries[$0].value } ?? .null
    let entry = MapEntry(key: arena.copy(name), value: setting(path.dropFirst(), to: value, in: inside))
    if let old { entries[old] = entry } else { entries.append(entry) }
    return .map(arena.copy(entries), entries.count)
  }

  /// `request.query`. Source: docs/spec/rules-language.md 2.11 and the official emulator's nine keys.
  func queryObject(_ shape: QueryShape) -> Operand {
    // Names are joined without quotes; of two that become one the first stays. Source: the official emulator.
    var orders: [MapEntry] = []
    for order in shape.orderBy {
      let key = arena.copy(order.field.segments.joined(separator: "."))
      if orders.contains(where: { $0.key == key }) { continue }
      orders.append(
        MapEntry(key: key, value: .string(order.isDescending ? constant("DESC") : constant("ASC"))))
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
