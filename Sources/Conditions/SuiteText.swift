/// YAML as suites that are written for people have it: values in the forms of suites, a field a line where documents stand, sorted, so that
/// two recordings of one thing differ only where the thing does.

package import DocModel

/// A value with forms in it, as the data of a write may be.
package enum SuiteNode {
  case value(Value)
  /// `{$serverTime: true}`
  case form(String)
  case map([(name: String, node: SuiteNode)])

  /// With a form at the end of a way through maps.
  package func setting(_ form: String, at way: ArraySlice<String>) -> SuiteNode {
    guard let name = way.first else { return .form(form) }
    var members = self.members
    let place = members.firstIndex { $0.name.hasSameBytes(as: name) }
    let inner = place.map { members[$0].node } ?? .map([])
    let node = inner.setting(form, at: way.dropFirst())
    if let place { members[place].node = node } else { members.append((name, node)) }
    return .map(members.sorted { $0.name.precedesInBytes($1.name) })
  }

  /// None for what is no map.
  package var members: [(name: String, node: SuiteNode)] {
    switch self {
    case .map(let members): members
    case .value(.map(let fields)): fields.entries.map { ($0.name, .value($0.value)) }
    case .value, .form: []
    }
  }

  package var text: String {
    switch self {
    case .value(let value): SuiteText.value(value)
    case .form(let text): text
    case .map(let members):
      "{" + members.map { SuiteText.key($0.name) + ": " + $0.node.text }.joined(separator: ", ") + "}"
    }
  }
}

package enum SuiteText {
  package static let serverTime = "{$serverTime: true}"
  package static let absent = "{$absent: true}"

  // MARK: values

  /// `{a: 1, b: [x, "y z"]}`
  package static func value(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): double(number)
    case .timestamp(let instant): "{$time: \(instant.rfc3339)}"
    case .string(let text): scalar(interpolated(text))
    case .bytes(let bytes): "{$bytes: \(scalar(Base64.text(bytes)))}"
    case .reference(let name): "{$ref: \(scalar(relative(name)))}"
    case .geoPoint(let point): "{$geo: [\(double(point.latitude)), \(double(point.longitude))]}"
    case .array(let elements): "[" + elements.map(self.value).joined(separator: ", ") + "]"
    case .vector(let elements): "{$vector: [" + elements.map(double).joined(separator: ", ") + "]}"
    case .map: SuiteNode.value(value).mapText
    }
  }

  /// The path of a document in its database.
  private static func relative(_ name: String) -> String {
    let parts = name.split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false)
    return parts.count == 6 && parts[4] == "documents" ? String(parts[5]) : name
  }

  private static func double(_ number: Double) -> String {
    if number.isNaN { return ".nan" }
    return number.isInfinite ? (number < 0 ? "-.inf" : ".inf") : number.description
  }

  /// A field's name in the data of a document: those that begin with a dollar sign would be forms.
  package static func key(_ name: String) -> String {
    scalar(interpolated(name.hasPrefix("$") && !name.hasPrefix("${") ? "$" + name : name))
  }

  /// A field's name where paths of fields stand.
  package static func pathKey(_ path: FieldPath) -> String { scalar(interpolated(path.text)) }

  /// `${` would be taken for a value's place.
  private static func interpolated(_ text: String) -> String {
    var result: [UInt8] = []
    var last: UInt8 = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "{"), last == UInt8(ascii: "$") {
        result.removeLast()
        result += Array("$${".utf8)
      } else {
        result.append(byte)
      }
      last = byte
    }
    return String(decoding: result, as: UTF8.self)
  }

  // MARK: scalars

  /// A text as YAML: without quotes where every reader of YAML takes it for a text.
  package static func scalar(_ text: String) -> String {
    if isPlain(text) { return text }
    let isQuotable = !text.utf8.contains(UInt8(ascii: "'")) && !text.unicodeScalars.contains(where: isEscaped)
    let hasQuotes = text.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    return isQuotable && hasQuotes ? "'\(text)'" : quoted(text)
  }

  private static let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first), !words.contains(text.lowercased()) else {
      return false
    }
    return text.utf8.last != 0x20
      && text.utf8.allSatisfy { $0.isWordByte || "./- ".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte.isLetter || byte == UInt8(ascii: "_")
  }

  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool { scalar.isHostile }

  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        if isEscaped(scalar) {
          let digits = String(scalar.value, radix: 16)
          result += "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

extension SuiteNode {
  /// A map's own text, without going back through `value`.
  fileprivate var mapText: String { SuiteNode.map(members).text }
}
