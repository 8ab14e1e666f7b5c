/// One HTTP request and the way to answer it, as a service sees them, whichever version it came by.

internal import DocModel
internal import NIOCore
internal import Synchronization

package struct HTTPRequest: Sendable {
  /// In capitals: `GET`.
  package let method: String
  /// Path and query as they came, still percent-encoded.
  package let target: [UInt8]
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  package init(method: String, target: [UInt8], headers: [(String, String)], body: [UInt8]) {
    self.method = method
    self.target = target
    self.headers = headers.map { (name: $0.0, value: $0.1) }
    self.body = body
  }

  /// The first header of a name, in any letter case.
  package func header(_ lowercase: String) -> String? {
    headers.first { Self.isSame($0.name, lowercase) }?.value
  }

  /// All headers of a name, in any letter case.
  func values(_ lowercase: String) -> [String] {
    headers.filter { Self.isSame($0.name, lowercase) }.map(\.value)
  }

  private static func isSame(_ name: String, _ lowercase: String) -> Bool {
    name.utf8.count == lowercase.utf8.count && name.lowercased() == lowercase
  }
}

/// State and its owner: the connection's event loop; only `isCancelled` may be asked elsewhere.
///
/// INVARIANT: an exchange is answered once; what comes after is dropped.
package final class HTTPExchange {
  package let request: HTTPRequest
  private let writer: any HTTPAnswerWriter
  private let cancelled = Atomic(false)
  private(set) var hasBegun = false
  private var isFinished = false
  /// Headers of every answer to this request.
  package var commonHeaders: [(String, String)] = []
  package var onWritable: (() -> Void)?
  /// The client went away before it was answered.
  package var onCancel: (() -> Void)?
  /// The answer is complete: the connection waits for the next request.
  var onEnd: (() -> Void)?
  /// Who counts this request; nil for nobody, and for those that are counted as calls.
  var observation: CallObservation?

  init(request: HTTPRequest, writer: any HTTPAnswerWriter) {
    self.request = request
    self.writer = writer
  }

  /// The client is gone.
  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Answers in one piece.
  package func respond(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
    assertOnLoop()
    guard !hasBegun else { return }
    hasBegun = true
    isFinished = true
    writer.head(status: status, headers: commonHeaders + headers, length: body.count)
    writer.body(body)
    writer.end()
    observation?.end(httpStatus: status)
    let notify = onEnd
    forget()
    notify?()
  }

  /// Begins an answer of unknown length.
  package func begin(status: Int, headers: [(String, String)] = []) {
    assertOnLoop()
    guard !hasBegun else { return }
    hasBegun = true
    writer.head(status: status, headers: commonHeaders + headers, length: nil)
  }

  /// Sends one more piece. False: wait for `onWritable` before the next.
  package func send(_ bytes: [UInt8]) -> Bool {
    assertOnLoop()
    guard hasBegun, !isFinished else { return false }
    writer.body(bytes)
    writer.flush()
    return writer.isWritable
  }

  package func end() {
    assertOnLoop()
    guard hasBegun, !isFinished else { return }
    isFinished = true
    let notify = onEnd
    forget()
    writer.end()
    notify?()
  }

  /// The answer goes on for long, and the client may vanish meanwhile; see `HTTPAnswerWriter.giveUp`.
  func giveUp(afterSilence seconds: Int) { writer.giveUp(afterSilence: seconds) }

  /// The event loop of the connection; nil where there is none, as in tests.
  var eventLoop: (any EventLoop)? { writer.eventLoop }

  @inline(__always)
  func assertOnLoop() { eventLoop.assertInside() }

  /// What the connection holds of the server's memory; nil where nobody counts.
  var memory: MemoryAccount? { writer.memory }

  /// Answers a status from outside, where nothing was said yet, and tells the service that nobody waits any more.
  func fail(_ status: GRPCStatus) {
    assertOnLoop()
    guard !hasBegun else { return }
    let notify = onCancel
    cancelled.store(true, ordering: .relaxed)
    respond(status)
    notify?()
  }

  func cancel() {
    assertOnLoop()
    guard !isFinished else { return }
    cancelled.store(true, ordering: .relaxed)
    isFinished = true
    hasBegun = true
    observation?.end(GRPCStatus(.cancelled))
    let notify = onCancel
    forget()
    notify?()
  }

  /// Breaks the cycles between an exchange and the closures of its service.
  private func forget() {
    onWritable = nil
    onCancel = nil
    onEnd = nil
    observation = nil
  }

  /// Runs a closure on the connection's event loop.
  var perform: GRPCConnection.Perform { writer.perform }

  /// The exchange for work on another thread.
  package var reference: ExchangeReference {
    ExchangeReference(exchange: self, perform: writer.perform)
  }
}

/// What answers requests that are no gRPC calls. One for all connections of a server.
package final class HTTPFront: Sendable {
  let options: HTTPOptions
  let respond: @Sendable (HTTPExchange) -> Void

  package init(options: HTTPOptions, respond: @escaping @Sendable (HTTPExchange) -> Void) {
    self.options = options
    self.respond = respond
  }
}

/// Writes one answer. Belongs to the connection's event loop.
protocol HTTPAnswerWriter: AnyObject {
  /// - Parameter length: bytes of the body; nil where nobody knows yet.
  func head(status: Int, headers: [(String, String)], length: Int?)
  func body(_ bytes: [UInt8])
  func flush()
  func end()
  /// The client keeps up with reading.
  var isWritable: Bool { get }
  /// From now on the connection is given up when the client's machine takes nothing for so long; see `Channel`.
  func giveUp(afterSilence seconds: Int)
  /// Runs a closure on the connection's event loop.
  var perform: GRPCConnection.Perform { get }
  var eventLoop: (any EventLoop)? { get }
  /// What the connection holds of the server's memory; nil where nobody counts.
  var memory: MemoryAccount? { get }
}

/// An exchange that may be carried to another thread and back.
///
/// `@unchecked Sendable`: the exchange is touched only inside `perform`, on its event loop.
package struct ExchangeReference: @unchecked Sendable {
  private let exchange: HTTPExchange
  private let perform: GRPCConnection.Perform

  init(exchange: HTTPExchange, perform: @escaping GRPCConnection.Perform) {
    self.exchange = exchange
    self.perform = perform
  }

  package var isCancelled: Bool { exchange.isCancelled }

  /// For state that belongs to the exchange's event loop.
  @inline(__always)
  func assertOnLoop() { exchange.assertOnLoop() }

  package func callAsFunction(_ body: @escaping @Sendable (HTTPExchange) -> Void) {
    perform { body(exchange) }
  }
}
