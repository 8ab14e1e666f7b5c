/// Where a list goes on.
///
/// Shape: version 1, CRC-32C of the rest (4 bytes), fingerprint of the request (8), the position of
/// the last document given: its path in a list by name, its order key in others. Clients get base64url. A token goes with one collection, order, mask and
/// show_missing, not with a read time.
///
/// Source: docs/spec/production-differences.md Q15.

internal import DocModel

/// An opaque token of `ListDocuments`.
public struct PageToken: Hashable, Sendable {
  /// What the token belongs to.
  public let fingerprint: UInt64
  /// Where the page before ended.
  let position: [UInt8]

  private static let version: UInt8 = 1
  private static let headerBytes = 1 + 4 + 8

  init(fingerprint: UInt64, position: [UInt8]) {
    self.fingerprint = fingerprint
    self.position = position
  }

  /// Nil for text that was never a token.
  init?(text: String) {
    guard let bytes = Base64.decodeURLSafe(text.utf8), bytes.count >= Self.headerBytes,
      bytes[0] == Self.version
    else {
      return nil
    }
    let checksum = bytes[1..<5].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard bytes[5...].withUnsafeBytes({ CRC32C.checksum($0) }) == checksum else { return nil }
    fingerprint = bytes[5..<13].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    position = Array(bytes[13...])
  }

  /// The text clients get.
  public var text: String {
    var body: [UInt8] = []
    for shift in stride(from: 56, through: 0, by: -8) {
      body.append(UInt8(truncatingIfNeeded: fingerprint >> UInt64(shift)))
    }
    body += position
    let checksum = body.withUnsafeBytes { CRC32C.checksum($0) }
    var bytes: [UInt8] = [Self.version]
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: checksum >> UInt32(shift)))
    }
    return Base64.urlSafeText(bytes + body)
  }

  /// FNV-1a over parts and their lengths. Not a secret: a forged token only moves a page.
  static func fingerprint(of parts: [String]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    for part in parts {
      for shift in stride(from: 0, to: 32, by: 8) { mix(UInt8(truncatingIfNeeded: part.utf8.count >> shift)) }
      for byte in part.utf8 { mix(byte) }
    }
    return hash
  }
}
