/// Huffman's code of headers (RFC 7541 appendix B), as far as tokens are written in it: what is in base64 has codes of eight bits
/// at most, so one look into a small table gives a letter.

enum HuffmanText {
  /// The letters with codes of five bits and more. Codes of one length rise with the letters, and go on behind the shorter ones.
  private static let letters: [StaticString] = [
    "012aceiost", " %-./3456789=A_bdfghlmnpru", ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz", "&*,;XZ",
  ]
  private static let bitsMin = 5
  private static let bitsMax = 8

  /// By the next eight bits: the letter, and above it how many of the bits are its code. 0 where a longer code begins.
  private static let table: [UInt16] = {
    var table: [UInt16] = []
    for (index, letters) in letters.enumerated() {
      let bits = bitsMin + index
      letters.withUTF8Buffer { letters in
        for letter in letters {
          table += Array(repeating: UInt16(bits) << 8 | UInt16(letter), count: 1 << (bitsMax - bits))
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
    // The lowest `bits` bits of `buffer` are what was read and not yet decoded.
    var (buffer, bits, next, length) = (UInt64(0), 0, 0, 0)
    defer { count = length }
    while true {
      while bits <= 32, next < code.count {
        if next + 4 <= code.count {
          let word = code.loadUnaligned(fromByteOffset: next, as: UInt32.self)
          (buffer, bits, next) = (buffer << 32 | UInt64(UInt32(bigEndian: word)), bits + 32, next + 4)
        } else {
          (buffer, bits, next) = (buffer << 8 | UInt64(code[next]), bits + 8, next + 1)
        }
      }
      if bits < bitsMax { break }
      while bits >= bitsMax {
        let entry = table[
          Int(truncatingIfNeeded: buffer >> UInt64(truncatingIfNeeded: bits - bitsMax)) & 0xFF]
        if entry == 0 { return false }
        text[length] = UInt8(truncatingIfNeeded: entry)
        (length, bits) = (length + 1, bits - Int(entry >> 8))
      }
    }
    // The last letters, and less than a byte of ones behind them (RFC 7541 5.2).
    while bits > 0 {
      let ones = (1 << (bitsMax - bits)) - 1
      let rest = Int(truncatingIfNeeded: buffer) & ((1 << bits) - 1)
      let entry = table[rest << (bitsMax - bits) | ones]
      if entry == 0 || entry >> 8 > bits { return rest == (1 << bits) - 1 }
      text[length] = UInt8(truncatingIfNeeded: entry)
      (length, bits) = (length + 1, bits - Int(entry >> 8))
    }
    return true
  }
}
