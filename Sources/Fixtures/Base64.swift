/// Standard base64 with padding.

enum Base64 {
  /// The bytes; nil when the text is anything but canonical base64 (RFC 4648, section 4).
  static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 4 == 0 else { return nil }
    let padding = characters.suffix(2).count { $0 == UInt8(ascii: "=") }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 4 * 3)
    var group: UInt32 = 0
    let contentCount = characters.count - padding
    for (index, character) in characters[..<contentCount].enumerated() {
      guard let digit = digit(character) else { return nil }
      group = group << 6 | digit
      if index % 4 == 3 {
        bytes.append(contentsOf: [UInt8(group >> 16 & 0xFF), UInt8(group >> 8 & 0xFF), UInt8(group & 0xFF)])
        group = 0
      }
    }
    switch padding {
    case 1:
      guard group & 0b11 == 0 else { return nil }
      bytes.append(contentsOf: [UInt8(group >> 10 & 0xFF), UInt8(group >> 2 & 0xFF)])
    case 2:
      guard characters.last == UInt8(ascii: "="), group & 0b1111 == 0 else { return nil }
      bytes.append(UInt8(group >> 4 & 0xFF))
    default: break
    }
    return bytes
  }

  private static func digit(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
