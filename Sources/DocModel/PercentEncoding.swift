/// Parts of addresses (RFC 3986): a segment of a path, a value of a parameter.

package enum PercentEncoding {
  /// The text as one part of an address: nothing in it divides parts.
  ///
  /// Unreserved characters stay as they are, and parentheses, so that `(default)` can be read. The segments
  /// `.` and `..` are escaped: whoever sends an address may take them for steps to other folders.
  package static func part(_ text: String) -> String {
    let isStep = text == "." || text == ".."
    return Self.text(text) { !isStep && ($0.isWordByte || "-.~()".utf8.contains($0)) }
  }

  /// A text with escapes for all bytes but plain ones.
  package static func text(_ text: String, keeping isPlain: (UInt8) -> Bool) -> String {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isPlain(byte) {
        escaped.append(byte)
      } else {
        escaped += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  /// Percent-encoded bytes as they are; nil where the encoding is broken.
  package static func decode(_ text: ArraySlice<UInt8>, plusIsBlank: Bool = false) -> [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < text.endIndex, let high = text[index + 1].hexValue,
          let low = text[index + 2].hexValue
        else { return nil }
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(plusIsBlank && byte == UInt8(ascii: "+") ? 0x20 : byte)
        index += 1
      }
    }
    return decoded
  }
}
