import DocModel
import Testing

@testable import Wire

@Suite("gzip bodies")
struct GzipTests {
  /// gzip of "hello hello hello hello\n": fixed codes and a copy.
  static let fixed: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57,
    0xC8, 0x40,
    0x27, 0xB9, 0x00, 0x00, 0x88, 0x59, 0x0B, 0x18, 0x00, 0x00, 0x00,
  ]
  /// gzip of 300 numbers as text: dynamic codes.
  static let dynamic: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0x90, 0xDB, 0x8D, 0xC5, 0x20,
    0x0C, 0x05,
    0x1B, 0x9A, 0x8F, 0xD8, 0x06, 0x03, 0xFD, 0x37, 0xB6, 0x03, 0x25, 0xEC, 0xF7, 0x95, 0x22, 0x94,
    0x84, 0xF3,
    0xFE, 0x08, 0x06, 0x87, 0x68, 0x72, 0x52, 0xCD, 0x38, 0xF4, 0x60, 0x07, 0x45, 0x0E, 0xC6, 0x62,
    0x25, 0x49,
    0x05, 0x9D, 0x1C, 0x11, 0xC5, 0xFA, 0x88, 0x64, 0x16, 0x47, 0xB4, 0x5C, 0x05, 0x7C, 0x1F, 0xCC,
    0x8F, 0x4D,
    0x4F, 0x72, 0xB1, 0x37, 0x73, 0x90, 0xC9, 0x56, 0x4D, 0xA9, 0x49, 0x04, 0xBB, 0x69, 0x19, 0x9B,
    0x4A, 0x42,
    0x24, 0xA7, 0xD8, 0x93, 0x75, 0x58, 0x9E, 0xF5, 0x9E, 0xF7, 0xE9, 0x4F, 0xAF, 0xFA, 0x82, 0x84,
    0x4A, 0x90,
    0x26, 0x39, 0x9E, 0x90, 0x72, 0x8A, 0x2A, 0xAD, 0x81, 0x36, 0x9A, 0x69, 0xB9, 0xAF, 0xB9, 0x11,
    0x6E, 0x90,
    0x78, 0xA1, 0xFA, 0x06, 0x34, 0xA6, 0x61, 0x8D, 0x6C, 0xF0, 0x7E, 0x25, 0xF2, 0xD6, 0xB1, 0x94,
    0xD5, 0xEA,
    0x96, 0xB4, 0xAA, 0x85, 0xEB, 0x95, 0x77, 0x82, 0xE3, 0x16, 0xC1, 0xF7, 0xDB, 0xE4, 0xB7, 0xC9,
    0xFF, 0x37,
    0xF9, 0x03, 0x02, 0xEE, 0x8E, 0xAF, 0x53, 0x03, 0x00, 0x00,
  ]
  static let dynamicText = Array((0..<300).map { "\($0 * $0 % 97)," }.joined().utf8)
  /// gzip at level 0: a stored block.
  static let stored: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x03, 0x01, 0x06, 0x00, 0xF9, 0xFF, 0x73,
    0x74, 0x6F,
    0x72, 0x65, 0x64, 0x0B, 0xF9, 0x43, 0x56, 0x06, 0x00, 0x00, 0x00,
  ]

  @Test("all three kinds of block are unpacked")
  func unpacks() throws {
    #expect(
      try Gzip.inflate(Self.fixed[...], limit: 1_000) == Array("hello hello hello hello\n".utf8))
    #expect(try Gzip.inflate(Self.dynamic[...], limit: 10_000) == Self.dynamicText)
    #expect(try Gzip.inflate(Self.stored[...], limit: 1_000) == Array("stored".utf8))
  }

  @Test("a small body cannot unpack beyond the limit")
  func limit() {
    #expect(throws: InflateError.tooLarge) {
      try Gzip.inflate(Self.dynamic[...], limit: Self.dynamicText.count - 1)
    }
    #expect(throws: Never.self) {
      try Gzip.inflate(Self.dynamic[...], limit: Self.dynamicText.count)
    }
  }

  @Test("every truncation and every flipped bit is corrupt, or at least ends")
  func damage() {
    for count in 0..<Self.dynamic.count {
      #expect(throws: InflateError.self) { try Gzip.inflate(Self.dynamic[..<count], limit: 10_000) }
    }
    for index in Self.dynamic.indices where index >= 10 {
      for bit in 0..<8 {
        var damaged = Self.dynamic
        damaged[index] ^= 1 << bit
        let result = try? Gzip.inflate(damaged[...], limit: 10_000)
        #expect(result == nil || result == Self.dynamicText)
      }
    }
  }

  struct Refusal: CustomTestStringConvertible {
    let testDescription: String
    let packed: [UInt8]

    init(_ description: String, _ packed: [UInt8]) {
      testDescription = description
      self.packed = packed
    }
  }

  private static func changed(_ offset: Int, to byte: UInt8) -> [UInt8] {
    var packed = fixed
    packed[offset < 0 ? packed.count + offset : offset] = byte
    return packed
  }

  static let refusals = [
    Refusal("nothing", []),
    Refusal("no gzip", Array("hello hello hello hello".utf8)),
    Refusal("deflate without its wrapper", Array(fixed[10..<21])),
    Refusal("the other wrapper of deflate", [0x78, 0x9C, 0x03, 0, 0, 0, 0, 1]),
    Refusal("another method", changed(2, to: 7)),
    Refusal("a flag that nobody has defined", changed(3, to: 0x20)),
    Refusal("a header alone", Array(fixed[..<10])),
    Refusal("cut within its blocks", Array(fixed[..<15])),
    Refusal("cut before its checksum", Array(fixed.dropLast(8))),
    Refusal("cut within its length", Array(fixed.dropLast())),
    Refusal("another checksum", changed(-8, to: 1)),
    Refusal("another length", changed(-4, to: 0x19)),
    Refusal("a byte behind it", fixed + [0]),
    Refusal("a second member", fixed + fixed),
    Refusal("a block of no kind", Array(fixed[..<10]) + [7] + fixed[11...]),
    Refusal("a copy of what was never written", Array(fixed[..<10]) + [0x03, 0x02, 0] + fixed.suffix(8)),
    Refusal("a stored block whose lengths differ", Array(stored[..<14]) + [0] + stored[15...]),
  ]

  @Test("what is not one whole member is corrupt", arguments: refusals)
  func refused(row: Refusal) {
    #expect(throws: InflateError.corrupt) { try Gzip.inflate(row.packed[...], limit: 1_000) }
  }

  @Test("what a header may hold besides is skipped")
  func header() throws {
    let more = [3, 0] + Array("abc".utf8) + Array("name\0comment\0".utf8)
    let packed = Self.changed(3, to: 0x1C)[..<10] + more + Self.fixed[10...]
    #expect(try Gzip.inflate(packed[...], limit: 1_000) == Array("hello hello hello hello\n".utf8))
  }

  @Test("a bomb ends at the limit, whatever length it claims")
  func bomb() {
    var packed = gzipped([UInt8](repeating: 0, count: 1 << 24))
    #expect(packed.count < 1 << 15)
    #expect(throws: InflateError.tooLarge) { try Gzip.inflate(packed[...], limit: 1 << 20) }
    #expect(throws: InflateError.tooLarge) { try Gzip.inflate(packed[...], limit: 0) }
    packed.replaceSubrange((packed.count - 4)..., with: [1, 0, 0, 0])
    #expect(throws: InflateError.tooLarge) { try Gzip.inflate(packed[...], limit: 1 << 20) }
  }

  @Test("memory never grows beyond the limit", arguments: [1, 1_000, 600_000, 1_100_000])
  func memory(limit: Int) throws {
    let bytes = [UInt8](repeating: 7, count: limit)
    let unpacked = try Gzip.inflate(gzipped(bytes)[...], limit: limit)
    #expect(unpacked == bytes)
    // The allocator rounds up to a page.
    #expect(unpacked.capacity < limit + 8_192)
  }

  @Test("nothing is packed, too")
  func nothing() throws {
    #expect(try Gzip.inflate(gzipped([])[...], limit: 0) == [])
  }

  @Test("a compressed message is a message")
  func overTheWire() {
    let answer = GRPCHarness().call(
      "/test.Echo/Unary", framed(Self.fixed, compressed: true), extra: [("grpc-encoding", "gzip")])
    #expect(answer.messages == [Array("hello hello hello hello\n".utf8)])
  }

  @Test("a bomb over the wire costs its call alone")
  func bombOverTheWire() {
    let harness = GRPCHarness()
    let bomb = gzipped([UInt8](repeating: 0, count: 1 << 24))
    let answer = harness.call(
      "/test.Echo/Unary", framed(bomb, compressed: true), extra: [("grpc-encoding", "gzip")])
    #expect(answer.status == "8")
    #expect(harness.call("/test.Echo/Unary", framed([1])).messages == [[1]])
  }

  @Test("a compressed message without an encoding is refused")
  func undeclared() {
    let answer = GRPCHarness().call("/test.Echo/Unary", framed(Self.fixed, compressed: true))
    #expect(answer.status == "13")
  }
}
