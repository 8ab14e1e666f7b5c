/// Whom to believe, as the TLS library takes it.

internal import Synchronization
internal import TLS

enum TLSContexts {
  /// Those whose authorities are the system's, and of none: reading these takes milliseconds.
  private static let kept = Mutex<[TLSTrust: TLSContext]>([:])

  /// A file of authorities is read each time, as it may have changed.
  static func context(_ trust: TLSTrust) throws(HTTPFailure) -> TLSContext {
    if let context = kept.withLock({ $0[trust] }) { return context }
    do {
      let context = try TLSContext(trusting: trust)
      if case .authorities = trust { return context }
      kept.withLock { $0[trust] = context }
      return context
    } catch {
      if case .authorities(let file) = trust {
        throw .untrusted("\(file) holds no certificates that can be read")
      }
      throw .untrusted(error.words)
    }
  }
}
