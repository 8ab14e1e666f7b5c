/// Values as the shell's language writes them: what is printed can be typed again.

import DocModel

enum ValueText {
  /// `{a: 1, b: ["x"]}`
  static func literal(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): self.number(number)
    case .timestamp(let instant): "@" + instant.rfc3339
    case .string(let text): TextEscape.quoted(text)
    case .bytes(let bytes): "bytes(\"" + Base64.text(bytes) + "\")"
    case .reference(let name): "/" + TextEscape.printable(relative(name))
    case .geoPoint(let point): "geo(\(point.latitude.description), \(point.longitude.description))"
    case .array(let elements): "[" + elements.map(literal).joined(separator: ", ") + "]"
    case .vector(let elements): "vector[" + elements.map(number).joined(separator: ", ") + "]"
    case .map(let fields):
      "{" + fields.entries.map { name($0.name) + ": " + literal($0.value) }.joined(separator: ", ") + "}"
    }
  }

  /// As a cell of a table: texts without quotes.
  static func cell(_ value: Value) -> String {
    switch value {
    case .string(let text): TextEscape.printable(text)
    case .timestamp(let instant): instant.rfc3339
    case .null, .boolean, .integer, .double, .bytes, .reference, .geoPoint, .array, .vector, .map:
      literal(value)
    }
  }

  static func number(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return number.description
  }

  /// A map's key, in quotes when it is no plain name.
  static func name(_ name: String) -> String {
    let isPlain = !name.isEmpty && name.utf8.allSatisfy(\.isWordByte)
    return isPlain ? name : TextEscape.quoted(name)
  }

  /// The path of a document in its database.
  static func relative(_ name: String) -> String {
    guard let range = name.range(ofBytes: "/documents/") else { return name }
    return String(name[range.upperBound...])
  }

  /// What kind of value it is, for people.
  static func kind(_ value: Value) -> String {
    switch value.kind {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .double: "double"
    case .timestamp: "timestamp"
    case .string: "string"
    case .bytes: "bytes"
    case .reference: "reference"
    case .geoPoint: "geo point"
    case .array: "array"
    case .vector: "vector"
    case .map: "map"
    }
  }
}
