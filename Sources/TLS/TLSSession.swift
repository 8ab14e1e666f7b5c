/// TLS of one connection, between the bytes of the network and those of the application. It reads and writes nothing itself.

internal import COpenSSL
internal import NIOCore

/// State and its owner: the channel's event loop.
final class TLSSession {
  let connection: OpaquePointer
  /// What came from the network and was not read yet.
  fileprivate var received = ByteBuffer()
  /// What the network has to get.
  fileprivate var output = ByteBuffer()
  /// Whether the other side wanted another handshake.
  fileprivate var isAskedToRenegotiate = false

  /// - Parameter server: the name or address that the server's certificate has to be for; nil on the server's side.
  init(_ context: TLSContext, server: String?) throws(TLSError) {
    ERR_clear_error()
    guard let connection = SSL_new(context.pointer) else { throw .refused(TLSError.lastWords()) }
    self.connection = connection
    guard let bio = BIO_new(bytesOfSession) else { throw .refused(TLSError.lastWords()) }
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    BIO_set_init(bio, 1)
    SSL_set_bio(connection, bio, bio)
    if context.isServer { SSL_set_accept_state(connection) } else { SSL_set_connect_state(connection) }
    if let server { try expect(server) }
  }

  deinit { SSL_free(connection) }

  /// Source: RFC 6125, RFC 9110 4.3.4: names in `subjectAltName` count, and an address is compared as one. Only names are told the server
  /// beforehand (RFC 6066 3).
  private func expect(_ server: String) throws(TLSError) {
    // The dot at the end of a name that is whole is no part of what certificates are for.
    let server = server.hasSuffix(".") ? String(server.dropLast()) : server
    // OpenSSL would take the name of none for any, and one that begins with a dot for all below it.
    guard !server.isEmpty, !server.hasPrefix("."), !server.utf8.contains(0) else {
      throw .refused("`\(server)` is no name for a server")
    }
    let isAddress = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), server) == 1
    ERR_clear_error()
    guard !isAddress else { return }
    SSL_set_hostflags(
      connection, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
    guard SSL_set1_host(connection, server) == 1, docstore_ask_for_name(connection, server) == 1 else {
      throw .refused("`\(server)` is no name for a server")
    }
  }

  enum Progress {
    case done
    /// Nothing more without further bytes of the network.
    case waits
    /// The other side said that it ends here.
    case ended
    case failed(TLSError)
  }

  func receive(_ bytes: inout ByteBuffer) {
    if received.readableBytes == 0 { received = bytes } else { received.writeBuffer(&bytes) }
  }

  /// What the network has to get; nil where that is nothing.
  func takeOutput() -> ByteBuffer? {
    guard output.readableBytes > 0 else { return nil }
    defer { output = ByteBuffer() }
    return output
  }

  func handshake() -> Progress {
    ERR_clear_error()
    let result = SSL_do_handshake(connection)
    return result == 1 ? .done : progress(result, TLSError.handshakeFailed)
  }

  /// What ALPN agreed on.
  var agreedProtocol: String? {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(connection, &bytes, &count)
    guard let bytes, count > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  /// Appends what one record, or the rest of one, says.
  func read(into plain: inout ByteBuffer) -> Progress {
    ERR_clear_error()
    // No text is longer than its record; what OpenSSL still holds of an earlier one is asked for besides.
    let room = min(max(received.readableBytes, Int(SSL_pending(connection)), 1), Self.recordBytesMax)
    var result: Int32 = 0
    plain.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { space in
      result = SSL_read(connection, space.baseAddress, Int32(clamping: space.count))
      return max(0, Int(result))
    }
    // OpenSSL says no and goes on, as often as it is asked: each time would be output that nobody may read.
    if isAskedToRenegotiate { return .failed(.broken("it asked for another handshake")) }
    return result > 0 ? .done : progress(result, TLSError.broken)
  }

  /// Marks the session of a connection that has refused another handshake.
  static let noticeRefusals: @convention(c) (OpaquePointer?, CInt, CInt) -> Void = {
    connection, place, what in
    guard docstore_is_refusal_to_renegotiate(place, what) == 1 else { return }
    session(SSL_get_rbio(connection))?.isAskedToRenegotiate = true
  }

  /// LIMIT: of RFC 8446 5.1.
  static let recordBytesMax = 16_384

  /// Makes output of a text, which has no bound here: callers bound what they write. All of it or, while a message of TLS itself has come in
  /// part, nothing: then it waits, and the same text has to be given again.
  func write(_ plain: ByteBuffer) -> Progress {
    guard plain.readableBytes > 0 else { return .done }
    output.reserveCapacity(minimumWritableBytes: plain.readableBytes + 256)
    return plain.readableBytesView.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        ERR_clear_error()
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = SSL_write(connection, part.baseAddress, Int32(clamping: part.count))
        guard count > 0 else { return progress(count, TLSError.broken) }
        rest = rest.dropFirst(Int(count))
      }
      return .done
    }
  }

  /// Says that nothing more comes. Nothing may be written after it.
  func sayGoodbye() {
    ERR_clear_error()
    SSL_shutdown(connection)
  }

  private func progress(_ result: Int32, _ failure: (String) -> TLSError) -> Progress {
    switch SSL_get_error(connection, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waits
    case SSL_ERROR_ZERO_RETURN: return .ended
    // SSL_ERROR_SSL, and those that only other kinds of BIO and callbacks know.
    default: return .failed(certificateError ?? failure(TLSError.lastWords()))
    }
  }

  /// Where the handshake ended because of the server's certificate: why.
  private var certificateError: TLSError? {
    let result = SSL_get_verify_result(connection)
    guard SSL_get_verify_mode(connection) != SSL_VERIFY_NONE, result != Int(X509_V_OK) else { return nil }
    switch Int32(result) {
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: return .wrongName
    default: return .untrusted(X509_verify_cert_error_string(result).map { String(cString: $0) } ?? "")
    }
  }

  fileprivate func give(_ space: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(space.count, received.readableBytes)
    received.readWithUnsafeReadableBytes { bytes in
      space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      return count
    }
    // A buffer that was read is not held until the next one comes.
    if received.readableBytes == 0 { received = ByteBuffer() }
    return count
  }

  fileprivate func take(_ bytes: UnsafeRawBufferPointer) {
    if isAskedToRenegotiate { return }
    output.writeBytes(bytes)
  }
}

/// How OpenSSL gets at a session's bytes.
private nonisolated(unsafe) let bytesOfSession: OpaquePointer? = {
  let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "session")
  BIO_meth_set_read(method) { bio, space, count in
    docstore_wait_for_nothing(bio)
    guard let session = session(bio), let space, count > 0 else { return 0 }
    let given = session.give(UnsafeMutableRawBufferPointer(start: space, count: Int(count)))
    if given == 0 { docstore_wait_for_bytes(bio) }
    return given == 0 ? -1 : Int32(given)
  }
  BIO_meth_set_write(method) { bio, bytes, count in
    docstore_wait_for_nothing(bio)
    guard let session = session(bio), let bytes, count > 0 else { return 0 }
    session.take(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    return count
  }
  // Everything is written at once, so there is nothing to flush; other questions are answered by no.
  BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
  return method
}()

private func session(_ bio: OpaquePointer?) -> TLSSession? {
  BIO_get_data(bio).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
}
