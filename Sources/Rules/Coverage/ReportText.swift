/// Values in reports, for people.

internal import DocModel

package enum ReportText {
  /// About as the rules language would write it, at most `most` characters.
  package static func text(_ value: RecordedValue, most: Int = 80) -> String {
    let text = whole(value)
    return text.count <= most ? text : String(text.prefix(most - 1)) + "…"
  }

  private static func whole(_ value: RecordedValue) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .float(let number): Conversions.text(number.number)
    case .string(let text): OperandText.quoted(String(decoding: text, as: UTF8.self))
    case .bytes(let bytes): "bytes(\"\(Base64.text(bytes))\")"
    case .timestamp(let time): time.rfc3339
    case .duration(let seconds, let nanoseconds): duration(seconds, nanoseconds)
    case .latlng(let latitude, let longitude):
      "latlng(\(Conversions.text(latitude.number)), \(Conversions.text(longitude.number)))"
    case .path(let segments): segments.map { "/" + segment($0) }.joined()
    case .list(let elements): "[" + elements.map(whole).joined(separator: ", ") + "]"
    case .set(let elements): "set[" + elements.map(whole).joined(separator: ", ") + "]"
    case .map(let entries):
      "{"
        + entries.map { "\(String(decoding: $0.key, as: UTF8.self)): \(whole($0.value))" }
        .joined(separator: ", ") + "}"
    case .mapDiff(let statuses):
      "diff{"
        + statuses.map { "\(String(decoding: $0.key, as: UTF8.self)): \($0.status.lowercased())" }
        .joined(separator: ", ") + "}"
    case .vector(let numbers):
      "vector[" + numbers.map { Conversions.text($0.number) }.joined(separator: ", ") + "]"
    case .constraint(let bounds):
      "any value " + bounds.map { "\(symbol($0.comparator)) \(whole($0.value))" }.joined(separator: " and ")
    case .error(let fault):
      fault.message.isEmpty ? "error: the query leaves it open" : "error: \(fault.message)"
    case .cut(let count): "… (\(count) more)"
    }
  }

  private static func segment(_ segment: RecordedValue.Segment) -> String {
    if let text = segment.text { return String(decoding: text, as: UTF8.self) }
    let name = String(decoding: segment.name ?? [], as: UTF8.self)
    return segment.isGlob ? "{\(name)=**}" : "{\(name)}"
  }

  private static func symbol(_ comparator: String) -> String {
    switch comparator {
    case "EQ": "=="
    case "NEQ": "!="
    case "LT": "<"
    case "LTE": "<="
    case "GT": ">"
    case "GTE": ">="
    case "LIST_CONTAINS": "that contains"
    default: comparator
    }
  }

  /// Seconds with as many fraction digits as it takes: 0, 3, 6 or 9.
  static func duration(_ seconds: Int64, _ nanoseconds: Int32) -> String {
    let sign = seconds < 0 || nanoseconds < 0 ? "-" : ""
    var text = sign + String(seconds.magnitude)
    if nanoseconds != 0 {
      var digits = String(nanoseconds.magnitude)
      digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
      while digits.hasSuffix("000") { digits.removeLast(3) }
      text += "." + digits
    }
    return text + "s"
  }
}
