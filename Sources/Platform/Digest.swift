/// MD5 and SHA-256 of bytes in memory, by libmd.

internal import CDigest

package enum Digest {
  /// 16 bytes.
  package static func md5(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: docstore_md5_bytes) { digest, count in
      docstore_md5(bytes.baseAddress, bytes.count, digest.baseAddress)
      count = docstore_md5_bytes
    }
  }

  /// 32 bytes.
  package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: docstore_sha256_bytes) { digest, count in
      docstore_sha256(bytes.baseAddress, bytes.count, digest.baseAddress)
      count = docstore_sha256_bytes
    }
  }

  package static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    Array(bytes).withUnsafeBytes { sha256($0) }
  }
}
