/// Parts of addresses (RFC 3986): a segment of a path, a value of a parameter.

package enum PercentEncoding {
  /// The text as one part of an address: nothing in it divides parts.
  ///
  /// Unreserved characters stay as they are, and parentheses, so that `(default)` can be read. The segments
  /// `.` and `..` are escaped: whoever sends an address may take them for steps to other folders.
  package static func part(_ text: String) -> String {
    let isStep = text == "." || text == ".."
    var part: [UInt8] = []
    part.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isPlain(byte), !isStep {
        part.append(byte)
      } else {
        part += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: part, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "("),
      UInt8(ascii: ")"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
