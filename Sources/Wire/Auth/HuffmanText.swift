/// Huffman's code of headers (RFC 7541 appendix B), as far as tokens are written in it: what is in base64 has codes of eight bits
/// at most, so one look into a small table gives a letter.

enum HuffmanText {
  /// The letters with codes of five bits and more. Codes of one length rise with the letters, and go on behind the shorter ones.
  private static let letters: [StaticString] = [
    "012aceiost", " %-./3456789=A_bdfghlmnpru", ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz", "&*,;XZ",
  ]
  private static let bitsMin = 5
  private static let bitsMax = 8

  /// By the next eight bits: how many of them are a letter's code, and above that the letter. 0 where a longer code begins.
  private static let table: [UInt16] = {
    var table: [UInt16] = []
    for (index, letters) in letters.enumerated() {
      let bits = bitsMin + index
      letters.withUTF8Buffer { letters in
        for letter in letters {
          table += Array(repeating: UInt16(letter) << 8 | UInt16(bits), count: 1 << (bitsMax - bits))
        }
      }
    }
    return table + Array(repeating: 0, count: (1 << bitsMax) - table.count)
  }()

  /// The text of a code; nil for one that has other letters or is none: who knows all letters is to judge it.
  static func text(_ code: UnsafeRawBufferPointer) -> [UInt8]? {
    var isWhole = false
    let text = [UInt8](unsafeUninitializedCapacity: code.count * 8 / bitsMin) { text, count in
      isWhole = table.withUnsafeBufferPointer { decode(code, $0, text, &count) }
    }
    // Blanks at an end are no part of a value, and the library's to refuse.
    let blank = UInt8(ascii: " ")
    return isWhole && text.first != blank && text.last != blank ? text : nil
  }

  private static func decode(
    _ code: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt16>,
    _ text: UnsafeMutableBufferPointer<UInt8>,
    _ count: inout Int
  ) -> Bool {
    guard let entries = table.baseAddress, let text = text.baseAddress else { return code.isEmpty }
    var length = 0
    defer { count = length }
    // Where the next letter's code begins.
    var place = 0
    // Seven letters have at most the 56 bits that a word has from any bit of its first byte on. A code that is none has no
    // length, so that all behind it are none.
    while (place >> 3) + 8 <= code.count {
      let word = UInt64(bigEndian: code.loadUnaligned(fromByteOffset: place >> 3, as: UInt64.self))
      var bits = word &<< UInt64(truncatingIfNeeded: place & 7)
      var (lengths, last) = (UInt16(0), UInt16(0))
      for letter in 0..<7 {
        last = entries[Int(truncatingIfNeeded: bits &>> 56)]
        text[length &+ letter] = UInt8(truncatingIfNeeded: last &>> 8)
        lengths &+= last
        bits = bits &<< UInt64(truncatingIfNeeded: last)
      }
      if last == 0 { return false }
      (length, place) = (length &+ 7, place &+ Int(lengths & 0xFF))
    }
    return decodeEnd(code, from: place, entries, text, &length)
  }

  /// The letters in the last seven bytes at most, one by one, and less than a byte of ones behind them (RFC 7541 5.2).
  private static func decodeEnd(
    _ code: UnsafeRawBufferPointer, from place: Int, _ entries: UnsafePointer<UInt16>,
    _ text: UnsafeMutablePointer<UInt8>, _ length: inout Int
  ) -> Bool {
    // With eight more ones, so that eight bits can be looked at from every place.
    let buffer = code[(place >> 3)...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << 8 | 0xFF
    var bits = code.count * 8 - place
    while bits > 0 {
      let next = Int(truncatingIfNeeded: buffer >> UInt64(bits)) & 0xFF
      let entry = entries[next]
      if entry == 0 || entry & 0xFF > bits { return bits < bitsMax && next == 0xFF }
      text[length] = UInt8(entry >> 8)
      (length, bits) = (length + 1, bits - Int(entry & 0xFF))
    }
    return true
  }
}
