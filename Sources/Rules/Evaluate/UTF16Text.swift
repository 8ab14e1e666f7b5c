/// UTF-8 texts counted and cut as the language does: in UTF-16 units.
///
/// Half of a surrogate pair, which cutting and `\u` escapes make, is written as its own three bytes. Two halves
/// that come together are the character again; outside the language a half is a question mark.

internal import DocModel

enum UTF16Text {
  /// Number of UTF-16 units.
  static func size(_ text: ByteView) -> Int {
    var count = text.count
    var index = 0
    while index &+ 8 <= text.count {
      count &+= surplus(text.start.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index &+= 8
    }
    while index < text.count {
      count &+= surplus(UInt64(text.buffer[index]))
      index &+= 1
    }
    return count
  }

  /// How many units more than bytes there are in eight bytes: one less for each that continues a character, one more for each
  /// that begins one of four.
  @inline(__always)
  private static func surplus(_ word: UInt64) -> Int {
    let tops: UInt64 = 0x8080_8080_8080_8080
    guard word & tops != 0 else { return 0 }
    let continuing = word & ~(word << 1) & tops
    let fours = word & word << 1 & word << 2 & word << 3 & tops
    return fours.nonzeroBitCount &- continuing.nonzeroBitCount
  }

  /// The units of a range that is known to be inside.
  static func slice(_ text: ByteView, _ units: Range<Int>, in arena: Arena) -> ByteView {
    if units.isEmpty { return ByteView(start: text.start, count: 0) }
    return cut(
      text, offset(of: units.lowerBound, in: text)..<offset(of: units.upperBound, in: text), in: arena)
  }

  /// What stands between two offsets in bytes. The one behind the first byte of four stands for the place
  /// between the halves of that character.
  static func cut(_ text: ByteView, _ range: Range<Int>, in arena: Arena) -> ByteView {
    let (lower, upper) = (range.lowerBound, range.upperBound)
    let startsInside = isInsidePair(lower, text)
    let endsInside = isInsidePair(upper, text)
    if range.isEmpty || (!startsInside && !endsInside) {
      return ByteView(start: text.start + lower, count: upper - lower)
    }
    var bytes: [UInt8] = []
    if startsInside { bytes += half(text, at: lower - 1, isHigh: false) }
    let start = startsInside ? lower + 3 : lower
    let end = endsInside ? upper - 1 : upper
    if end > start { bytes += text.buffer[start..<end] }
    if endsInside { bytes += half(text, at: upper - 1, isHigh: true) }
    return arena.copy(bytes)
  }

  /// Whether an offset stands between the halves of a character.
  @inline(__always)
  static func isInsidePair(_ offset: Int, _ text: ByteView) -> Bool {
    offset > 0 && offset + 3 <= text.count && text.buffer[offset - 1] >= 0xF0
  }

  /// Where the unit with a number begins, as `cut` takes it.
  private static func offset(of unit: Int, in text: ByteView) -> Int {
    var units = 0
    var offset = 0
    while offset < text.count, units < unit {
      let lead = text.buffer[offset]
      let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      let width = length == 4 ? 2 : 1
      if units + width > unit { return offset + 1 }
      units += width
      offset += length
    }
    return min(offset, text.count)
  }

  /// The bytes of one half of the character at an offset.
  static func half(_ text: ByteView, at offset: Int, isHigh: Bool) -> [UInt8] {
    guard offset + 4 <= text.count else { return [] }
    let bytes = text.buffer
    let scalar =
      UInt32(bytes[offset] & 0x07) << 18 | UInt32(bytes[offset + 1] & 0x3F) << 12
      | UInt32(bytes[offset + 2] & 0x3F) << 6 | UInt32(bytes[offset + 3] & 0x3F)
    let rest = scalar &- 0x10000  // Four bytes: at least U+10000 in valid UTF-8.
    let unit = isHigh ? 0xD800 | (rest >> 10) & 0x3FF : 0xDC00 | rest & 0x3FF
    return [0xE0 | UInt8(unit >> 12), 0x80 | UInt8(unit >> 6 & 0x3F), 0x80 | UInt8(unit & 0x3F)]
  }

  /// The units of a text.
  static func units(_ text: UnsafeRawBufferPointer) -> [UInt16] {
    var units: [UInt16] = []
    var index = 0
    while index < text.count {
      let lead = text[index]
      let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      guard index + length <= text.count else { break }
      var scalar = length == 1 ? UInt32(lead) : UInt32(lead) & (0x7F >> UInt32(length))
      for offset in 1..<max(1, length) { scalar = scalar << 6 | UInt32(text[index + offset] & 0x3F) }
      if length == 4 {
        let rest = scalar &- 0x10000
        units += [UInt16(truncatingIfNeeded: 0xD800 | rest >> 10), UInt16(0xDC00 | rest & 0x3FF)]
      } else {
        units.append(UInt16(truncatingIfNeeded: scalar))
      }
      index += length
    }
    return units
  }

  /// The text that units make; a half that is alone is written as its own three bytes.
  static func bytes(_ units: [UInt16]) -> [UInt8] {
    var bytes: [UInt8] = []
    for unit in units {
      if unit < 0x80 {
        bytes.append(UInt8(unit))
      } else if unit < 0x800 {
        bytes += [0xC0 | UInt8(unit >> 6), 0x80 | UInt8(unit & 0x3F)]
      } else {
        bytes += [0xE0 | UInt8(unit >> 12), 0x80 | UInt8(unit >> 6 & 0x3F), 0x80 | UInt8(unit & 0x3F)]
      }
    }
    return joiningHalves(bytes)
  }

  // MARK: halves

  /// The text as UTF-8 that others read: halves are question marks. Source: the official emulator.
  static func encoded(_ text: ByteView, in arena: Arena) -> ByteView {
    hasHalf(text.buffer) ? arena.copy(replacingHalves(text.buffer)) : text
  }

  static func replacingHalves(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      let isAlone = isHalf(text, at: index, 0xA0...0xBF)
      result.append(isAlone ? UInt8(ascii: "?") : text[index])
      index += isAlone ? 3 : 1
    }
    return result
  }

