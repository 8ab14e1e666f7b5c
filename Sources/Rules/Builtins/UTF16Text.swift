/// UTF-8 texts counted and cut as the language does: in UTF-16 units.
///
/// Half of a surrogate pair, which only cutting can make, is written as its own three bytes.

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
}
