/// Bodies of administrative requests: small ones are read on the event loop, large ones on a thread, where other long
/// work of such requests goes, too.

internal import DocModel
internal import DocStore

extension HTTPService {
  /// Reads the body of a request and goes on with what it holds on the exchange's event loop.
  func readBody<Content: Sendable>(
    _ exchange: HTTPExchange, _ read: @escaping @Sendable ([UInt8]) throws(GRPCStatus) -> Content,
    then next: @escaping @Sendable (HTTPExchange, Content) throws(GRPCStatus) -> Void
  ) throws(GRPCStatus) {
    let body = exchange.request.body
    guard body.count > Self.onEventLoopBytesMax else { return try next(exchange, try read(body)) }
    onThread(for: exchange, { () throws(GRPCStatus) in try read(body) }, then: next)
  }

  /// Runs `work` on a thread, and `next` with what it came to on the exchange's event loop. What is thrown is the answer.
  func onThread<Outcome: Sendable>(
    for exchange: HTTPExchange, _ work: @escaping @Sendable () throws(GRPCStatus) -> Outcome,
    then next: @escaping @Sendable (HTTPExchange, Outcome) throws(GRPCStatus) -> Void
  ) {
    let reference = exchange.reference
    firestore.threads.submit {
      let outcome = Result { () throws(GRPCStatus) in try work() }
      reference { exchange in
        do throws(GRPCStatus) { try next(exchange, try outcome.get()) } catch { exchange.respond(error) }
      }
    }
  }
}
