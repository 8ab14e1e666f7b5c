/// Values as JSON: with the forms of seeds and suites, which lose nothing, or plain for other programs.
///
/// `{"at":{"$time":"2026-03-01T09:00:00Z"}}` pastes into a seed; plain it is `{"at":"2026-03-01T09:00:00Z"}`.

import Client
import DocModel
import JSON

struct ValueJSON {
  /// Whether types that JSON lacks become texts and numbers.
  let isPlain: Bool

  func text(_ value: Value) -> String {
    var writer = JSONWriter()
    write(value, to: &writer)
    return writer.text
  }

  func write(_ value: Value, to writer: inout JSONWriter) {
    switch value {
    case .null: writer.null()
    case .boolean(let flag): writer.boolean(flag)
    case .integer(let number): writer.integer(number)
    case .double(let number): double(number, to: &writer)
    case .timestamp(let instant): form("$time", to: &writer) { $0.printable(instant.rfc3339) }
    case .string(let text): writer.printable(text)
    case .bytes(let bytes): form("$bytes", to: &writer) { $0.string(Base64.text(bytes)) }
    case .reference(let name): form("$ref", to: &writer) { $0.printable(ValueText.relative(name)) }
    case .geoPoint(let point): geoPoint(point, to: &writer)
    case .array(let elements): writer.array(elements) { write($1, to: &$0) }
    case .vector(let elements):
      form("$vector", to: &writer) { $0.array(elements) { number($1, to: &$0) } }
    case .map(let fields): writer.object { members(fields, of: &$0) }
    }
  }

  func members(_ fields: Fields, of object: inout JSONWriter.ObjectWriter) {
    for entry in fields.entries { object.member(printable: key(entry.name)) { write(entry.value, to: &$0) } }
  }

  /// Names that begin with a dollar sign would be read as forms.
  func key(_ name: String) -> String { !isPlain && name.hasPrefix("$") ? "$" + name : name }

  private func form(_ name: StaticString, to writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
    isPlain ? body(&writer) : writer.object { $0.member(name, body) }
  }

  private func geoPoint(_ point: GeoPoint, to writer: inout JSONWriter) {
    guard isPlain else {
      return writer.object { object in
        object.member("$geo") { $0.array([point.latitude, point.longitude]) { number($1, to: &$0) } }
      }
    }
    writer.object { object in
      object.member("latitude") { number(point.latitude, to: &$0) }
      object.member("longitude") { number(point.longitude, to: &$0) }
    }
  }

  /// A whole double would be read as an integer.
  private func double(_ number: Double, to writer: inout JSONWriter) {
    guard number.isFinite else {
      return form("$double", to: &writer) { $0.string(ValueText.number(number)) }
    }
    guard !isPlain, number == number.rounded(.towardZero) else { return self.number(number, to: &writer) }
    form("$double", to: &writer) { writer in
      number.isZero && number.sign == .minus ? writer.string("-0") : self.number(number, to: &writer)
    }
  }

  private func number(_ number: Double, to writer: inout JSONWriter) {
    guard number.isFinite else { return writer.null() }
    guard number == number.rounded(.towardZero), abs(number) < 1e15 else { return writer.number(number) }
    writer.integer(Int64(number))
  }
}

extension JSONWriter {
  /// A text with escapes for all by which a terminal or a reader could be fooled.
  mutating func printable(_ text: String) { json(Array(TextEscape.quoted(text).utf8)) }

  /// One document: its fields, and its path as `__name__`.
  mutating func document(_ document: ShellDocument, _ form: ValueJSON) {
    object { object in
      object.member("__name__") { $0.printable(document.path.text) }
      form.members(document.fields, of: &object)
    }
  }
}

extension JSONWriter.ObjectWriter {
  mutating func member(printable name: String, _ body: (inout JSONWriter) -> Void) {
    member(json: Array(TextEscape.quoted(name).utf8), body)
  }
}
