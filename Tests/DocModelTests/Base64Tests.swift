import DocModel
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "Bytes are written in both alphabets",
    arguments: [
      ([], "", ""), ([0], "AA==", "AA"), ([0xFB], "+w==", "-w"), ([0xFF, 0xFE], "//4=", "__4"),
      ([1, 2, 3], "AQID", "AQID"), ([0x66, 0x6F, 0x6F, 0x62], "Zm9vYg==", "Zm9vYg"),
      ([0xFB, 0xEF, 0xBE, 0xFF, 0xFF], "++++//8=", "----__8"),
    ] as [([UInt8], String, String)])
  func written(_ bytes: [UInt8], _ standard: String, _ urlSafe: String) {
    #expect(Base64.text(bytes) == standard)
    #expect(Base64.urlSafeText(bytes) == urlSafe)
    #expect(String(decoding: Base64.encode(bytes), as: UTF8.self) == standard)
    let bare = standard.prefix { $0 != "=" }
    #expect(String(decoding: Base64.encode(bytes, padded: false), as: UTF8.self) == bare)
    #expect(String(decoding: Base64.encodeURLSafe(bytes), as: UTF8.self) == urlSafe)
  }

  @Test("Every length is read back, from every kind of collection", arguments: 0..<20)
  func lengths(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 97 + 250) }
    #expect(Base64.decode(Base64.text(bytes)) == bytes)
    #expect(Base64.decodeAny(Base64.encode(bytes)) == bytes)
    #expect(Base64.decodeURLSafe(Base64.encodeURLSafe(bytes)[...]) == bytes)
    // No memory of its own: these bytes are made one by one.
    #expect(Base64.encode(bytes.lazy.map { $0 }) == Base64.encode(bytes))
    #expect(Base64.decodeAny(Base64.encode(bytes).lazy.map { $0 }) == bytes)
  }

  /// A text; whether it is read strictly, in either alphabet, and in the URL-safe one; the bytes.
  struct Row {
    let text: String
    let decode: Bool
    let any: Bool
    let urlSafe: Bool
    let bytes: [UInt8]

    init(_ text: String, decode: Bool, any: Bool, urlSafe: Bool, _ bytes: [UInt8] = []) {
      self.text = text
      self.decode = decode
      self.any = any
      self.urlSafe = urlSafe
      self.bytes = bytes
    }
  }

  @Test(
    "What is read, and by whom",
    arguments: [
      Row("", decode: true, any: true, urlSafe: true, []),
      Row("aGk=", decode: true, any: true, urlSafe: true, [0x68, 0x69]),
      // Padding: all of it for the strict, any for the others.
      Row("aGk", decode: false, any: true, urlSafe: true, [0x68, 0x69]),
      Row("aGk==", decode: false, any: true, urlSafe: true, [0x68, 0x69]),
      Row("AA==", decode: true, any: true, urlSafe: true, [0]),
      Row("AA=", decode: false, any: true, urlSafe: true, [0]),
      Row("AA", decode: false, any: true, urlSafe: true, [0]),
      Row("AA======", decode: false, any: true, urlSafe: true, [0]),
      Row("AAAA====", decode: false, any: true, urlSafe: true, [0, 0, 0]),
      Row("=", decode: false, any: true, urlSafe: true, []),
      Row("====", decode: false, any: true, urlSafe: true, []),
      Row("AA=A", decode: false, any: false, urlSafe: false),
      Row("=AAA", decode: false, any: false, urlSafe: false),
      // The alphabets.
      Row("//79", decode: true, any: true, urlSafe: false, [0xFF, 0xFE, 0xFD]),
      Row("__79", decode: false, any: true, urlSafe: true, [0xFF, 0xFE, 0xFD]),
      Row("-/+_", decode: false, any: true, urlSafe: false, [0xFB, 0xFF, 0xBF]),
      Row("aG k", decode: false, any: false, urlSafe: false),
      Row("aGk\n", decode: false, any: false, urlSafe: false),
      Row("aGé", decode: false, any: false, urlSafe: false),
      Row("a.k=", decode: false, any: false, urlSafe: false),
      // Bits of the last digit that belong to no byte.
      Row("AB==", decode: false, any: true, urlSafe: true, [0]),
      Row("aGl=", decode: false, any: true, urlSafe: true, [0x68, 0x69]),
      // A lone last digit holds no whole byte.
      Row("A", decode: false, any: false, urlSafe: false),
      Row("A===", decode: false, any: false, urlSafe: false),
      Row("AAAAA", decode: false, any: false, urlSafe: false),
    ])
  func read(_ row: Row) {
    #expect(Base64.decode(row.text) == (row.decode ? row.bytes : nil))
    #expect(Base64.decodeAny(row.text.utf8) == (row.any ? row.bytes : nil))
    #expect(Base64.decodeURLSafe(row.text.utf8) == (row.urlSafe ? row.bytes : nil))
  }

  @Test("Digits of the URL-safe alphabet")
  func digits() {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    for byte in UInt8.min...UInt8.max { #expect(Base64.isURLSafeDigit(byte) == digits.contains(byte)) }
  }
}
