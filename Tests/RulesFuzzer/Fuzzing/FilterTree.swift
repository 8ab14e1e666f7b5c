/// Filters of generated queries: as JSON, as disjuncts, and as text.

internal import DocModel
internal import Rules

/// A `where` of a query.
indirect enum FilterTree: Sendable {
  case field(FieldPath, FieldTest.Comparison, Value)
  case all([FilterTree])
  case any([FilterTree])

  /// The filter in disjunctive form.
  var disjuncts: [[(FieldPath, FieldTest.Comparison, Value)]] {
    switch self {
    case .field(let path, let comparison, let value): return [[(path, comparison, value)]]
    case .any(let members): return members.flatMap(\.disjuncts)
    case .all(let members):
      return members.reduce([[]]) { disjuncts, member in
        disjuncts.flatMap { disjunct in member.disjuncts.map { disjunct + $0 } }
      }
    }
  }

  /// All single comparisons.
  var leaves: [(FieldPath, FieldTest.Comparison, Value)] {
    switch self {
    case .field(let path, let comparison, let value): [(path, comparison, value)]
    case .all(let members), .any(let members): members.flatMap(\.leaves)
    }
  }

  func json(_ place: Place) -> String {
    switch self {
    case .field(let path, let comparison, let value):
      let field = #""field":{"fieldPath":\#(JSONText.string(path.text))}"#
      let name = Self.names[comparison] ?? ""
      if comparison.isUnary { return #"{"unaryFilter":{"op":"\#(name)",\#(field)}}"# }
      return #"{"fieldFilter":{"op":"\#(name)",\#(field),"value":\#(JSONText.value(place.fill(value)))}}"#
    case .all(let members): return composite("AND", members, place)
    case .any(let members): return composite("OR", members, place)
    }
  }

  private func composite(_ name: String, _ members: [FilterTree], _ place: Place) -> String {
    #"{"compositeFilter":{"op":"\#(name)","filters":[\#(members.map { $0.json(place) }.joined(separator: ","))]}}"#
  }

  var text: String {
    switch self {
    case .field(let path, let comparison, let value):
      "\(path.text) \(comparison) \(comparison.isUnary ? "" : JSONText.value(value))"
    case .all(let members): "and(" + members.map(\.text).joined(separator: ", ") + ")"
    case .any(let members): "or(" + members.map(\.text).joined(separator: ", ") + ")"
    }
  }

  private static let names: [FieldTest.Comparison: String] = [
    .equal: "EQUAL", .notEqual: "NOT_EQUAL", .lessThan: "LESS_THAN", .lessThanOrEqual: "LESS_THAN_OR_EQUAL",
    .greaterThan: "GREATER_THAN", .greaterThanOrEqual: "GREATER_THAN_OR_EQUAL",
    .arrayContains: "ARRAY_CONTAINS",
    .in: "IN",
    .arrayContainsAny: "ARRAY_CONTAINS_ANY", .notIn: "NOT_IN", .isNull: "IS_NULL", .isNotNull: "IS_NOT_NULL",
    .isNaN: "IS_NAN", .isNotNaN: "IS_NOT_NAN",
  ]

  var reductions: [FilterTree] {
    switch self {
    case .field(let path, let comparison, .array(let elements)) where elements.count > 1:
      return elements.indices.map { index in
        var rest = elements
        rest.remove(at: index)
        return .field(path, comparison, .array(rest))
      }
    case .field(let path, let comparison, let value):
      return Self.plainer(value).map { .field(path, comparison, $0) }
    case .all(let members): return members + reduced(members).map { .all($0) }
    case .any(let members): return members + reduced(members).map { .any($0) }
    }
  }

  private func reduced(_ members: [FilterTree]) -> [[FilterTree]] {
    var found: [[FilterTree]] = []
    for index in members.indices {
      if members.count > 1 {
        var rest = members
        rest.remove(at: index)
        found.append(rest)
      }
      for reduction in members[index].reductions {
        var copy = members
        copy[index] = reduction
        found.append(copy)
      }
    }
    return found
  }

  private static func plainer(_ value: Value) -> [Value] {
    switch value {
    case .map(let fields) where !fields.isEmpty: [.map([:])]
    case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint, .array,
      .vector,
      .map:
      []
    }
  }
}
