/// Why there is no TLS, or no more of it.

internal import COpenSSL

package enum TLSError: Error, Equatable, Sendable {
  /// The certificate is for another name or address.
  case wrongName
  /// The certificate is not to be believed: OpenSSL's words, such as `self-signed certificate`.
  case untrusted(String)
  /// No agreement: OpenSSL's words, such as `tlsv1 alert unknown ca`. Empty where the other side left before there was any.
  case handshakeFailed(String)
  /// The connection ended and nobody had said that this is the end: something may be missing.
  case truncated
  /// What came after the handshake is no TLS, or was changed on its way.
  case broken(String)
  /// A file, key or option that OpenSSL does not take.
  case refused(String)

  /// What happened, as one reads it.
  package var words: String {
    switch self {
    case .wrongName: "the certificate is for another name"
    case .handshakeFailed(""), .truncated: "the other side left"
    case .untrusted(let words), .handshakeFailed(let words), .broken(let words), .refused(let words): words
    }
  }

  /// The words of the last thing that went wrong on this thread.
  static func lastWords() -> String {
    let code = ERR_peek_last_error()
    guard code != 0 else { return "" }
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

enum OpenSSL {
  /// Asked for before anything else is. What the system's openssl.cnf says is not looked at, as a program has to do the same everywhere;
  /// reading a key would read it, and after that it would count for the whole process.
  static let isStarted: Bool = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1
}
