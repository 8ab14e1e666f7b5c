/// A document that a query could return and that the rules refuse.

public import DocModel

/// INVARIANT: the query's filters match it, and judged by itself under `list` it is not granted; that was
/// tried, not concluded.
public struct ListWitness: Sendable {
  /// Relative to the database's root.
  public let path: ResourcePath
  public let fields: Fields
  /// Fields that the rules asked for and that it lacks.
  public let absentFields: [String]

  package init(path: ResourcePath, fields: Fields, absentFields: [String]) {
    self.path = path
    self.fields = fields
    self.absentFields = absentFields
  }

  /// `{kind: "x"} without author`
  public var text: String {
    let body =
      "{" + fields.entries.map { "\($0.name): \(ValueText.text($0.value))" }.joined(separator: ", ") + "}"
    return absentFields.isEmpty ? body : body + " without " + absentFields.joined(separator: " and ")
  }
}

/// Values as messages write them.
package enum ValueText {
  package static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): Conversions.text(number)
    case .timestamp(let time): time.rfc3339
    case .string(let text):
      text.utf8.count > 40 ? "\"…\" (\(text.utf8.count) characters)" : OperandText.quoted(text)
    case .bytes(let bytes): "bytes(\(bytes.count))"
    case .reference(let name):
      "/" + name.split(separator: "/", omittingEmptySubsequences: false).dropFirst(5).joined(separator: "/")
    case .geoPoint(let point):
      "latlng(\(Conversions.text(point.latitude)), \(Conversions.text(point.longitude)))"
    case .array(let elements):
      elements.count > 8
        ? "[… \(elements.count) elements]" : "[" + elements.map(text).joined(separator: ", ") + "]"
    case .vector(let numbers): "vector(\(numbers.count))"
    case .map(let fields):
      "{" + fields.entries.map { "\($0.name): \(text($0.value))" }.joined(separator: ", ") + "}"
    }
  }
}
