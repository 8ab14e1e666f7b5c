/// One call over gRPC.

internal import Access
internal import DocModel
internal import NIOCore

/// State and its owner: the connection's event loop, as for every call.
final class GRPCCall: ServerCall {
  let method: GRPCMethod
  let stream: HTTP2Stream
  /// Kept until the stream closes; the cycle through the stream is broken there.
  let connection: GRPCConnection
  /// Nanoseconds on the host's clock at which the client stops waiting. When it did not say, the server's own; nil until
  /// the call turns out to last.
  var deadline: UInt64?
  /// The call is listed among those that wait for their deadline.
  var isTracked = false
  /// Streams: a message is inflated on a thread; the client has sent everything.
  var isInflating = false
  var isHalfClosed = false
  /// Bytes of this call that are counted in the connection's sum.
  var bufferedBytes = 0

  init(method: GRPCMethod, stream: HTTP2Stream, connection: GRPCConnection, deadline: UInt64?) {
    self.method = method
    self.stream = stream
    self.connection = connection
    self.deadline = deadline
    super.init(
      authorization: stream.head.authorization, cause: stream.head.cause, perform: connection.perform)
  }

  override var eventLoop: (any EventLoop)? { connection.eventLoop }

  override var memory: MemoryAccount? { connection.account }

  override var ties: ConnectionTransactions? { connection.ties }

  override var methodName: String { method.name }

  override func transmit(only message: [UInt8]) {
    connection.http2.respond(
      stream, head: GRPCHeaders.responseHead, message: message, trailers: GRPCHeaders.okTrailers)
    connection.callEnded(self)
  }

  override func transmitHead() { connection.http2.begin(stream, head: GRPCHeaders.responseHead) }

  override func transmit(next message: [UInt8]) -> Bool {
    defer { connection.wake() }
    return connection.http2.send(stream, message: message)
  }

  override func transmitEnd(_ status: GRPCStatus, afterMessages: Bool) {
    if afterMessages {
      connection.http2.end(stream, trailers: GRPCHeaders.trailers(status))
    } else {
      connection.http2.respond(stream, headOnly: connection.trailersOnly(status))
    }
    connection.callEnded(self)
  }
}
