/// Large compressed messages, inflated on another thread: a small one may come to a thousand times its size.
///
/// The messages of a stream keep their order: while one is inflated, those behind it stay in the buffer.

internal import DocModel

extension GRPCConnection {
  /// LIMIT: bytes of a compressed message that is inflated on the event loop; half a megabyte comes of them at most.
  private static let inflatedHereMax = 512

  /// Whether a message is left to another thread, which then calls `next` on the event loop, or ends the call.
  func isInflatedLater(
    _ frame: GRPCFrame, in body: [UInt8], for call: GRPCCall,
    then next: @escaping @Sendable (GRPCCall, RequestMessage) -> Void
  ) -> Bool {
    eventLoop.assertInside()
    guard frame.isCompressed, frame.end - frame.start > Self.inflatedHereMax, let offload = options.offload
    else { return false }
    let encoding = call.stream.head.encoding
    let limit = options.messageBytesMax
    let reference = LoopConfined(value: call)
    offload {
      let message = Result { () throws(GRPCStatus) in
        try frame.message(in: body, encoding: encoding, limit: limit)
      }
      reference.value.perform {
        let call = reference.value
        guard !call.isFinished else { return }
        do throws(GRPCStatus) { next(call, try message.get()) } catch { call.finish(error) }
      }
    }
    return true
  }
}
