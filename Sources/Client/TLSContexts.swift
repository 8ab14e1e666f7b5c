/// Whom to believe, as the TLS library takes it.

internal import NIOCore
internal import NIOSSL
internal import Synchronization

enum TLSContexts {
  /// Those whose authorities are the system's, and of none: reading these takes milliseconds.
  private static let kept = Mutex<[TLSTrust: NIOSSLContext]>([:])

  /// A file of authorities is read each time, as it may have changed.
  static func context(_ trust: TLSTrust) throws(HTTPFailure) -> NIOSSLContext {
    if let context = kept.withLock({ $0[trust] }) { return context }
    var configuration = TLSConfiguration.makeClientConfiguration()
    var isKept = true
    switch trust {
    case .system: break
    case .anybody: configuration.certificateVerification = .none
    case .authorities(let file):
      configuration.trustRoots = .file(file)
      isKept = false
    }
    do {
      let context = try NIOSSLContext(configuration: configuration)
      if isKept { kept.withLock { $0[trust] = context } }
      return context
    } catch {
      if case .authorities(let file) = trust {
        throw .untrusted("\(file) holds no certificates that can be read")
      }
      throw .untrusted("\(error)")
    }
  }

  /// The name that a certificate must be for; nil for an address, which is compared as such.
  static func serverName(_ host: String) -> String? {
    (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
  }
}
