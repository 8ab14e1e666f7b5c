/// Values, queries and tokens as JSON text.

internal import DocModel

enum JSONText {
  static func string(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\u{0}"..."\u{1F}", "\u{2028}", "\u{2029}", "\u{FEFF}":
        out += "\\u" + hexadecimal(scalar.value)
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  private static func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// `{"integerValue": "1"}`
  static func value(_ value: Value) -> String {
    switch value {
    case .null: return #"{"nullValue":null}"#
    case .boolean(let flag): return #"{"booleanValue":\#(flag)}"#
    case .integer(let number): return #"{"integerValue":"\#(number)"}"#
    case .double(let number): return #"{"doubleValue":\#(double(number))}"#
    case .timestamp(let time): return #"{"timestampValue":"\#(time.rfc3339)"}"#
    case .string(let text): return #"{"stringValue":\#(string(text))}"#
    case .bytes(let bytes): return #"{"bytesValue":"\#(base64(bytes))"}"#
    case .reference(let name): return #"{"referenceValue":\#(string(name))}"#
    case .geoPoint(let point):
      return
        #"{"geoPointValue":{"latitude":\#(double(point.latitude)),"longitude":\#(double(point.longitude))}}"#
    case .array(let elements):
      return #"{"arrayValue":{"values":[\#(elements.map { self.value($0) }.joined(separator: ","))]}}"#
    case .vector(let numbers):
      let list = numbers.map { self.value(.double($0)) }.joined(separator: ",")
      return
        #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[\#(list)]}}}}}"#
    case .map(let fields): return #"{"mapValue":{"fields":\#(self.fields(fields))}}"#
    }
  }

  static func fields(_ fields: Fields) -> String {
    "{" + fields.entries.map { "\(string($0.name)):\(value($0.value))" }.joined(separator: ",") + "}"
  }

  private static func double(_ number: Double) -> String {
    if number.isNaN { return "\"NaN\"" }
    if number.isInfinite { return number < 0 ? "\"-Infinity\"" : "\"Infinity\"" }
    return "\(number)"
  }

  /// A claim the way a token holds it.
  static func plain(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): string(text)
    case .array(let elements): "[" + elements.map(plain).joined(separator: ",") + "]"
    case .map(let fields): plain(fields)
    case .timestamp, .bytes, .reference, .geoPoint, .vector: "null"
    }
  }

  static func plain(_ fields: Fields) -> String {
    "{" + fields.entries.map { "\(string($0.name)):\(plain($0.value))" }.joined(separator: ",") + "}"
  }

  /// An unsigned token of an emulator.
  static func token(_ claims: Fields) -> String {
    "Bearer \(base64(Array(#"{"alg":"none","typ":"JWT"}"#.utf8), isURLSafe: true))."
      + "\(base64(Array(plain(claims).utf8), isURLSafe: true))."
  }

  static func base64(_ bytes: [UInt8], isURLSafe: Bool = false) -> String {
    let last: [Character] = isURLSafe ? ["-", "_"] : ["+", "/"]
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") + last
    var out = ""
    var index = 0
    while index < bytes.count {
      let group = bytes[index..<min(index + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for digit in 0...group.count { out.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
      if !isURLSafe { out += String(repeating: "=", count: 3 - group.count) }
      index += 3
    }
    return out
  }

  /// The text of the first member `"message":"…"`.
  static func message(in body: String) -> String? {
    guard let start = body.firstRange(of: "\"message\":") else { return nil }
    var rest = body[start.upperBound...].drop { $0 != "\"" }.dropFirst()
    var units: [UInt16] = []
    while let character = rest.unicodeScalars.first, character != "\"" {
      rest = Substring(rest.unicodeScalars.dropFirst())
      if character != "\\" {
        units += Array(String(character).utf16)
        continue
      }
      guard let escape = rest.unicodeScalars.first else { return nil }
      rest = Substring(rest.unicodeScalars.dropFirst())
      switch escape {
      case "n": units.append(10)
      case "t": units.append(9)
      case "r": units.append(13)
      case "b": units.append(8)
      case "f": units.append(12)
      case "u":
        units.append(UInt16(rest.unicodeScalars.prefix(4).map(String.init).joined(), radix: 16) ?? 0xFFFD)
        rest = Substring(rest.unicodeScalars.dropFirst(4))
      default: units += Array(String(escape).utf16)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }
}
