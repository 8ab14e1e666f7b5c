/// Certificates and keys, as PEM has them.

internal import COpenSSL
internal import Platform

/// A certificate of X.509.
package final class TLSCertificate: @unchecked Sendable {
  // Counted by OpenSSL, and never changed after it was read: shared between threads freely.
  let x509: OpaquePointer

  private init(_ x509: OpaquePointer) { self.x509 = x509 }

  deinit { X509_free(x509) }

  /// All certificates of a PEM file, in their order; other blocks are passed over.
  ///
  /// - Returns: nil where one of them cannot be read.
  package static func chain(pem: [UInt8]) -> [TLSCertificate]? {
    withPEM(pem) { file in
      var chain: [TLSCertificate] = []
      while let found = PEM_read_bio_X509(file, nil, noPassword, nil) { chain.append(TLSCertificate(found)) }
      return docstore_is_end_of_pem() == 1 ? chain : nil
    }
  }

  /// From when until when it is valid, both in seconds since 1970; nil where it says no times.
  package var validity: ClosedRange<Int64>? {
    guard let from = Self.seconds(X509_get0_notBefore(x509)),
      let until = Self.seconds(X509_get0_notAfter(x509))
    else {
      return nil
    }
    return from...max(from, until)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var parts = tm()
    guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return Int64(timegm(&parts))
  }
}

/// A private key.
package final class TLSPrivateKey: @unchecked Sendable {
  // As with a certificate.
  let key: OpaquePointer

  /// - Returns: nil where it cannot be read, or only with a password.
  package init?(pem: [UInt8]) {
    guard let key = withPEM(pem, { PEM_read_bio_PrivateKey($0, nil, noPassword, nil) }) else { return nil }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  package func belongs(to certificate: TLSCertificate) -> Bool {
    ERR_clear_error()
    return X509_check_private_key(certificate.x509, key) == 1
  }
}

/// A password is never asked for: OpenSSL would ask at the terminal.
private func noPassword(
  _: UnsafeMutablePointer<CChar>?, _: CInt, _: CInt, _: UnsafeMutableRawPointer?
) -> CInt { -1 }

private func withPEM<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
  precondition(OpenSSL.isStarted)
  ERR_clear_error()
  return bytes.withUnsafeBytes { bytes in
    let file = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
    defer { BIO_free(file) }
    return body(file)
  }
}
