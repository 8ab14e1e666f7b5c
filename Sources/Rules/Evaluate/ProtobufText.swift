/// Values in the text form of protocol buffers, which some messages of the official engine contain.
///
/// Source: the official emulator, asked with every kind of value.

internal import DocModel

enum ProtobufText {
  /// The lines of a value message, each indented by `depth` levels.
  static func value(_ operand: Operand, _ e: Evaluation, depth: Int = 0) -> String {
    let indent = String(repeating: "  ", count: depth)
    switch operand {
    case .null: return "\(indent)null_value: NULL_VALUE\n"
    case .boolean(let flag): return "\(indent)bool_value: \(flag)\n"
    case .integer(let number): return "\(indent)int_value: \(number)\n"
    case .float(let number): return "\(indent)float_value: \(e.text(of: number))\n"
    case .string(let text): return "\(indent)string_value: \(quoted(text))\n"
    case .bytes(let bytes): return "\(indent)bytes_value: \(quoted(bytes.buffer))\n"
    case .timestamp(let time):
      return message("timestamp_value", depth, seconds(time.seconds, time.nanoseconds, depth + 1))
    case .duration(let length):
      return message("duration_value", depth, seconds(length.seconds, length.nanoseconds, depth + 1))
    case .latlng(let point): return message("latlng_value", depth, latlng(point, e, depth + 1))
    case .path(let segments, let count):
      let lines = (0..<count).map { segment(segments[$0], depth + 1) }
      return message("path_value", depth, lines.joined())
    case .array, .list: return message("list_value", depth, values(e.array(operand), e, depth: depth + 1))
    case .set: return message("set_value", depth, values(e.array(operand), e, depth: depth + 1))
    case .document, .fields, .map:
      // By their keys, in UTF-16 units.
      let sorted = e.entries(operand).map { (units: UTF16Text.units($0.key.buffer), entry: $0) }
        .sorted { $0.units.lexicographicallyPrecedes($1.units) }
      let entries = sorted.map { _, entry -> String in
        let lines =
          "\(indent)    key: \(quoted(entry.key))\n"
          + message("value", depth + 2, value(entry.value, e, depth: depth + 3))
        return message("fields", depth + 1, lines)
      }
      return message("map_value", depth, entries.joined())
    case .vector(let bytes):
      let numbers = ArrayView(bytes.buffer).map { Operand.float($0.double) }
      return message("vector_value", depth, values(numbers, e, depth: depth + 1))
    case .mapDiff: return message("map_diff_value", depth, "")
    case .constraint(let filters, let count):
      let lines = (0..<count).map { filters[$0].text(e, depth: depth + 1) }
      return message("constraint_value", depth, lines.joined())
    case .fault: return ""
    }
  }

  /// A path without placeholders.
  static func path(_ segments: [String]) -> String {
    let lines = segments.map { text in
      var text = text
      return message("segments", 1, field("simple", text.withUTF8 { quoted(UnsafeRawBufferPointer($0)) }, 2))
    }
    return message("path_value", 0, lines.joined())
  }

  /// `values { … }` for each element.
  static func values(_ elements: some Sequence<Operand>, _ e: Evaluation, depth: Int = 0) -> String {
    elements.map { message("values", depth, value($0, e, depth: depth + 1)) }.joined()
  }

  static func message(_ name: String, _ depth: Int, _ lines: String) -> String {
    let indent = String(repeating: "  ", count: depth)
    return "\(indent)\(name) {\n\(lines)\(indent)}\n"
  }

  private static func field(_ name: String, _ text: String, _ depth: Int) -> String {
    String(repeating: "  ", count: depth) + "\(name): \(text)\n"
  }

  /// What is zero is not written.
  private static func seconds(_ seconds: Int64, _ nanoseconds: Int32, _ depth: Int) -> String {
    (seconds == 0 ? "" : field("seconds", "\(seconds)", depth))
      + (nanoseconds == 0 ? "" : field("nanos", "\(nanoseconds)", depth))
  }

  private static func latlng(_ point: GeoPoint, _ e: Evaluation, _ depth: Int) -> String {
    (point.latitude.bitPattern == 0 ? "" : field("latitude", e.text(of: point.latitude), depth))
      + (point.longitude.bitPattern == 0 ? "" : field("longitude", e.text(of: point.longitude), depth))
  }

  private static func segment(_ segment: PathSegment, _ depth: Int) -> String {
    guard let name = segment.name else {
      return message(
        "segments", depth, field("simple", quoted(segment.text ?? ByteView(WireCursor.empty)), depth + 1))
    }
    var lines = field("variable_name", quoted(name), depth + 2)
    if let text = segment.text { lines += field("bound_value", quoted(text), depth + 2) }
    return message(
      "segments", depth, message(segment.isGlob ? "glob_capture" : "capture", depth + 1, lines))
  }

  /// A message has no place for half of a surrogate pair: it is a question mark.
  private static func quoted(_ text: ByteView) -> String {
    guard UTF16Text.hasHalf(text.buffer) else { return quoted(text.buffer) }
    return UTF16Text.replacingHalves(text.buffer).withUnsafeBytes { quoted($0) }
  }

  /// Bytes beyond ASCII and control characters are three octal digits.
  private static func quoted(_ bytes: UnsafeRawBufferPointer) -> String {
    var result = "\""
    for byte in bytes {
      switch byte {
      case 0x0A: result += "\\n"
      case 0x0D: result += "\\r"
      case 0x09: result += "\\t"
      case 0x07: result += "\\a"
      case 0x08: result += "\\b"
      case 0x0B: result += "\\v"
      case 0x0C: result += "\\f"
      case 0x22: result += "\\\""
      case 0x27: result += "\\'"
      case 0x5C: result += "\\\\"
      case 0x20..<0x7F: result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 8)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return result + "\""
  }
}
