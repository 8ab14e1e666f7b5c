/// Methods of values, by the kind of the receiver and the name.

internal import DocModel

/// Every method name of the language.
package enum MethodName: String, CaseIterable {
  case size, matches, replace, split, lower, upper, trim, toUtf8
  case concat, hasAll, hasAny, hasOnly, removeAll, join, toSet
  case keys, values, get, diff
  case union, difference, intersection
  case addedKeys, removedKeys, changedKeys, unchangedKeys, affectedKeys
  case toBase64, toHexString
  case year, month, day, hours, minutes, seconds, nanos, dayOfWeek, dayOfYear, toMillis, date, time
  case latitude, longitude, distance
  case bind

  package init?(name: String) {
    guard let found = Self.named[name] else { return nil }
    self = found
  }

  /// Kept, because `allCases` makes an array.
  static let count = allCases.count

  /// Its place in `allCases`, for tables. INVARIANT: cases without values are numbered in order; `MethodTable` checks it.
  package var number: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

  private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}

/// Arguments of a call, evaluated and without faults.
package struct CallArguments {
  let start: UnsafePointer<Operand>
  let node: Int32

  package init(start: UnsafePointer<Operand>, node: Int32) {
    self.start = start
    self.node = node
  }

  subscript(index: Int) -> Operand { start[index] }
}

/// One implementation.
///
/// `body` answers nil when an argument has a kind that the method does not take.
package struct BuiltinMethod: Sendable {
  package typealias Body = @Sendable (Evaluation, Operand, CallArguments) -> Operand?

  package let signature: Signature
  package let body: Body
}

/// A method as the tables of kinds have it.
///
/// Not a tuple: a closure in a list of tuples is called through another one, which counts references to the first.
struct MethodRow {
  let name: MethodName
  let overloads: [String]
  let body: BuiltinMethod.Body

  init(_ name: MethodName, _ overloads: [String], _ body: @escaping BuiltinMethod.Body) {
    self.name = name
    self.overloads = overloads
    self.body = body
  }
}

/// All methods; one shared instance.
///
/// INVARIANT: written in `init` only, and never freed: a method that was found stays where it is, and who uses it counts no
/// references.
package final class MethodTable: @unchecked Sendable {
  package static let shared = MethodTable()

  private let methods: UnsafeMutablePointer<UnsafePointer<BuiltinMethod>?>

  private init() {
    precondition(MethodName.allCases.enumerated().allSatisfy { $0.element.number == $0.offset })
    let count = OperandKind.allCases.count * MethodName.count
    methods = .allocate(capacity: count)
    methods.initialize(repeating: nil, count: count)
    let groups: [(OperandKind, [MethodRow])] = [
      (.string, StringMethods.all), (.list, ListMethods.all), (.map, MapMethods.all),
      (.set, SetMethods.all), (.mapDiff, MapDiffMethods.all), (.bytes, BytesMethods.all),
      (.timestamp, TimestampMethods.all), (.duration, DurationMethods.all), (.latlng, LatLngMethods.all),
      (.path, PathMethods.all), (.constraint, ConstraintMethods.all),
    ]
    for (kind, group) in groups {
      for row in group {
        // The official engine speaks of lists where it means constraints.
        let owner = kind == .constraint ? OperandKind.list.name : kind.name
        let method = UnsafeMutablePointer<BuiltinMethod>.allocate(capacity: 1)
        method.initialize(
          to: BuiltinMethod(
            signature: Signature("\(owner).\(row.name.rawValue)", row.overloads), body: row.body))
        methods[Self.index(kind, row.name)] = UnsafePointer(method)
      }
    }
  }

  @inline(__always)
  private static func index(_ kind: OperandKind, _ name: MethodName) -> Int {
    Int(kind.rawValue) * MethodName.count + name.number
  }

  @inline(__always)
  package func method(_ kind: OperandKind, _ name: MethodName) -> UnsafePointer<BuiltinMethod>? {
    methods[Self.index(kind, name)]
  }
}
