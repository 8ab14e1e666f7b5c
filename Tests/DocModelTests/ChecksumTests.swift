import DocModel
import Platform
import Testing

@Suite("checksums and UTF-8")
struct ChecksumTests {
  private static func checksum(_ bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { CRC32C.checksum($0, seed: seed) }
  }

  /// RFC 3720 appendix B.4 and the usual check value.
  @Test(
    "known checksums",
    arguments: [
      (Array("123456789".utf8), 0xE306_9283), ([], 0), ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0...31), 0x46DD_794E),
      (Array((0...31).reversed()), 0x113F_DB5C), (Array("a".utf8), 0xC1D0_4330),
    ] as [([UInt8], UInt32)])
  func known(bytes: [UInt8], expected: UInt32) {
    #expect(Self.checksum(bytes) == expected)
  }

  @Test("a checksum goes on where another stopped, and equals the tables' and the bitwise definition")
  func continued() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<2_000 {
      let bytes = (0..<random.below(70)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let cut = random.below(bytes.count + 1)
      let whole = Self.checksum(bytes)
      guard Self.checksum(Array(bytes[cut...]), seed: Self.checksum(Array(bytes[..<cut]))) == whole,
        whole == Self.bitwise(bytes), whole == bytes.withUnsafeBytes({ CRC32C.tabled($0, seed: 0) })
      else {
        Issue.record("\(bytes.hexadecimal) at \(cut), SEED=\(random.seed)")
        return
      }
    }
  }

  private static func bitwise(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    }
    return ~crc
  }

  private static func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { UTF8Check.isValid($0) } }

  @Test("validity agrees with the standard library over random bytes")
  func againstTheStandardLibrary() {
    var random = SeededRandom.forThisRun()
    let tricky: [UInt8] = [
      0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
      0xEF, 0xF0,
      0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    var valid = 0
    for round in 0..<200_000 {
      var bytes = [UInt8](repeating: 0x61, count: round % 3 == 0 ? random.below(20) : 0)
      for _ in 0..<random.below(6) { bytes.append(random.pick(tricky)) }
      let expected = String(validating: bytes, as: UTF8.self) != nil
      if expected { valid += 1 }
      guard Self.isValid(bytes) == expected else {
        Issue.record("\(bytes.hexadecimal) should be \(expected), SEED=\(random.seed)")
        return
      }
    }
    #expect(valid > 10_000 && valid < 190_000, "both answers must be common for the test to mean something")
  }

  @Test("every scalar's UTF-8 is valid, every shorter or longer spelling is not")
  func everyScalar() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else {
        let surrogate: [UInt8] = [0xED, 0x80 | UInt8(value >> 6 & 0x3F), 0x80 | UInt8(value & 0x3F)]
        if Self.isValid(surrogate) { Issue.record("surrogate \(value)") }
        continue
      }
      let bytes = Array(String(scalar).utf8)
      if !Self.isValid(bytes) || (bytes.count > 1 && Self.isValid(bytes.dropLast())) {
        Issue.record("U+\(value)")
      }
    }
    for overlong: [UInt8] in [
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
    ] {
      #expect(!Self.isValid(overlong))
    }
  }
}
