/// Checksums of stored records and of exports.

internal import CChecksum

/// CRC-32C (Castagnoli), reflected, as storage formats use it.
public enum CRC32C {
  private static let hasInstruction = docstore_crc32c_is_supported() != 0

  private static let tables: [UInt32] = {
    // Sixteen tables of 256 so that sixteen bytes are folded at a time.
    var tables = [UInt32](repeating: 0, count: 16 * 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
      tables[index] = value
    }
    for index in 0..<256 {
      for table in 1..<16 {
        let previous = tables[(table - 1) * 256 + index]
        tables[table * 256 + index] = previous >> 8 ^ tables[Int(previous & 0xFF)]
      }
    }
    return tables
  }()

  /// Four bytes through four tables, the first of them through `highest`.
  @inline(__always)
  private static func fold(
    _ table: UnsafeBufferPointer<UInt32>, _ highest: Int, _ word: UInt32
  ) -> UInt32 {
    table[highest * 256 + Int(word & 0xFF)] ^ table[(highest - 1) * 256 + Int(word >> 8 & 0xFF)]
      ^ table[(highest - 2) * 256 + Int(word >> 16 & 0xFF)] ^ table[(highest - 3) * 256 + Int(word >> 24)]
  }

  /// The checksum of `bytes`, continuing from `seed` (the checksum of what came before).
  public static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt32 = 0) -> UInt32 {
    guard hasInstruction else { return tabled(bytes, seed: seed) }
    guard let start = bytes.baseAddress else { return seed }
    return ~docstore_crc32c(~seed, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The same by tables, for processors without the instruction.
  package static func tabled(_ bytes: UnsafeRawBufferPointer, seed: UInt32) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      var crc = ~seed
      var index = 0
      while index + 16 <= bytes.count {
        let a = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)) ^ crc
        let rest = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
        let tail = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self))
        // What does not depend on the previous round first, so that rounds overlap.
        var next = fold(table, 11, rest)
        next ^= fold(table, 7, UInt32(truncatingIfNeeded: tail))
        next ^= fold(table, 3, UInt32(truncatingIfNeeded: tail >> 32))
        crc = next ^ fold(table, 15, a)
        index += 16
      }
      while index + 8 <= bytes.count {
        let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)) ^ crc
        let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
        crc = table[7 * 256 + Int(low & 0xFF)] ^ table[6 * 256 + Int(low >> 8 & 0xFF)]
        crc ^= table[5 * 256 + Int(low >> 16 & 0xFF)] ^ table[4 * 256 + Int(low >> 24)]
        crc ^= table[3 * 256 + Int(high & 0xFF)] ^ table[2 * 256 + Int(high >> 8 & 0xFF)]
        crc ^= table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
        index += 8
      }
      while index < bytes.count {
        crc = crc >> 8 ^ table[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
      return ~crc
    }
  }
}
