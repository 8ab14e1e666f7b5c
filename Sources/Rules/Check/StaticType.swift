/// A set of types an expression may have, as far as the text tells.
///
/// INVARIANT: the order of the cases is the order in which the official compiler lists types.
package struct StaticType: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let bool = StaticType(rawValue: 1 << 0)
  package static let null = StaticType(rawValue: 1 << 1)
  package static let int = StaticType(rawValue: 1 << 2)
  package static let float = StaticType(rawValue: 1 << 3)
  package static let string = StaticType(rawValue: 1 << 4)
  package static let duration = StaticType(rawValue: 1 << 5)
  package static let timestamp = StaticType(rawValue: 1 << 6)
  package static let list = StaticType(rawValue: 1 << 7)
  package static let set = StaticType(rawValue: 1 << 8)
  package static let map = StaticType(rawValue: 1 << 9)
  package static let constraint = StaticType(rawValue: 1 << 10)
  package static let path = StaticType(rawValue: 1 << 11)
  package static let bytes = StaticType(rawValue: 1 << 12)
  package static let latlng = StaticType(rawValue: 1 << 13)
  package static let mapDiff = StaticType(rawValue: 1 << 14)
  package static let vector = StaticType(rawValue: 1 << 15)

  /// Nothing is known.
  package static let any = StaticType(rawValue: .max)

  package static let number: StaticType = [.int, .float]
  package static let addable: StaticType = [.int, .float, .string, .duration, .timestamp]
  package static let subtractable: StaticType = [.int, .float, .duration, .timestamp]
  package static let negatable: StaticType = [.int, .float, .duration]
  package static let container: StaticType = [.list, .set, .map, .constraint]
  package static let indexable: StaticType = [.string, .list, .map, .path]
  package static let collection: StaticType = [.list, .set]
  /// What `string()` takes.
  package static let printable: StaticType = [.bool, .null, .int, .float, .string, .path]
  /// What has a `size()`.
  package static let sized: StaticType = [.string, .bytes, .list, .set, .map, .constraint]

  private static let allNames = [
    "bool", "null", "int", "float", "string", "duration", "timestamp", "list", "set", "map", "constraint",
    "path",
    "bytes", "latlng", "map_diff", "vector",
  ]

  /// The names of the types.
  var names: [String] {
    StaticType.allNames.enumerated().filter { rawValue & (1 << UInt32($0.offset)) != 0 }.map(\.element)
  }

  /// The names in brackets, as the official compiler writes them. For `size()` it has an order of its own.
  var officialList: String {
    if self == .sized { return "[string, bytes, list, set, map]" }
    return "[" + names.joined(separator: ", ") + "]"
  }

  /// The names as prose: "int or float".
  package var prose: String {
    guard names.count > 1, let last = names.last else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Whether values of both may be equal: a common type, or both numbers.
  package func isComparable(with other: StaticType) -> Bool {
    if !isDisjoint(with: other) { return true }
    return !isDisjoint(with: .number) && !other.isDisjoint(with: .number)
  }
}

/// What operators on numbers, texts and times take and give. Source: the official compiler's warnings.
extension BinaryOperator {
  /// Nil for operators that give a bool.
  var arithmeticResult: StaticType? {
    switch self {
    case .add: .addable
    case .subtract: .subtractable
    case .multiply, .divide, .remainder: .number
    case .or, .and, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: nil
    }
  }

  /// What both sides must be for a result of some types.
  func operands(of expected: StaticType) -> (left: StaticType, right: StaticType) {
    var left: StaticType = expected.isDisjoint(with: .number) ? [] : .number
    guard self == .add || self == .subtract else { return (left, left) }
    if self == .add { left.formUnion(expected.intersection(.string)) }
    var right = left
    if expected.contains(.duration) {
      left.formUnion(self == .add ? .duration : [.duration, .timestamp])
      right.formUnion(self == .add ? .duration : [.duration, .timestamp])
    }
    if expected.contains(.timestamp) {
      left.formUnion(self == .add ? [.duration, .timestamp] : .timestamp)
      right.formUnion(self == .add ? [.duration, .timestamp] : .duration)
    }
    return (left, right)
  }
}

extension LiteralSyntax {
  package var staticType: StaticType {
    switch self {
    case .null: .null
    case .boolean: .bool
    case .integer: .int
    case .float: .float
    case .string: .string
    case .bytes: .bytes
    }
  }
}
