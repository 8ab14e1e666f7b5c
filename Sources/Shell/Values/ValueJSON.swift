/// Values as JSON: with the forms of seeds and suites, which lose nothing, or plain for other programs.
///
/// `{"at":{"$time":"2026-03-01T09:00:00Z"}}` pastes into a seed; plain it is `{"at":"2026-03-01T09:00:00Z"}`.

import DocModel

struct ValueJSON {
  /// Whether types that JSON lacks become texts and numbers.
  let isPlain: Bool

  func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): double(number)
    case .timestamp(let instant): form("$time", TextEscape.quoted(instant.rfc3339))
    case .string(let text): TextEscape.quoted(text)
    case .bytes(let bytes): form("$bytes", TextEscape.quoted(Base64.text(bytes)))
    case .reference(let name): form("$ref", TextEscape.quoted(ValueText.relative(name)))
    case .geoPoint(let point): geoPoint(point)
    case .array(let elements): "[" + elements.map(text).joined(separator: ",") + "]"
    case .vector(let elements):
      form("$vector", "[" + elements.map { number($0) }.joined(separator: ",") + "]")
    case .map(let fields): "{" + members(fields).joined(separator: ",") + "}"
    }
  }

  /// `"name":value` of each field.
  func members(_ fields: Fields) -> [String] {
    fields.entries.map { key($0.name) + ":" + text($0.value) }
  }

  /// Names that begin with a dollar sign would be read as forms.
  private func key(_ name: String) -> String {
    TextEscape.quoted(!isPlain && name.hasPrefix("$") ? "$" + name : name)
  }

  private func form(_ name: String, _ json: String) -> String {
    isPlain ? json : "{\"\(name)\":\(json)}"
  }

  private func geoPoint(_ point: GeoPoint) -> String {
    let (latitude, longitude) = (number(point.latitude), number(point.longitude))
    return isPlain
      ? "{\"latitude\":\(latitude),\"longitude\":\(longitude)}" : "{\"$geo\":[\(latitude),\(longitude)]}"
  }

  /// A whole double would be read as an integer.
  private func double(_ number: Double) -> String {
    guard number.isFinite else { return form("$double", TextEscape.quoted(ValueText.number(number))) }
    if !isPlain, number.isZero, number.sign == .minus { return form("$double", "\"-0\"") }
    if !isPlain, number == number.rounded(.towardZero) {
      return form("$double", self.number(number))
    }
    return self.number(number)
  }

  private func number(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    if number == number.rounded(.towardZero), abs(number) < 1e15 { return String(Int64(number)) }
    return number.description
  }
}
