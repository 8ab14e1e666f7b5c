/// The official engine's words for faults. Source: docs/spec/rules-language.md 8.4 and the official emulator.

enum FaultText {
  static let nullValue = "Null value error."
  static let divideByZero = "Divide by zero error."
  static let overflow =
    "Integer value is out of the [-9223372036854775808, 9223372036854775807] range."
  static let budget =
    "Unable to evaluate the expression as the maximum of 1000 expressions to evaluate has been reached."
  /// The number is the service's own slip; the limit is one of bytes, see ValueSize.swift.
  static let memory =
    "Unable to evaluate the expression as the maximum memory usage of 1000 has been reached."
  static let timestampRange =
    "Timestamp is not valid. Seconds must be in range [-62,135,596,800, +253,402,300,799]. "
    + "Nanos must be in range [0, +999,999,999]."
  static let durationRange =
    "Duration is not valid. Seconds must be in range [-315,576,000,000, +315,576,000,000]. "
    + "Nanos must be in range [-999,999,999, +999,999,999]. Nanos must have the same sign as seconds."

  /// A document that a query names and that does not exist.
  static let unreadableResource = "Variable read error. Variable: [resource]."

  static func undefined(_ name: String) -> String { "Property \(name) is undefined on object." }
  static func undefined(_ name: ByteView) -> String { undefined(name.text) }

  static func type(_ received: OperandKind, expected: String) -> String {
    "Type error. Received: [\(received.name)] Expected: [\(expected)]."
  }

  static func unsupported(_ received: String, expected: String) -> String {
    "Unsupported operation error. Received: \(received). Expected: \(expected)."
  }

  static func functionNotFound(_ name: String) -> String {
    "Function not found error: Name: [\(name)]."
  }

  static func argumentCount(_ received: Int, expected: String) -> String {
    "Incorrect number of arguments. Received: \(received). Expected: \(expected)."
  }

  static func index(_ index: Int64, size: Int) -> String {
    "Index out of bound error. Index: [\(index)] , size: [\(size)]."
  }

  static func range(from: Int64, to: Int64) -> String {
    "Illegal range error. From index: [\(from)] , To index: [\(to)]."
  }

  static func conversion(_ argument: String, from: OperandKind, to: OperandKind) -> String {
    "Type conversion error. Argument: [\(argument)], From type: [\(from.name)], To type: [\(to.name)]."
  }

  static func secondPlaceholder(_ name: ByteView) -> String {
    "Variable \(name.text) already exists in the PathTemplate."
  }

  static func unbound(_ name: String) -> String { "Variable \(name) is not bound in path template." }

  static func pattern(_ pattern: String) -> String {
    "Invalid regular expression pattern. Pattern: \(pattern)."
  }

  static func longPattern(_ pattern: String) -> String {
    "Regular expression too long. Maximum allowed length: \(PatternDialect.sizeMax) Pattern: \(pattern)."
  }

  /// Our own: the emulator breaks off, see docs/differences.md.
  static let replacement =
    "The replacement names a group that the pattern does not have, or a name without end."

  /// A document access that failed; the argument in protobuf text form.
  static func service(_ function: String, argument: String) -> String {
    "Service call error. Function: [\(function)], Argument: [\(argument)]."
  }

  static func service(_ function: String, path segments: [String]) -> String {
    service(function, argument: ProtobufText.path(segments))
  }
}
