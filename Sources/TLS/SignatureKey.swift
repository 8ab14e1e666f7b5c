/// Public keys with which signatures of tokens are checked.
///
/// Source: RFC 7518, sections 3.3 (RS256), 3.4 (ES256), 6.2 and 6.3 (the keys' numbers); RFC 5280, 4.1.2.7 and RFC 5480, 2
/// (how the library takes them).

internal import COpenSSL
internal import Platform

/// `@unchecked Sendable`: the key is read only; each check makes a context of its own.
package final class SignatureKey: @unchecked Sendable {
  package enum Algorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
  }

  package let algorithm: Algorithm
  private let key: OpaquePointer

  /// LIMIT: bytes of a modulus. Shorter ones can be broken; longer ones make each check slow.
  package static let modulusBytes = 256...1_024
  /// LIMIT: bytes of a public exponent; all in use are 65537.
  private static let exponentBytesMax = 4
  private static let coordinateBytes = 32

  /// An RSA key; nil when its numbers are none.
  ///
  /// - Parameters: unsigned, the highest byte first.
  package convenience init?(modulus: [UInt8], exponent: [UInt8]) {
    let (modulus, exponent) = (modulus.drop { $0 == 0 }, exponent.drop { $0 == 0 })
    guard Self.modulusBytes.contains(modulus.count), !exponent.isEmpty,
      exponent.count <= Self.exponentBytesMax, exponent.last.map({ $0 & 1 == 1 }) == true
    else { return nil }
    let numbers = DER.sequence(DER.integer(modulus) + DER.integer(exponent))
    let algorithm = DER.sequence(DER.rsaEncryption + DER.null)
    self.init(.rs256, subject: DER.sequence(algorithm + DER.bits(numbers)))
  }

  /// A key on the curve P-256; nil when the point is not on it.
  package convenience init?(x: [UInt8], y: [UInt8]) {
    guard x.count == Self.coordinateBytes, y.count == Self.coordinateBytes else { return nil }
    let algorithm = DER.sequence(DER.ellipticCurve + DER.p256)
    self.init(.es256, subject: DER.sequence(algorithm + DER.bits([0x04] + x + y)))
  }

  private init?(_ algorithm: Algorithm, subject: [UInt8]) {
    let key = subject.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_PUBKEY(nil, &start, bytes.count)
    }
    guard let key else {
      ERR_clear_error()
      return nil
    }
    self.algorithm = algorithm
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// Whether `signature`, as tokens have it, is this key's of `message`.
  package func verifies(_ signature: [UInt8], of message: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes: [UInt8]
    switch algorithm {
    case .rs256: bytes = signature
    case .es256:
      guard signature.count == 2 * Self.coordinateBytes else { return false }
      let (r, s) = (signature[..<Self.coordinateBytes], signature[Self.coordinateBytes...])
      bytes = DER.sequence(DER.integer(r.drop { $0 == 0 }) + DER.integer(s.drop { $0 == 0 }))
    }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      // What was wrong with a signature must not be taken for what is wrong with the next connection.
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
    return EVP_DigestVerify(context, bytes, bytes.count, message.baseAddress, message.count) == 1
  }
}

/// The few forms of DER that a key and a signature are made of.
private enum DER {
  static let rsaEncryption: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
  static let ellipticCurve: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
  static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  static let null: [UInt8] = [0x05, 0x00]

  static func sequence(_ content: [UInt8]) -> [UInt8] { form(0x30, content) }

  static func bits(_ content: [UInt8]) -> [UInt8] { form(0x03, [0x00] + content) }

  /// - Parameter bytes: without zeros in front.
  static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let isNegative = bytes.first.map { $0 & 0x80 != 0 } ?? true
    return form(0x02, (isNegative ? [0x00] : []) + Array(bytes))
  }

  private static func form(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    switch content.count {
    case ..<0x80: return [tag, UInt8(content.count)] + content
    case ..<0x100: return [tag, 0x81, UInt8(content.count)] + content
    default: return [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }
  }
}
