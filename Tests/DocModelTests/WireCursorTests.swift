import DocModel
import Testing

@Suite("the cursor over wire bytes")
struct WireCursorTests {
  private static func read<R>(_ bytes: [UInt8], _ body: (inout WireCursor) -> R) -> R {
    bytes.withUnsafeBytes {
      var cursor = WireCursor($0)
      return body(&cursor)
    }
  }

  @Test(
    "varints of every length are read and written alike",
    arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 32, 1 << 56, 1 << 63, .max, .max - 1] as [UInt64])
  func varints(number: UInt64) {
    let bytes = Raw.written { $0.varint(number) }
    #expect(bytes.count == WireWriter.varintLength(number))
    Self.read(bytes) { cursor in
      #expect(cursor.varint() == number)
      #expect(cursor.isAtEnd && !cursor.isCorrupt)
    }
  }

  @Test("a varint that spells its number at length is the number")
  func paddedVarint() {
    Self.read([0x81, 0x80, 0x80, 0x00]) { cursor in #expect(cursor.varint() == 1 && !cursor.isCorrupt) }
    Self.read([UInt8](repeating: 0x80, count: 9) + [0x01]) { cursor in
      #expect(cursor.varint() == 1 << 63 && !cursor.isCorrupt)
    }
  }

  @Test(
    "a varint that is cut, too long or too large leaves the cursor corrupt and at its end",
    arguments: [
      [], [0x80], [0xFF, 0xFF], [UInt8](repeating: 0x80, count: 9), [UInt8](repeating: 0x80, count: 10),
      [UInt8](repeating: 0xFF, count: 9) + [0x02], [UInt8](repeating: 0x80, count: 10) + [0x01],
      [UInt8](repeating: 0xFF, count: 20),
    ] as [[UInt8]])
  func brokenVarints(bytes: [UInt8]) {
    Self.read(bytes) { cursor in
      #expect(cursor.varint() == 0)
      #expect(cursor.isCorrupt && cursor.isAtEnd)
      #expect(cursor.remaining == 0)
    }
  }

  @Test(
    "a length beyond the end gives nothing, however large",
    arguments: [2, 127, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max] as [UInt64])
  func hostileLengths(length: UInt64) {
    Self.read(Raw.written { $0.varint(length) } + [0x61]) { cursor in
      #expect(cursor.lengthDelimited().isEmpty)
      #expect(cursor.isCorrupt && cursor.isAtEnd)
      #expect(cursor.varint() == 0 && cursor.fixed64() == 0 && cursor.fixed32() == 0 && cursor.tag() == 0)
    }
  }

  @Test("a length up to the end is the rest, to the byte")
  func exactLength() {
    Self.read([3, 0x61, 0x62, 0x63]) { cursor in
      #expect(Array(cursor.lengthDelimited()) == [0x61, 0x62, 0x63])
      #expect(cursor.isAtEnd && !cursor.isCorrupt)
    }
    Self.read([0]) { cursor in #expect(cursor.lengthDelimited().isEmpty && !cursor.isCorrupt) }
  }

  @Test("fixed numbers need all their bytes")
  func fixedNumbers() {
    Self.read([1, 0, 0, 0, 0, 0, 0, 0x80]) { cursor in
      #expect(cursor.fixed64() == 1 | 1 << 63 && cursor.isAtEnd)
    }
    Self.read([1, 0, 0, 0x80]) { cursor in #expect(cursor.fixed32() == 1 | 1 << 31 && cursor.isAtEnd) }
    Self.read([UInt8](repeating: 1, count: 7)) { cursor in #expect(cursor.fixed64() == 0 && cursor.isCorrupt)
    }
    Self.read([1, 1, 1]) { cursor in #expect(cursor.fixed32() == 0 && cursor.isCorrupt) }
  }

  @Test(
    "a tag names a field above zero and fits 32 bits",
    arguments: [
      ([0x00], nil), ([0x07], nil), ([0x80, 0x00], nil), (Raw.written { $0.varint(1 << 32) }, nil),
      ([0x08], 0x08),
      (Raw.written { $0.varint(UInt64(UInt32.max)) }, .max),
    ] as [([UInt8], UInt32?)])
  func tags(bytes: [UInt8], expected: UInt32?) {
    Self.read(bytes) { cursor in
      #expect(cursor.tag() == expected ?? 0)
      #expect(cursor.isCorrupt == (expected == nil))
    }
  }

  @Test(
    "whole fields of every wire type are passed over",
    arguments: [
      [0x08, 0x96, 0x01], [0x09, 1, 2, 3, 4, 5, 6, 7, 8], [0x0A, 0x02, 1, 2], [0x0D, 1, 2, 3, 4],
      [0x0B, 0x0C],
      [0x0B, 0x08, 0x01, 0x13, 0x14, 0x12, 0x01, 0x0C, 0x0C],
      [UInt8](repeating: 0x0B, count: 100) + [UInt8](repeating: 0x0C, count: 100),
    ] as [[UInt8]])
  func skipped(field: [UInt8]) {
    Self.read(field + [0x10, 0x05]) { cursor in
      cursor.skip(tag: cursor.tag())
      #expect(cursor.tag() == 0x10 && cursor.varint() == 5 && !cursor.isCorrupt)
    }
  }

  @Test(
    "broken fields end the walk",
    arguments: [
      [0x0B], [0x0C], [0x0B, 0x14], [0x0B, 0x0F], [0x0E], [0x0F], [0x0B, 0x08], [0x0B, 0x0A, 0x05, 0x0C],
      [0x0A],
      [UInt8](repeating: 0x0B, count: 101) + [UInt8](repeating: 0x0C, count: 101),
      [UInt8](repeating: 0x0B, count: 1_000_000),
    ] as [[UInt8]])
  func brokenFields(bytes: [UInt8]) {
    Self.read(bytes) { cursor in
      cursor.skip(tag: cursor.tag())
      #expect(cursor.isCorrupt && cursor.isAtEnd)
    }
  }

  @Test("an empty buffer without an address is an end like any other")
  func noAddress() {
    var cursor = WireCursor(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(cursor.isAtEnd && cursor.peek == 0 && cursor.tag() == 0)
    #expect(FieldsView(document: UnsafeRawBufferPointer(start: nil, count: 0)).fieldCount == 0)
    #expect(ValueView(UnsafeRawBufferPointer(start: nil, count: 0)).kind == .null)
  }

  @Test("bytes are compared unsigned, a prefix first")
  func comparison() {
    let ascending: [[UInt8]] = [[], [0], [0, 0], [0, 1], [0x7F], [0x80], [0xFF], [0xFF, 0]]
    for (i, left) in ascending.enumerated() {
      for (j, right) in ascending.enumerated() {
        let order = left.withUnsafeBytes { a in
          right.withUnsafeBytes { b in WireCursor.compare(a, b).signum() }
        }
        #expect(order == (i - j).signum())
      }
    }
  }

  @Test(
    "a nested message of any length is closed with its length",
    arguments: [0, 1, 127, 128, 16_383, 16_384, 2_097_152])
  func nestedMessages(count: Int) {
    let content = [UInt8](repeating: 0x61, count: count)
    let nested = Raw.written { writer in writer.message(1) { $0.bytes += content } }
    #expect(nested == Raw.message(1, content))
  }
}
