/// Bodies of administrative requests: small ones are read on the event loop, large ones on a thread.

internal import DocModel
internal import DocStore
internal import NIOPosix

extension HTTPService {
  /// Reads the body of a request and goes on with what it holds on the exchange's event loop.
  func readBody<Content: Sendable>(
    _ exchange: HTTPExchange, _ read: @escaping @Sendable ([UInt8]) throws(GRPCStatus) -> Content,
    then next: @escaping @Sendable (HTTPExchange, Content) throws(GRPCStatus) -> Void
  ) throws(GRPCStatus) {
    let body = exchange.request.body
    guard body.count > Self.onEventLoopBytesMax else { return try next(exchange, try read(body)) }
    let reference = exchange.reference
    firestore.threads.submit { state in
      guard state == .active else { return }
      let content = Result { () throws(GRPCStatus) in try read(body) }
      reference { exchange in
        do throws(GRPCStatus) { try next(exchange, try content.get()) } catch { exchange.respond(error) }
      }
    }
  }
}
