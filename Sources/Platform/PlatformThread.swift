/// Threads of our own, beside those of event loops and pools.

/// Starts threads that nobody waits for.
package enum PlatformThread {
  /// The system gives no thread: a limit of the process, of its user or of memory.
  package struct Exhausted: Error, CustomStringConvertible {
    package let code: Int32

    package var description: String { "the system gives no thread: \(String(cString: strerror(code)))" }
  }

  /// Stack of threads that evaluate rules: as much as the main thread has.
  package static let largeStackBytes = 8 << 20

  /// Tells threads apart while they live.
  package struct ID: Hashable, Sendable { fileprivate let value: UInt }

  package static var current: ID { ID(value: unsafeBitCast(pthread_self(), to: UInt.self)) }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    let ended: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void, _ ended: @escaping @Sendable () -> Void) {
      self.body = body
      self.ended = ended
    }
  }

  /// Runs `body` on a new thread, which ends with it.
  ///
  /// - Parameters:
  ///   - stackBytes: nil for the system's own size.
  ///   - ended: called when the thread has let go of `body` and all that it held: who waits for it finds nothing of that open,
  ///     locked or in use.
  package static func start(
    stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void,
    ended: @escaping @Sendable () -> Void = {}
  ) throws(Exhausted) {
    let work = Unmanaged.passRetained(Work(body, ended))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let ended = PlatformThread.perform(context)
        ended()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw Exhausted(code: code)
    }
  }

  /// A function of its own, because it releases the body by its end.
  @inline(never)
  private static func perform(_ context: UnsafeMutableRawPointer) -> @Sendable () -> Void {
    let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
    work.body()
    return work.ended
  }
}
