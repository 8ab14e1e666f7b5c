/// A set of names small enough to send along, which never denies a name that is in it.
///
/// A client that has lost count of a result asks the filter which of its documents are surely gone.
/// Source: docs/spec/streams.md 1.6 (verified bit for bit against the service's published data).

internal import Platform

public struct BloomFilter: Hashable, Sendable {
  /// Bits from the lowest of the first byte on.
  public private(set) var bitmap: [UInt8]
  /// Unused bits of the last byte, 0 to 7.
  public let padding: Int
  public let hashCount: Int

  /// How often a name that is not in the set passes for one that is.
  private static let falsePositiveRate = 0.01
  private static let ln2 = 0.693_147_180_559_945_3
  /// The natural logarithm of 1 / `falsePositiveRate`.
  private static let lnRate = 4.605_170_185_988_091

  /// - Parameter names: full resource names, as they stand in documents.
  public init(_ names: [String]) {
    let count = Double(names.count)
    let bits = Int((count * Self.lnRate / (Self.ln2 * Self.ln2)).rounded(.up))
    bitmap = Array(repeating: 0, count: (bits + 7) / 8)
    padding = bitmap.count * 8 - bits
    hashCount = names.isEmpty ? 0 : max(1, Int((Double(bits) / count * Self.ln2).rounded()))
    for name in names { insert(name) }
  }

  private var bitCount: UInt64 { UInt64(bitmap.count * 8 - padding) }

  private mutating func insert(_ name: String) {
    let (first, second) = Self.hashes(name)
    for index in 0..<UInt64(hashCount) {
      let bit = Int((first &+ index &* second) % bitCount)
      bitmap[bit / 8] |= 1 << UInt8(bit % 8)
    }
  }

  /// Whether a name may be in the set; false is certain.
  public func mayContain(_ name: String) -> Bool {
    guard bitCount > 0 else { return false }
    let (first, second) = Self.hashes(name)
    for index in 0..<UInt64(hashCount) {
      let bit = Int((first &+ index &* second) % bitCount)
      if bitmap[bit / 8] & 1 << UInt8(bit % 8) == 0 { return false }
    }
    return true
  }

  private static func hashes(_ name: String) -> (UInt64, UInt64) {
    var name = name
    let digest = name.withUTF8 { Digest.md5(UnsafeRawBufferPointer($0)) }
    return digest.withUnsafeBytes { bytes in
      (
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }
}
