/// The kinds that a value nobody knows can have.

internal import Rules

/// A set of kinds. NaN is a kind of its own, because no comparison holds of it; `absent` stands for a
/// field that is not there and for a term without value.
///
/// INVARIANT: the bit of an `OperandKind` is its raw value, so the masks of `is` can be used as they are.
struct KindSet: OptionSet, Hashable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(_ kind: OperandKind) { rawValue = 1 << UInt32(kind.rawValue) }

  static let null = KindSet(.null)
  static let bool = KindSet(.bool)
  static let int = KindSet(.int)
  /// Without NaN.
  static let float = KindSet(.float)
  static let string = KindSet(.string)
  static let bytes = KindSet(.bytes)
  static let timestamp = KindSet(.timestamp)
  static let duration = KindSet(.duration)
  static let latlng = KindSet(.latlng)
  static let path = KindSet(.path)
  static let list = KindSet(.list)
  static let map = KindSet(.map)
  static let set = KindSet(.set)
  static let mapDiff = KindSet(.mapDiff)
  static let vector = KindSet(.vector)
  static let nan = KindSet(rawValue: 1 << 29)
  static let absent = KindSet(rawValue: 1 << 30)

  /// What a stored field can hold.
  static let stored: KindSet = [
    .null, .bool, .int, .float, .nan, .string, .bytes, .timestamp, .latlng, .path, .list, .map, .vector,
  ]
  /// What an operation can give.
  static let computed: KindSet = [.stored, .duration, .set, .mapDiff]
  static let number: KindSet = [.int, .float]
  /// What a path segment is made of.
  static let texts: KindSet = [.null, .bool, .int, .float, .nan, .string, .path]

  /// The kind of a known value.
  static func of(_ operand: Operand) -> KindSet {
    if case .float(let number) = operand, number.isNaN { return .nan }
    if operand.isFault { return .absent }
    return KindSet(operand.kind)
  }

  /// The kinds that the mask of an `is` covers.
  static func named(_ mask: UInt32) -> KindSet {
    let kinds = KindSet(rawValue: mask)
    return kinds.contains(.float) ? kinds.union(.nan) : kinds
  }

  /// The kinds that have an order with a value; empty when it has none.
  static func ordered(with operand: Operand) -> KindSet {
    switch operand {
    case .integer, .float: [.int, .float, .nan]
    case .string: .string
    case .bytes: .bytes
    case .timestamp: .timestamp
    case .duration: .duration
    case .null, .boolean, .latlng, .path, .array, .document, .fields, .vector, .list, .map, .set, .mapDiff,
      .constraint, .fault:
      []
    }
  }
}
