/// A thread of its own for the one writer: write transactions of embedded engines belong to a thread, and
/// a durability point blocks.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

package enum WriterThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    let ended: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void, _ ended: @escaping @Sendable () -> Void) {
      self.run = run
      self.ended = ended
    }
  }

  /// Runs `body` on a new thread, which ends with it. `ended` is called when the thread has let go of `body` and all that
  /// it held: who waits for it finds nothing of that open, locked or in use.
  package static func start(
    _ body: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void = {}
  ) {
    let context = Unmanaged.passRetained(Body(body, ended))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Rules are evaluated here: as much stack as the main thread has.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let ended = WriterThread.perform(context)
        ended()
        return nil
      }, context.toOpaque())
    pthread_attr_destroy(&attributes)
    precondition(status == 0, "the system gives no thread (\(status))")
  }

  /// A function of its own, because it releases the body by its end.
  @inline(never)
  private static func perform(_ context: UnsafeMutableRawPointer) -> @Sendable () -> Void {
    let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
    body.run()
    return body.ended
  }
}
