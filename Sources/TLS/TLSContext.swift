/// What connections have in common: who we are, and whom we believe.

internal import COpenSSL
internal import Platform

/// Whose certificates are believed.
package enum TLSTrust: Hashable, Sendable {
  /// What the system's authorities have signed.
  case system
  /// What the authorities of a PEM file have signed, and nobody else.
  case authorities(file: String)
  /// Anybody's: who answers may not be who was meant.
  case anybody
}

package final class TLSContext: @unchecked Sendable {
  // Counted by OpenSSL, and never changed after `init`: connections of several threads are made of it freely.
  let pointer: OpaquePointer
  let isServer: Bool

  /// TLS 1.2 is the oldest that is spoken, by both.
  private init(isServer: Bool) throws(TLSError) {
    ERR_clear_error()
    guard OpenSSL.isStarted, let context = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method())
    else {
      throw .refused(TLSError.lastWords())
    }
    pointer = context
    self.isServer = isServer
    docstore_keep_little(context)
    SSL_CTX_set_info_callback(context, TLSSession.noticeRefusals)
    try Self.must(docstore_tls_from_1_2(context))
  }

  deinit { SSL_CTX_free(pointer) }

  /// For a server.
  ///
  /// - Parameters:
  ///   - chain: the server's own certificate, then those that lead to one that clients believe.
  ///   - key: the first certificate's.
  ///   - protocols: what ALPN offers, as clients' wishes allow, the best first.
  package convenience init(
    chain: [TLSCertificate], key: TLSPrivateKey, protocols: [String]
  ) throws(TLSError) {
    try self.init(isServer: true)
    // Only what browsers and SDKs speak anyway, and HTTP/2 allows (RFC 9113 9.2.2).
    try Self.must(SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20"))
    for (index, certificate) in chain.enumerated() {
      if index == 0 {
        try Self.must(SSL_CTX_use_certificate(pointer, certificate.x509))
      } else {
        try Self.must(docstore_add_to_chain(pointer, certificate.x509))
      }
    }
    try Self.must(SSL_CTX_use_PrivateKey(pointer, key.key))
    let offer = Offer(protocols)
    SSL_CTX_set_alpn_select_cb(pointer, Offer.select, Unmanaged.passUnretained(offer).toOpaque())
    self.offer = offer
  }

  /// For a client.
  ///
  /// - Parameters:
  ///   - protocols: what ALPN offers, the best first.
  ///   - isOld: speaks TLS 1.2 at most, for tests of servers.
  package convenience init(
    trusting trust: TLSTrust, protocols: [String] = [], isOld: Bool = false
  ) throws(TLSError) {
    try self.init(isServer: false)
    if isOld { try Self.must(docstore_tls_until_1_2(pointer)) }
    let list = Offer(protocols).list
    // The one function of OpenSSL where 0 is success.
    if !list.isEmpty {
      try Self.must(SSL_CTX_set_alpn_protos(pointer, list, UInt32(list.count)) == 0 ? 1 : 0)
    }
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    switch trust {
    case .anybody: SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
    case .authorities(let file): try Self.must(SSL_CTX_load_verify_locations(pointer, file, nil))
    case .system: believeSystem()
    }
  }

  /// Kept alive for the callback, which has no count of it.
  private var offer: Offer?

  /// Where systems keep the authorities that they believe: OpenSSL's own answer is that of the machine where it was compiled.
  private static let files = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  /// `SSL_CERT_FILE` and `SSL_CERT_DIR` of the environment instead of them, as with other programs. Where there is nothing, nobody is
  /// believed.
  private func believeSystem() {
    SSL_CTX_set_default_verify_paths(pointer)
    guard getenv("SSL_CERT_FILE") == nil, getenv("SSL_CERT_DIR") == nil else { return ERR_clear_error() }
    for file in Self.files where SSL_CTX_load_verify_locations(pointer, file, nil) == 1 { break }
    ERR_clear_error()
  }

  private static func must(_ result: Int32) throws(TLSError) {
    guard result == 1 else { throw .refused(TLSError.lastWords()) }
  }
}

/// Protocols of ALPN (RFC 7301).
private final class Offer {
  /// Each behind its length.
  let list: [UInt8]

  init(_ protocols: [String]) {
    list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
  }

  /// The first of ours that the client offers, too. A client that offers nothing of ours is served all the same: what it speaks, its first
  /// bytes will tell.
  static let select: SSL_CTX_alpn_select_cb_func = { _, answer, answerCount, bytes, count, argument in
    guard let answer, let answerCount, let bytes, let argument else { return SSL_TLSEXT_ERR_NOACK }
    let offer = Unmanaged<Offer>.fromOpaque(argument).takeUnretainedValue()
    let theirs = UnsafeBufferPointer(start: bytes, count: Int(count))
    for ours in Entries(bytes: offer.list[...]) {
      for entry in Entries(bytes: theirs[...]) where entry.elementsEqual(ours) {
        // It has to outlive this call: a place in the client's own words does.
        answer.pointee = bytes + entry.startIndex
        answerCount.pointee = UInt8(entry.count)
        return SSL_TLSEXT_ERR_OK
      }
    }
    return SSL_TLSEXT_ERR_NOACK
  }

  /// The entries of such a list; what is cut off at its end is none.
  struct Entries<Bytes: RandomAccessCollection<UInt8>>: Sequence, IteratorProtocol
  where Bytes.SubSequence == Bytes {
    var bytes: Bytes

    mutating func next() -> Bytes? {
      guard let length = bytes.first else { return nil }
      let entry = bytes.dropFirst().prefix(Int(length))
      guard entry.count == Int(length) else { return nil }
      bytes = bytes.dropFirst(1 + Int(length))
      return entry
    }
  }
}
