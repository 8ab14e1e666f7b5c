/// What functions and operators accept, as messages put it.
///
/// Source: the official emulator, asked for every function with a wrong argument.

/// The text after `Expected:` and the number of arguments.
package struct Signature: Sendable {
  package let argumentCount: Int
  let expected: String

  init(_ name: String, _ overloads: [String]) {
    argumentCount = overloads[0].isEmpty ? 0 : overloads[0].split(separator: ",").count
    expected = overloads.map { "\(name)(\($0))" }.joined(separator: ", ")
  }
}

enum Signatures {
  static func comparison(_ comparison: Comparison, _ left: OperandKind, _ right: OperandKind) -> String {
    let pairs =
      [
        "string", "bytes", "int", "float", "duration", "timestamp",
      ].map { "\($0) \(comparison.symbol) \($0)" } + [
        "constraint \(comparison.symbol) any", "any \(comparison.symbol) constraint",
      ]
    return FaultText.unsupported(
      "\(left.name) \(comparison.symbol) \(right.name)", expected: pairs.joined(separator: ", "))
  }

  static func arithmetic(_ operation: Arithmetic, _ left: OperandKind, _ right: OperandKind) -> String {
    let pairs: [(String, String)]
    switch operation {
    case .add:
      pairs = [
        ("int", "int"), ("float", "float"), ("string", "string"), ("duration", "duration"),
        ("duration", "timestamp"), ("timestamp", "duration"),
      ]
    case .subtract:
      pairs = [
        ("int", "int"), ("float", "float"), ("duration", "duration"), ("timestamp", "duration"),
        ("timestamp", "timestamp"),
      ]
    case .multiply, .divide, .remainder: pairs = [("int", "int"), ("float", "float")]
    }
    let symbol = operation.rawValue
    return FaultText.unsupported(
      "\(left.name) \(symbol) \(right.name)",
      expected: pairs.map { "\($0.0) \(symbol) \($0.1)" }.joined(separator: ", "))
  }

  /// `Received` of a call: `list.hasAny(constraint)`, `math.abs(string)`.
  static func call(_ name: String, _ arguments: [OperandKind]) -> String {
    "\(name)(\(arguments.map(\.name).joined(separator: ", ")))"
  }
}
