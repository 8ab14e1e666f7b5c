/// Huffman's code of headers (RFC 7541 appendix B), as far as tokens are written in it: what is in base64 has codes of eight bits
/// at most, so one look into a small table gives a letter.

enum HuffmanText {
  /// The letters with codes of five bits and more. Codes of one length rise with the letters, and go on behind the shorter ones.
  private static let letters: [StaticString] = [
    "012aceiost", " %-./3456789=A_bdfghlmnpru", ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz", "&*,;XZ",
  ]
  private static let bitsMin = 5
  private static let bitsMax = 8

  /// By the next eight bits: the letter that they begin with; `none` where a longer code begins.
  private static let table: [UInt8] = {
    var table: [UInt8] = []
    for (index, letters) in letters.enumerated() {
      letters.withUTF8Buffer { letters in
        for letter in letters { table += Array(repeating: letter, count: 1 << (bitsMax - bitsMin - index)) }
      }
    }
    return table + Array(repeating: none, count: (1 << bitsMax) - table.count)
  }()
  /// Above all letters, so that one look tells whether it is among several.
  private static let none: UInt8 = 0x80

  /// By the next five bits, two bits each: by how many bits a code is longer than the shortest. In a word, not in a table, because
  /// where a letter begins is known only when the length of the one before it is.
  private static let lengths: UInt64 = {
    var lengths: UInt64 = 0
    for index in 0..<32 {
      let first = table[index << (bitsMax - bitsMin)]
      let more = letters.firstIndex { $0.withUTF8Buffer { $0.contains(first) } } ?? letters.count - 1
      lengths |= UInt64(more) << UInt64(2 * index)
    }
    return lengths
  }()

  /// The text of a code; nil for one that has other letters or is none: who knows all letters is to judge it.
  static func text(_ code: UnsafeRawBufferPointer) -> [UInt8]? {
    var isWhole = false
    let text = [UInt8](unsafeUninitializedCapacity: code.count * 8 / bitsMin) { text, count in
      isWhole = table.withUnsafeBufferPointer { decode(code, $0, lengths, text, &count) }
    }
    // Blanks at an end are no part of a value, and the library's to refuse.
    let blank = UInt8(ascii: " ")
    return isWhole && text.first != blank && text.last != blank ? text : nil
  }

  private static func decode(
    _ code: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt8>, _ lengths: UInt64,
    _ text: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
  ) -> Bool {
    guard let table = table.baseAddress, let text = text.baseAddress else { return code.isEmpty }
    var length = 0
    defer { count = length }
    // Where the next letter's code begins.
    var place = 0
    // Seven letters have at most the 56 bits that a word has from any bit of its first byte on.
    while (place >> 3) + 8 <= code.count {
      let word = UInt64(bigEndian: code.loadUnaligned(fromByteOffset: place >> 3, as: UInt64.self))
      var bits = word &<< UInt64(truncatingIfNeeded: place & 7)
      var (longer, seen) = (UInt64(0), UInt8(0))
      for index in 0..<7 {
        let letter = table[Int(truncatingIfNeeded: bits &>> 56)]
        text[length &+ index] = letter
        seen |= letter
        let more = lengths &>> (bits &>> 58 & 0x3E) & 3
        longer &+= more
        bits = (bits &<< UInt64(bitsMin)) &<< more
      }
      if seen & none != 0 { return false }
      (length, place) = (length &+ 7, place &+ 7 &* bitsMin &+ Int(truncatingIfNeeded: longer))
    }
    return decodeEnd(code, from: place, table, lengths, text, &length)
  }

  /// The letters in the last seven bytes at most, one by one, and less than a byte of ones behind them (RFC 7541 5.2).
  private static func decodeEnd(
    _ code: UnsafeRawBufferPointer, from place: Int, _ table: UnsafePointer<UInt8>, _ lengths: UInt64,
    _ text: UnsafeMutablePointer<UInt8>, _ length: inout Int
  ) -> Bool {
    // With eight more ones, so that eight bits can be looked at from every place.
    let buffer = code[(place >> 3)...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << 8 | 0xFF
    var bits = code.count * 8 - place
    while bits > 0 {
      let next = Int(truncatingIfNeeded: buffer >> UInt64(bits)) & 0xFF
      let letter = table[next]
      let letterBits = bitsMin + Int(lengths &>> UInt64((next >> 3) * 2) & 3)
      if letter == none || letterBits > bits { return bits < bitsMax && next == 0xFF }
      text[length] = letter
      (length, bits) = (length + 1, bits - letterBits)
    }
    return true
  }
}