  static func hasHalf(_ text: UnsafeRawBufferPointer) -> Bool {
    text.contains(0xED) && text.indices.contains { isHalf(text, at: $0, 0xA0...0xBF) }
  }

  /// Whether a text ends with the first half of a pair and another begins with the second.
  static func isPair(_ left: ByteView, _ right: ByteView) -> Bool {
    left.count >= 3 && isHalf(left.buffer, at: left.count - 3, 0xA0...0xAF)
      && isHalf(right.buffer, at: 0, 0xB0...0xBF)
  }

  /// The text with halves that came together made characters.
  static func joiningHalves(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(0xED) else { return text }
    return text.withUnsafeBytes { text in
      var result: [UInt8] = []
      var index = 0
      while index < text.count {
        if isHalf(text, at: index, 0xA0...0xAF), isHalf(text, at: index + 3, 0xB0...0xBF) {
          result += character(text, at: index)
          index += 6
        } else {
          result.append(text[index])
          index += 1
        }
      }
      return result
    }
  }

  /// The four bytes of the character whose halves are written at an offset.
  private static func character(_ text: UnsafeRawBufferPointer, at offset: Int) -> [UInt8] {
    let high = UInt32(text[offset + 1] & 0x0F) << 6 | UInt32(text[offset + 2] & 0x3F)
    let low = UInt32(text[offset + 4] & 0x0F) << 6 | UInt32(text[offset + 5] & 0x3F)
    let scalar = 0x10000 + (high << 10 | low)
    return [
      0xF0 | UInt8(scalar >> 18), 0x80 | UInt8(scalar >> 12 & 0x3F), 0x80 | UInt8(scalar >> 6 & 0x3F),
      0x80 | UInt8(scalar & 0x3F),
    ]
  }

  private static func isHalf(
    _ text: UnsafeRawBufferPointer, at offset: Int, _ second: ClosedRange<UInt8>
  ) -> Bool {
    offset + 3 <= text.count && text[offset] == 0xED && second.contains(text[offset + 1])
  }
}
