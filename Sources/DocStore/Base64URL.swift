/// Base64 as addresses and tokens carry it: the alphabet of URLs, no padding.

enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  static func isDigit(_ letter: UInt8) -> Bool { alphabet.contains(letter) }

  /// Nil when there is a letter that is none of the alphabet.
  static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for letter in text {
      guard let digit = alphabet.firstIndex(of: letter) else { return nil }
      buffer = buffer << 6 | UInt32(digit)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return bytes
  }
}
