/// Base64 (RFC 4648) in the forms that JSON, tokens, headers and addresses carry.
///
/// What people write into files and type is read strictly, with `decode`: one text for the same bytes. What
/// programs send is read as protobuf's JSON form takes it, with `decodeAny` and `decodeURLSafe`.

package enum Base64 {
  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlSafe = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  // MARK: encoding

  /// The standard alphabet.
  package static func encode(_ bytes: some Collection<UInt8>, padded: Bool = true) -> [UInt8] {
    withBuffer(of: bytes) { encode($0, standard, padded: padded) }
  }

  /// The URL-safe alphabet, without padding.
  package static func encodeURLSafe(_ bytes: some Collection<UInt8>) -> [UInt8] {
    withBuffer(of: bytes) { encode($0, urlSafe, padded: false) }
  }

  /// The standard alphabet, with padding.
  package static func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: encode(bytes), as: UTF8.self)
  }

  /// The URL-safe alphabet, without padding.
  package static func urlSafeText(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: encodeURLSafe(bytes), as: UTF8.self)
  }

  private static func encode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ alphabet: [UInt8], padded: Bool
  ) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group = UInt32(bytes[index]) << 16
      if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
      if count > 2 { group |= UInt32(bytes[index + 2]) }
      for place in 0...count { text.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)]) }
      if padded, count < 3 { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - count)) }
      index += 3
    }
    return text
  }

  // MARK: decoding

  /// Decodes what `text` gives, and nothing else (RFC 4648, section 4): standard alphabet, padding, and
  /// zeros for the bits that the last digit has left over.
  package static func decode(_ text: String) -> [UInt8]? {
    withBuffer(of: text.utf8) { text in
      guard text.count.isMultiple(of: 4) else { return nil }
      let padding = min(2, trailingSigns(text))
      return decode(text.prefix(text.count - padding), .standard, allowsRest: false)
    }
  }

  /// Either alphabet, as protobuf's JSON form accepts it; the rest as `decodeURLSafe`.
  package static func decodeAny(_ text: some Collection<UInt8>) -> [UInt8]? {
    withBuffer(of: text) { decode($0.prefix($0.count - trailingSigns($0)), .either, allowsRest: true) }
  }

  /// Decodes the URL-safe alphabet alone; any number of `=` at the end is passed over.
  ///
  /// Nil for other characters and for a lone last character, which holds no whole byte.
  package static func decodeURLSafe(_ text: some Collection<UInt8>) -> [UInt8]? {
    withBuffer(of: text) { decodeURLSafe($0) }
  }

  /// The same of bytes that lie together.
  package static func decodeURLSafe(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    decode(text.prefix(text.count - trailingSigns(text)), .urlSafe, allowsRest: true)
  }

  /// Whether the byte is a digit of the URL-safe alphabet.
  package static func isURLSafeDigit(_ byte: UInt8) -> Bool { value(byte, .urlSafe) != nil }

  private enum Alphabet {
    case standard, urlSafe, either
  }

  private static func trailingSigns(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
  }

  /// - Parameter allowsRest: whether bits that belong to no whole byte may be set.
  private static func decode(
    _ digits: Slice<UnsafeBufferPointer<UInt8>>, _ alphabet: Alphabet, allowsRest: Bool
  ) -> [UInt8]? {
    if digits.count % 4 == 1 { return nil }
    if digits.isEmpty { return [] }
    let digits = UnsafeBufferPointer(rebasing: digits)
    let groups = groups(of: alphabet)
    // What is no digit has a bit that no digit has: one question at the end in place of one for each.
    var seen: UInt32 = 0
    var rest: UInt32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 4 * 3 + 2) { bytes, count in
      groups.withUnsafeBufferPointer { groups in
        func digit(_ place: Int, at index: Int) -> UInt32 { groups[place << 8 | Int(digits[index])] }
        var index = 0
        while digits.count &- index >= 4 {
          let group =
            digit(0, at: index) | digit(1, at: index &+ 1) | digit(2, at: index &+ 2)
            | digit(3, at: index &+ 3)
          seen |= group
          bytes[count] = UInt8(truncatingIfNeeded: group >> 16)
          bytes[count &+ 1] = UInt8(truncatingIfNeeded: group >> 8)
          bytes[count &+ 2] = UInt8(truncatingIfNeeded: group)
          (index, count) = (index &+ 4, count &+ 3)
        }
        let left = digits.count - index
        guard left > 0 else { return }
        let group = digit(0, at: index) | digit(1, at: index + 1) | (left == 3 ? digit(2, at: index + 2) : 0)
        seen |= group
        bytes[count] = UInt8(truncatingIfNeeded: group >> 16)
        if left == 3 { bytes[count + 1] = UInt8(truncatingIfNeeded: group >> 8) }
        count += left - 1
        rest = left == 3 ? group & 0xFF : group & 0xFFFF
      }
    }
    return seen & noDigit == 0 && (allowsRest || rest == 0) ? bytes : nil
  }

  private static let noDigit: UInt32 = 1 << 31

  private static let standardGroups = table(.standard)
  private static let urlSafeGroups = table(.urlSafe)
  private static let eitherGroups = table(.either)

  private static func groups(of alphabet: Alphabet) -> [UInt32] {
    switch alphabet {
    case .standard: standardGroups
    case .urlSafe: urlSafeGroups
    case .either: eitherGroups
    }
  }

  /// By place in a group of four, and byte: the digit's bits at that place, or `noDigit`.
  private static func table(_ alphabet: Alphabet) -> [UInt32] {
    [18, 12, 6, 0].flatMap { (shift: UInt32) in
      (0...UInt8.max).map { byte in value(byte, alphabet).map { $0 << shift } ?? noDigit }
    }
  }

  private static func value(_ digit: UInt8, _ alphabet: Alphabet) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): alphabet == .urlSafe ? nil : 62
    case UInt8(ascii: "/"): alphabet == .urlSafe ? nil : 63
    case UInt8(ascii: "-"): alphabet == .standard ? nil : 62
    case UInt8(ascii: "_"): alphabet == .standard ? nil : 63
    default: nil
    }
  }

  /// The loops work on plain memory, so that they are fast for whatever collection another module passes.
  private static func withBuffer<Result>(
    of bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    if let result = bytes.withContiguousStorageIfAvailable(body) { return result }
    return Array(bytes).withUnsafeBufferPointer(body)
  }
}
