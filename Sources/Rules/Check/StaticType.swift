/// A set of types an expression may have, as far as the text tells.
///
/// INVARIANT: the order of the cases is the order in which the official compiler lists types.
struct StaticType: OptionSet, Sendable {
  let rawValue: UInt32

  static let bool = StaticType(rawValue: 1 << 0)
  static let null = StaticType(rawValue: 1 << 1)
  static let int = StaticType(rawValue: 1 << 2)
  static let float = StaticType(rawValue: 1 << 3)
  static let string = StaticType(rawValue: 1 << 4)
  static let duration = StaticType(rawValue: 1 << 5)
  static let timestamp = StaticType(rawValue: 1 << 6)
  static let list = StaticType(rawValue: 1 << 7)
  static let set = StaticType(rawValue: 1 << 8)
  static let map = StaticType(rawValue: 1 << 9)
  static let constraint = StaticType(rawValue: 1 << 10)
  static let path = StaticType(rawValue: 1 << 11)
  static let bytes = StaticType(rawValue: 1 << 12)
  static let latlng = StaticType(rawValue: 1 << 13)
  static let mapDiff = StaticType(rawValue: 1 << 14)
  static let vector = StaticType(rawValue: 1 << 15)

  /// Nothing is known.
  static let any = StaticType(rawValue: .max)

  static let number: StaticType = [.int, .float]
  static let addable: StaticType = [.int, .float, .string, .duration, .timestamp]
  static let subtractable: StaticType = [.int, .float, .duration, .timestamp]
  static let negatable: StaticType = [.int, .float, .duration]
  static let container: StaticType = [.list, .set, .map, .constraint]
  static let indexable: StaticType = [.string, .list, .map, .path]
  static let collection: StaticType = [.list, .set]
  /// What `string()` takes.
  static let printable: StaticType = [.bool, .null, .int, .float, .string, .path]
  /// What has a `size()`.
  static let sized: StaticType = [.string, .bytes, .list, .set, .map, .constraint]

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
  var prose: String {
    guard names.count > 1, let last = names.last else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Whether values of both may be equal: a common type, or both numbers.
  func isComparable(with other: StaticType) -> Bool {
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
  var staticType: StaticType {
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
