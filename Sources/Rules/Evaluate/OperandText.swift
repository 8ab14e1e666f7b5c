/// Values as text, for people.

internal import DocModel

package enum OperandText {
  /// The way docsh and the tests write a value; nil for kinds that no filter can hold.
  static func literal(_ operand: Operand, _ e: Evaluation) -> String? {
    switch operand {
    case .null: return "null"
    case .boolean(let flag): return flag ? "true" : "false"
    case .integer(let number): return String(number)
    case .float(let number): return Conversions.text(number)
    case .string(let text): return quoted(text.text)
    case .timestamp(let time): return "{$time: \(time.rfc3339)}"
    case .path: return Conversions.text(operand, e)?.text
    case .array, .list:
      let elements = e.array(operand).map { literal($0, e) }
      guard elements.allSatisfy({ $0 != nil }) else { return nil }
      return "[" + elements.compactMap { $0 }.joined(separator: ", ") + "]"
    case .bytes, .duration, .latlng, .document, .fields, .map, .set, .mapDiff, .vector, .constraint, .fault:
      return nil
    }
  }

  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Any value, for `debug()` and reports.
  static func description(_ operand: Operand, _ e: Evaluation) -> String {
    switch operand {
    case .null, .boolean, .integer, .float, .string, .timestamp, .path:
      return literal(operand, e) ?? ""
    case .bytes(let bytes): return "bytes(\(bytes.count))"
    case .duration(let length): return "duration(\(length.seconds)s, \(length.nanoseconds)ns)"
    case .latlng(let point):
      return "latlng(\(Conversions.text(point.latitude)), \(Conversions.text(point.longitude)))"
    case .array, .list:
      return "[" + e.array(operand).map { description($0, e) }.joined(separator: ", ") + "]"
    case .set: return "set[" + e.array(operand).map { description($0, e) }.joined(separator: ", ") + "]"
    case .document, .fields, .map:
      let entries = e.entries(operand).map { "\(quoted($0.key.text)): \(description($0.value, e))" }
      return "{" + entries.joined(separator: ", ") + "}"
    case .mapDiff(let sides): return "diff(\(description(sides[0], e)), \(description(sides[1], e)))"
    case .vector(let bytes):
      let numbers = ArrayView(bytes.buffer).map { Conversions.text($0.double) }
      return "vector[" + numbers.joined(separator: ", ") + "]"
    case .constraint(let filters, let count):
      let parts = (0..<count).map { "\(word(filters[$0].comparison)) \(description(filters[$0].operand, e))" }
      return "constraint(" + parts.joined(separator: ", ") + ")"
    case .fault(let code, _, let detail):
      let message = e.message(detail)
      return message.isEmpty ? "error(\(code))" : "error(\(message))"
    }
  }

  private static func word(_ comparison: FieldTest.Comparison) -> String {
    switch comparison {
    case .lessThan: "less"
    case .lessThanOrEqual: "lessOrEqual"
    case .greaterThan: "greater"
    case .greaterThanOrEqual: "greaterOrEqual"
    case .arrayContains: "contains"
    case .arrayContainsAny: "containsAny"
    case .in: "isIn"
    case .equal, .notEqual, .notIn, .isNull, .isNotNull, .isNaN, .isNotNaN: "\(comparison)"
    }
  }
}
