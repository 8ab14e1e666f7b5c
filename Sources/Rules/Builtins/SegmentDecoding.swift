/// Segments of a path's text, which are decoded like parts of a URL.

internal import DocModel

/// What `java.net.URLDecoder` does to a segment: `+` is a blank, `%41` is a byte of UTF-8.
///
/// Source: the official emulator.
enum SegmentDecoding {
  /// Why a text cannot be decoded, in the words of the official engine.
  struct Failure: Error {
    let reason: String
  }

  /// Whether decoding would change the text, or fail.
  static func isNeeded(_ segment: ByteView) -> Bool {
    segment.buffer.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
  }

  static func decoded(_ segment: ByteView) throws(Failure) -> [UInt8] {
    let units = UTF16Text.units(segment.buffer)
    var result: [UInt16] = []
    var index = 0
    while index < units.count {
      switch units[index] {
      case 0x2B:
        result.append(0x20)
        index += 1
      case 0x25: result += text(of: try bytes(units, &index)).utf16
      default:
        result.append(units[index])
        index += 1
      }
    }
    return UTF16Text.bytes(result)
  }

  /// The bytes of all escapes that stand side by side.
  private static func bytes(_ units: [UInt16], _ index: inout Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    while index < units.count, units[index] == 0x25 {
      guard index + 2 < units.count else {
        throw Failure(reason: "Incomplete trailing escape (%) pattern")
      }
      bytes.append(try byte(units[(index + 1)...(index + 2)]))
      index += 3
    }
    return bytes
  }

  /// Two digits of any script, the first of which may be a sign.
  private static func byte(_ pair: ArraySlice<UInt16>) throws(Failure) -> UInt8 {
    var value = 0
    for (place, unit) in pair.enumerated() {
      if place == 0, unit == 0x2B || unit == 0x2D { continue }
      guard let digit = digit(unit) else {
        let text = UTF16Text.bytes(Array(pair)).withUnsafeBytes { ByteView($0).text }
        throw Failure(
          reason: "Illegal hex characters in escape (%) pattern - Error at index \(place) in: \"\(text)\"")
      }
      value = value * 16 + digit
    }
    if pair.first == 0x2D, value > 0 {
      throw Failure(reason: "Illegal hex characters in escape (%) pattern - negative value")
    }
    return UInt8(value)
  }

  /// `Character.digit(unit, 16)`.
  private static func digit(_ unit: UInt16) -> Int? {
    switch unit {
    case 0x30...0x39: return Int(unit) - 0x30
    case 0x41...0x46, 0x61...0x66: return Int(unit & 0xDF) - 0x37
    case 0xFF21...0xFF26: return Int(unit) - 0xFF21 + 10
    case 0xFF41...0xFF46: return Int(unit) - 0xFF41 + 10
    default:
      guard unit >= 0x80, let properties = Unicode.Scalar(unit)?.properties,
        properties.numericType == .decimal
      else { return nil }
      return properties.numericValue.map { Int($0) }
    }
  }

  /// Bytes read as UTF-8, with Java's replacements for what is none: one for half of a pair.
  private static func text(of bytes: [UInt8]) -> String {
    var readable: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0xED, index + 1 < bytes.count, (0xA0...0xBF).contains(bytes[index + 1]) {
        readable += [0xEF, 0xBF, 0xBD]
        index += index + 2 < bytes.count && (0x80...0xBF).contains(bytes[index + 2]) ? 3 : 2
      } else {
        readable.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: readable, as: UTF8.self)
  }
}
