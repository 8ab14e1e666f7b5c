/// UTF-8 texts counted and cut as the language does: in UTF-16 units.
///
/// Half of a surrogate pair, which cutting and `\u` escapes make, is written as its own three bytes. Two halves
/// that come together are the character again; outside the language a half is a question mark.

internal import DocModel

enum UTF16Text {
  /// Number of UTF-16 units.
  static func size(_ text: ByteView) -> Int {
    var count = 0
    for byte in text.buffer where byte & 0xC0 != 0x80 { count += byte >= 0xF0 ? 2 : 1 }
    return count
  }

  /// The units of a range that is known to be inside.
  static func slice(_ text: ByteView, _ units: Range<Int>, in arena: Arena) -> ByteView {
    let start = offset(of: units.lowerBound, in: text)
    let end = offset(of: units.upperBound, in: text)
    if units.isEmpty { return ByteView(start: text.start, count: 0) }
    if !start.isInsidePair, !end.isInsidePair {
      return ByteView(start: text.start + start.offset, count: end.offset - start.offset)
    }
    var bytes: [UInt8] = []
    if start.isInsidePair { bytes += half(text, at: start.offset, isHigh: false) }
    let bodyStart = start.isInsidePair ? start.offset + 4 : start.offset
    if end.offset > bodyStart { bytes += text.buffer[bodyStart..<end.offset] }
    if end.isInsidePair { bytes += half(text, at: end.offset, isHigh: true) }
    return arena.copy(bytes)
  }

  /// Where the unit with a number begins; inside a pair, where the pair begins.
  private static func offset(of unit: Int, in text: ByteView) -> (offset: Int, isInsidePair: Bool) {
    var units = 0
    var offset = 0
    while offset < text.count, units < unit {
      let lead = text.buffer[offset]
      let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      let width = length == 4 ? 2 : 1
      if units + width > unit { return (offset, true) }
      units += width
      offset += length
    }
    return (min(offset, text.count), false)
  }

  private static func half(_ text: ByteView, at offset: Int, isHigh: Bool) -> [UInt8] {
    guard offset + 4 <= text.count else { return [] }
    let bytes = text.buffer
    let scalar =
      UInt32(bytes[offset] & 0x07) << 18 | UInt32(bytes[offset + 1] & 0x3F) << 12
      | UInt32(bytes[offset + 2] & 0x3F) << 6 | UInt32(bytes[offset + 3] & 0x3F)
    let rest = scalar &- 0x10000  // Four bytes: at least U+10000 in valid UTF-8.
    let unit = isHigh ? 0xD800 | (rest >> 10) & 0x3FF : 0xDC00 | rest & 0x3FF
    return [0xE0 | UInt8(unit >> 12), 0x80 | UInt8(unit >> 6 & 0x3F), 0x80 | UInt8(unit & 0x3F)]
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
