/// SipHash-2-4 with 128 bits: a code of a short message that nobody without the key can make.
///
/// Made for messages like ours, of which HMAC with SHA-256 would cost ten times as much. Source: Aumasson and Bernstein, "SipHash:
/// a fast short-input PRF", and what its authors say of the code of 128 bits.
/// Checked by: `SipHashTests`, against the published vectors.

struct SipHash: Sendable {
  private let key: (UInt64, UInt64)

  init(key: (UInt64, UInt64)) { self.key = key }

  /// With a key of its own.
  init() {
    var random = SystemRandomNumberGenerator()
    self.init(key: (random.next(), random.next()))
  }

  static let codeBytes = 16

  func code(of message: [UInt8]) -> [UInt8] {
    let (first, second) = message.withUnsafeBytes { code(of: $0) }
    return withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { Array($0) }
  }

  private func code(of message: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
    var state = State(key)
    let whole = message.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) {
      state.take(UInt64(littleEndian: message.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    // The rest, and the length in the last byte.
    var last = UInt64(truncatingIfNeeded: message.count) << 56
    for offset in whole..<message.count { last |= UInt64(message[offset]) << UInt64(8 * (offset - whole)) }
    state.take(last)
    return state.finish()
  }

  private struct State {
    private var v0, v1, v2, v3: UInt64

    init(_ key: (UInt64, UInt64)) {
      v0 = key.0 ^ 0x736f_6d65_7073_6575
      v1 = key.1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
      v2 = key.0 ^ 0x6c79_6765_6e65_7261
      v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    mutating func take(_ word: UInt64) {
      v3 ^= word
      mix()
      mix()
      v0 ^= word
    }

    mutating func finish() -> (UInt64, UInt64) {
      v2 ^= 0xee
      for _ in 0..<4 { mix() }
      let first = v0 ^ v1 ^ v2 ^ v3
      v1 ^= 0xdd
      for _ in 0..<4 { mix() }
      return (first, v0 ^ v1 ^ v2 ^ v3)
    }

    private mutating func mix() {
      v0 &+= v1
      v1 = v1 << 13 | v1 >> 51
      v1 ^= v0
      v0 = v0 << 32 | v0 >> 32
      v2 &+= v3
      v3 = v3 << 16 | v3 >> 48
      v3 ^= v2
      v0 &+= v3
      v3 = v3 << 21 | v3 >> 43
      v3 ^= v0
      v2 &+= v1
      v1 = v1 << 17 | v1 >> 47
      v1 ^= v2
      v2 = v2 << 32 | v2 >> 32
    }
  }
}
