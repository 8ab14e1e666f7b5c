/// UTF-8 validity of text that came from outside.

/// Whether bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
public enum UTF8Check {
  public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    let count = bytes.count
    while index < count {
      // Text is mostly ASCII: eight bytes at a time until one is not.
      while index + 8 <= count,
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        index += 8
      }
      if index == count { return true }
      let length = sequenceLength(bytes, at: index)
      if length == 0 { return false }
      index += length
    }
    return true
  }

  /// The length of the well-formed sequence that starts at `index`, or 0.
  private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    let lead = bytes[index]
    if lead < 0x80 { return 1 }
    let length: Int
    let secondMin: UInt8
    let secondMax: UInt8
    switch lead {
    case 0xC2...0xDF: (length, secondMin, secondMax) = (2, 0x80, 0xBF)
    case 0xE0: (length, secondMin, secondMax) = (3, 0xA0, 0xBF)
    case 0xE1...0xEC, 0xEE, 0xEF: (length, secondMin, secondMax) = (3, 0x80, 0xBF)
    case 0xED: (length, secondMin, secondMax) = (3, 0x80, 0x9F)
    case 0xF0: (length, secondMin, secondMax) = (4, 0x90, 0xBF)
    case 0xF1...0xF3: (length, secondMin, secondMax) = (4, 0x80, 0xBF)
    case 0xF4: (length, secondMin, secondMax) = (4, 0x80, 0x8F)
    default: return 0
    }
    guard index + length <= bytes.count, (secondMin...secondMax).contains(bytes[index + 1]) else { return 0 }
    for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
    return length
  }
}
