/// Base64 in the forms that headers, tokens and JSON carry.

package enum Base64 {
  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func encode(_ bytes: some Collection<UInt8>, padded: Bool = true) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var group: UInt32 = 0
    var count = 0
    for byte in bytes {
      group = group << 8 | UInt32(byte)
      count += 1
      if count == 3 {
        for shift in [18, 12, 6, 0] { text.append(standard[Int(group >> UInt32(shift)) & 63]) }
        group = 0
        count = 0
      }
    }
    if count > 0 {
      group <<= UInt32(8 * (3 - count))
      for shift in [18, 12, 6, 0].prefix(count + 1) {
        text.append(standard[Int(group >> UInt32(shift)) & 63])
      }
      if padded { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - count)) }
    }
    return text
  }

  /// The URL-safe alphabet, without padding.
  package static func encodeURLSafe(_ bytes: some Collection<UInt8>) -> [UInt8] {
    encode(bytes, padded: false).map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
  }

  /// Either alphabet, as protobuf's JSON form accepts it.
  package static func decodeAny(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    decodeURLSafe(
      text.map { byte in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
      })
  }

  /// Decodes the URL-safe alphabet alone; any number of `=` at the end is passed over.
  ///
  /// Nil for other characters and for a lone last character, which holds no whole byte.
  package static func decodeURLSafe(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    var end = text.endIndex
    while end > text.startIndex, text[text.index(before: end)] == UInt8(ascii: "=") {
      end = text.index(before: end)
    }
    return decode(text[..<end]) { byte in
      switch byte {
      case UInt8(ascii: "-"): 62
      case UInt8(ascii: "_"): 63
      default: nil
      }
    }
  }

  private static func decode(_ text: some Collection<UInt8>, _ last: (UInt8) -> UInt32?) -> [UInt8]? {
    if text.count % 4 == 1 { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var group: UInt32 = 0
    var bits = 0
    for byte in text {
      guard let value = letterOrDigit(byte) ?? last(byte) else { return nil }
      group = group << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
      }
    }
    return bytes
  }

  private static func letterOrDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    default: nil
    }
  }
}
